//! Conversions between integer types.

use super::integer::with_int;
use super::lane::Integer;
use super::registers::{LANES, Registers};
use crate::ptx::{Int, Place, Type};

/// `cvt` between integers: the source's bits extended by its sign, then the result's bits taken and extended
/// by its own.
pub(super) fn convert(
    r: &mut Registers,
    mask: u32,
    (from, to): (Type, Type),
    saturate: bool,
    d: Place,
    a: Place,
) {
    match (from, to, d.wide, a.wide) {
        (Type::U32 | Type::B32, Type::U64 | Type::S64 | Type::B64, true, false) => {
            return r.map1(mask, d.slot, a.slot, |a: u32| u64::from(a));
        }
        (Type::S32, Type::U64 | Type::S64 | Type::B64, true, false) => {
            return r.map1(mask, d.slot, a.slot, |a: i32| i64::from(a));
        }
        (Type::U64 | Type::S64 | Type::B64, Type::U32 | Type::S32 | Type::B32, false, true) if !saturate => {
            return r.map1(mask, d.slot, a.slot, |a: u64| a as u32);
        }
        _ => {}
    }
    let mut values = extend(r, from, a);
    for value in &mut values {
        *value = narrow(*value, from, to, saturate);
    }
    write(r, mask, d, &values);
}

/// A row as 64-bit numbers of the type's sign.
pub(super) fn extend(r: &Registers, from: Type, a: Place) -> [u64; LANES] {
    let mut values = if a.wide { *r.row::<u64>(a.slot) } else { r.row::<u32>(a.slot).map(u64::from) };
    for value in &mut values {
        *value = sign_extend(*value, from);
    }
    values
}

/// Writes the low bits of `values`.
pub(super) fn write(r: &mut Registers, mask: u32, d: Place, values: &[u64; LANES]) {
    if d.wide {
        r.write(d.slot, mask, values);
    } else {
        r.write(d.slot, mask, &values.map(|value| value as u32));
    }
}

/// The low bits of `value` that `ty` has, extended by its sign.
#[inline(always)]
fn sign_extend(value: u64, ty: Type) -> u64 {
    match ty {
        Type::U8 | Type::B8 => value as u8 as u64,
        Type::S8 => value as i8 as u64,
        Type::U16 | Type::B16 => value as u16 as u64,
        Type::S16 => value as i16 as u64,
        Type::U32 | Type::B32 => value as u32 as u64,
        Type::S32 => value as i32 as u64,
        _ => value,
    }
}

/// An extended `value` as `to`, wrapped or clamped.
#[inline(always)]
fn narrow(value: u64, from: Type, to: Type, saturate: bool) -> u64 {
    if !saturate {
        return sign_extend(value, to);
    }
    let signed = from.signed();
    match to {
        Type::U8 | Type::B8 => clamp(value, signed, 0, i128::from(u8::MAX)),
        Type::S8 => clamp(value, signed, i128::from(i8::MIN), i128::from(i8::MAX)),
        _ => match Int::of(to) {
            Some(ty) => with_int!(ty, clamp_int(value, signed)),
            None => value,
        },
    }
}

fn clamp_int<T: Integer>(value: u64, signed: bool) -> u64 {
    let clamped = T::saturated(value, signed).bits();
    if T::SIGNED { ((clamped << (64 - T::BITS)) as i64 >> (64 - T::BITS)) as u64 } else { clamped }
}

fn clamp(value: u64, signed: bool, low: i128, high: i128) -> u64 {
    let value = if signed { i128::from(value as i64) } else { i128::from(value) };
    value.clamp(low, high) as u64
}
