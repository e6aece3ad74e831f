//! [`Log2`]: an interval that contains a base-2 logarithm, in fixed point.
//!
//! The error terms are products, quotients and powers of integers, so that their logarithms are
//! sums of logarithms of integers. Every operation here keeps the true value inside the interval;
//! which end to use is decided once, by [`Log2::security`], which takes the end that claims less.

use super::bits::Bits;

/// An interval `[low, high]`, in units of `2^-PLACES`, around a real number: the logarithm of an
/// error bound or of one of its factors.
///
/// The figures of an accepted [`Shape`](super::Shape) stay below `2^20` in absolute value, far
/// inside the `2^23` that 40 binary places leave, so that the saturating operations never saturate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Log2 {
    low: i64,
    high: i64,
}

/// Binary places of the fixed point.
const PLACES: u32 = Bits::FRACTION_BITS;

impl Log2 {
    /// The logarithm of `max(value, 1)`: exact for a power of two, else two units wide.
    ///
    /// Binary digits of the logarithm come from repeated squaring of the mantissa `x` in `[1, 2)`:
    /// the next digit is 1 exactly when `x^2 >= 2`, and then `x` continues as `x^2 / 2`. The mantissa
    /// has 63 binary places and is rounded down, so `low` never exceeds the logarithm. Rounding step `i`
    /// lowers it by less than `1.5 * 2^(-63 - i)`, all of them together by less than `2^-61`, and the
    /// digits left out by less than `2^-40`: `low + 2` units is above it. So is the next whole number, which
    /// keeps both ends monotone in `value`.
    pub(super) fn of(value: u128) -> Self {
        let value = value.max(1);
        let zeros = value.leading_zeros();
        let whole = Self::from_whole(127_u32.saturating_sub(zeros));
        if value.is_power_of_two() {
            return whole;
        }
        // One bit before the binary point, 63 after it.
        let mut mantissa = value.wrapping_shl(zeros) >> 64;
        let mut fraction = 0_i64;
        for _ in 0..PLACES {
            let square = mantissa.saturating_mul(mantissa);
            let digit = square >> 127;
            mantissa = if digit == 0 { square >> 63 } else { square >> 64 };
            fraction = (fraction << 1) | i64::from(digit != 0);
        }
        let low = whole.low.saturating_add(fraction);
        let next_whole = whole.low.saturating_add(1 << PLACES);
        Self { low, high: low.saturating_add(2).min(next_whole) }
    }

    /// The logarithm of `2^exponent`.
    pub(super) fn from_whole(exponent: u32) -> Self {
        let exact = i64::from(exponent) << PLACES;
        Self { low: exact, high: exact }
    }

    /// The logarithm of `2^(exponent / 2)`.
    pub(super) fn from_half(exponent: u32) -> Self {
        let exact = i64::from(exponent) << (PLACES - 1);
        Self { low: exact, high: exact }
    }

    /// The logarithm of the product.
    pub(super) fn times(self, factor: Self) -> Self {
        Self { low: self.low.saturating_add(factor.low), high: self.high.saturating_add(factor.high) }
    }

    /// The logarithm of the quotient.
    pub(super) fn over(self, divisor: Self) -> Self {
        Self { low: self.low.saturating_sub(divisor.high), high: self.high.saturating_sub(divisor.low) }
    }

    /// The logarithm of the `exponent`-th power.
    pub(super) fn power(self, exponent: u32) -> Self {
        let exponent = i64::from(exponent);
        Self { low: self.low.saturating_mul(exponent), high: self.high.saturating_mul(exponent) }
    }

    /// The same logarithm with the lower end one unit further down: for a value that is known to be
    /// within a factor `2^(-2^-40)` below the one described.
    pub(super) fn lowered(self) -> Self {
        Self { low: self.low.saturating_sub(1), high: self.high }
    }

    /// The security level that an error probability with this logarithm is proven to leave.
    pub(super) fn security(self) -> Bits {
        Bits::from_raw(self.high.saturating_neg())
    }
}

#[cfg(test)]
#[allow(clippy::arithmetic_side_effects, clippy::as_conversions, clippy::float_arithmetic)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bounds the error of `f64::log2` of a number below `2^128`, plus the rounding of the comparison.
    const FLOAT_SLACK: f64 = 1.0 / (1u64 << 44) as f64;

    fn ends(log: Log2) -> (f64, f64) {
        let unit = (1u64 << PLACES) as f64;
        (log.low as f64 / unit, log.high as f64 / unit)
    }

    fn assert_contains(value: u128) {
        let (low, high) = ends(Log2::of(value));
        let expected = (value as f64).log2();
        assert!(low <= expected + FLOAT_SLACK, "{value}: {low} > {expected}");
        assert!(high >= expected - FLOAT_SLACK, "{value}: {high} < {expected}");
        assert!(high - low <= 2.0 / (1u64 << PLACES) as f64);
    }

    /// Off-by-one shifts show at the ends of the range and around powers of two.
    #[test]
    fn contains_the_logarithm_around_powers_of_two() {
        for exponent in 1..128 {
            let power = 1_u128 << exponent;
            assert_eq!(Log2::of(power), Log2::from_whole(exponent));
            assert_contains(power - 1);
            assert_contains(power + 1);
        }
        assert_contains(u128::MAX);
        assert_eq!(Log2::of(0), Log2::from_whole(0));
        assert_eq!(Log2::of(1), Log2::from_whole(0));
    }

    /// Against exact integer arithmetic, without floats: `a^k <= 2^(k log2 a) < (a^k + 1)`.
    #[test]
    fn agrees_with_exact_powers() {
        for base in [3_u128, 5, 7, 11, 48, 4_001] {
            let mut power = base;
            let mut exponent = 1_u32;
            while let Some(next) = power.checked_mul(base) {
                power = next;
                exponent += 1;
            }
            let direct = Log2::of(power);
            let scaled = Log2::of(base).power(exponent);
            assert!(scaled.low <= direct.high && direct.low <= scaled.high, "{base}^{exponent}");
        }
    }

    #[test]
    fn a_quotient_takes_the_opposite_ends() {
        let quotient = Log2::of(3).over(Log2::of(3));
        assert!(quotient.low < 0 && quotient.high > 0);
        assert_eq!(Log2::from_half(5).times(Log2::from_half(5)), Log2::from_whole(5));
    }

    #[test]
    fn security_takes_the_end_that_claims_less() {
        let error = Log2::from_whole(0).over(Log2::of(3));
        assert!(error.security().raw() <= error.low.unsigned_abs());
        assert_eq!(error.security().raw(), error.high.unsigned_abs());
        assert_eq!(Log2::of(3).security(), Bits::ZERO);
    }

    proptest! {
        /// Both ends are monotone, or a larger shape could be awarded a larger level.
        #[test]
        fn both_ends_are_monotone(value in 1_u128.., shift in 0_u32..128, step in 0_u128..3) {
            for value in [value >> shift, (1 << (127 - shift)) - 1] {
                let (smaller, larger) = (Log2::of(value), Log2::of(value.saturating_add(step)));
                prop_assert!(smaller.low <= larger.low && smaller.high <= larger.high);
            }
        }

        #[test]
        fn contains_the_logarithm(value in 1_u128.., shift in 0_u32..128) {
            assert_contains((value >> shift).max(1));
        }
    }
}
