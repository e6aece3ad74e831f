//! Integer arithmetic.

use super::kit::check;

#[test]
fn add_and_subtract_wrap_at_their_width() {
    check("add.u32 %r9, %r0, %r1;", |[a, b, ..]| u64::from((a as u32).wrapping_add(b as u32)));
    check("add.s64 %d9, %d0, %d1;", |[a, b, ..]| a.wrapping_add(b));
    check("add.s16 %h9, %h0, %h1;", |[a, b, ..]| u64::from((a as u16).wrapping_add(b as u16)));
    check("sub.s32 %r9, %r0, %r1;", |[a, b, ..]| u64::from((a as u32).wrapping_sub(b as u32)));
    check("sub.u64 %d9, %d0, %d1;", |[a, b, ..]| a.wrapping_sub(b));
    check("sub.u16 %h9, %h0, %h1;", |[a, b, ..]| u64::from((a as u16).wrapping_sub(b as u16)));
    check("add.sat.s32 %r9, %r0, %r1;", |[a, b, ..]| u64::from((a as i32).saturating_add(b as i32) as u32));
    check("sub.sat.s32 %r9, %r0, %r1;", |[a, b, ..]| u64::from((a as i32).saturating_sub(b as i32) as u32));
}

#[test]
fn immediates_are_taken_at_the_width_of_the_type() {
    check("add.s64 %d9, %d0, -4294967295;", |[a, ..]| a.wrapping_sub(4_294_967_295));
    check("add.s32 %r9, %r0, -1;", |[a, ..]| u64::from((a as u32).wrapping_sub(1)));
    check("mul.wide.u32 %d9, %r0, -1;", |[a, ..]| u64::from(a as u32) * 0xFFFF_FFFF);
    check("mul.wide.s32 %d9, %r0, -1;", |[a, ..]| (-i64::from(a as i32)) as u64);
    check("setp.gt.u64 %p9, %d0, -4294967296;", |[a, ..]| u64::from(a > 0xFFFF_FFFF_0000_0000));
}

#[test]
fn products_low_high_and_wide() {
    check("mul.lo.s32 %r9, %r0, %r1;", |[a, b, ..]| u64::from((a as u32).wrapping_mul(b as u32)));
    check("mul.lo.u64 %d9, %d0, %d1;", |[a, b, ..]| a.wrapping_mul(b));
    check("mul.lo.s16 %h9, %h0, %h1;", |[a, b, ..]| u64::from((a as u16).wrapping_mul(b as u16)));
    check("mul.hi.u32 %r9, %r0, %r1;", |[a, b, ..]| (u64::from(a as u32) * u64::from(b as u32)) >> 32);
    check("mul.hi.s32 %r9, %r0, %r1;", |[a, b, ..]| {
        u64::from(((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32)
    });
    check("mul.hi.u64 %d9, %d0, %d1;", |[a, b, ..]| ((u128::from(a) * u128::from(b)) >> 64) as u64);
    check("mul.hi.s64 %d9, %d0, %d1;", |[a, b, ..]| {
        ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64
    });
    check("mul.hi.u16 %h9, %h0, %h1;", |[a, b, ..]| (u64::from(a as u16) * u64::from(b as u16)) >> 16);
    check("mul.wide.u32 %d9, %r0, %r1;", |[a, b, ..]| u64::from(a as u32) * u64::from(b as u32));
    check("mul.wide.s32 %d9, %r0, %r1;", |[a, b, ..]| (i64::from(a as i32) * i64::from(b as i32)) as u64);
    check("mul.wide.u16 %r9, %h0, %h1;", |[a, b, ..]| u64::from(a as u16) * u64::from(b as u16));
    check("mul.wide.s16 %r9, %h0, %h1;", |[a, b, ..]| {
        u64::from((i32::from(a as i16) * i32::from(b as i16)) as u32)
    });
}

#[test]
fn multiply_add_rounds_the_halves_of_its_product() {
    check("mad.lo.s32 %r9, %r0, %r1, %r2;", |[a, b, c, _]| {
        u64::from((a as u32).wrapping_mul(b as u32).wrapping_add(c as u32))
    });
    check("mad.lo.u64 %d9, %d0, %d1, %d2;", |[a, b, c, _]| a.wrapping_mul(b).wrapping_add(c));
    check("mad.hi.u32 %r9, %r0, %r1, %r2;", |[a, b, c, _]| {
        u64::from((((u64::from(a as u32) * u64::from(b as u32)) >> 32) as u32).wrapping_add(c as u32))
    });
    check("mad.hi.s64 %d9, %d0, %d1, %d2;", |[a, b, c, _]| {
        (((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64).wrapping_add(c)
    });
    check("mad.wide.u32 %d9, %r0, %r1, %d2;", |[a, b, c, _]| {
        (u64::from(a as u32) * u64::from(b as u32)).wrapping_add(c)
    });
    check("mad.wide.s32 %d9, %r0, %r1, %d2;", |[a, b, c, _]| {
        ((i64::from(a as i32) * i64::from(b as i32)) as u64).wrapping_add(c)
    });
    check("mad.wide.u16 %r9, %h0, %h1, %r2;", |[a, b, c, _]| {
        u64::from((u32::from(a as u16) * u32::from(b as u16)).wrapping_add(c as u32))
    });
    check("sad.s32 %r9, %r0, %r1, %r2;", |[a, b, c, _]| {
        u64::from((c as u32).wrapping_add((a as i32).abs_diff(b as i32)))
    });
}

#[test]
fn quotients_by_numbers_other_than_zero() {
    let or_one = |b: u64| b | 1;
    check("or.b32 %r1, %r1, 1; div.u32 %r9, %r0, %r1;", |[a, b, ..]| u64::from(a as u32 / or_one(b) as u32));
    check("or.b32 %r1, %r1, 1; div.s32 %r9, %r0, %r1;", |[a, b, ..]| {
        u64::from((a as i32).wrapping_div(or_one(b) as i32) as u32)
    });
    check("or.b64 %d1, %d1, 1; rem.u64 %d9, %d0, %d1;", |[a, b, ..]| a % or_one(b));
    check("or.b64 %d1, %d1, 1; rem.s64 %d9, %d0, %d1;", |[a, b, ..]| {
        (a as i64).wrapping_rem(or_one(b) as i64) as u64
    });
    // The quotient by zero is unspecified; it must not stop the emulator.
    check("mov.u32 %r1, 0; div.u32 %r2, %r0, %r1; mov.u32 %r9, 7;", |_| 7);
}

#[test]
fn minimum_maximum_and_sign() {
    check("min.u32 %r9, %r0, %r1;", |[a, b, ..]| u64::from((a as u32).min(b as u32)));
    check("min.s32 %r9, %r0, %r1;", |[a, b, ..]| u64::from((a as i32).min(b as i32) as u32));
    check("max.s64 %d9, %d0, %d1;", |[a, b, ..]| (a as i64).max(b as i64) as u64);
    check("max.u64 %d9, %d0, %d1;", |[a, b, ..]| a.max(b));
    check("max.s16 %h9, %h0, %h1;", |[a, b, ..]| u64::from((a as i16).max(b as i16) as u16));
    check("neg.s32 %r9, %r0;", |[a, ..]| u64::from((a as u32).wrapping_neg()));
    check("neg.s64 %d9, %d0;", |[a, ..]| a.wrapping_neg());
    check("abs.s32 %r9, %r0;", |[a, ..]| u64::from((a as i32).wrapping_abs() as u32));
    check("abs.s64 %d9, %d0;", |[a, ..]| (a as i64).wrapping_abs() as u64);
}
