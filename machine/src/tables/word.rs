//! One row per addition or subtraction of low words: `Addw`, `Subw`.
//!
//! - Receives on `ALU`: the operation.
//! - Sends on `RANGE16`: the halves of the result's low word with its sign bit flipped.
//!
//! The low word of `a` is no column: it is what makes the sum or difference right,
//! `a = c - b + 2^32·carry` or `a = c + b - 2^32·carry`.
//!
//! # Why it is sound
//! - The sender owes that `a`, `b` and `c` are words below 2^32. The equation between them has terms below
//!   2^33, so it holds over the integers, and `c` is the sum or difference modulo 2^32.
//! - `flipped = c + 2^31 - 2^32·negative` is a word, as its halves are looked up. With `c` a word too,
//!   `negative` is its sign bit.

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;

use super::limbs::{all_ones, flag, halves, join, power_of_two, words};
use super::{Lookups, columns};
use crate::buses::{ALU, RANGE16};
use crate::isa::AluOp;
use crate::record::AluEvent;

/// Name of the table.
pub const NAME: &str = "word";

columns! {
    /// The columns.
    pub struct WordColumns<T> {
        /// The row is an operation.
        pub is_real: T,
        /// It is `Subw`.
        pub is_subw: T,
        /// High word of `a`.
        pub a_high: T,
        /// Low and high word of `b`.
        pub b: [T; 2],
        /// Halves of the result's low word with its sign bit flipped.
        pub flipped: [T; 2],
        /// The low words' sum is above 2^32 or their difference below 0.
        pub carry: T,
        /// The result is negative.
        pub negative: T,
    }
}

/// Constraints and interactions (module docs).
#[derive(Clone, Copy, Debug)]
pub struct WordAir;

impl BaseAir<Goldilocks> for WordAir {
    fn width(&self) -> usize {
        WordColumns::<u8>::WIDTH
    }
}

impl<AB: TableBuilder> Air<AB> for WordAir {
    fn eval(&self, builder: &mut AB) {
        let row = WordColumns::<AB::Var>::from_row(builder.main().current_slice());
        let WordColumns { is_real, is_subw, carry, negative, .. } = row;
        builder.assert_bools_named([is_real, is_subw], "operations are boolean");
        builder.assert_bool_named(carry, "the carry is boolean");
        builder.assert_bool_named(negative, "the sign is boolean");
        let op = is_real * Goldilocks::from_u8(AluOp::Addw as u8) + is_subw;
        let c_low = join::<_, AB::Expr>(row.flipped) + negative * power_of_two(32) - power_of_two(31);
        let c_high = negative * all_ones();
        let [b_low, b_high] = row.b;
        let direction = AB::Expr::ONE - is_subw.into().double();
        let a_low = c_low.clone() - direction * (b_low - carry * power_of_two(32));
        let message = [op, a_low, row.a_high.into(), b_low.into(), b_high.into(), c_low, c_high];
        builder.receive(&ALU, is_real, message);
        for half in row.flipped {
            builder.send(&RANGE16, is_real, [half]);
        }
    }
}

/// The row of `event`.
pub fn row(event: &AluEvent, lookups: &mut impl Lookups) -> WordColumns<Goldilocks> {
    let AluEvent { op, a, b } = *event;
    let is_subw = op == AluOp::Subw;
    let (a_low, b_low) = (a as u32, b as u32);
    let (low, carry) = if is_subw { a_low.overflowing_sub(b_low) } else { a_low.overflowing_add(b_low) };
    let flipped = low ^ 1 << 31;
    lookups.word(flipped);
    WordColumns {
        is_real: Goldilocks::ONE,
        is_subw: flag(is_subw),
        a_high: words(a)[1],
        b: words(b),
        flipped: halves(flipped),
        carry: flag(carry),
        negative: flag(low.cast_signed() < 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::testing::{AluTable, Counts};

    fn table() -> AluTable {
        AluTable::new(WordAir, WordColumns::<u8>::names(), &[AluOp::Addw, AluOp::Subw], |event, log| {
            row(event, log)
        })
    }

    #[test]
    fn honest_rows_are_valid() {
        table().check_honest();
        table().check_padding();
    }

    #[test]
    fn constraints_stop_forged_rows() {
        let table = table();
        // With a fraction as the sign, the result's words are not both below 2^32.
        table.check_constraints(5_000, &[], &["the sign is boolean"]);
    }

    #[test]
    fn equations_hold_over_the_integers() {
        table().check_wraps(&[], &[]);
    }

    #[test]
    fn counts() {
        let expected = Counts { main: 9, lookup: 2, interactions: 3, constraints: 4, degree: 3 };
        assert_eq!(table().counts(), expected);
    }
}
