//! Float arithmetic. Operands are the bits of the usual integers: zeros, subnormals, infinities and no
//! numbers.

use super::kit::{check, evaluate};

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn g(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// The bits of a result, every kind of no number alike.
fn bits32(x: f32) -> u64 {
    u64::from(if x.is_nan() { 0x7FC0_0000 } else { x.to_bits() })
}

fn bits64(x: f64) -> u64 {
    if x.is_nan() { 0x7FF8 << 48 } else { x.to_bits() }
}

/// Makes `%f9` or `%g9` the one no number where it is none.
const CANONICAL_32: &str = "setp.nan.f32 %p10, %f9, %f9; selp.f32 %f9, 0f7FC00000, %f9, %p10;";
const CANONICAL_64: &str = "setp.nan.f64 %p10, %g9, %g9; selp.f64 %g9, 0d7FF8000000000000, %g9, %p10;";

fn check32(instruction: &str, expected: impl Fn(f32, f32, f32) -> f32) {
    check(&format!("{instruction} {CANONICAL_32}"), |[a, b, c, _]| bits32(expected(f(a), f(b), f(c))));
}

fn check64(instruction: &str, expected: impl Fn(f64, f64, f64) -> f64) {
    check(&format!("{instruction} {CANONICAL_64}"), |[a, b, c, _]| bits64(expected(g(a), g(b), g(c))));
}

#[test]
fn arithmetic_is_ieee() {
    check32("add.f32 %f9, %f0, %f1;", |a, b, _| a + b);
    check32("sub.rn.f32 %f9, %f0, %f1;", |a, b, _| a - b);
    check32("mul.f32 %f9, %f0, %f1;", |a, b, _| a * b);
    check32("div.rn.f32 %f9, %f0, %f1;", |a, b, _| a / b);
    check32("fma.rn.f32 %f9, %f0, %f1, %f2;", f32::mul_add);
    check32("rcp.rn.f32 %f9, %f0;", |a, _, _| 1.0 / a);
    check32("sqrt.rn.f32 %f9, %f0;", |a, _, _| a.sqrt());
    check32("neg.f32 %f9, %f0;", |a, _, _| -a);
    check32("abs.f32 %f9, %f0;", |a, _, _| a.abs());
    check32("copysign.f32 %f9, %f0, %f1;", |a, b, _| b.copysign(a));
    check64("add.f64 %g9, %g0, %g1;", |a, b, _| a + b);
    check64("fma.rn.f64 %g9, %g0, %g1, %g2;", f64::mul_add);
    check64("div.rn.f64 %g9, %g0, %g1;", |a, b, _| a / b);
    check64("sqrt.rn.f64 %g9, %g0;", |a, _, _| a.sqrt());
}

#[test]
fn minimum_and_maximum_prefer_numbers() {
    check32("min.f32 %f9, %f0, %f1;", |a, b, _| match a == b {
        true if a.is_sign_negative() => a,
        true => b,
        false => a.min(b),
    });
    check64("max.f64 %g9, %g0, %g1;", |a, b, _| match a == b {
        true if a.is_sign_negative() => b,
        true => a,
        false => a.max(b),
    });
}

#[test]
fn flushing_and_saturation() {
    let flush = |x: f32| if x.is_subnormal() { 0f32.copysign(x) } else { x };
    check32("mul.ftz.f32 %f9, %f0, %f1;", |a, b, _| flush(flush(a) * flush(b)));
    check32("add.sat.f32 %f9, %f0, %f1;", |a, b, _| {
        let sum = a + b;
        if sum > 1.0 {
            1.0
        } else if sum > 0.0 {
            sum
        } else {
            0.0
        }
    });
}

#[test]
fn directed_rounding_brackets_the_exact_value() {
    // Which of two neighbours is right is decided in integers: products of 24-bit significands are exact
    // there.
    let operands: Vec<[u64; 4]> = (0..400u64)
        .map(|i| {
            let x = (1.0 + (i * 7919 % 1024) as f32 / 997.0) * if i % 3 == 0 { -1.0 } else { 1.0 };
            let y = 1.0 + (i * 104_729 % 2048) as f32 / 1999.0;
            [u64::from(x.to_bits()), u64::from(y.to_bits()), 0, 0]
        })
        .collect();
    let run = |mode: &str| {
        let body = format!("mul.{mode}.f32 %f9, %f0, %f1; mov.b32 %r9, %f9; cvt.u64.u32 %d9, %r9;");
        evaluate(&body, &operands)
    };
    let (down, up, zero, nearest) = (run("rm"), run("rp"), run("rz"), run("rn"));
    for (i, [a, b, ..]) in operands.iter().enumerate() {
        let exact = f64::from(f(*a)) * f64::from(f(*b));
        let (down, up) = (f(down[i]), f(up[i]));
        assert!(f64::from(down) <= exact && exact <= f64::from(up), "{exact}: {down} to {up}");
        let inexact = exact != f64::from(exact as f32);
        assert_eq!(down.next_up() == up, inexact);
        assert_eq!(down == up, !inexact);
        assert_eq!(f(zero[i]), if exact > 0.0 { down } else { up });
        assert_eq!(f(nearest[i]), exact as f32);
    }
    // Half a unit in the last place and a little more or less, where nearest alone cannot tell; and 2^-80,
    // which f64 loses too.
    let one = 0x3F80_0000;
    let tiny = [0x3380_0000, 0xB280_0000, 0x1780_0000, 0x9780_0000].map(|addend| [one, one, addend, 0]);
    let found = |mode: &str| {
        let body = format!("fma.{mode}.f32 %f9, %f0, %f1, %f2; mov.b32 %r9, %f9; cvt.u64.u32 %d9, %r9;");
        evaluate(&body, &tiny)
    };
    assert_eq!(found("rm"), [one, one - 1, one, one - 1]);
    assert_eq!(found("rp"), [one + 1, one, one + 1, one]);
    assert_eq!(found("rz"), [one, one - 1, one, one - 1]);
    assert_eq!(found("rn"), [one; 4]);
}

type Function = fn(f32) -> f32;

#[test]
fn approximations_are_close() {
    let operands: Vec<[u64; 4]> =
        (1..200).map(|i| [u64::from((i as f32 * 0.37 - 12.0).to_bits()), 0, 0, 0]).collect();
    let cases: [(&str, Function); 4] = [
        ("ex2.approx.ftz.f32 %f9, %f0;", f32::exp2),
        ("abs.f32 %f1, %f0; lg2.approx.f32 %f9, %f1;", |x| x.abs().log2()),
        ("rcp.approx.ftz.f32 %f9, %f0;", |x| 1.0 / x),
        ("tanh.approx.f32 %f9, %f0;", f32::tanh),
    ];
    for (instruction, expected) in cases {
        let body = format!("{instruction} mov.b32 %r9, %f9; cvt.u64.u32 %d9, %r9;");
        for ([a, ..], found) in operands.iter().zip(evaluate(&body, &operands)) {
            let (expected, found) = (expected(f(*a)), f(found));
            assert!((found - expected).abs() <= expected.abs() * 1e-6, "{instruction} {}", f(*a));
        }
    }
}

#[test]
fn comparisons_of_what_is_no_number() {
    let unordered = |a: u64, b: u64| f(a).is_nan() || f(b).is_nan();
    check("setp.lt.f32 %p9, %f0, %f1;", |[a, b, ..]| u64::from(f(a) < f(b)));
    check("setp.ne.f32 %p9, %f0, %f1;", |[a, b, ..]| u64::from(!unordered(a, b) && f(a) != f(b)));
    check("setp.neu.f32 %p9, %f0, %f1;", |[a, b, ..]| u64::from(f(a) != f(b)));
    check("setp.geu.f32 %p9, %f0, %f1;", |[a, b, ..]| u64::from(unordered(a, b) || f(a) >= f(b)));
    check("setp.equ.f32 %p9, %f0, %f1;", |[a, b, ..]| u64::from(unordered(a, b) || f(a) == f(b)));
    check("setp.num.f32 %p9, %f0, %f1;", |[a, b, ..]| u64::from(!unordered(a, b)));
    check("setp.leu.f64 %p9, %g0, %g1;", |[a, b, ..]| {
        u64::from(g(a).is_nan() || g(b).is_nan() || g(a) <= g(b))
    });
}

#[test]
fn conversions_between_floats() {
    check(&format!("cvt.f64.f32 %g9, %f0; {CANONICAL_64}"), |[a, ..]| bits64(f64::from(f(a))));
    check(&format!("cvt.rn.f32.f64 %f9, %g0; {CANONICAL_32}"), |[a, ..]| bits32(g(a) as f32));
    check(&format!("cvt.rmi.f32.f32 %f9, %f0; {CANONICAL_32}"), |[a, ..]| bits32(f(a).floor()));
    check(&format!("cvt.rz.f32.f64 %f9, %g0; {CANONICAL_32}"), |[a, ..]| {
        let x = g(a) as f32;
        let over = f64::from(x).abs() > g(a).abs();
        if g(a).is_nan() {
            bits32(x)
        } else {
            bits32(if over { x.signum() * x.abs().next_down() } else { x })
        }
    });
}
