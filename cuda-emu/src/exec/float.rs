//! Float instructions over rows.
//!
//! Basic arithmetic is IEEE's. Approximations (`.approx`, `ex2`, `lg2`, `sin`, `cos`, `tanh`) are computed in
//! f64 and rounded: within the error that PTX allows, but not bit for bit what hardware gives.

use super::convert::{extend, write};
use super::lane::Lane;
use super::registers::{LANES, Registers};
use crate::ptx::{Compare, Float1, Float2, FloatMode, Place, Rounding, Slot, Type};

/// f32 and f64.
pub(super) trait Float: Lane {
    /// Computes in f64; exact for an f32.
    fn double(self) -> f64;
    /// Rounds to nearest.
    fn nearest(value: f64) -> Self;
    /// The nearest value below.
    fn below(self) -> Self;
    /// The nearest value above.
    fn above(self) -> Self;
    /// Zero of the same sign if subnormal.
    fn flushed(self) -> Self;
    fn fma(self, b: Self, c: Self) -> Self;
    fn two(f: Float2, a: Self, b: Self) -> Self;
    fn one(f: Float1, a: Self) -> Self;
    fn round_integral(self, rounding: Rounding) -> Self;
}

macro_rules! float {
    ($ty:ident) => {
        impl Float for $ty {
            #[inline(always)]
            fn double(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn nearest(value: f64) -> Self {
                value as $ty
            }
            #[inline(always)]
            fn below(self) -> Self {
                self.next_down()
            }
            #[inline(always)]
            fn above(self) -> Self {
                self.next_up()
            }
            #[inline(always)]
            fn flushed(self) -> Self {
                if self.is_subnormal() { (0 as $ty).copysign(self) } else { self }
            }
            #[inline(always)]
            fn fma(self, b: Self, c: Self) -> Self {
                self.mul_add(b, c)
            }
            #[inline(always)]
            fn two(f: Float2, a: Self, b: Self) -> Self {
                match f {
                    Float2::Add => a + b,
                    Float2::Sub => a - b,
                    Float2::Mul => a * b,
                    Float2::Div => a / b,
                    // Of a number and no number, the number; -0 counts as less than +0.
                    Float2::Min if a == b => {
                        if a.is_sign_negative() {
                            a
                        } else {
                            b
                        }
                    }
                    Float2::Min => a.min(b),
                    Float2::Max if a == b => {
                        if a.is_sign_negative() {
                            b
                        } else {
                            a
                        }
                    }
                    Float2::Max => a.max(b),
                    Float2::CopySign => b.copysign(a),
                }
            }
            #[inline(always)]
            fn one(f: Float1, a: Self) -> Self {
                let through_double = |f: fn(f64) -> f64| f(f64::from(a)) as $ty;
                match f {
                    Float1::Negate => -a,
                    Float1::Absolute => a.abs(),
                    Float1::Reciprocal => 1.0 / a,
                    Float1::SquareRoot => a.sqrt(),
                    Float1::ReciprocalSquareRoot => through_double(|a| 1.0 / a.sqrt()),
                    Float1::Exp2 => through_double(f64::exp2),
                    Float1::Log2 => through_double(f64::log2),
                    Float1::Sine => through_double(f64::sin),
                    Float1::Cosine => through_double(f64::cos),
                    Float1::Tanh => through_double(f64::tanh),
                }
            }
            fn round_integral(self, rounding: Rounding) -> Self {
                match rounding {
                    Rounding::Nearest => self.round_ties_even(),
                    Rounding::Zero => self.trunc(),
                    Rounding::Down => self.floor(),
                    Rounding::Up => self.ceil(),
                }
            }
        }
    };
}

float!(f32);
float!(f64);

/// A result with the deviations that `mode` asks for.
#[inline(always)]
fn finish<T: Float>(value: T, mode: FloatMode) -> T {
    let value = if mode.flush { value.flushed() } else { value };
    match mode.saturate {
        false => value,
        true if value > T::nearest(1.0) => T::nearest(1.0),
        true if value > T::nearest(0.0) => value,
        // Also no number.
        true => T::nearest(0.0),
    }
}

#[inline(always)]
fn operand<T: Float>(value: T, mode: FloatMode) -> T {
    if mode.flush { value.flushed() } else { value }
}

pub(super) fn float1<T: Float>(r: &mut Registers, mask: u32, f: Float1, mode: FloatMode, d: Slot, a: Slot) {
    r.map1(mask, d, a, |a: T| finish(T::one(f, operand(a, mode)), mode));
}

pub(super) fn float2<T: Float>(
    r: &mut Registers,
    mask: u32,
    f: Float2,
    mode: FloatMode,
    d: Slot,
    ab: [Slot; 2],
) {
    let one = T::nearest(1.0);
    match (mode.rounding, f) {
        (Rounding::Nearest, _) | (_, Float2::Div | Float2::Min | Float2::Max | Float2::CopySign) => {
            r.map2(mask, d, ab, |a: T, b: T| finish(T::two(f, operand(a, mode), operand(b, mode)), mode));
        }
        (rounding, _) => r.map2(mask, d, ab, |a: T, b: T| {
            let (a, b) = (operand(a, mode), operand(b, mode));
            let value = match f {
                Float2::Add => directed(a, one, b, rounding),
                Float2::Sub => directed(a, one, T::one(Float1::Negate, b), rounding),
                // The sum with -0 keeps the product's sign.
                _ => directed(a, b, T::nearest(-0.0), rounding),
            };
            finish(value, mode)
        }),
    }
}

pub(super) fn fma<T: Float>(r: &mut Registers, mask: u32, mode: FloatMode, d: Slot, abc: [Slot; 3]) {
    if mode.rounding == Rounding::Nearest {
        r.map3(mask, d, abc, |a: T, b: T, c: T| {
            finish(operand(a, mode).fma(operand(b, mode), operand(c, mode)), mode)
        });
    } else {
        r.map3(mask, d, abc, |a: T, b: T, c: T| {
            finish(directed(operand(a, mode), operand(b, mode), operand(c, mode), mode.rounding), mode)
        });
    }
}

/// `a·b + c` of f32 values, rounded once in the given direction.
///
/// The product is exact in f64. Its sum with `c` is `sum + error` exactly (Knuth's two-sum), which tells on
/// which side of the nearest f32 the exact value lies.
fn directed<T: Float>(a: T, b: T, c: T, rounding: Rounding) -> T {
    let (product, c) = (a.double() * b.double(), c.double());
    let sum = product + c;
    let back = sum - product;
    let error = (product - (sum - back)) + (c - back);
    let nearest = T::nearest(sum);
    if !sum.is_finite() {
        return nearest;
    }
    let beyond = sum - nearest.double();
    let rest = if beyond == 0.0 { error } else { beyond };
    if sum == 0.0 && error == 0.0 {
        // Exact zero: a sum of opposite signs is -0 only downwards.
        let opposite = product.is_sign_negative() != c.is_sign_negative();
        let zero = if opposite && rounding == Rounding::Down { -0.0 } else { sum };
        return T::nearest(zero);
    }
    let toward_zero_is_down = nearest.double() > 0.0;
    match rounding {
        Rounding::Down if rest < 0.0 => nearest.below(),
        Rounding::Up if rest > 0.0 => nearest.above(),
        Rounding::Zero if toward_zero_is_down && rest < 0.0 => nearest.below(),
        Rounding::Zero if !toward_zero_is_down && rest > 0.0 => nearest.above(),
        _ => nearest,
    }
}

/// Lanes in which a float comparison holds.
pub(super) fn compare<T: Float>(r: &Registers, f: Compare, flush: bool, a: Slot, b: Slot) -> u32 {
    r.test(a, b, |a: T, b: T| {
        let (a, b) = if flush { (a.flushed(), b.flushed()) } else { (a, b) };
        let order = a.partial_cmp(&b);
        match f {
            Compare::Eq => a == b,
            Compare::Ne => order.is_some_and(|order| order.is_ne()),
            Compare::Lt => a < b,
            Compare::Le => a <= b,
            Compare::Gt => a > b,
            Compare::Ge => a >= b,
            Compare::Equ => order.is_none_or(|order| order.is_eq()),
            Compare::Neu => a != b,
            Compare::Ltu => order.is_none_or(|order| order.is_lt()),
            Compare::Leu => order.is_none_or(|order| order.is_le()),
            Compare::Gtu => order.is_none_or(|order| order.is_gt()),
            Compare::Geu => order.is_none_or(|order| order.is_ge()),
            Compare::Num => order.is_some(),
            Compare::Nan => order.is_none(),
        }
    })
}

/// `cvt` from a float to an integer: clamped to its range. No number gives 0, or the integer's top bit alone
/// where one of the two has 64 bits (PTX ISA, `cvt`).
pub(super) fn to_int(
    r: &mut Registers,
    mask: u32,
    (from, to): (Type, Type),
    rounding: Rounding,
    flush: bool,
    d: Place,
    a: Slot,
) {
    let values: [f64; LANES] = match from {
        Type::F64 => r.row::<u64>(a).map(f64::from_bits),
        _ => r.row::<u32>(a).map(|bits| {
            let value = f32::from_bits(bits);
            f64::from(if flush { value.flushed() } else { value })
        }),
    };
    let values = values.map(|value| {
        if value.is_nan() {
            let wide = from == Type::F64 || to.bytes() == 8;
            return if wide { 1 << (to.bytes() * 8 - 1) } else { 0 };
        }
        let value = value.round_integral(rounding);
        // Rust's casts clamp.
        match to {
            Type::S8 => i64::from(value as i8) as u64,
            Type::S16 => i64::from(value as i16) as u64,
            Type::S32 => i64::from(value as i32) as u64,
            Type::S64 => value as i64 as u64,
            Type::U8 | Type::B8 => u64::from(value as u8),
            Type::U16 | Type::B16 => u64::from(value as u16),
            Type::U32 | Type::B32 => u64::from(value as u32),
            _ => value as u64,
        }
    });
    write(r, mask, d, &values);
}

/// `cvt` from an integer to a float.
pub(super) fn from_int(
    r: &mut Registers,
    mask: u32,
    (from, to): (Type, Type),
    rounding: Rounding,
    d: Slot,
    a: Place,
) {
    let signed = from.signed();
    let values = extend(r, from, a);
    if to == Type::F64 {
        r.write(d, mask, &values.map(|bits| int_to_float::<f64>(bits, signed, rounding, |v| v as f64).raw()));
    } else {
        r.write(d, mask, &values.map(|bits| int_to_float::<f32>(bits, signed, rounding, |v| v as f32).raw()));
    }
}

/// The float on the asked side of an integer.
fn int_to_float<T: Float>(bits: u64, signed: bool, rounding: Rounding, nearest: fn(i128) -> T) -> T {
    let exact = if signed { i128::from(bits as i64) } else { i128::from(bits) };
    let value = nearest(exact);
    // Integers of 64 bits and their neighbours among the floats are integers of 65 bits.
    let rest = exact - value.double() as i128;
    match rounding {
        Rounding::Down if rest < 0 => value.below(),
        Rounding::Up if rest > 0 => value.above(),
        Rounding::Zero if exact > 0 && rest < 0 => value.below(),
        Rounding::Zero if exact < 0 && rest > 0 => value.above(),
        _ => value,
    }
}

/// `cvt` between floats.
pub(super) fn to_float(
    r: &mut Registers,
    mask: u32,
    (from, to): (Type, Type),
    integral: bool,
    mode: FloatMode,
    d: Slot,
    a: Slot,
) {
    match (from, to) {
        (Type::F32, Type::F32) => same::<f32>(r, mask, integral, mode, d, a),
        (Type::F64, Type::F64) => same::<f64>(r, mask, integral, mode, d, a),
        (Type::F32, _) => r.map1(mask, d, a, |a: f32| {
            finish(f64::from(operand(a, mode)), FloatMode { flush: false, ..mode })
        }),
        (_, _) => r.map1(mask, d, a, |a: f64| {
            let value = a as f32;
            let rest = a - f64::from(value);
            let down = rest < 0.0;
            let up = rest > 0.0;
            let rounded = match mode.rounding {
                Rounding::Down if down => value.next_down(),
                Rounding::Up if up => value.next_up(),
                Rounding::Zero if down && value > 0.0 => value.next_down(),
                Rounding::Zero if up && value < 0.0 => value.next_up(),
                _ => value,
            };
            finish(rounded, mode)
        }),
    }
}

fn same<T: Float>(r: &mut Registers, mask: u32, integral: bool, mode: FloatMode, d: Slot, a: Slot) {
    r.map1(mask, d, a, |a: T| {
        let a = operand(a, mode);
        finish(if integral { a.round_integral(mode.rounding) } else { a }, mode)
    });
}
