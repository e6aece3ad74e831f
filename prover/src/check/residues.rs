//! First look at the buses: does anything not balance, and roughly what?
//!
//! Each message belongs to one of [`CLASSES`] classes and has a weight, both from its hash. A class's
//! residue is the sum of `weight · (sent - received)` over its messages. It is zero where the messages
//! balance, and with a chance of about 2^-52 where they do not: the weights are unrelated to what an AIR
//! computes.

use std::hash::{DefaultHasher, Hash, Hasher};

use lambda_math::Goldilocks;
use p3_field::PrimeCharacteristicRing;

/// Classes of messages: enough that a single one is quickly examined, few enough that a thread's residues
/// fit its cache.
const CLASSES: usize = 1 << 12;

/// Residue and number of interactions of each class.
#[derive(Clone)]
pub struct Residues(Vec<Class>);

#[derive(Clone, Copy, Default)]
struct Class {
    residue: Goldilocks,
    interactions: u64,
}

impl Default for Residues {
    fn default() -> Self {
        Self(vec![Class::default(); CLASSES])
    }
}

impl Residues {
    /// Adds the message `fields` on `bus`, sent `net` times.
    pub fn add(&mut self, bus: u64, fields: &[Goldilocks], net: Goldilocks) {
        if net != Goldilocks::ZERO {
            let hash = hash(bus, fields);
            let class = &mut self.0[class_of(hash)];
            class.residue += Goldilocks::from_u64(hash) * net;
            class.interactions += 1;
        }
    }

    /// Adds up both.
    pub fn merge(mut self, other: Self) -> Self {
        for (class, other) in self.0.iter_mut().zip(other.0) {
            class.residue += other.residue;
            class.interactions += other.interactions;
        }
        self
    }

    /// The classes that do not balance, as many as have at most `examined` interactions together, but one at
    /// least.
    pub fn suspects(&self, examined: u64) -> Suspects {
        let mut suspects = Suspects { classes: vec![false; CLASSES], examined: 0, unexamined: 0 };
        for (index, class) in self.0.iter().enumerate() {
            if class.residue == Goldilocks::ZERO {
                continue;
            }
            if suspects.examined == 0 || suspects.examined + class.interactions <= examined {
                suspects.classes[index] = true;
                suspects.examined += class.interactions;
            } else {
                suspects.unexamined += class.interactions;
            }
        }
        suspects
    }
}

/// The classes to examine message by message.
pub struct Suspects {
    classes: Vec<bool>,
    examined: u64,
    unexamined: u64,
}

impl Suspects {
    /// Whether every message balances.
    pub const fn is_empty(&self) -> bool {
        self.examined == 0
    }

    /// Interactions of classes that do not balance and are left out.
    pub const fn unexamined(&self) -> u64 {
        self.unexamined
    }

    /// Whether the message is to be examined.
    pub fn contains(&self, bus: u64, fields: &[Goldilocks]) -> bool {
        self.classes[class_of(hash(bus, fields))]
    }
}

/// The same on every run: `DefaultHasher::new` has fixed keys.
fn hash(bus: u64, fields: &[Goldilocks]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (bus, fields).hash(&mut hasher);
    hasher.finish()
}

const fn class_of(hash: u64) -> usize {
    hash as usize % CLASSES
}
