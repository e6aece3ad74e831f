//! [`Bits`]: a proven lower bound on a security level, in fixed point.

use core::fmt;

/// A number of security bits that is proven to hold: the true figure is never smaller.
///
/// Fixed point with [`Bits::FRACTION_BITS`] binary places, never negative: a bound that proves
/// nothing is zero bits. [`Display`](fmt::Display) prints one decimal, rounded down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bits(u64);

impl Bits {
    /// Binary places of the fixed point.
    pub const FRACTION_BITS: u32 = 40;

    /// No security at all.
    pub const ZERO: Self = Self(0);

    /// Exactly `bits` bits; from `2^24` on, the largest level that can be written.
    pub const fn from_whole(bits: u64) -> Self {
        Self(bits.saturating_mul(1 << Self::FRACTION_BITS))
    }

    /// The level as a multiple of `2^-FRACTION_BITS` bit; a negative one becomes zero.
    pub(super) fn from_raw(raw: i64) -> Self {
        Self(u64::try_from(raw).unwrap_or(0))
    }

    /// The level as a multiple of `2^-FRACTION_BITS` bit.
    pub const fn raw(self) -> u64 {
        self.0
    }

    /// Whole bits, rounded down.
    pub const fn whole(self) -> u64 {
        self.0 >> Self::FRACTION_BITS
    }

    /// Tenths of a bit beyond [`Bits::whole`], rounded down: 0 to 9.
    const fn tenths(self) -> u64 {
        let fraction = self.0 & ((1 << Self::FRACTION_BITS) - 1);
        fraction.saturating_mul(10) >> Self::FRACTION_BITS
    }
}

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.whole(), self.tenths())
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    /// Rounding to nearest would print "128.0" for a level that is below 128.
    #[test]
    fn display_rounds_down() {
        let just_below = Bits(Bits::from_whole(128).raw().saturating_sub(1));
        assert_eq!(just_below.to_string(), "127.9");
        assert_eq!(just_below.whole(), 127);
        assert!(just_below < Bits::from_whole(128));
        assert_eq!(Bits::from_whole(128).to_string(), "128.0");
        assert_eq!(Bits::ZERO.to_string(), "0.0");
        assert_eq!(Bits(u64::MAX).tenths(), 9);
    }

    #[test]
    fn a_negative_level_is_no_security() {
        assert_eq!(Bits::from_raw(-1), Bits::ZERO);
        assert_eq!(Bits::from_raw(i64::MIN), Bits::ZERO);
        assert_eq!(Bits::from_raw(i64::MAX).raw(), i64::MAX.unsigned_abs());
    }
}
