//! One row per bitwise operation: `And`, `Or`, `Xor`.
//!
//! - Receives on `ALU`: the operation.
//! - Sends on `BYTE_AND`: each byte of `a` with the same byte of `b` and their conjunction.
//!
//! The operation's number less 3 is 1, 2 or 3, and its two binary digits are columns; both are 0 in a row
//! that is not real. The result is a linear function of operands and conjunction:
//!
//! | operation | digits, low first | result |
//! |---|---|---|
//! | padding | 0 0 | |
//! | `And` | 1 0 | `and` |
//! | `Or` | 0 1 | `a + b - and` |
//! | `Xor` | 1 1 | `a + b - 2·and` |
//!
//! that is `high·(a + b) + (2 - low - 3·high)·and`.
//!
//! # Why it is sound
//! Bytes are what the lookup says: the words that they make up are below 2^32 and have no other bytes. The
//! conjunction of a byte pair is unique, and the identities above hold bit by bit without carry.

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;

use super::{Lookups, columns};
use crate::buses::{ALU, BYTE_AND};
use crate::isa::AluOp;
use crate::record::AluEvent;

/// Name of the table.
pub const NAME: &str = "bitwise";

/// The number that an operation's digits count from.
const BASE: u8 = AluOp::And as u8 - 1;

/// Bytes of an operand.
const BYTES: usize = 8;

columns! {
    /// The columns.
    pub struct BitwiseColumns<T> {
        /// Binary digits of the operation's number less 3, low first.
        pub op: [T; 2],
        /// Bytes of `a`, low first.
        pub a: [T; 8],
        /// Bytes of `b`.
        pub b: [T; 8],
        /// Their conjunctions.
        pub and: [T; 8],
    }
}

/// Constraints and interactions (module docs).
#[derive(Clone, Copy, Debug)]
pub struct BitwiseAir;

impl BaseAir<Goldilocks> for BitwiseAir {
    fn width(&self) -> usize {
        BitwiseColumns::<u8>::WIDTH
    }
}

impl<AB: TableBuilder> Air<AB> for BitwiseAir {
    fn eval(&self, builder: &mut AB) {
        let row = BitwiseColumns::<AB::Var>::from_row(builder.main().current_slice());
        let [low, high] = row.op;
        builder.assert_bools_named(row.op, "digits of the operation are boolean");
        let real: AB::Expr = low + high - low * high;
        let op = low + high * Goldilocks::TWO + Goldilocks::from_u8(BASE);
        let [a_low, a_high] = words::<AB>(row.a);
        let [b_low, b_high] = words::<AB>(row.b);
        let [and_low, and_high] = words::<AB>(row.and);
        let result = |a: &AB::Expr, b: &AB::Expr, and: AB::Expr| {
            let weight = AB::Expr::TWO - low - high * Goldilocks::from_u8(3);
            (a.clone() + b.clone()) * high + and * weight
        };
        let c_low = result(&a_low, &b_low, and_low);
        let c_high = result(&a_high, &b_high, and_high);
        builder.receive(&ALU, real.clone(), [op, a_low, a_high, b_low, b_high, c_low, c_high]);
        for i in 0..BYTES {
            builder.send(&BYTE_AND, real.clone(), [row.a[i], row.b[i], row.and[i]]);
        }
    }
}

/// Low and high word of eight bytes.
fn words<AB: TableBuilder>(bytes: [AB::Var; BYTES]) -> [AB::Expr; 2] {
    let word = |start: usize| {
        (0..BYTES / 2).map(|i| bytes[start + i] * Goldilocks::from_u32(1 << (8 * i))).sum::<AB::Expr>()
    };
    [word(0), word(BYTES / 2)]
}

/// The row of `event`.
pub fn row(event: &AluEvent, lookups: &mut impl Lookups) -> BitwiseColumns<Goldilocks> {
    let digits = event.op as u8 - BASE;
    let (a, b) = (event.a.to_le_bytes(), event.b.to_le_bytes());
    for (&x, &y) in a.iter().zip(&b) {
        lookups.byte_and(x, y);
    }
    BitwiseColumns {
        op: [digits & 1, digits >> 1].map(Goldilocks::from_u8),
        a: a.map(Goldilocks::from_u8),
        b: b.map(Goldilocks::from_u8),
        and: (event.a & event.b).to_le_bytes().map(Goldilocks::from_u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::testing::{AluTable, Counts};

    fn table() -> AluTable {
        AluTable::new(BitwiseAir, BitwiseColumns::<u8>::names(), &[AluOp::And, AluOp::Or, AluOp::Xor], row)
    }

    #[test]
    fn honest_rows_are_valid() {
        table().check_honest();
        table().check_padding();
    }

    #[test]
    fn constraints_stop_forged_rows() {
        let table = table();
        table.check_constraints(5_000, &[], &[]);
    }

    #[test]
    fn equations_hold_over_the_integers() {
        table().check_wraps(&[], &[]);
    }

    #[test]
    fn counts() {
        let expected = Counts { main: 26, lookup: 5, interactions: 9, constraints: 2, degree: 3 };
        assert_eq!(table().counts(), expected);
    }
}
