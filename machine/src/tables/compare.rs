//! One row per comparison: `Ltu`, `Lt`, `Eq`.
//!
//! - Receives on `ALU`: the comparison.
//! - Sends on `RANGE16`: the halves of two gaps.
//!
//! The operands are kept in order, `lesser` and `greater`. One of three things decides that they are so:
//! the sign (the lesser is negative, the greater is not; only where the comparison is signed), else the high
//! words, else the low ones. `gap` is how clearly it does. Equal operands have equal words.
//!
//! # Why it is sound
//! - Operands are words below 2^32, which the sender owes. All that the constraints add up is below 2^34 in
//!   magnitude, so that their equations hold over the integers, and a gap, whose halves are looked up, is at
//!   least 0.
//! - Unsigned: where the high words decide, `gap = greater - lesser - 1` of them, so they differ in the right
//!   direction. Where they do not, they are equal and the low words decide likewise. Where neither operand is
//!   said to be less, both pairs of words are equal. Where both are, nothing above the low words may decide
//!   and these are equal too, so the gap would be -2.
//! - Signed: that both are negative, that neither is, or that just the lesser is, is shown by at most two
//!   inequalities, each of a high word against 2^31. Words in the unsigned order are in the signed order too
//!   if their signs are equal: then it is enough that the lesser is at least 2^31 or that the greater is not,
//!   which is `sign_gap`. Where the signs decide, `sign_gap` shows the lesser's and `gap` the greater's.
//! - Every pair of operands has such a row: the gap of whatever decides is at least 0.

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, NamedAirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;

use super::limbs::{flag, halves, join, words};
use super::{Lookups, columns};
use crate::buses::{ALU, RANGE16};
use crate::isa::AluOp;
use crate::record::AluEvent;

/// Name of the table.
pub const NAME: &str = "compare";

/// The sign bit of a high word.
const SIGN: u32 = 1 << 31;

columns! {
    /// The columns.
    pub struct CompareColumns<T> {
        /// The operation is `Ltu`.
        pub is_ltu: T,
        /// The operation is `Lt`.
        pub is_lt: T,
        /// The operation is `Eq`.
        pub is_eq: T,
        /// `a` is less than `b`, in the operation's order.
        pub a_is_less: T,
        /// `b` is less than `a`.
        pub b_is_less: T,
        /// Low and high word of the lesser operand.
        pub lesser: [T; 2],
        /// Low and high word of the greater operand.
        pub greater: [T; 2],
        /// The high words decide.
        pub high_decides: T,
        /// The signs decide.
        pub sign_decides: T,
        /// Halves of the gap of what decides.
        pub gap: [T; 2],
        /// Halves of the gap between a high word and 2^31; free where the comparison is not signed.
        pub sign_gap: [T; 2],
    }
}

/// Constraints and interactions (module docs).
#[derive(Clone, Copy, Debug)]
pub struct CompareAir;

impl BaseAir<Goldilocks> for CompareAir {
    fn width(&self) -> usize {
        CompareColumns::<u8>::WIDTH
    }
}

impl<AB: TableBuilder> Air<AB> for CompareAir {
    fn eval(&self, builder: &mut AB) {
        let row = CompareColumns::<AB::Var>::from_row(builder.main().current_slice());
        order(builder, &row);
        signs(builder, &row);
        interactions(builder, &row);
    }
}

fn order<AB: TableBuilder>(builder: &mut AB, row: &CompareColumns<AB::Var>) {
    let [lesser_low, lesser_high] = row.lesser;
    let [greater_low, greater_high] = row.greater;
    let differ = row.a_is_less + row.b_is_less;
    let decided_above = row.high_decides + row.sign_decides;
    builder.assert_bools_named([row.a_is_less, row.b_is_less], "an operand is less or is not");
    builder.assert_bools_named([row.high_decides, row.sign_decides], "what decides is boolean");
    builder.assert_bool_named(decided_above.clone(), "signs and high words do not both decide");
    let mut equal = builder.when(AB::Expr::ONE - differ.clone());
    equal.assert_zero_named(decided_above.clone(), "nothing above the low words decides that all is equal");
    equal.assert_eq_named(lesser_low, greater_low, "equal operands have equal low words");
    builder.when(AB::Expr::ONE - decided_above.clone()).assert_eq_named(
        lesser_high,
        greater_high,
        "high words that do not decide are equal",
    );
    builder.assert_eq_named(
        join::<_, AB::Expr>(row.gap),
        row.sign_decides * below_sign::<AB>(greater_high)
            + row.high_decides * (greater_high - lesser_high - AB::Expr::ONE)
            + (AB::Expr::ONE - decided_above.clone()) * (greater_low - lesser_low)
            - (differ - decided_above),
        "the gap of what decides",
    );
}

/// `2^31 - 1 - word`, which is at least 0 where the word's sign bit is 0.
fn below_sign<AB: TableBuilder>(word: AB::Var) -> AB::Expr {
    AB::Expr::from_u32(SIGN - 1) - word
}

fn signs<AB: TableBuilder>(builder: &mut AB, row: &CompareColumns<AB::Var>) {
    let [_, lesser_high] = row.lesser;
    let [_, greater_high] = row.greater;
    let sign_gap = join::<_, AB::Expr>(row.sign_gap);
    let negative = lesser_high - Goldilocks::from_u32(SIGN);
    builder.when(row.sign_decides).assert_one_named(row.is_lt, "signs decide signed comparisons only");
    builder.when(row.sign_decides).assert_eq_named(
        sign_gap.clone(),
        negative.clone(),
        "where signs decide, the lesser is negative",
    );
    builder.when(row.is_lt).assert_zero_named(
        (sign_gap.clone() - negative) * (sign_gap - below_sign::<AB>(greater_high)),
        "the lesser is negative or the greater is not",
    );
}

fn interactions<AB: TableBuilder>(builder: &mut AB, row: &CompareColumns<AB::Var>) {
    let CompareColumns { is_ltu, is_lt, is_eq, a_is_less, b_is_less, .. } = *row;
    let real = is_ltu + is_lt + is_eq;
    builder.assert_bools_named([is_ltu, is_lt, is_eq], "operations are boolean");
    builder.assert_bool_named(real.clone(), "a row has at most one operation");
    let number = |op: AluOp| Goldilocks::from_u8(op as u8);
    let op = is_ltu * number(AluOp::Ltu) + is_lt * number(AluOp::Lt) + is_eq * number(AluOp::Eq);
    // Where `b` is less, the operands are swapped.
    let swap = [0, 1].map(|i| b_is_less * (row.greater[i] - row.lesser[i]));
    let [a_low, a_high] = [0, 1].map(|i| swap[i].clone() + row.lesser[i]);
    let [b_low, b_high] = [0, 1].map(|i| AB::Expr::from(row.greater[i]) - swap[i].clone());
    let c = (is_ltu + is_lt) * a_is_less + is_eq * (AB::Expr::ONE - a_is_less - b_is_less);
    builder.receive(&ALU, real.clone(), [op, a_low, a_high, b_low, b_high, c, AB::Expr::ZERO]);
    for half in row.gap.into_iter().chain(row.sign_gap) {
        builder.send(&RANGE16, real.clone(), [half]);
    }
}

/// The row of `event`.
pub fn row(event: &AluEvent, lookups: &mut impl Lookups) -> CompareColumns<Goldilocks> {
    let AluEvent { op, a, b } = *event;
    let signed = op == AluOp::Lt;
    let a_is_less = if signed { a.cast_signed() < b.cast_signed() } else { a < b };
    let b_is_less = !a_is_less && a != b;
    let (lesser, greater) = if b_is_less { (b, a) } else { (a, b) };
    let [lesser_high, greater_high] = [lesser, greater].map(|value| (value >> 32) as u32);
    let sign_decides = signed && lesser_high >= SIGN && greater_high < SIGN;
    let high_decides = !sign_decides && lesser_high != greater_high;
    let gap = if sign_decides {
        SIGN - 1 - greater_high
    } else if high_decides {
        greater_high - lesser_high - 1
    } else {
        (greater as u32) - (lesser as u32) - u32::from(a != b)
    };
    let sign_gap = match (signed, lesser_high >= SIGN) {
        (false, _) => 0,
        (true, true) => lesser_high - SIGN,
        (true, false) => SIGN - 1 - greater_high,
    };
    lookups.word(gap);
    lookups.word(sign_gap);
    CompareColumns {
        is_ltu: flag(op == AluOp::Ltu),
        is_lt: flag(signed),
        is_eq: flag(op == AluOp::Eq),
        a_is_less: flag(a_is_less),
        b_is_less: flag(b_is_less),
        lesser: words(lesser),
        greater: words(greater),
        high_decides: flag(high_decides),
        sign_decides: flag(sign_decides),
        gap: halves(gap),
        sign_gap: halves(sign_gap),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::testing::{AluTable, Counts, fraction};

    fn table() -> AluTable {
        AluTable::new(CompareAir, CompareColumns::<u8>::names(), &[AluOp::Ltu, AluOp::Lt, AluOp::Eq], row)
    }

    #[test]
    fn honest_rows_are_valid() {
        table().check_honest();
        table().check_padding();
    }

    #[test]
    fn constraints_stop_forged_rows() {
        let table = table();
        let negative = 1 << 63;
        let sign_gap = [0xffff, 0x7fff];
        // Decided partly by signs and partly by high words, so that the gap is 0.
        let (a, b) = (u64::MAX, 0xffff_fff0 << 32);
        let below_sign = Goldilocks::from_u32(SIGN - 1) - Goldilocks::from_u64(b >> 32);
        let apart = -Goldilocks::from_u8(16);
        let part = apart / (apart - below_sign);
        let forgeries = [
            table
                .forge("an operand is less or is not", AluOp::Ltu, 5, 7)
                .put("a_is_less", [2])
                .put_field("b_is_less", [-Goldilocks::ONE]),
            table
                .forge("equal operands have equal low words", AluOp::Eq, 5, 7)
                .put("a_is_less", [0])
                .put("gap", [2]),
            table
                .forge("nothing above the low words decides that all is equal", AluOp::Eq, 5, (3 << 32) + 5)
                .put("a_is_less", [0])
                .put("gap", [3]),
            table
                .forge("operations are boolean", AluOp::Ltu, u64::MAX, 1)
                .put_field("is_ltu", [fraction(1, 2), Goldilocks::ZERO, fraction(1, 2)]),
            table
                .forge("signs and high words do not both decide", AluOp::Lt, negative + 5, negative + 1)
                .put("a_is_less", [1, 0])
                .put("lesser", [5])
                .put("greater", [1])
                .put("high_decides", [1, 1])
                .put("gap", [3]),
            table
                .forge("signs decide signed comparisons only", AluOp::Ltu, negative, 1)
                .put("a_is_less", [1, 0])
                .put("lesser", [0, 1 << 31])
                .put("greater", [1, 0])
                .put("high_decides", [0, 1])
                .put("gap", sign_gap),
            table
                .forge("where signs decide, the lesser is negative", AluOp::Lt, 5, 1)
                .put("a_is_less", [1, 0])
                .put("lesser", [5])
                .put("greater", [1])
                .put("sign_decides", [1])
                .put("gap", sign_gap)
                .put("sign_gap", sign_gap),
            table
                .forge("what decides is boolean", AluOp::Lt, a, b)
                .put("a_is_less", [1, 0])
                .put("lesser", [0xffff_ffff, 0xffff_ffff])
                .put("greater", [0, 0xffff_fff0])
                .put_field("high_decides", [Goldilocks::ONE - part, part])
                .put("gap", [0, 0])
                .put("sign_gap", sign_gap),
        ];
        table.check_constraints(10_000, &forgeries, &[]);
    }

    #[test]
    fn equations_hold_over_the_integers() {
        let word = u32::MAX.into();
        table().check_wraps(&[("lesser", word), ("greater", word)], &[]);
    }

    #[test]
    fn counts() {
        let expected = Counts { main: 15, lookup: 3, interactions: 5, constraints: 16, degree: 3 };
        assert_eq!(table().counts(), expected);
    }
}
