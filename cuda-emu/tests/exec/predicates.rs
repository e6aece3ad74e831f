//! Comparisons, predicates and selections.

use super::kit::check;

#[test]
fn comparisons_by_sign() {
    check("setp.lt.s32 %p9, %r0, %r1;", |[a, b, ..]| u64::from((a as i32) < b as i32));
    check("setp.lo.u32 %p9, %r0, %r1;", |[a, b, ..]| u64::from((a as u32) < b as u32));
    check("setp.le.u64 %p9, %d0, %d1;", |[a, b, ..]| u64::from(a <= b));
    check("setp.gt.s64 %p9, %d0, %d1;", |[a, b, ..]| u64::from(a as i64 > b as i64));
    check("setp.hs.u32 %p9, %r0, %r1;", |[a, b, ..]| u64::from(a as u32 >= b as u32));
    check("setp.eq.b64 %p9, %d0, %d1;", |[a, b, ..]| u64::from(a == b));
    check("setp.ne.s16 %p9, %h0, %h1;", |[a, b, ..]| u64::from(a as u16 != b as u16));
    check("setp.ge.s16 %p9, %h0, %h1;", |[a, b, ..]| u64::from(a as i16 >= b as i16));
}

#[test]
fn comparisons_combine_with_a_predicate() {
    let (less, c) = (|a, b| u64::from(a < b), |c: u64| c & 1);
    check("setp.lt.and.u64 %p9, %d0, %d1, %p2;", |[a, b, x, _]| less(a, b) & c(x));
    check("setp.lt.or.u64 %p9, %d0, %d1, !%p2;", |[a, b, x, _]| less(a, b) | 1 ^ c(x));
    check("setp.lt.xor.u64 %p9, %d0, %d1, %p2;", |[a, b, x, _]| less(a, b) ^ c(x));
    // The second result takes the complement of the comparison, not of the first result.
    check("setp.lt.and.u64 %p8|%p9, %d0, %d1, %p2;", |[a, b, x, _]| (1 ^ less(a, b)) & c(x));
    check("setp.lt.u64 _|%p9, %d0, %d1;", |[a, b, ..]| 1 ^ less(a, b));
}

#[test]
fn predicate_logic() {
    let bits = |a: u64, b: u64| (a & 1, b & 1);
    check("and.pred %p9, %p0, %p1;", |[a, b, ..]| bits(a, b).0 & bits(a, b).1);
    check("or.pred %p9, %p0, %p1;", |[a, b, ..]| bits(a, b).0 | bits(a, b).1);
    check("xor.pred %p9, %p0, %p1;", |[a, b, ..]| bits(a, b).0 ^ bits(a, b).1);
    check("not.pred %p9, %p0;", |[a, ..]| 1 ^ a & 1);
    check("mov.pred %p9, %p0;", |[a, ..]| a & 1);
    check("mov.pred %p9, 0;", |_| 0);
    check("mov.pred %p9, -1;", |_| 1);
}

#[test]
fn selections() {
    check("selp.b64 %d9, %d0, %d1, %p2;", |[a, b, c, _]| if c & 1 == 1 { a } else { b });
    check("selp.b32 %r9, %r0, %r1, %p2;", |[a, b, c, _]| (if c & 1 == 1 { a } else { b }) & 0xFFFF_FFFF);
    check("selp.b64 %d9, 4294967295, 0, %p2;", |[_, _, c, _]| if c & 1 == 1 { 0xFFFF_FFFF } else { 0 });
    check("slct.b64.s32 %d9, %d0, %d1, %r2;", |[a, b, c, _]| if (c as i32) >= 0 { a } else { b });
    check("set.lt.u32.s32 %r9, %r0, %r1;", |[a, b, ..]| if (a as i32) < b as i32 { 0xFFFF_FFFF } else { 0 });
}

#[test]
fn guards_keep_the_old_value() {
    check("mov.b64 %d9, %d1; @%p0 mov.b64 %d9, %d2;", |[a, b, c, _]| if a & 1 == 1 { c } else { b });
    check("mov.b64 %d9, %d1; @!%p0 mov.b64 %d9, %d2;", |[a, b, c, _]| if a & 1 == 0 { c } else { b });
    check("mov.pred %p9, %p1; @%p0 not.pred %p9, %p9;", |[a, b, ..]| (b ^ a) & 1);
}
