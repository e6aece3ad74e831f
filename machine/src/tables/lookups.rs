//! What rows look up in the fixed tables, counted while the rows are filled.

use alloc::vec;
use alloc::vec::Vec;

/// Takes note of lookups.
///
/// A row calls one of these once for each lookup its AIR makes, with the same values.
pub trait Lookups {
    /// `value` is looked up on `RANGE16`.
    fn range16(&mut self, value: u16);
    /// `(x, y, x & y)` is looked up on `BYTE_AND`.
    fn byte_and(&mut self, x: u8, y: u8);
    /// `(x, y)` is looked up on `BYTE_PAIR`.
    fn byte_pair(&mut self, x: u8, y: u8);
    /// `(exponent, 2^exponent)` is looked up on `POWER`; the exponent is at most 16.
    fn power(&mut self, exponent: u8);

    /// Two bytes are looked up together to show that they are bytes.
    fn bytes(&mut self, x: u8, y: u8) {
        self.byte_and(x, y);
    }

    /// Both halves of a word are looked up on `RANGE16`.
    fn word(&mut self, word: u32) {
        self.range16(word as u16);
        self.range16((word >> 16) as u16);
    }
}

/// How often each entry of each fixed table was looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Per value.
    pub range16: Vec<u32>,
    /// Per `x + 256·y`.
    pub byte_and: Vec<u32>,
    /// Per `x + 256·y`.
    pub byte_pair: Vec<u32>,
    /// Per exponent.
    pub power: Vec<u32>,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            range16: vec![0; 1 << 16],
            byte_and: vec![0; 1 << 16],
            byte_pair: vec![0; 1 << 16],
            power: vec![0; 17],
        }
    }
}

impl Counts {
    /// Adds the counts of other rows.
    pub fn merge(mut self, other: &Self) -> Self {
        let pairs = [
            (&mut self.range16, &other.range16),
            (&mut self.byte_and, &other.byte_and),
            (&mut self.byte_pair, &other.byte_pair),
            (&mut self.power, &other.power),
        ];
        for (mine, theirs) in pairs {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
        self
    }
}

impl Lookups for Counts {
    fn range16(&mut self, value: u16) {
        self.range16[usize::from(value)] += 1;
    }

    fn byte_and(&mut self, x: u8, y: u8) {
        self.byte_and[usize::from(x) + 256 * usize::from(y)] += 1;
    }

    fn byte_pair(&mut self, x: u8, y: u8) {
        self.byte_pair[usize::from(x) + 256 * usize::from(y)] += 1;
    }

    fn power(&mut self, exponent: u8) {
        self.power[usize::from(exponent)] += 1;
    }
}
