//! Results that are right modulo `p` only, products, quotients, and what all operations have in common.

use lambda_machine::isa::AluOp;
use lambda_machine::tables::bitwise::BitwiseColumns;
use lambda_machine::tables::compare::CompareColumns;
use lambda_machine::tables::cpu::CpuColumns;
use lambda_machine::tables::divrem::DivremColumns;
use lambda_machine::tables::mul::MulColumns;
use lambda_machine::tables::shift::ShiftColumns;
use lambda_machine::tables::word::WordColumns;
use lambda_math::Goldilocks;
use lambda_math::field::ORDER;
use p3_field::{Field, PrimeCharacteristicRing};

use crate::forge::{Forged, Run, TableRow, field, halves, quarters, words};
use crate::programs::{operation, with_result};

type Compare = CompareColumns<Goldilocks>;
type Bitwise = BitwiseColumns<Goldilocks>;
type Shift = ShiftColumns<Goldilocks>;
type Word = WordColumns<Goldilocks>;
type Mul = MulColumns<Goldilocks>;
type Divrem = DivremColumns<Goldilocks>;

/// The largest word, and the high word of -1.
pub const ONES: u64 = 0xffff_ffff;

/// `-value`, as a register holds it.
pub const fn minus(value: u64) -> u64 {
    value.wrapping_neg()
}

/// Passes `c` off as `a op b` and changes the operation's row accordingly; what is broken must be `broken`.
#[track_caller]
pub fn refused<R: TableRow, const N: usize>(
    (op, a, b): (AluOp, u64, u64),
    c: u64,
    change: impl FnOnce(&mut R),
    broken: [&str; N],
) {
    let run = operation(op, a, b);
    assert_ne!(op.apply(a, b), c, "the result is false");
    let mut forged = with_result(&run, op, c);
    forged.edit(operation_row(&run, op), change).breaks(broken);
}

/// The row of the operation that `run` is about: its table's last one.
fn operation_row(run: &Run, op: AluOp) -> usize {
    let rows = match op as u8 {
        1..=3 => run.record.compare.len(),
        4..=6 => run.record.bitwise.len(),
        7..=12 => run.record.shift.len(),
        13..=14 => run.record.word.len(),
        15..=19 => run.record.mul.len(),
        _ => run.record.divrem.len(),
    };
    rows - 1
}

#[test]
fn halves_and_bytes_are_looked_up() {
    let looked_up = |forged: &Forged<'_>, bus: &str| assert!(forged.broken().contains(bus));
    // One half is 2^16 less and the other one more, and so are pairs of bytes.
    let borrow = [-field(1 << 16), Goldilocks::ONE];
    let shifted = |pair: &mut [Goldilocks; 2], by: [Goldilocks; 2]| {
        pair[0] += by[0];
        pair[1] += by[1];
    };
    let run = operation(AluOp::Lt, minus(7), 5);
    let row = operation_row(&run, AluOp::Lt);
    run.honest().edit::<Compare>(row, |row| shifted(&mut row.gap, borrow)).breaks(["range16"]);
    run.honest().edit::<Compare>(row, |row| shifted(&mut row.sign_gap, borrow)).breaks(["range16"]);

    let run = operation(AluOp::And, 0x1_0203, 0x304);
    let row = operation_row(&run, AluOp::And);
    let carry = [field(256), -Goldilocks::ONE];
    for change in [
        (|row: &mut Bitwise, carry: [Goldilocks; 2]| {
            row.a[1] += carry[0];
            row.a[2] += carry[1];
        }) as fn(&mut Bitwise, [Goldilocks; 2]),
        |row, carry| {
            row.b[1] += carry[0];
            row.b[2] += carry[1];
        },
        |row, carry| {
            row.and[1] += carry[0];
            row.and[2] += carry[1];
        },
    ] {
        run.honest().edit(row, |row| change(row, carry)).breaks(["byte_and"]);
    }

    let run = operation(AluOp::Addw, 5, 6);
    let row = operation_row(&run, AluOp::Addw);
    run.honest().edit::<Word>(row, |row| shifted(&mut row.flipped, borrow)).breaks(["range16"]);

    let run = operation(AluOp::Sll, 0x1_2345_6789, 1000);
    let row = operation_row(&run, AluOp::Sll);
    let narrow = [-field(1 << 15), Goldilocks::ONE];
    run.honest().edit::<Shift>(row, |row| shifted(&mut row.carry, narrow)).breaks(["range16"]);
    run.honest().edit::<Shift>(row, |row| shifted(&mut row.spill, narrow)).breaks(["range16"]);
    run.honest().edit::<Shift>(row, |row| shifted(&mut row.rest, borrow)).breaks(["range16"]);
    run.honest().edit::<Shift>(row, |row| shifted(&mut row.flipped, borrow)).breaks(["range16"]);

    let run = operation(AluOp::Divu, 1000, 7);
    let row = operation_row(&run, AluOp::Divu);
    let pairs: [fn(&mut Divrem) -> &mut [Goldilocks]; 5] = [
        |row| &mut row.distance[..2],
        |row| &mut row.distance[2..],
        |row| &mut row.a_flipped,
        |row| &mut row.b_flipped,
        |row| &mut row.c_flipped,
    ];
    for pair in pairs {
        let mut forged = run.honest();
        forged.edit::<Divrem>(row, |row| {
            let halves = pair(row);
            halves[0] += borrow[0];
            halves[1] += borrow[1];
        });
        forged.breaks(["range16"]);
    }
    // Others are factors, so a constraint notices too.
    for change in [
        (|row: &mut Divrem| row.quotient[0] += field(1 << 16)) as fn(&mut Divrem),
        |row| row.divisor[0] -= field(1 << 16),
        |row| row.remainder[1] += field(1 << 16),
        |row| row.carry[1] += field(1 << 17),
    ] {
        looked_up(run.honest().edit(row, change), "range16");
    }

    let run = operation(AluOp::Mulhu, 0x1_2345_6789_abcd, 0xfedc_ba98_7654_3210);
    let row = operation_row(&run, AluOp::Mulhu);
    for change in [
        (|row: &mut Mul| row.a_high[0] += field(1 << 16)) as fn(&mut Mul),
        |row| row.b_high[0] += field(1 << 16),
        |row| row.product[0] -= field(1 << 16),
        |row| row.product[3] += field(1 << 16),
        |row| row.carry_0[0] += field(1 << 16),
        |row| row.carry_1[0] += field(1 << 16),
        |row| row.carry_2[0] += field(1 << 16),
    ] {
        looked_up(run.honest().edit(row, change), "range16");
    }

    // The result's own halves, whoever computed it.
    let run = operation(AluOp::Mul, 3, 5);
    let row = run.record.cpu.len() - 3;
    let mut forged = run.honest();
    forged.edit::<CpuColumns<Goldilocks>>(row, |row| row.c_low[0] += field(1 << 16)).breaks(["range16"]);
}

/// `W·ones ≡ -1` makes a dividend of `p` and more look like one that is `p` less.
#[test]
fn division_by_wrapping_around_p_is_refused() {
    let products = [
        "divrem: quotient times divisor plus remainder: high word",
        "divrem: quotient times divisor plus remainder: low word",
    ];
    for (a, b) in [(ORDER, 2), (ORDER + 5, 2), (u64::MAX, 3), (u64::MAX, u64::MAX)] {
        let (quotient, remainder) = ((a - ORDER) / b, (a - ORDER) % b);
        let forge = |carry: [u64; 2]| {
            move |row: &mut Divrem| {
                row.quotient = quarters(quotient);
                row.remainder = quarters(remainder);
                row.distance = quarters(b - remainder - 1);
                row.distance_borrow = Goldilocks::from_bool(remainder & ONES >= b & ONES);
                row.value = words(quotient);
                row.c = words(quotient);
                row.c_flipped = halves(quotient & ONES);
                row.carry = carry.map(field);
            }
        };
        let lie = (AluOp::Divu, a, b);
        // Halves cannot make that carry …
        refused(lie, quotient, forge([0xffff, 0xffff]), products);
        // … and what makes it is no half.
        refused(lie, quotient, forge([0xffff, 0x1_fffe]), ["range16"]);
        refused(lie, quotient, forge([0x7fff, 0x1_ffff]), ["range16"]);
    }
}

#[test]
fn products_that_wrap_around_p_are_refused() {
    // 5·7 = 36 + W·ones - p, with the carries that follow.
    let step = ["mul: step 0 does not wrap"];
    refused::<Mul, _>(
        (AluOp::Mul, 5, 7),
        ONES << 32 | 36,
        |row| {
            row.product = quarters(ONES << 32 | 36);
            row.carry_0 = halves(ONES);
            row.carry_1 = [field(0xffff), Goldilocks::ZERO, Goldilocks::ZERO];
            row.c = words(ONES << 32 | 36);
        },
        step,
    );
    // High parts that are p more or less than the true one.
    let high = ["mul: the high part does not wrap"];
    let plus = |value: u64| value.wrapping_add(ORDER);
    let less = |value: u64| value.wrapping_sub(ORDER);
    for (lie, c) in [
        ((AluOp::Mulhu, 2, 3), plus(0)),
        ((AluOp::Mulhu, 1 << 63, 8), plus(4)),
        ((AluOp::Mulh, minus(1), 1), less(minus(1))),
        ((AluOp::Mulh, minus(3), minus(5)), plus(0)),
        ((AluOp::Mulhsu, minus(1), 1 << 40), less(minus(1))),
        ((AluOp::Mulhu, u64::MAX, u64::MAX), less(u64::MAX - 1)),
    ] {
        refused::<Mul, _>(lie, c, |row| row.c = words(c), high);
    }
    // Full words are not denied either …
    let c = less(u64::MAX - 1);
    let deny = |row: &mut Mul| {
        row.c = words(c);
        row.both_full = Goldilocks::ZERO;
    };
    refused((AluOp::Mulhu, u64::MAX, u64::MAX), c, deny, high);
    // … nor claimed of words that are not full, for which the distance from 0 could be shown.
    let claim = |row: &mut Mul| {
        row.c = words(plus(0));
        row.both_full = Goldilocks::ONE;
        let missing = -field(2 * ONES);
        row.high_inverse = (field(ONES) * (missing + Goldilocks::ONE)).inverse();
    };
    refused((AluOp::Mulhu, 2, 3), plus(0), claim, ["mul: both words are full"]);
}

#[test]
fn products_with_zero_are_not_negative() {
    // 2^64 modulo p, whose high word is 0.
    let c = ONES;
    let leave_out = |row: &mut Mul| {
        row.is_zero = Goldilocks::ZERO;
        row.negative = Goldilocks::ONE;
        row.c = words(c);
    };
    refused((AluOp::Mulh, minus(1), 0), c, leave_out, ["mul: the high part does not wrap"]);
    refused((AluOp::Mulh, 0, minus(1)), c, leave_out, ["mul: the high part does not wrap"]);
    refused((AluOp::Mulhsu, minus(1), 0), c, leave_out, ["mul: the high part does not wrap"]);
    // A negative product that is called zero: its high part is not seen to be below 0.
    let c = ORDER - (1 << 40);
    let call_zero = |row: &mut Mul| {
        row.is_zero = Goldilocks::ONE;
        row.negative = Goldilocks::ZERO;
        row.c = words(c);
        let missing = join(row.a_high) + join(row.b_high) - field(2 * ONES);
        row.high_inverse = ((row.c[1] - field(ONES)) * (missing - Goldilocks::ONE)).inverse();
    };
    refused((AluOp::Mulh, 1 << 63, 1 << 41), c, call_zero, ["mul: where zero, an operand is"]);
}

fn join([low, high]: [Goldilocks; 2]) -> Goldilocks {
    low + high * field(1 << 16)
}

#[test]
fn division_has_one_quotient() {
    let small = |row: &mut Divrem, quotient: u64, remainder: u64| {
        row.quotient = quarters(quotient);
        row.remainder = quarters(remainder);
        row.value = words(quotient);
        row.c = words(quotient);
        row.c_flipped = halves(quotient & ONES);
    };
    // A remainder that is too large: its distance is no number.
    let negative = |row: &mut Divrem| {
        small(row, 2, 4);
        row.distance = [-field(2), Goldilocks::ZERO, Goldilocks::ZERO, Goldilocks::ZERO];
    };
    refused((AluOp::Divu, 10, 3), 2, negative, ["range16"]);
    let borrowed = |row: &mut Divrem| {
        small(row, 2, 4);
        row.distance = quarters(ONES - 1);
        row.distance[2] = -Goldilocks::ONE;
        row.distance_borrow = Goldilocks::ONE;
    };
    refused((AluOp::Divu, 10, 3), 2, borrowed, ["range16"]);
    let zero = |row: &mut Divrem| {
        small(row, 2, 4);
        row.distance = quarters(0);
    };
    refused((AluOp::Divu, 10, 3), 2, zero, ["divrem: the remainder is less than the divisor: low word"]);
    // The divisor is called 0, so that no distance is needed.
    let called_zero = |row: &mut Divrem| {
        small(row, 2, 4);
        row.divisor_is_zero = Goldilocks::ONE;
    };
    let both = ["divrem: a quotient by 0 is all ones", "divrem: where zero, the divisor is"];
    refused((AluOp::Divu, 10, 3), 2, called_zero, both);
    // A divisor of 0 is not called that.
    let not_called = |row: &mut Divrem| {
        small(row, 5, 10);
        row.divisor_is_zero = Goldilocks::ZERO;
        row.distance = [-field(11), Goldilocks::ZERO, Goldilocks::ZERO, Goldilocks::ZERO];
    };
    refused((AluOp::Divu, 10, 0), 5, not_called, ["range16"]);
    refused::<Divrem, _>(
        (AluOp::Divu, 10, 0),
        5,
        |row| small(row, 5, 10),
        ["divrem: a quotient by 0 is all ones"],
    );
    // A product that overflows 64 bits.
    refused::<Divrem, _>(
        (AluOp::Divu, 0, 1 << 48),
        1 << 16,
        |row| small(row, 1 << 16, 0),
        ["divrem: quotient times divisor has 64 bits"],
    );
    // Signs.
    let sign = |row: &mut Divrem| {
        row.quotient_negative = Goldilocks::ZERO;
        row.value_negative = Goldilocks::ZERO;
        row.c = words(2);
        row.c_flipped = halves(2);
        row.borrows = [Goldilocks::ZERO; 2];
    };
    refused((AluOp::Div, minus(6), 3), 2, sign, ["divrem: a quotient is negated where signs differ"]);
    let dividend = |row: &mut Divrem| {
        row.value_negative = Goldilocks::ZERO;
        row.c = words(1);
        row.c_flipped = halves(1);
        row.borrows = [Goldilocks::ZERO; 2];
    };
    refused(
        (AluOp::Rem, minus(7), 3),
        1,
        dividend,
        ["divrem: the result is negated as quotient or remainder"],
    );
}

/// The honest row of every other operation of the same table, with its result.
#[test]
fn operations_are_not_exchanged() {
    let (a, b) = (0x8000_0001_8000_0003, 0x7fff_ffff_ffff_ffe1);
    let ops = || AluOp::ALL.into_iter().filter(|&op| op != AluOp::Eq);
    let runs: Vec<(AluOp, Run)> = ops().map(|op| (op, operation(op, a, b))).collect();
    let honest: Vec<Forged<'_>> = runs.iter().map(|(_, run)| run.honest()).collect();
    for (op, run) in &runs {
        for ((other, other_run), tables) in runs.iter().zip(&honest).filter(|((other, _), _)| other != op) {
            let mut forged = with_result(run, *op, other.apply(a, b));
            let (row, from) = (operation_row(run, *op), operation_row(other_run, *other));
            match (*op as u8, *other as u8) {
                (1..=3, 1..=3) => forged.edit::<Compare>(row, |own| *own = tables.row(from)),
                (4..=6, 4..=6) => forged.edit::<Bitwise>(row, |own| *own = tables.row(from)),
                (7..=12, 7..=12) => forged.edit::<Shift>(row, |own| *own = tables.row(from)),
                (13..=14, 13..=14) => forged.edit::<Word>(row, |own| *own = tables.row(from)),
                (15..=19, 15..=19) => forged.edit::<Mul>(row, |own| *own = tables.row(from)),
                (20..=27, 20..=27) => forged.edit::<Divrem>(row, |own| *own = tables.row(from)),
                _ => continue,
            }
            .breaks(["alu"]);
        }
    }
}
