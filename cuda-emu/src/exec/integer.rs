//! Integer instructions over rows.

use super::lane::{Integer, count};
use super::registers::{LANES, Registers};
use crate::ptx::{
    Bool2, Chain, Combine, Compare, Count, Int, Int1, Int2, Int3, Outcome, Permute, Shift, Slot,
};

/// Calls a function with the integer type that `$ty` names.
macro_rules! with_int {
    ($ty:expr, $call:ident ( $($argument:expr),* )) => {
        match $ty {
            Int::U16 => $call::<u16>($($argument),*),
            Int::S16 => $call::<i16>($($argument),*),
            Int::U32 => $call::<u32>($($argument),*),
            Int::S32 => $call::<i32>($($argument),*),
            Int::U64 => $call::<u64>($($argument),*),
            Int::S64 => $call::<i64>($($argument),*),
        }
    };
}
pub(super) use with_int;

pub(super) fn int1<T: Integer>(r: &mut Registers, mask: u32, f: Int1, d: Slot, a: Slot) {
    match f {
        Int1::Negate => r.map1(mask, d, a, T::negate),
        Int1::Not => r.map1(mask, d, a, T::not),
        Int1::Absolute => r.map1(mask, d, a, T::absolute),
        Int1::ReverseBits => r.map1(mask, d, a, T::reverse_bits),
        Int1::IsZero => r.map1(mask, d, a, |a: T| T::from_bits(u64::from(a.bits() == 0))),
    }
}

pub(super) fn count_bits<T: Integer>(r: &mut Registers, mask: u32, f: Count, d: Slot, a: Slot) {
    match f {
        Count::Ones => r.map1(mask, d, a, |a: T| count(Count::Ones, a)),
        Count::LeadingZeros => r.map1(mask, d, a, |a: T| count(Count::LeadingZeros, a)),
        Count::FindBit => r.map1(mask, d, a, |a: T| count(Count::FindBit, a)),
        Count::FindShift => r.map1(mask, d, a, |a: T| count(Count::FindShift, a)),
    }
}

pub(super) fn int2<T: Integer>(r: &mut Registers, mask: u32, f: Int2, d: Slot, ab: [Slot; 2]) {
    // A loop of its own for each function, so that each vectorises.
    macro_rules! each {
        ($($name:ident),*) => {
            match f { $(Int2::$name => r.map2(mask, d, ab, |a: T, b: T| T::two(Int2::$name, a, b)),)* }
        };
    }
    each!(Add, AddSat, Sub, SubSat, MulLow, MulHigh, Div, Rem, Min, Max, And, Or, Xor);
}

pub(super) fn shift<T: Integer>(r: &mut Registers, mask: u32, f: Shift, d: Slot, ab: [Slot; 2]) {
    match f {
        Shift::Left => r.map2(mask, d, ab, |a: T, b: u32| a.shift_left(b)),
        Shift::Right => r.map2(mask, d, ab, |a: T, b: u32| a.shift_right(b)),
    }
}

pub(super) fn int3<T: Integer>(r: &mut Registers, mask: u32, f: Int3, d: Slot, abc: [Slot; 3]) {
    let add = |a: T, b: T| T::two(Int2::Add, a, b);
    match f {
        Int3::MadLow => r.map3(mask, d, abc, |a: T, b: T, c: T| add(T::two(Int2::MulLow, a, b), c)),
        Int3::MadHigh => r.map3(mask, d, abc, |a: T, b: T, c: T| add(a.mul_high(b), c)),
        Int3::AbsoluteDifference => {
            r.map3(mask, d, abc, |a: T, b: T, c: T| add(a.absolute_difference(b), c));
        }
    }
}

/// Full products; `c` is added where there is one.
pub(super) fn multiply_wide(
    r: &mut Registers,
    mask: u32,
    ty: Int,
    d: Slot,
    [a, b]: [Slot; 2],
    c: Option<Slot>,
) {
    let (ab, abc) = ([a, b], [a, b, c.unwrap_or(0)]);
    match (ty, c) {
        (Int::U16, None) => r.map2(mask, d, ab, |a: u16, b: u16| u32::from(a) * u32::from(b)),
        (Int::S16, None) => r.map2(mask, d, ab, |a: i16, b: i16| i32::from(a) * i32::from(b)),
        (Int::U32, None) => r.map2(mask, d, ab, |a: u32, b: u32| u64::from(a) * u64::from(b)),
        (Int::S32, None) => r.map2(mask, d, ab, |a: i32, b: i32| i64::from(a) * i64::from(b)),
        (Int::U16, Some(_)) => {
            r.map3(mask, d, abc, |a: u16, b: u16, c: u32| (u32::from(a) * u32::from(b)).wrapping_add(c))
        }
        (Int::S16, Some(_)) => {
            r.map3(mask, d, abc, |a: i16, b: i16, c: i32| (i32::from(a) * i32::from(b)).wrapping_add(c))
        }
        (Int::U32, Some(_)) => {
            r.map3(mask, d, abc, |a: u32, b: u32, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c))
        }
        (Int::S32, Some(_)) => {
            r.map3(mask, d, abc, |a: i32, b: i32, c: i64| (i64::from(a) * i64::from(b)).wrapping_add(c))
        }
        (Int::U64 | Int::S64, _) => unreachable!("the decoder gives wide products factors of 16 or 32 bits"),
    }
}

/// Sums that take and leave carries; returns the new carries of all lanes.
pub(super) fn chain<T: Integer>(
    r: &mut Registers,
    mask: u32,
    f: Chain,
    d: Slot,
    [a, b, c]: [Slot; 3],
    carries: u32,
) -> u32 {
    let (a, b, c) = (*r.row::<T::Raw>(a), *r.row::<T::Raw>(b), *r.row::<T::Raw>(c));
    let mut values = [T::Raw::default(); LANES];
    let mut carried = 0;
    for lane in 0..LANES {
        let (a, b, c) = (T::of(a[lane]), T::of(b[lane]), T::of(c[lane]));
        let (x, y) = match f {
            Chain::Add => (a, b),
            // `a - b - borrow` is `a + !b + !borrow`, and its carry is the borrow's complement.
            Chain::Sub => (a, b.not()),
            Chain::MadLow => (T::two(Int2::MulLow, a, b), c),
            Chain::MadHigh => (a.mul_high(b), c),
        };
        let borrow = matches!(f, Chain::Sub);
        let sum =
            u128::from(x.bits()) + u128::from(y.bits()) + u128::from((carries >> lane & 1 == 1) ^ borrow);
        values[lane] = T::from_bits(sum as u64).raw();
        carried |= u32::from((sum >> T::BITS != 0) ^ borrow) << lane;
    }
    r.write(d, mask, &values);
    carried
}

pub(super) fn lop3(r: &mut Registers, mask: u32, table: u8, d: Slot, abc: [Slot; 3]) {
    let bit = |index: u8| if table >> index & 1 == 1 { u32::MAX } else { 0 };
    let rows: [u32; 8] = std::array::from_fn(|index| bit(index as u8));
    r.map3(mask, d, abc, |a: u32, b: u32, c: u32| {
        let pick = |zero, one, by: u32| zero & !by | one & by;
        let low = pick(pick(rows[0], rows[1], c), pick(rows[2], rows[3], c), b);
        let high = pick(pick(rows[4], rows[5], c), pick(rows[6], rows[7], c), b);
        pick(low, high, a)
    });
}

pub(super) fn permute(r: &mut Registers, mask: u32, f: Permute, d: Slot, abc: [Slot; 3]) {
    r.map3(mask, d, abc, |a: u32, b: u32, c: u32| permute_bytes(f, a, b, c));
}

/// `prmt`: four bytes of the eight in `b:a`, chosen by `c`.
fn permute_bytes(f: Permute, a: u32, b: u32, c: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    let byte = |index: u32| (bytes >> (8 * (index & 7))) as u8;
    let low = c & 3;
    let chosen: [u8; 4] = std::array::from_fn(|place| {
        let place = place as u32;
        match f {
            Permute::Generic => {
                let selector = c >> (4 * place) & 15;
                let byte = byte(selector);
                // The selector's top bit asks for the byte's sign instead.
                if selector & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 }
            }
            Permute::Forward4 => byte(low + place),
            Permute::Backward4 => byte(low.wrapping_sub(place)),
            Permute::Replicate8 => byte(low),
            Permute::EdgeLeft => byte(low.max(place)),
            Permute::EdgeRight => byte(low.min(place)),
            Permute::Replicate16 => byte((low & 1) * 2 + (place & 1)),
        }
    });
    u32::from_le_bytes(chosen)
}

pub(super) fn funnel(r: &mut Registers, mask: u32, left: bool, clamp: bool, d: Slot, abc: [Slot; 3]) {
    let distance = move |c: u32| if clamp { c.min(32) } else { c & 31 };
    if left {
        r.map3(mask, d, abc, |a: u32, b: u32, c: u32| {
            ((u64::from(b) << 32 | u64::from(a)) << distance(c) >> 32) as u32
        });
    } else {
        r.map3(mask, d, abc, |a: u32, b: u32, c: u32| {
            ((u64::from(b) << 32 | u64::from(a)) >> distance(c)) as u32
        });
    }
}

/// `bfe`: bits above the type's width, and above the field, are the sign of a signed field or zero.
pub(super) fn extract_bits<T: Integer>(r: &mut Registers, mask: u32, d: Slot, abc: [Slot; 3]) {
    r.map3(mask, d, abc, |a: T, b: u32, c: u32| {
        let (position, length) = (b & 0xFF, c & 0xFF);
        if length == 0 {
            return T::from_bits(0);
        }
        let last = (position + length - 1).min(T::BITS - 1);
        let sign = T::SIGNED && a.bits() >> last & 1 == 1;
        // The part of the field inside the value.
        let inside = T::BITS.saturating_sub(position).min(length);
        let kept = if inside < 64 { (1u64 << inside) - 1 } else { u64::MAX };
        let value = if position < T::BITS { a.bits() >> position & kept } else { 0 };
        T::from_bits(if sign { value | !kept } else { value })
    });
}

/// `bfi`: `b` with the low bits of `a` in a field.
pub(super) fn insert_bits<T: Integer>(
    r: &mut Registers,
    mask: u32,
    d: Slot,
    [a, b]: [Slot; 2],
    [position, length]: [Slot; 2],
) {
    let (a, b) = (r.row::<T::Raw>(a), r.row::<T::Raw>(b));
    let (position, length) = (r.row::<u32>(position), r.row::<u32>(length));
    let mut values = [T::Raw::default(); LANES];
    for lane in 0..LANES {
        let (position, length) = (position[lane] & 0xFF, length[lane] & 0xFF);
        let (a, b) = (T::of(a[lane]).bits(), T::of(b[lane]).bits());
        let ones = if length < 64 { (1u64 << length) - 1 } else { u64::MAX };
        let field = if position < T::BITS { ones << position } else { 0 };
        let moved = if position < T::BITS { a << position } else { 0 };
        values[lane] = T::from_bits(b & !field | moved & field).raw();
    }
    r.write(d, mask, &values);
}

/// Lanes in which an integer comparison holds.
pub(super) fn compare<T: Integer>(r: &Registers, f: Compare, a: Slot, b: Slot) -> u32 {
    match f {
        Compare::Eq | Compare::Equ => r.test(a, b, |a: T, b: T| a == b),
        Compare::Ne | Compare::Neu => r.test(a, b, |a: T, b: T| a != b),
        Compare::Lt | Compare::Ltu => r.test(a, b, |a: T, b: T| a < b),
        Compare::Le | Compare::Leu => r.test(a, b, |a: T, b: T| a <= b),
        Compare::Gt | Compare::Gtu => r.test(a, b, |a: T, b: T| a > b),
        Compare::Ge | Compare::Geu => r.test(a, b, |a: T, b: T| a >= b),
        Compare::Num => u32::MAX,
        Compare::Nan => 0,
    }
}

/// Writes a comparison's outcome.
pub(super) fn set_outcome(r: &mut Registers, mask: u32, holds: u32, out: Outcome) {
    let combined = |value: u32| match out.with {
        None => value,
        Some(Combine { f, p, negated }) => {
            let p = r.predicate(p);
            bool2(f, value, if negated { !p } else { p })
        }
    };
    let (value, complement) = (combined(holds), combined(!holds));
    r.set_predicate(out.d, mask, value);
    if let Some(d) = out.complement {
        r.set_predicate(d, mask, complement);
    }
}

pub(super) fn bool2(f: Bool2, a: u32, b: u32) -> u32 {
    match f {
        Bool2::And => a & b,
        Bool2::Or => a | b,
        Bool2::Xor => a ^ b,
    }
}
