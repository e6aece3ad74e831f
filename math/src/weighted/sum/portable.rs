//! Sums of whole products, one at a time.

use p3_field::PrimeField64;

use super::Sum;
use crate::field::Goldilocks;

/// `low + 2^128·high`.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Portable {
    low: u128,
    high: u64,
}

/// `2^64`.
const MIDDLE: Goldilocks = Goldilocks::new(0xffff_ffff);

impl Sum for Portable {
    const CAPACITY: usize = usize::MAX;

    type Vector = Goldilocks;
    type Value = u64;
    type Weight = u64;

    #[inline(always)]
    fn value(value: Goldilocks) -> u64 {
        value.as_canonical_u64()
    }

    #[inline(always)]
    fn weight(weight: Goldilocks) -> u64 {
        weight.as_canonical_u64()
    }

    #[inline(always)]
    fn new(start: Goldilocks) -> Self {
        Self { low: start.as_canonical_u64().into(), high: 0 }
    }

    #[inline(always)]
    fn add_product(&mut self, value: u64, weight: &u64) {
        let (low, carry) = self.low.overflowing_add(u128::from(value) * u128::from(*weight));
        self.low = low;
        self.high += u64::from(carry);
    }

    #[inline(always)]
    fn lanes(self) -> Goldilocks {
        let [low, middle, high] = [self.low as u64, (self.low >> 64) as u64, self.high].map(Goldilocks::new);
        low + MIDDLE * (middle + MIDDLE * high)
    }

    #[inline(always)]
    fn total(self) -> Goldilocks {
        self.lanes()
    }
}
