//! Sums of products of base field elements, reduced late, one in each lane of a vector.
//!
//! A value `x = x0 + 2^32·x1` times a weight `w` is `x0·w + x1·(2^32·w)`: with both weights reduced modulo
//! `p` beforehand, two products of 32 by 64 bits with the same place value. A [`Sum`] splits them into
//! limbs that it adds up without carries. Any representatives will do for `x` and `w`.

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512ifma"))]
mod avx512;
#[cfg(any(
    test,
    not(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512ifma"))
))]
mod portable;

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512ifma"))]
pub(super) use avx512::Avx512 as Widest;
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512ifma")))]
pub(super) use portable::Portable as Widest;

use p3_field::Field;

use crate::field::Goldilocks;

/// The vector of elements that `p3-field` offers on this target.
pub(super) type Packed = <Goldilocks as Field>::Packing;

/// `Σ w·x` in every lane of a [`Packed`].
pub(super) trait Sum: Copy {
    /// Terms that a sum has room for. [`Sum::total`] has room for this many over all lanes.
    const CAPACITY: usize;

    /// A vector of values, split.
    type Value: Copy;
    /// A vector of weights, split.
    type Weight: Copy;

    /// Splits values.
    fn value(values: Packed) -> Self::Value;
    /// Splits weights.
    fn weight(weights: Packed) -> Self::Weight;

    /// The sum of the single term `start`.
    fn new(start: Packed) -> Self;
    /// Adds the term `value·weight`.
    fn add_product(&mut self, value: Self::Value, weight: &Self::Weight);
    /// The sum in each lane.
    fn lanes(self) -> Packed;
    /// The sum over all lanes.
    fn total(self) -> Goldilocks;
}

#[cfg(test)]
mod tests {
    use p3_field::{PackedValue, PrimeCharacteristicRing, PrimeField64};
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::tests::element;
    use super::*;
    use crate::field::ORDER;

    /// Calls a test function, generic in the sum, once for each implementation that this target has.
    macro_rules! every_sum {
        ($test:ident($($argument:expr),*)) => {
            $test::<portable::Portable>($($argument),*);
            #[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512ifma"))]
            $test::<avx512::Avx512>($($argument),*);
        };
    }

    /// Weights whose products with a value of all ones fill the limbs of a sum.
    fn filling_weights() -> [Goldilocks; 4] {
        // Both halves of the value times the lowest 52 bits of `w` and of `2^32·w`, modulo 2^52: the first is
        // 2^52 - 1 as (2^32 - 1)·(2^32 + 1) = -1 modulo 2^52, for the second we try the other bits of `w`.
        let with_top = |top: u64| Goldilocks::new((top << 52) + (1 << 32) + 1);
        let second = |&top: &u64| {
            let shifted = with_top(top) * Goldilocks::new(1 << 32);
            shifted.as_canonical_u64().wrapping_mul(u64::from(u32::MAX)) % (1 << 52)
        };
        let fullest = (0..1 << 12).max_by_key(second).expect("there are candidates");
        // 2^44 - 1 fills the two lower limbs of 22 bits, its shifted form nearly fills the lowest.
        let others = [(1 << 44) - 1, ORDER - 1, u64::MAX].map(Goldilocks::new);
        [with_top(fullest), others[0], others[1], others[2]]
    }

    fn a_full_sum_is_exact<S: Sum>(weight: Goldilocks) {
        let value = Goldilocks::new(u64::MAX);
        let [values, weights] = [value, weight].map(Packed::from);
        let term = value * weight;
        // As after a reduction, the start is the first term.
        for start in [Goldilocks::ZERO, Goldilocks::new(u64::MAX)] {
            let mut sum = S::new(start.into());
            for _ in 1..S::CAPACITY {
                sum.add_product(S::value(values), &S::weight(weights));
            }
            let expected = start + term * Goldilocks::new(S::CAPACITY as u64 - 1);
            assert_eq!(sum.lanes(), Packed::from(expected), "lanes, weight {weight:?}");
        }
        let mut sum = S::new(Packed::ZERO);
        let vectors = S::CAPACITY / Packed::WIDTH;
        for _ in 0..vectors {
            sum.add_product(S::value(values), &S::weight(weights));
        }
        let terms = Goldilocks::new((vectors * Packed::WIDTH) as u64);
        assert_eq!(sum.total(), term * terms, "total, weight {weight:?}");
    }

    #[test]
    fn full_sums_do_not_overflow() {
        for weight in largest_weights() {
            every_sum!(a_full_sum_is_exact(weight));
        }
    }

    /// Every lane of `terms`, pairs of values and weights, and all lanes together.
    fn sums_agree<S: Sum>(start: &[Goldilocks], terms: &[(Vec<Goldilocks>, Vec<Goldilocks>)]) {
        let packed = |lanes: &[Goldilocks]| *Packed::from_slice(&lanes[..Packed::WIDTH]);
        let mut sum = S::new(packed(start));
        for (values, weights) in terms {
            sum.add_product(S::value(packed(values)), &S::weight(packed(weights)));
        }
        let expected = |lane: usize| -> Goldilocks {
            start[lane] + terms.iter().map(|(values, weights)| values[lane] * weights[lane]).sum::<Goldilocks>()
        };
        assert_eq!(sum.lanes().as_slice(), (0..Packed::WIDTH).map(expected).collect::<Vec<_>>());
        assert_eq!(sum.total(), (0..Packed::WIDTH).map(expected).sum());
    }

    proptest! {
        #[test]
        fn sums_are_those_of_the_field(
            start in vec(element(), 8),
            terms in vec((vec(element(), 8), vec(element(), 8)), 0..20),
        ) {
            every_sum!(sums_agree(&start, &terms));
        }
    }
}
