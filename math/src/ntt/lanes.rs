//! Eight field elements at a time: the butterflies every pass is made of.
//!
//! A butterfly of radix 2, 4 or 8 multiplies its rows by prepared constants and takes their discrete
//! Fourier transform, whose own roots are powers of two: in this field `2^48` is a fourth and `-2^24` an
//! eighth root of unity. `portable` states the arithmetic for any packing of `p3-field`; `avx512` does it
//! on machines with 52-bit multiply-add. Both offer the same items and a test compares them.

use crate::domain::reverse_bits;

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512ifma"))]
mod avx512;
#[cfg(any(
    test,
    not(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512ifma"))
))]
mod portable;

#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512ifma"))]
pub(super) use avx512::{Factor, LaneFactor, Lanes, forward, forward_plain, inverse};
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512ifma")))]
pub(super) use portable::{Factor, LaneFactor, Lanes, forward, forward_plain, inverse};

/// Elements in a `Lanes`.
pub(super) const WIDTH: usize = 8;

/// A constant by which a row of `L` is multiplied: the same for all lanes, or one a lane.
pub(super) trait Multiplier<L> {
    /// The form the product takes.
    type Prepared;
    /// The constant of every lane.
    fn lanes(&self) -> Self::Prepared;
}

/// What a transform of two, four or eight points needs of its points.
pub(super) trait Point: Copy {
    /// `self + other`.
    fn plus(self, other: Self) -> Self;
    /// `self - other`.
    fn minus(self, other: Self) -> Self;
    /// `self + 2^48 · other`.
    fn plus_fourth(self, other: Self) -> Self;
    /// `self - 2^48 · other`.
    fn minus_fourth(self, other: Self) -> Self;
    /// `2^24 · self`.
    fn times_eighth(self) -> Self;
}

/// The radix `R`, as `[(); R]`: 2, 4 or 8.
pub(super) trait Fourier<const R: usize> {
    /// Discrete Fourier transform `y_q = Σ x_n ω_R^(n·q)`, natural order in and out.
    fn fourier<P: Point>(x: [P; R]) -> [P; R];
}

impl Fourier<2> for [(); 2] {
    #[inline(always)]
    fn fourier<P: Point>([x0, x1]: [P; 2]) -> [P; 2] {
        [x0.plus(x1), x0.minus(x1)]
    }
}

impl Fourier<4> for [(); 4] {
    #[inline(always)]
    fn fourier<P: Point>([x0, x1, x2, x3]: [P; 4]) -> [P; 4] {
        let (s0, d0) = (x0.plus(x2), x0.minus(x2));
        let (s1, d1) = (x1.plus(x3), x1.minus(x3));
        [s0.plus(s1), d0.plus_fourth(d1), s0.minus(s1), d0.minus_fourth(d1)]
    }
}

impl Fourier<8> for [(); 8] {
    #[inline(always)]
    fn fourier<P: Point>([x0, x1, x2, x3, x4, x5, x6, x7]: [P; 8]) -> [P; 8] {
        let [e0, e1, e2, e3] = <[(); 4]>::fourier([x0, x2, x4, x6]);
        let [o0, o1, o2, o3] = <[(); 4]>::fourier([x1, x3, x5, x7]);
        // ω_8 = -2^24 and ω_8^3 = -2^24 · 2^48.
        let (o1, o3) = (o1.times_eighth(), o3.times_eighth());
        [
            e0.plus(o0),
            e1.minus(o1),
            e2.plus_fourth(o2),
            e3.minus_fourth(o3),
            e0.minus(o0),
            e1.plus(o1),
            e2.minus_fourth(o2),
            e3.plus_fourth(o3),
        ]
    }
}

/// Row of index `n` when `radix` rows are in bit-reversed order.
#[inline(always)]
const fn row_of(n: usize, radix: usize) -> usize {
    reverse_bits(n, radix.trailing_zeros())
}

#[cfg(test)]
mod tests {
    use core::array;

    use p3_field::PrimeCharacteristicRing;
    use proptest::prelude::*;

    use super::*;
    use crate::domain::root_of_unity;
    use crate::field::{Goldilocks, ORDER};

    /// Any u64 as an element, biased to where carries and limbs change.
    fn element() -> impl Strategy<Value = Goldilocks> {
        let edges = [0, 1, (1 << 32) - 1, 1 << 32, (1 << 48) - 1, (1 << 52) - 1, 1 << 63, ORDER - 1, ORDER];
        let edge = (proptest::sample::select(edges.to_vec()), 0u64..3).prop_map(|(e, d)| e.wrapping_sub(d));
        prop_oneof![edge, Just(u64::MAX), any::<u64>()].prop_map(Goldilocks::new)
    }

    type Rows<const R: usize> = [[Goldilocks; WIDTH]; R];

    /// `Σ_n x_n·w_n·ω_R^(±n·q)`, bit-reversed in `n` (forward) or in `q` (inverse).
    fn expected<const R: usize>(rows: &Rows<R>, factors: &Rows<R>, forward: bool) -> Rows<R> {
        let root = root_of_unity(R.trailing_zeros());
        array::from_fn(|row| {
            array::from_fn(|lane| {
                (0..R)
                    .map(|n| {
                        let exponent = if forward { row_of(n, R) * row } else { (R - n) * row_of(row, R) };
                        rows[n][lane] * factors[n][lane] * root.exp_u64(exponent as u64)
                    })
                    .sum()
            })
        })
    }

    macro_rules! butterflies_are_transforms {
        ($module:ident) => {
            mod $module {
                use super::super::$module::{Factor, LaneFactor, Lanes, forward, forward_plain, inverse};
                use super::*;

                fn lanes<const R: usize>(rows: &Rows<R>) -> [Lanes; R] {
                    // SAFETY: a row has eight elements.
                    rows.each_ref().map(|row| unsafe { Lanes::load(row.as_ptr()) })
                }

                fn values<const R: usize>(rows: [Lanes; R]) -> Rows<R> {
                    rows.map(|row| {
                        let mut values = [Goldilocks::ZERO; WIDTH];
                        // SAFETY: a row has eight elements.
                        unsafe { row.store(values.as_mut_ptr()) };
                        values
                    })
                }

                fn check<const R: usize>(x: &Rows<8>, w: &Rows<8>) -> Result<(), TestCaseError>
                where
                    [(); R]: Fourier<R>,
                {
                    let rows: Rows<R> = array::from_fn(|n| x[n]);
                    let ones = [[Goldilocks::ONE; WIDTH]; R];
                    let mut factors: Rows<R> = array::from_fn(|n| w[n]);
                    let mut uniform: Rows<R> = array::from_fn(|n| [w[n][0]; WIDTH]);
                    let by_lane = lanes(&factors).map(LaneFactor::new);
                    let by_row: [Factor; R] = array::from_fn(|n| Factor::new(w[n][0]));
                    prop_assert_eq!(values(forward(lanes(&rows), &by_lane)), expected(&rows, &factors, true));
                    prop_assert_eq!(values(forward(lanes(&rows), &by_row)), expected(&rows, &uniform, true));
                    prop_assert_eq!(values(forward_plain(lanes(&rows))), expected(&rows, &ones, true));
                    (factors[0], uniform[0]) = (ones[0], ones[0]);
                    prop_assert_eq!(
                        values(inverse(lanes(&rows), &by_lane)),
                        expected(&rows, &factors, false)
                    );
                    prop_assert_eq!(values(inverse(lanes(&rows), &by_row)), expected(&rows, &uniform, false));
                    Ok(())
                }

                proptest! {
                    // A lost carry, a limb out of its range, a wrong root or order of rows.
                    #[test]
                    fn butterflies_are_transforms(
                        x in proptest::array::uniform8(proptest::array::uniform8(element())),
                        w in proptest::array::uniform8(proptest::array::uniform8(element())),
                    ) {
                        check::<2>(&x, &w)?;
                        check::<4>(&x, &w)?;
                        check::<8>(&x, &w)?;
                    }
                }

                // The largest sums and differences that limbs can reach.
                #[test]
                fn extreme_rows_stay_in_range() {
                    let values = [u64::MAX, ORDER - 1, 0, (1 << 52) - 1].map(Goldilocks::new);
                    for pattern in 0..1 << WIDTH {
                        for (high, low) in
                            [(values[0], values[2]), (values[1], values[2]), (values[0], values[3])]
                        {
                            let rows: Rows<8> =
                                array::from_fn(|n| [if pattern >> n & 1 == 1 { high } else { low }; 8]);
                            for w in [values[0], values[1], -Goldilocks::new((1 << 52) - 1)] {
                                check::<8>(&rows, &[[w; WIDTH]; 8]).expect("in range");
                            }
                        }
                    }
                }

                #[test]
                fn transposition_swaps_rows_and_lanes() {
                    let rows: Rows<8> =
                        array::from_fn(|i| array::from_fn(|j| Goldilocks::new((8 * i + j) as u64)));
                    let transposed: Rows<8> = array::from_fn(|i| array::from_fn(|j| rows[j][i]));
                    assert_eq!(values(Lanes::transpose(lanes(&rows))), transposed);
                }
            }
        };
    }

    butterflies_are_transforms!(portable);
    #[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512ifma"))]
    butterflies_are_transforms!(avx512);
}
