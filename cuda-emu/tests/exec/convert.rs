//! Moves, packing and conversions.

use super::kit::{check, evaluate};

#[test]
fn integers_widen_by_sign_and_narrow_by_truncation() {
    check("cvt.u64.u32 %d9, %r0;", |[a, ..]| u64::from(a as u32));
    check("cvt.s64.s32 %d9, %r0;", |[a, ..]| a as i32 as u64);
    check("cvt.u32.u64 %r9, %d0;", |[a, ..]| a & 0xFFFF_FFFF);
    check("cvt.u16.u32 %h9, %r0;", |[a, ..]| a & 0xFFFF);
    check("cvt.u32.u16 %r9, %h0;", |[a, ..]| a & 0xFFFF);
    check("cvt.s32.s16 %r9, %h0;", |[a, ..]| u64::from(a as i16 as u32));
    check("cvt.s64.s16 %d9, %h0;", |[a, ..]| a as i16 as u64);
    // Results narrower than their register are extended in it.
    check("cvt.u8.u32 %r9, %r0;", |[a, ..]| a & 0xFF);
    check("cvt.s8.s32 %r9, %r0;", |[a, ..]| u64::from(a as i8 as u32));
    // Sources may be narrower than their register.
    check("cvt.s64.s8 %d9, %d0;", |[a, ..]| a as i8 as u64);
    check("cvt.u32.u8 %r9, %r0;", |[a, ..]| a & 0xFF);
}

#[test]
fn saturation_clamps_to_the_range_of_the_result() {
    check("cvt.sat.u8.s32 %r9, %r0;", |[a, ..]| (a as i32).clamp(0, 255) as u64);
    check("cvt.sat.s16.s64 %h9, %d0;", |[a, ..]| u64::from((a as i64).clamp(-32768, 32767) as i16 as u16));
    check("cvt.sat.s32.u64 %r9, %d0;", |[a, ..]| a.min(i32::MAX as u64));
    check("cvt.sat.u32.s64 %r9, %d0;", |[a, ..]| (a as i64).clamp(0, i64::from(u32::MAX)) as u64);
}

#[test]
fn vectors_pack_and_unpack() {
    check("mov.b64 {%r10, %r11}, %d0; mov.b64 %d9, {%r11, %r10};", |[a, ..]| a.rotate_left(32));
    check("mov.b64 {_, %r9}, %d0;", |[a, ..]| a >> 32);
    check("mov.b32 {%h10, %h11}, %r0; mov.b32 %r9, {%h11, %h10};", |[a, ..]| {
        u64::from((a as u32).rotate_left(16))
    });
    // The first half is written before the second is read.
    check("mov.b32 {%h10, %h9}, %r0; mov.u32 %r0, 0;", |[a, ..]| a >> 16 & 0xFFFF);
    check("mov.b64 {%h10, %h11, %h12, %h13}, %d0; mov.b64 %d9, {%h13, %h12, %h11, %h10};", |[a, ..]| {
        (0..4).map(|i| (a >> (16 * i) & 0xFFFF) << (48 - 16 * i)).sum()
    });
}

#[test]
fn floats_become_integers_rounded_and_clamped() {
    let float = |a: u64| f32::from_bits(a as u32);
    check("cvt.rzi.s32.f32 %r9, %f0;", |[a, ..]| u64::from(float(a) as i32 as u32));
    check("cvt.rni.u32.f32 %r9, %f0;", |[a, ..]| u64::from(float(a).round_ties_even() as u32));
    // What is no number becomes 0, or the top bit alone where 64 bits are involved.
    check("cvt.rmi.s64.f64 %d9, %g0;", |[a, ..]| {
        let x = f64::from_bits(a);
        if x.is_nan() { 1 << 63 } else { x.floor() as i64 as u64 }
    });
    check("cvt.rpi.s32.f32 %r9, %f0;", |[a, ..]| u64::from(float(a).ceil() as i32 as u32));
    let operands: Vec<[u64; 4]> = [2.5f32, 3.5, -0.5, -2.5, 1e20, f32::NAN, f32::NEG_INFINITY]
        .map(|x| [u64::from(x.to_bits()), 0, 0, 0])
        .to_vec();
    let found = evaluate("cvt.rni.s32.f32 %r9, %f0; cvt.s64.s32 %d9, %r9;", &operands);
    let found: Vec<i64> = found.into_iter().map(|x| x as i64).collect();
    assert_eq!(found, [2, 4, 0, -2, i64::from(i32::MAX), 0, i64::from(i32::MIN)]);
}

#[test]
fn integers_become_floats_in_four_directions() {
    check("cvt.rn.f32.s32 %f9, %r0;", |[a, ..]| u64::from((a as i32 as f32).to_bits()));
    check("cvt.rn.f64.u64 %g9, %d0;", |[a, ..]| (a as f64).to_bits());
    check("cvt.rn.f32.u64 %f9, %d0;", |[a, ..]| u64::from((a as f32).to_bits()));
    // The neighbours of the nearest value, found by comparing exactly.
    let exact = |x: f32| x as i128;
    check("cvt.rm.f32.u64 %f9, %d0;", |[a, ..]| {
        let nearest = a as f32;
        let x = if exact(nearest) > i128::from(a) { nearest.next_down() } else { nearest };
        u64::from(x.to_bits())
    });
    check("cvt.rp.f32.s64 %f9, %d0;", |[a, ..]| {
        let nearest = a as i64 as f32;
        let x = if exact(nearest) < i128::from(a as i64) { nearest.next_up() } else { nearest };
        u64::from(x.to_bits())
    });
    check("cvt.rz.f32.s64 %f9, %d0;", |[a, ..]| {
        let nearest = a as i64 as f32;
        let over = exact(nearest).unsigned_abs() > u128::from((a as i64).unsigned_abs());
        let x = match (over, nearest > 0.0) {
            (false, _) => nearest,
            (true, true) => nearest.next_down(),
            (true, false) => nearest.next_up(),
        };
        u64::from(x.to_bits())
    });
}
