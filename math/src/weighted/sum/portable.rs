//! Sums in arrays that the compiler maps to the vector unit it finds.

use core::array;

use p3_field::PackedValue;

use super::{Packed, Sum};
use crate::field::Goldilocks;

const WIDTH: usize = Packed::WIDTH;

/// Limbs of a weight: 22, 22 and 20 bits.
const LIMBS: usize = 3;
const LIMB_BITS: usize = 22;

/// `Σ_k limbs[k]·2^(22·k)` in every lane.
///
/// A term adds less than `2^55` to each limb.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Portable {
    limbs: [[u64; WIDTH]; LIMBS],
}

/// `x = low + 2^32·high`, 32 bits each.
#[derive(Clone, Copy)]
pub(in super::super) struct Value {
    low: [u64; WIDTH],
    high: [u64; WIDTH],
}

/// Limbs of `w` and of `2^32·w`.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Weight {
    plain: [[u32; WIDTH]; LIMBS],
    shifted: [[u32; WIDTH]; LIMBS],
}

impl Sum for Portable {
    const CAPACITY: usize = 1 << 9;

    type Value = Value;
    type Weight = Weight;

    #[inline(always)]
    fn value(values: Packed) -> Value {
        let words = words(values);
        Value { low: words.map(|word| word & 0xffff_ffff), high: words.map(|word| word >> 32) }
    }

    #[inline(always)]
    fn weight(weights: Packed) -> Weight {
        let shifted = weights * Packed::from(Goldilocks::new(1 << 32));
        Weight { plain: split(weights), shifted: split(shifted) }
    }

    #[inline(always)]
    fn new(start: Packed) -> Self {
        Self { limbs: split(start).map(|limb| limb.map(u64::from)) }
    }

    #[inline(always)]
    fn add_product(&mut self, value: Value, weight: &Weight) {
        for (k, sum) in self.limbs.iter_mut().enumerate() {
            *sum = array::from_fn(|lane| {
                sum[lane]
                    + value.low[lane] * u64::from(weight.plain[k][lane])
                    + value.high[lane] * u64::from(weight.shifted[k][lane])
            });
        }
    }

    #[inline(always)]
    fn lanes(self) -> Packed {
        let [limb_0, limb_1, limb_2] = self.limbs.map(|limb| *Packed::from_slice(&limb.map(Goldilocks::new)));
        limb_0 + limb_1 * Packed::from(place(1)) + limb_2 * Packed::from(place(2))
    }

    #[inline(always)]
    fn total(self) -> Goldilocks {
        let [limb_0, limb_1, limb_2] = self.limbs.map(|limb| Goldilocks::new(limb.iter().sum()));
        limb_0 + limb_1 * place(1) + limb_2 * place(2)
    }
}

/// Place value of a limb.
const fn place(limb: usize) -> Goldilocks {
    Goldilocks::new(1 << (limb * LIMB_BITS))
}

#[inline(always)]
fn words(elements: Packed) -> [u64; WIDTH] {
    use p3_field::PrimeField64;
    array::from_fn(|lane| elements.as_slice()[lane].as_canonical_u64())
}

#[inline(always)]
fn split(elements: Packed) -> [[u32; WIDTH]; LIMBS] {
    let words = words(elements);
    array::from_fn(|k| words.map(|word| (word >> (k * LIMB_BITS)) as u32 & ((1 << LIMB_BITS) - 1)))
}
