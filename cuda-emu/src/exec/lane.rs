//! The types a lane's bits can be read as, and integer semantics.

use super::registers::Raw;
use crate::ptx::{Atomic, Count, Int2};

/// A type that a lane's bits can be read as.
pub(super) trait Lane: Copy + PartialOrd {
    type Raw: Raw;
    fn of(raw: Self::Raw) -> Self;
    fn raw(self) -> Self::Raw;
}

/// An integer type of PTX.
pub(super) trait Integer: Lane + Ord {
    const BITS: u32;
    const SIGNED: bool;
    /// The same bits, unsigned and zero-extended.
    fn bits(self) -> u64;
    /// The low bits of `bits`.
    fn from_bits(bits: u64) -> Self;
    fn not(self) -> Self;
    fn negate(self) -> Self;
    fn absolute(self) -> Self;
    fn reverse_bits(self) -> Self;
    fn shift_left(self, distance: u32) -> Self;
    fn shift_right(self, distance: u32) -> Self;
    fn mul_high(self, other: Self) -> Self;
    fn two(f: Int2, a: Self, b: Self) -> Self;
    fn absolute_difference(self, other: Self) -> Self;
    /// `bits` taken as a 64-bit number of this type's sign, clamped to the type's range.
    fn saturated(bits: u64, signed: bool) -> Self;
}

macro_rules! integer {
    ($ty:ident, $raw:ident, $unsigned:ident, $double:ident) => {
        impl Lane for $ty {
            type Raw = $raw;
            #[inline(always)]
            fn of(raw: $raw) -> Self {
                raw as $ty
            }
            #[inline(always)]
            fn raw(self) -> $raw {
                self as $unsigned as $raw
            }
        }

        impl Integer for $ty {
            const BITS: u32 = $ty::BITS;
            #[allow(unused_comparisons, reason = "which is how an unsigned type is told apart")]
            const SIGNED: bool = $ty::MIN < 0;
            #[inline(always)]
            fn bits(self) -> u64 {
                self as $unsigned as u64
            }
            #[inline(always)]
            fn from_bits(bits: u64) -> Self {
                bits as $ty
            }
            #[inline(always)]
            fn not(self) -> Self {
                !self
            }
            #[inline(always)]
            fn negate(self) -> Self {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn absolute(self) -> Self {
                if Self::SIGNED && self < (0 as $ty) { self.wrapping_neg() } else { self }
            }
            #[inline(always)]
            fn reverse_bits(self) -> Self {
                $ty::reverse_bits(self)
            }
            #[inline(always)]
            fn shift_left(self, distance: u32) -> Self {
                if distance < Self::BITS { self << distance } else { 0 }
            }
            #[inline(always)]
            fn shift_right(self, distance: u32) -> Self {
                if distance < Self::BITS {
                    self >> distance
                } else {
                    // The sign, or zero.
                    (self >> (Self::BITS / 2)) >> (Self::BITS / 2)
                }
            }
            #[inline(always)]
            fn mul_high(self, other: Self) -> Self {
                ((self as $double * other as $double) >> Self::BITS) as $ty
            }
            #[inline(always)]
            fn absolute_difference(self, other: Self) -> Self {
                self.abs_diff(other) as $ty
            }
            #[inline(always)]
            fn saturated(bits: u64, signed: bool) -> Self {
                let value = if signed { i128::from(bits as i64) } else { i128::from(bits) };
                value.clamp($ty::MIN as i128, $ty::MAX as i128) as $ty
            }
            #[inline(always)]
            fn two(f: Int2, a: Self, b: Self) -> Self {
                match f {
                    Int2::Add => a.wrapping_add(b),
                    Int2::AddSat => a.saturating_add(b),
                    Int2::Sub => a.wrapping_sub(b),
                    Int2::SubSat => a.saturating_sub(b),
                    Int2::MulLow => a.wrapping_mul(b),
                    Int2::MulHigh => a.mul_high(b),
                    // The hardware's result is unspecified.
                    Int2::Div => {
                        if b == 0 {
                            !(0 as $ty)
                        } else {
                            a.wrapping_div(b)
                        }
                    }
                    Int2::Rem => {
                        if b == 0 {
                            a
                        } else {
                            a.wrapping_rem(b)
                        }
                    }
                    Int2::Min => a.min(b),
                    Int2::Max => a.max(b),
                    Int2::And => a & b,
                    Int2::Or => a | b,
                    Int2::Xor => a ^ b,
                }
            }
        }
    };
}

integer!(u16, u32, u16, u32);
integer!(i16, u32, u16, i32);
integer!(u32, u32, u32, u64);
integer!(i32, u32, u32, i64);
integer!(u64, u64, u64, u128);
integer!(i64, u64, u64, i128);

impl Lane for f32 {
    type Raw = u32;
    #[inline(always)]
    fn of(raw: u32) -> Self {
        f32::from_bits(raw)
    }
    #[inline(always)]
    fn raw(self) -> u32 {
        self.to_bits()
    }
}

impl Lane for f64 {
    type Raw = u64;
    #[inline(always)]
    fn of(raw: u64) -> Self {
        f64::from_bits(raw)
    }
    #[inline(always)]
    fn raw(self) -> u64 {
        self.to_bits()
    }
}

/// `popc`, `clz`, `bfind`. Where `bfind` finds nothing it returns all ones.
#[inline(always)]
pub(super) fn count<T: Integer>(f: Count, a: T) -> u32 {
    let bits = a.bits();
    let leading = |bits: u64| bits.leading_zeros() - (64 - T::BITS);
    match f {
        Count::Ones => bits.count_ones(),
        Count::LeadingZeros => leading(bits),
        Count::FindBit | Count::FindShift => {
            let differs = if T::SIGNED && bits >> (T::BITS - 1) & 1 == 1 { a.not().bits() } else { bits };
            match (differs, f) {
                (0, _) => u32::MAX,
                (_, Count::FindShift) => leading(differs),
                _ => T::BITS - 1 - leading(differs),
            }
        }
    }
}

/// The value that an atomic access leaves where `old` was.
#[inline(always)]
pub(super) fn combine<T: Integer>(f: Atomic, old: T, b: T, c: T) -> T {
    match f {
        Atomic::Add => T::two(Int2::Add, old, b),
        Atomic::Min => old.min(b),
        Atomic::Max => old.max(b),
        Atomic::And => T::two(Int2::And, old, b),
        Atomic::Or => T::two(Int2::Or, old, b),
        Atomic::Xor => T::two(Int2::Xor, old, b),
        Atomic::Exchange => b,
        Atomic::CompareExchange if old == b => c,
        Atomic::CompareExchange => old,
        Atomic::Increment if old >= b => T::from_bits(0),
        Atomic::Increment => T::two(Int2::Add, old, T::from_bits(1)),
        Atomic::Decrement if old.bits() == 0 || old > b => b,
        Atomic::Decrement => T::two(Int2::Sub, old, T::from_bits(1)),
    }
}
