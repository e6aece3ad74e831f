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
