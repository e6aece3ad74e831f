//! Shifts by another amount, to another side, or modulo `p` only; comparisons that something else decides.

use lambda_machine::isa::AluOp;
use lambda_machine::tables::compare::CompareColumns;
use lambda_machine::tables::shift::ShiftColumns;
use lambda_math::Goldilocks;
use lambda_math::field::ORDER;
use p3_field::{Field, PrimeCharacteristicRing};

use crate::arithmetic::{ONES, minus, refused};
use crate::forge::{field, halves, words};

type Compare = CompareColumns<Goldilocks>;
type Shift = ShiftColumns<Goldilocks>;

#[test]
fn shifts_that_wrap_around_p_are_refused() {
    // To the left, W·ones ≡ -1 would be a carry of all ones, which has no halves.
    let carry = [0xffff, 0x1_fffe].map(field);
    let left = |row: &mut Shift| {
        row.carry = carry;
        row.c = words(ONES << 32 | 6);
    };
    refused((AluOp::Sll, 5, 0), ONES << 32 | 6, left, ["range16"]);
    let high = |row: &mut Shift| {
        row.spill = carry;
        row.c = words(6 << 32);
    };
    refused((AluOp::Sll, 5 << 32, 0), 6 << 32, high, ["range16"]);
    let big = |row: &mut Shift| {
        row.carry = carry;
        row.c = words(6 << 32);
    };
    refused((AluOp::Sll, 5, 32), 6 << 32, big, ["range16"]);
    // What the last half of a carry may be makes no such carry.
    let legal = |row: &mut Shift| {
        row.carry = [0xffff, 0xffff].map(field);
        row.c = words(ONES << 32 | 6);
    };
    let products = ["shift: left: product of the low word", "shift: small left: product of the high word"];
    refused((AluOp::Sll, 5, 0), ONES << 32 | 6, legal, products);

    // To the right, the result is p more, or less if negative.
    let wraps = ["shift: right: products do not wrap"];
    let c = 5u64.wrapping_add(ORDER);
    refused::<Shift, _>((AluOp::Srl, 10, 1), c, |row| row.c = words(c), wraps);
    refused::<Shift, _>((AluOp::Sra, 10, 1), c, |row| row.c = words(c), wraps);
    let c = minus(5).wrapping_sub(ORDER);
    refused::<Shift, _>((AluOp::Sra, minus(10), 1), c, |row| row.c = words(c), wraps);
    for op in [AluOp::Srl, AluOp::Sra] {
        let big = |row: &mut Shift| {
            row.c = words(ONES);
            row.spill = halves((1 << 31) + 1);
        };
        refused((op, 1 << 32, 33), ONES, big, wraps);
    }
    let negative = |row: &mut Shift| {
        row.c = words(ONES << 32);
        row.spill = halves((1 << 31) - 1);
    };
    refused((AluOp::Sra, u64::MAX, 33), ONES << 32, negative, wraps);
    let word = |row: &mut Shift| {
        row.c = words(ONES);
        row.spill = halves((1 << 31) + 1);
    };
    refused((AluOp::Sraw, 1, 1), ONES, word, wraps);
    refused(
        (AluOp::Srlw, 1, 1),
        ONES,
        word,
        ["shift: right on words: zeros shifted in leave no sign", wraps[0]],
    );
    let negative = |row: &mut Shift| {
        row.c = words(ONES << 32);
        row.spill = halves((1 << 31) - 1);
    };
    refused((AluOp::Sraw, ONES, 1), ONES << 32, negative, wraps);
}

#[test]
fn words_shifted_right_by_zero_keep_their_sign() {
    // As a shift by 32 - 32: the word stays as it is, and no sign is looked at.
    let unsigned = |carry: [Goldilocks; 2]| {
        move |row: &mut Shift| {
            row.left_word = Goldilocks::ZERO;
            row.right_word = Goldilocks::ONE;
            row.exponent = field(16);
            row.power = field(1 << 16);
            row.upper_half = Goldilocks::ONE;
            row.factor = field(1 << 31);
            row.c = words(1 << 31);
            row.negative = Goldilocks::ZERO;
            row.flipped = halves(1 << 31);
            row.spill = halves(0);
            row.carry = carry;
            row.inverse = (field(1 << 31) - field(ONES)).inverse();
        }
    };
    let lie = (AluOp::Srlw, 1 << 31, 0);
    let leaves_no_sign = ["shift: right on words: zeros shifted in leave no sign"];
    refused(lie, 1 << 31, unsigned(halves(0)), leaves_no_sign);
    refused(lie, 1 << 31, unsigned([field(0), field(1 << 16)]), ["range16"]);
}

#[test]
fn shift_cases_are_those_of_the_amount() {
    let amount = "shift: the amount is in the low bits of b";
    let small = |row: &mut Shift| {
        row.left_big = Goldilocks::ZERO;
        row.left_small = Goldilocks::ONE;
        row.c = words(1 << 8);
    };
    refused((AluOp::Sll, 1, 40), 1 << 8, small, [amount]);
    let big = |row: &mut Shift| {
        row.left_small = Goldilocks::ZERO;
        row.left_big = Goldilocks::ONE;
        row.c = words(1 << 40);
    };
    refused((AluOp::Sll, 1, 8), 1 << 40, big, [amount]);
    // Bits of the amount among those above it.
    let fewer = |row: &mut Shift| {
        row.exponent = Goldilocks::ZERO;
        row.power = Goldilocks::ONE;
        row.factor = Goldilocks::ONE;
        row.rest = [field(8) / field(64), Goldilocks::ZERO];
        row.c = words(1);
    };
    refused((AluOp::Sll, 1, 8), 1, fewer, ["range16"]);
    // Another power than the exponent's.
    let power = |row: &mut Shift| {
        row.power = field(1 << 9);
        row.factor = field(1 << 9);
        row.c = words(1 << 9);
    };
    refused((AluOp::Sll, 1, 8), 1 << 9, power, ["power"]);
    refused::<Shift, _>(
        (AluOp::Sll, 1, 8),
        1 << 9,
        |row| {
            row.factor = field(1 << 9);
            row.c = words(1 << 9);
        },
        ["shift: the factor is two to the exponent"],
    );
    // A shift to the right done as one to the left, and the reverse.
    let left = |row: &mut Shift| {
        row.right_small = Goldilocks::ZERO;
        row.left_small = Goldilocks::ONE;
        row.exponent = field(4);
        row.power = field(16);
        row.upper_half = Goldilocks::ZERO;
        row.factor = field(16);
        row.c = words(48);
        row.carry = halves(0);
        row.spill = halves(0);
        row.flipped = halves(0);
    };
    let by_zero = ["shift: a shift to the right done as one to the left is by 0"];
    refused((AluOp::Srl, 3, 4), 48, left, by_zero);
    let left_big = |row: &mut Shift| {
        left(row);
        row.left_small = Goldilocks::ZERO;
        row.left_big = Goldilocks::ONE;
        row.right_big = Goldilocks::ZERO;
        row.c = words(48 << 32);
    };
    let big_left = ["shift: no shift to the right is done as a big left one"];
    refused((AluOp::Srl, 3, 36), 48 << 32, left_big, big_left);
    let right = |row: &mut Shift| {
        row.left_small = Goldilocks::ZERO;
        row.right_small = Goldilocks::ONE;
        row.exponent = field(14);
        row.power = field(1 << 14);
        row.upper_half = Goldilocks::ONE;
        row.factor = field(1 << 29);
        row.c = words(1 << 29);
        row.carry = halves(0);
        row.spill = halves(0);
        row.inverse = -field(ONES).inverse();
        // To the left no sign matters; here that would be one of -1.
        row.flipped = halves(0);
        row.negative = Goldilocks::ZERO;
    };
    let only_right = [
        "shift: only shifts to the right take the high words",
        "shift: the sign is that of the word where it matters",
    ];
    refused((AluOp::Sll, 1 << 32, 3), 1 << 29, right, only_right);
    // An unsigned shift whose sign is looked at.
    let sign = |row: &mut Shift| {
        row.negative = Goldilocks::ONE;
        row.c = words((7 << 61) | 1 << 60);
        row.inverse = row.c[1].inverse();
    };
    refused(
        (AluOp::Srl, 1 << 63, 3),
        (7 << 61) | 1 << 60,
        sign,
        ["shift: the sign is that of the word where it matters"],
    );
}

#[test]
fn comparisons_are_decided_by_the_words() {
    let less = |a: u64, b: u64| {
        move |row: &mut Compare| {
            row.a_is_less = Goldilocks::ONE;
            row.b_is_less = Goldilocks::ZERO;
            row.lesser = words(a);
            row.greater = words(b);
            row.high_decides = Goldilocks::ZERO;
            row.sign_decides = Goldilocks::ZERO;
        }
    };
    let swapped = |a: u64, b: u64| {
        move |row: &mut Compare| {
            less(b, a)(row);
            row.a_is_less = Goldilocks::ZERO;
            row.b_is_less = Goldilocks::ONE;
        }
    };
    // Low words in the wrong order: the gap is below 0.
    let low = |row: &mut Compare| {
        swapped(5, 7)(row);
        row.gap = [-field(3), Goldilocks::ZERO];
    };
    refused((AluOp::Ltu, 5, 7), 0, low, ["range16"]);
    let gap = |row: &mut Compare| {
        swapped(5, 7)(row);
        row.gap = halves(0);
    };
    refused((AluOp::Ltu, 5, 7), 0, gap, ["compare: the gap of what decides"]);
    // Different operands that are called equal.
    let equal = |row: &mut Compare| {
        row.a_is_less = Goldilocks::ZERO;
        row.gap = halves(2);
    };
    refused((AluOp::Ltu, 5, 7), 0, equal, ["compare: equal operands have equal low words"]);
    // Equal ones of which one is less.
    let differ = |row: &mut Compare| {
        less(5, 5)(row);
        row.gap = [-Goldilocks::ONE, Goldilocks::ZERO];
    };
    refused((AluOp::Ltu, 5, 5), 1, differ, ["range16"]);
    // Low words decide though high words differ.
    let ignored = |row: &mut Compare| {
        less(1 << 32, 2)(row);
        row.gap = halves(1);
    };
    refused((AluOp::Ltu, 1 << 32, 2), 1, ignored, ["compare: high words that do not decide are equal"]);
    let high = |row: &mut Compare| {
        less(1 << 32, 2)(row);
        row.high_decides = Goldilocks::ONE;
        row.gap = [-field(2), Goldilocks::ZERO];
    };
    refused((AluOp::Ltu, 1 << 32, 2), 1, high, ["range16"]);
    // Signs that are not looked at, or of the wrong operand, or of an unsigned comparison.
    let unsigned = |sign_gap: [Goldilocks; 2]| {
        move |row: &mut Compare| {
            swapped(u64::MAX, 1)(row);
            row.high_decides = Goldilocks::ONE;
            row.gap = halves(ONES - 1);
            row.sign_gap = sign_gap;
        }
    };
    let lie = (AluOp::Lt, u64::MAX, 1);
    let a_sign = ["compare: the lesser is negative or the greater is not"];
    refused(lie, 0, unsigned(halves(0)), a_sign);
    refused(lie, 0, unsigned([-field(1 << 31), Goldilocks::ZERO]), ["range16"]);
    let sign = |row: &mut Compare| {
        less(5, 3)(row);
        row.sign_decides = Goldilocks::ONE;
        row.gap = halves((1 << 31) - 1);
        row.sign_gap = halves((1 << 31) - 1);
    };
    refused((AluOp::Lt, 5, 3), 1, sign, ["compare: where signs decide, the lesser is negative"]);
    let sign = |row: &mut Compare| {
        less(u64::MAX, 1)(row);
        row.sign_decides = Goldilocks::ONE;
        row.gap = halves((1 << 31) - 1);
        row.sign_gap = halves((1 << 31) - 1);
    };
    refused((AluOp::Ltu, u64::MAX, 1), 1, sign, ["compare: signs decide signed comparisons only"]);
}
