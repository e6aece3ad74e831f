//! Sums of products of base field elements, reduced late, one in each lane of a vector.
//!
//! With 52-bit multiply-add a value `x = x0 + 2^32·x1` times a weight `w` is `x0·w + x1·(2^32·w mod p)`, two
//! products of 32 by 64 bits with the same place value, and their limbs to the base `2^52` need no carries
//! for thousands of terms. Elsewhere the whole products of 128 bits are added up. Any representatives will
//! do for `x` and `w`.

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

use p3_field::PackedField;

use crate::field::Goldilocks;

/// The vectors that [`Widest`] adds up.
pub(super) type Vector = <Widest as Sum>::Vector;

/// `Σ w·x` in every lane of a vector.
pub(super) trait Sum: Copy {
    /// Terms that a lane has room for; before a [`Sum::total`] it is the lanes' terms together that count.
    const CAPACITY: usize;

    /// Elements, one in each lane.
    type Vector: PackedField<Scalar = Goldilocks>;
    /// A vector of values, ready for products.
    type Value: Copy;
    /// A vector of weights, ready for products.
    type Weight: Copy;

    /// Prepares values.
    fn value(values: Self::Vector) -> Self::Value;
    /// Prepares weights.
    fn weight(weights: Self::Vector) -> Self::Weight;

    /// The sum of the single term `start`.
    fn new(start: Self::Vector) -> Self;
    /// Adds the term `value·weight`.
    fn add_product(&mut self, value: Self::Value, weight: &Self::Weight);
    /// The sum in each lane.
    fn lanes(self) -> Self::Vector;
    /// The sum over all lanes.
    fn total(self) -> Goldilocks;
}

#[cfg(test)]
mod tests {
    use p3_field::{PackedValue, PrimeCharacteristicRing};
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::tests::{element, filling_weights};
    use super::*;

    /// Calls a test function, generic in the sum, once for each implementation that this target has.
    macro_rules! every_sum {
        ($test:ident($($argument:expr),*)) => {
            $test::<portable::Portable>($($argument),*);
            #[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512ifma"))]
            $test::<avx512::Avx512>($($argument),*);
        };
    }

    /// Terms for a sum that has room for more than a test can add.
    const MANY: usize = 1 << 13;

    fn a_full_sum_is_exact<S: Sum>(weight: Goldilocks) {
        let value = Goldilocks::new(u64::MAX);
        let [values, weights] = [value, weight].map(S::Vector::from);
        let term = value * weight;
        // As after a reduction, the start is the first term.
        for start in [Goldilocks::ZERO, Goldilocks::new(u64::MAX)] {
            let mut sum = S::new(start.into());
            let terms = S::CAPACITY.min(MANY) - 1;
            for _ in 0..terms {
                sum.add_product(S::value(values), &S::weight(weights));
            }
            let expected = start + term * Goldilocks::new(terms as u64);
            assert_eq!(sum.lanes().as_slice(), vec![expected; S::Vector::WIDTH], "lanes, weight {weight:?}");
        }
        let mut sum = S::new(S::Vector::ZERO);
        let vectors = S::CAPACITY.min(MANY) / S::Vector::WIDTH;
        for _ in 0..vectors {
            sum.add_product(S::value(values), &S::weight(weights));
        }
        let terms = Goldilocks::new((vectors * S::Vector::WIDTH) as u64);
        assert_eq!(sum.total(), term * terms, "total, weight {weight:?}");
    }

    #[test]
    fn full_sums_do_not_overflow() {
        for weight in filling_weights() {
            every_sum!(a_full_sum_is_exact(weight));
        }
    }

    /// Every lane of `terms`, pairs of values and weights, and all lanes together.
    fn sums_agree<S: Sum>(start: &[Goldilocks], terms: &[(Vec<Goldilocks>, Vec<Goldilocks>)]) {
        let packed = |lanes: &[Goldilocks]| *S::Vector::from_slice(&lanes[..S::Vector::WIDTH]);
        let mut sum = S::new(packed(start));
        for (values, weights) in terms {
            sum.add_product(S::value(packed(values)), &S::weight(packed(weights)));
        }
        let expected = |lane: usize| -> Goldilocks {
            start[lane]
                + terms.iter().map(|(values, weights)| values[lane] * weights[lane]).sum::<Goldilocks>()
        };
        assert_eq!(sum.lanes().as_slice(), (0..S::Vector::WIDTH).map(expected).collect::<Vec<_>>());
        assert_eq!(sum.total(), (0..S::Vector::WIDTH).map(expected).sum());
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
