//! Carry chains.

use super::kit::check;

#[test]
fn additions_of_128_bits() {
    let high = |[a, b, c, e]: [u64; 4]| {
        let sum = (u128::from(b) << 64 | u128::from(a)).wrapping_add(u128::from(e) << 64 | u128::from(c));
        (sum >> 64) as u64
    };
    check("add.cc.u64 %d8, %d0, %d2; addc.u64 %d9, %d1, %d3;", high);
    // The same in words of 32 bits.
    check(
        "mov.b64 {%r10, %r11}, %d0; mov.b64 {%r12, %r13}, %d1; mov.b64 {%r20, %r21}, %d2;
         mov.b64 {%r22, %r23}, %d3;
         add.cc.u32 %r10, %r10, %r20; addc.cc.u32 %r11, %r11, %r21;
         addc.cc.u32 %r12, %r12, %r22; addc.u32 %r13, %r13, %r23;
         mov.b64 %d9, {%r12, %r13};",
        high,
    );
}

#[test]
fn subtractions_of_128_bits() {
    let high = |[a, b, c, e]: [u64; 4]| {
        let difference =
            (u128::from(b) << 64 | u128::from(a)).wrapping_sub(u128::from(e) << 64 | u128::from(c));
        (difference >> 64) as u64
    };
    check("sub.cc.u64 %d8, %d0, %d2; subc.u64 %d9, %d1, %d3;", high);
    check(
        "mov.b64 {%r10, %r11}, %d0; mov.b64 {%r12, %r13}, %d1; mov.b64 {%r20, %r21}, %d2;
         mov.b64 {%r22, %r23}, %d3;
         sub.cc.u32 %r10, %r10, %r20; subc.cc.u32 %r11, %r11, %r21;
         subc.cc.u32 %r12, %r12, %r22; subc.u32 %r13, %r13, %r23;
         mov.b64 %d9, {%r12, %r13};",
        high,
    );
}

#[test]
fn the_last_carry_and_borrow_can_be_read() {
    check("add.cc.u64 %d8, %d0, %d1; addc.u32 %r9, 0, 0;", |[a, b, ..]| {
        u64::from(a.checked_add(b).is_none())
    });
    check("sub.cc.u32 %r8, %r0, %r1; subc.u32 %r9, 0, 0;", |[a, b, ..]| {
        if (a as u32) < b as u32 { 0xFFFF_FFFF } else { 0 }
    });
}

#[test]
fn a_product_of_128_bits_from_words() {
    let product = "mov.b64 {%r10, %r11}, %d0; mov.b64 {%r12, %r13}, %d1;
        mul.lo.u32 %r20, %r10, %r12; mul.hi.u32 %r21, %r10, %r12;
        mad.lo.cc.u32 %r21, %r10, %r13, %r21; madc.hi.u32 %r22, %r10, %r13, 0;
        mad.lo.cc.u32 %r21, %r11, %r12, %r21; madc.hi.cc.u32 %r22, %r11, %r12, %r22; addc.u32 %r23, 0, 0;
        mad.lo.cc.u32 %r22, %r11, %r13, %r22; madc.hi.u32 %r23, %r11, %r13, %r23;";
    check(&format!("{product} mov.b64 %d9, {{%r20, %r21}};"), |[a, b, ..]| a.wrapping_mul(b));
    check(&format!("{product} mov.b64 %d9, {{%r22, %r23}};"), |[a, b, ..]| {
        ((u128::from(a) * u128::from(b)) >> 64) as u64
    });
    check("mad.lo.cc.u64 %d8, %d0, %d1, %d2; madc.hi.u64 %d9, %d0, %d1, %d3;", |[a, b, c, e]| {
        let carry = u64::from(a.wrapping_mul(b).checked_add(c).is_none());
        (((u128::from(a) * u128::from(b)) >> 64) as u64).wrapping_add(e).wrapping_add(carry)
    });
}

#[test]
fn lanes_have_carries_of_their_own() {
    // Half of the lanes leave a carry under a guard, the others keep the one before.
    check("add.cc.u32 %r8, %r0, %r1; @%p2 add.cc.u32 %r8, %r3, -1; addc.u32 %r9, 0, 0;", |[a, b, c, e]| {
        let carries = |a: u64, b: u64| u64::from((a as u32).checked_add(b as u32).is_none());
        if c & 1 == 1 { carries(e, u64::from(u32::MAX)) } else { carries(a, b) }
    });
}
