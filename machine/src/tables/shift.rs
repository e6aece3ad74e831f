//! One row per shift: `Sll`, `Srl`, `Sra` and their forms on low words.
//!
//! - Receives on `ALU`: the shift.
//! - Sends on `POWER`: the power of two to multiply by.
//! - Sends on `RANGE16`: halves of `carry`, of `spill`, of the word whose sign matters, and of what is above
//!   the amount in `b`.
//!
//! A shift to either side is a multiplication of words by `P = 2^exponent`, exponent 0 … 31. A word times `P`
//! has a low and a high word; to the left the result takes the low one, to the right, by `32 - exponent`, the
//! high one, and the 64-bit result adds what the neighbouring word spills over:
//!
//! | case | amount | equations |
//! |---|---|---|
//! | left small | `exponent` | `a_low·P = c_low + 2^32·carry`, `a_high·P + carry = c_high + 2^32·spill` |
//! | left big | `32 + exponent` | `a_low·P = c_high + 2^32·carry`, `c_low = 0` |
//! | left word | `exponent` | `a_low·P = c_low + 2^32·carry`, `c_high` the sign of `c_low` |
//! | right small | `32 - exponent` | `a_low·P = spill + 2^32·carry`, `a_high·P + carry = c` |
//! | right big | `64 - exponent` | `a_high·P = spill + 2^32·c_low`, `c_high` the sign |
//! | right word | `32 - exponent` | `a_low·P = spill + 2^32·c_low`, `c_high` the sign |
//!
//! To the right, the word of `a` that is on the left in the last equation and the word of `c` with the weight
//! 2^32 are less 2^32 where `negative`: where the shift is arithmetic and the word negative. The word cases
//! are the forms on low words. A shift to the right by 0 has no exponent and is done as one to the left.
//!
//! # Why it is sound
//! - **Amount.** `b_low = amount + 64·rest` (32 on low words) with `amount` below 64 (32), as the exponent is
//!   in the range of its case, which comes next. `rest` is below 2^32, as its halves are looked up, so the
//!   equation has no wrap and the amount is the one that `b` has.
//! - **Exponent.** The looked-up one is at most 16, and `upper_half` adds 15. In right big and right word it
//!   is one more and the factor is doubled, so that it is 1 … 32; an exponent of 32 there is an amount of 32
//!   in right big, for which the equations are right, and of 0 in right word.
//! - **Zeros shifted in** on words leave no sign: right word with `kind` 1 shows by the halves in `carry`,
//!   which it has no other use for, that `c_low` is below 2^31. So an amount of 0 is left to left word
//!   where the result is negative.
//! - **Carry** is below 2^31 + 2^15, and so is the spill in left small; elsewhere the spill is any word.
//!   Products of a word and the factor are below 2^63. So the equations to the left and the first of right
//!   small have both sides in `[0, p)` and hold over the integers. Their low parts are below 2^32 (`c`
//!   because the sender owes it), so quotient and remainder are unique.
//! - **Wrap.** In the last equation of each case to the right the right side may be anything below 2^64, so
//!   it might hold with the modulus `p` added or taken away. `top` is the word of `c` with the weight 2^32.
//!   If not `negative`, the left side is in `[0, p)`, and only the right one can be `p` too large, with all
//!   ones as `top`. If `negative`, the left side is in `[-2^63, 0)` and the right one in `[-2^64, 0)`, and
//!   only the right one can be `p` too small, with a `top` of 0. `inverse` shows that `top` is not that.
//!   Honestly it never is: `a` is shifted by at least 1, so the highest bit of `top` is the sign.
//! - **Sign.** `flipped` plus `2^32·negative` is the word whose sign matters, plus 2^31: so `negative` is its
//!   highest bit. Where no sign matters nothing is added, and `negative` is 0.

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, NamedAirBuilder, WindowAccess};
use p3_field::{Field, PrimeCharacteristicRing};

use super::limbs::{all_ones, flag, halves, join, join_narrow, narrow_halves, power_of_two, words};
use super::{Lookups, columns};
use crate::buses::{ALU, POWER, RANGE16};
use crate::isa::AluOp;
use crate::record::AluEvent;

/// Name of the table.
pub const NAME: &str = "shift";

/// What `upper_half` adds to the exponent.
const UPPER_HALF: u32 = 15;

columns! {
    /// The columns.
    pub struct ShiftColumns<T> {
        /// The result takes the low words, amount below 32.
        pub left_small: T,
        /// The result takes the low words, amount from 32.
        pub left_big: T,
        /// The result takes the low word of the low word's product.
        pub left_word: T,
        /// The result takes the high words, amount up to 32.
        pub right_small: T,
        /// The result takes the high words, amount above 32.
        pub right_big: T,
        /// The result takes the high word of the low word's product.
        pub right_word: T,
        /// 0 to the left, 1 to the right, 2 to the right with the sign shifted in.
        pub kind: T,
        /// Low and high word of `a`.
        pub a: [T; 2],
        /// Low and high word of `b`.
        pub b: [T; 2],
        /// Low and high word of the result.
        pub c: [T; 2],
        /// Halves of what is in `b`'s low word above the amount.
        pub rest: [T; 2],
        /// The exponent that is looked up.
        pub exponent: T,
        /// Its power of two.
        pub power: T,
        /// The exponent is 15 more.
        pub upper_half: T,
        /// The power to multiply by; half of it in `right_big` and `right_word`.
        pub factor: T,
        /// High word of the low word's product, in narrow halves.
        pub carry: [T; 2],
        /// The word of the product that is no part of the result, in halves; in `left_small` in narrow ones.
        pub spill: [T; 2],
        /// Halves of the word whose sign matters, with the sign flipped if it does.
        pub flipped: [T; 2],
        /// The sign of that word, where it matters.
        pub negative: T,
        /// To the right: inverse of the distance of the result's highest word from what it cannot be.
        pub inverse: T,
    }
}

/// Constraints and interactions (module docs).
#[derive(Clone, Copy, Debug)]
pub struct ShiftAir;

impl BaseAir<Goldilocks> for ShiftAir {
    fn width(&self) -> usize {
        ShiftColumns::<u8>::WIDTH
    }
}

impl<AB: TableBuilder> Air<AB> for ShiftAir {
    fn eval(&self, builder: &mut AB) {
        let row = ShiftColumns::<AB::Var>::from_row(builder.main().current_slice());
        cases(builder, &row);
        amount(builder, &row);
        sign(builder, &row);
        products(builder, &row);
        interactions(builder, &row);
    }
}

impl<T> ShiftColumns<T> {
    /// The case takes the high words.
    fn takes_high<E>(&self) -> E
    where
        T: Copy + core::ops::Add<Output = E>,
        E: core::ops::Add<T, Output = E>,
    {
        self.right_small + self.right_big + self.right_word
    }

    /// The row is a shift.
    fn real<E>(&self) -> E
    where
        T: Copy + core::ops::Add<Output = E>,
        E: core::ops::Add<T, Output = E>,
    {
        self.takes_high::<E>() + self.left_small + self.left_big + self.left_word
    }
}

fn cases<AB: TableBuilder>(builder: &mut AB, row: &ShiftColumns<AB::Var>) {
    let cases = [row.left_small, row.left_big, row.left_word, row.right_small, row.right_big, row.right_word];
    builder.assert_bools_named(cases, "cases are boolean");
    builder.assert_bool_named(row.real::<AB::Expr>(), "a row has at most one case");
    let kind = |number: u8| row.kind - Goldilocks::from_u8(number);
    builder.assert_zero_named(row.kind * kind(1) * kind(2), "the kind is 0, 1 or 2");
    builder
        .when(row.takes_high::<AB::Expr>())
        .assert_zero_named(kind(1) * kind(2), "only shifts to the right take the high words");
    builder.when(row.left_big).assert_zero_named(row.kind, "no shift to the right is done as a big left one");
}

fn amount<AB: TableBuilder>(builder: &mut AB, row: &ShiftColumns<AB::Var>) {
    let takes_high = row.takes_high::<AB::Expr>();
    // Two cases have exponents from 1.
    let from_one = row.right_big + row.right_word;
    let exponent = row.upper_half * Goldilocks::from_u32(UPPER_HALF) + row.exponent + from_one;
    builder.assert_bool_named(row.upper_half, "the upper half of exponents is boolean");
    builder.assert_eq_named(
        row.factor,
        (row.upper_half * (power_of_two(UPPER_HALF) - Goldilocks::ONE) + AB::Expr::ONE) * row.power,
        "the factor is two to the exponent",
    );
    builder.when(row.left_small + row.left_word).assert_zero_named(
        exponent.clone() * row.kind,
        "a shift to the right done as one to the left is by 0",
    );
    let is_word = row.left_word + row.right_word;
    let word_bits = row.left_big + row.right_small + row.right_big.into().double() + row.right_word;
    builder.assert_eq_named(
        row.b[0],
        (AB::Expr::ONE - takes_high.double()) * exponent
            + word_bits * power_of_two(5)
            + (-is_word * power_of_two(5) + power_of_two(6)) * join::<_, AB::Expr>(row.rest),
        "the amount is in the low bits of b",
    );
}

fn sign<AB: TableBuilder>(builder: &mut AB, row: &ShiftColumns<AB::Var>) {
    builder.assert_bool_named(row.negative, "the sign is boolean");
    let signed_word =
        (row.right_small + row.right_big) * row.a[1] + row.right_word * row.a[0] + row.left_word * row.c[0];
    // Where the high words are taken the kind is 1 or 2.
    let matters = (row.kind - AB::Expr::ONE) * row.takes_high::<AB::Expr>() + row.left_word;
    builder.assert_eq_named(
        join::<_, AB::Expr>(row.flipped) + row.negative * power_of_two(32),
        signed_word + matters * power_of_two(31),
        "the sign is that of the word where it matters",
    );
    builder.when(row.left_word + row.right_big + row.right_word).assert_eq_named(
        row.c[1],
        row.negative * all_ones(),
        "the high word is the sign",
    );
}

fn products<AB: TableBuilder>(builder: &mut AB, row: &ShiftColumns<AB::Var>) {
    let [a_low, a_high] = row.a;
    let [c_low, c_high] = row.c;
    let above = || power_of_two(32);
    let carry = join_narrow::<_, AB::Expr>(row.carry);
    let spill = join::<_, AB::Expr>(row.spill);
    let signed = |word: AB::Var| word - row.negative * above();
    let low_product = a_low * row.factor;
    // In two cases the factor is half of what the word is multiplied by.
    let doubled = |word: AB::Var| (signed(word) * row.factor).double();

    builder.when(row.left_small + row.left_word).assert_eq_named(
        low_product.clone(),
        carry.clone() * above() + c_low,
        "left: product of the low word",
    );
    builder.when(row.left_small).assert_eq_named(
        a_high * row.factor + carry.clone(),
        join_narrow::<_, AB::Expr>(row.spill) * above() + c_high,
        "small left: product of the high word",
    );
    let mut left_big = builder.when(row.left_big);
    left_big.assert_eq_named(
        low_product.clone(),
        carry.clone() * above() + c_high,
        "big left: product of the low word",
    );
    left_big.assert_zero_named(c_low, "big left: the low word is 0");
    let mut right_small = builder.when(row.right_small);
    right_small.assert_eq_named(
        low_product,
        carry.clone() * above() + spill.clone(),
        "small right: product of the low word",
    );
    right_small.assert_eq_named(
        signed(a_high) * row.factor + carry,
        signed(c_high) * above() + c_low,
        "small right: product of the high word",
    );
    builder.when(row.right_big).assert_eq_named(
        doubled(a_high),
        signed(c_low) * above() + spill.clone(),
        "big right: product of the high word",
    );
    builder.when(row.right_word).assert_eq_named(
        doubled(a_low),
        signed(c_low) * above() + spill,
        "right on words: product of the low word",
    );
    builder.when(row.right_word * (AB::Expr::TWO - row.kind)).assert_eq_named(
        c_low + power_of_two(31),
        join::<_, AB::Expr>(row.carry),
        "right on words: zeros shifted in leave no sign",
    );
    let takes_high = row.takes_high::<AB::Expr>();
    let top = row.right_small * c_high + (row.right_big + row.right_word) * c_low;
    let impossible = (AB::Expr::ONE - row.negative) * takes_high.clone() * all_ones();
    builder.assert_eq_named((top - impossible) * row.inverse, takes_high, "right: products do not wrap");
}

fn interactions<AB: TableBuilder>(builder: &mut AB, row: &ShiftColumns<AB::Var>) {
    let real = row.real::<AB::Expr>();
    let is_word = row.left_word + row.right_word;
    let op = real.clone() * Goldilocks::from_u8(AluOp::Sll as u8)
        + is_word * Goldilocks::from_u8(AluOp::Sllw as u8 - AluOp::Sll as u8)
        + row.kind;
    let ([a_low, a_high], [b_low, b_high], [c_low, c_high]) = (row.a, row.b, row.c);
    let operands = [a_low, a_high, b_low, b_high].map(AB::Expr::from);
    let [a_low, a_high, b_low, b_high] = operands;
    builder.receive(&ALU, real.clone(), [op, a_low, a_high, b_low, b_high, c_low.into(), c_high.into()]);
    builder.send(&POWER, real.clone(), [row.exponent, row.power]);
    for half in [row.carry, row.spill, row.flipped, row.rest].into_iter().flatten() {
        builder.send(&RANGE16, real.clone(), [half]);
    }
}

/// Which equations a shift has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    LeftSmall,
    LeftBig,
    LeftWord,
    RightSmall,
    RightBig,
    RightWord,
}

impl Case {
    /// The case of a shift by `amount` and its exponent.
    fn new(op: AluOp, amount: u32) -> (Self, u32) {
        let is_right = !matches!(op, AluOp::Sll | AluOp::Sllw);
        let is_word = matches!(op, AluOp::Sllw | AluOp::Srlw | AluOp::Sraw);
        match (is_right && amount != 0, is_word, amount) {
            (false, true, _) => (Self::LeftWord, amount),
            (true, true, _) => (Self::RightWord, 32 - amount),
            (false, false, 0..32) => (Self::LeftSmall, amount),
            (false, false, _) => (Self::LeftBig, amount - 32),
            (true, false, 0..=32) => (Self::RightSmall, 32 - amount),
            (true, false, _) => (Self::RightBig, 64 - amount),
        }
    }

    const fn takes_high(self) -> bool {
        matches!(self, Self::RightSmall | Self::RightBig | Self::RightWord)
    }
}

/// The row of `event`.
pub fn row(event: &AluEvent, lookups: &mut impl Lookups) -> ShiftColumns<Goldilocks> {
    let AluEvent { op, a, b } = *event;
    let bits = if matches!(op, AluOp::Sllw | AluOp::Srlw | AluOp::Sraw) { 32 } else { 64 };
    let (case, exponent) = Case::new(op, b as u32 % bits);
    let is_arithmetic = matches!(op, AluOp::Sra | AluOp::Sraw);
    let [a_low, a_high] = [a as u32, (a >> 32) as u32];
    let c = op.apply(a, b);
    let [c_low, c_high] = [c as u32, (c >> 32) as u32];

    let from_zero = exponent - u32::from(matches!(case, Case::RightBig | Case::RightWord));
    let upper_half = from_zero > 16;
    let lookup = if upper_half { from_zero - UPPER_HALF } else { from_zero };
    let rest = b as u32 / bits;

    let low_product = u64::from(a_low) << exponent;
    let high_product = u64::from(a_high) << exponent;
    let word_halves = |word: u32| [word as u16, (word >> 16) as u16];
    let carry = match case {
        Case::RightWord if !is_arithmetic => word_halves(c_low + (1 << 31)),
        Case::RightBig | Case::RightWord => [0; 2],
        _ => narrow_halves((low_product >> 32) as u32),
    };
    let spill = match case {
        Case::LeftSmall => narrow_halves(((high_product + (low_product >> 32)) >> 32) as u32),
        Case::LeftBig | Case::LeftWord => [0; 2],
        Case::RightSmall | Case::RightWord => word_halves(low_product as u32),
        Case::RightBig => word_halves(high_product as u32),
    };
    let (signed_word, matters) = match case {
        Case::LeftSmall | Case::LeftBig => (0, false),
        Case::LeftWord => (c_low, true),
        Case::RightSmall | Case::RightBig => (a_high, is_arithmetic),
        Case::RightWord => (a_low, is_arithmetic),
    };
    let flipped = if matters { signed_word ^ 1 << 31 } else { signed_word };
    let negative = matters && signed_word >> 31 == 1;
    let top = if case == Case::RightSmall { c_high } else { c_low };
    let impossible = if negative { 0 } else { u32::MAX };
    let inverse = if case.takes_high() {
        (Goldilocks::from_u32(top) - Goldilocks::from_u32(impossible)).inverse()
    } else {
        Goldilocks::ZERO
    };

    lookups.power(lookup as u8);
    for half in carry.into_iter().chain(spill) {
        lookups.range16(half);
    }
    lookups.word(flipped);
    lookups.word(rest);
    let is = |other: Case| flag(case == other);
    ShiftColumns {
        left_small: is(Case::LeftSmall),
        left_big: is(Case::LeftBig),
        left_word: is(Case::LeftWord),
        right_small: is(Case::RightSmall),
        right_big: is(Case::RightBig),
        right_word: is(Case::RightWord),
        kind: Goldilocks::from_u8((op as u8 - AluOp::Sll as u8) % 3),
        a: words(a),
        b: words(b),
        c: words(c),
        rest: halves(rest),
        exponent: Goldilocks::from_u32(lookup),
        power: power_of_two(lookup),
        upper_half: flag(upper_half),
        factor: power_of_two(from_zero),
        carry: carry.map(Goldilocks::from_u16),
        spill: spill.map(Goldilocks::from_u16),
        flipped: halves(flipped),
        negative: flag(negative),
        inverse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::testing::{AluTable, Counts, fraction};

    fn table() -> AluTable {
        AluTable::new(
            ShiftAir,
            ShiftColumns::<u8>::names(),
            &[AluOp::Sll, AluOp::Srl, AluOp::Sra, AluOp::Sllw, AluOp::Srlw, AluOp::Sraw],
            row,
        )
    }

    #[test]
    fn honest_rows_are_valid() {
        table().check_honest();
        table().check_padding();
    }

    #[test]
    fn constraints_stop_forged_rows() {
        let table = table();
        let half = fraction(1, 2);
        let (part, negative) = (fraction(1, 1 << 32), fraction(1, 1 << 32));
        let inverse = (Goldilocks::ONE - all_ones() * (Goldilocks::ONE - negative)).inverse();
        let wrap = "right: products do not wrap";
        let full = 0xffff_ffff;
        let forgeries = [
            // Results with p added or taken away.
            table.forge(wrap, AluOp::Srl, 16, 4).put("c", [2, full]),
            table.forge(wrap, AluOp::Srl, 1 << 32, 63).put("spill", [3]).put("c", [full]),
            table.forge(wrap, AluOp::Sra, u64::MAX, 32).put("c", [full - 1, 0]),
            table.forge(wrap, AluOp::Sraw, u64::MAX, 31).put("spill", [0xfffd, 0xffff]).put("c", [0]),
            // An amount between those of two cases.
            table
                .forge("cases are boolean", AluOp::Sll, 1 << 48, 16)
                .put("b", [0])
                .put_field("left_small", [Goldilocks::ONE + half, -half]),
            table
                .forge("only shifts to the right take the high words", AluOp::Srl, 0x8000_0002 << 32, 32)
                .put("kind", [0])
                .put("flipped", [2, 0]),
            table
                .forge("the factor is two to the exponent", AluOp::Sll, 1, 4)
                .put("factor", [8])
                .put("c", [8]),
            table
                .forge("the sign is boolean", AluOp::Sra, 5 << 32, 32)
                .put_field("negative", [part])
                .put("flipped", [4, 0x8000])
                .put("c", [4, 1])
                .put_field("inverse", [inverse]),
            table
                .forge("the upper half of exponents is boolean", AluOp::Sll, 1, 30)
                .put("exponent", [0, 1, 2, 0xffff])
                .put("c", [0xffff]),
            // A word shifted right by 0 that loses its sign.
            table
                .forge("right on words: zeros shifted in leave no sign", AluOp::Srlw, 1 << 31, 0)
                .put("left_word", [0])
                .put("right_word", [1])
                .put("exponent", [16, 1 << 16, 1, 1 << 31])
                .put("c", [1 << 31, 0])
                .put("flipped", [0, 0x8000])
                .put("negative", [0])
                .put_field("inverse", [(Goldilocks::from_u32(1 << 31) - all_ones()).inverse()]),
        ];
        table.check_constraints(10_000, &forgeries, &[]);
    }

    #[test]
    fn equations_hold_over_the_integers() {
        let word = u32::MAX.into();
        let known =
            [("kind", 2), ("a", word), ("b", word), ("c", word), ("factor", 1 << 31), ("inverse", u64::MAX)];
        // What they could be modulo p is what `inverse` excludes (module docs).
        let excluded = [
            "small right: product of the high word",
            "big right: product of the high word",
            "right on words: product of the low word",
            "right: products do not wrap",
        ];
        table().check_wraps(&known, &excluded);
    }

    #[test]
    fn counts() {
        let expected = Counts { main: 27, lookup: 5, interactions: 10, constraints: 27, degree: 3 };
        assert_eq!(table().counts(), expected);
    }
}
