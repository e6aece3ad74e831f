//! One row per register cell: it opens and closes the cell's chain, as `boundary` does for memory.
//!
//! - Preprocessed: the cell's number, which is the row's.
//! - Sends on `CELLS`: the cell with value zero at time 0. Receives: the cell as it is at the end.
//!
//! `x0` is such a cell. No instruction of a program has it as its destination, so it is zero whenever read.

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;

use super::columns;
use super::limbs::words;
use crate::buses::{CELLS, SPACE_REGISTERS};
use crate::memory::REGISTER_CELLS;
use crate::record::RegisterState;

/// Name of the table.
pub const NAME: &str = "registers";

columns! {
    /// The columns.
    pub struct RegistersColumns<T> {
        /// Value at the end.
        pub last: [T; 2],
        /// Time of the last access.
        pub last_time: T,
    }
}

/// Interactions (module docs).
#[derive(Clone, Copy, Debug)]
pub struct RegistersAir;

impl BaseAir<Goldilocks> for RegistersAir {
    fn width(&self) -> usize {
        RegistersColumns::<u8>::WIDTH
    }

    fn preprocessed_width(&self) -> usize {
        1
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<Goldilocks>> {
        Some(RowMajorMatrix::new((0..REGISTER_CELLS).map(Goldilocks::from_usize).collect(), 1))
    }
}

impl<AB: TableBuilder> Air<AB> for RegistersAir {
    fn eval(&self, builder: &mut AB) {
        let number = builder.preprocessed().current_slice()[0];
        let row = RegistersColumns::<AB::Var>::from_row(builder.main().current_slice());
        let token = |[low, high]: [AB::Expr; 2], time: AB::Expr| {
            [AB::Expr::from_u32(SPACE_REGISTERS), number.into(), low, high, time]
        };
        let zero = [AB::Expr::ZERO, AB::Expr::ZERO];
        builder.send(&CELLS, AB::Expr::ONE, token(zero, AB::Expr::ZERO));
        builder.receive(&CELLS, AB::Expr::ONE, token(row.last.map(Into::into), row.last_time.into()));
    }
}

/// The row of a register cell.
pub fn row(state: &RegisterState) -> RegistersColumns<Goldilocks> {
    RegistersColumns { last: words(state.value), last_time: Goldilocks::from_u32(state.time) }
}
