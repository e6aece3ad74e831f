//! One row per instruction of the program.
//!
//! - Preprocessed: pc, flags, operation, `rs1`, `rs2`, `rd`, immediate (low word, high word).
//! - Main: how often it was executed.
//! - Receives on `PROGRAM`.
//!
//! Words that are no instruction have no row; rows after the last instruction repeat it.

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;

use super::content::Content;
use super::cpu::decoded;
use crate::buses::PROGRAM;
use crate::isa::INSTRUCTION_BYTES;
use crate::program::Program;

/// Name of the table.
pub const NAME: &str = "rom";

/// Preprocessed columns.
pub const WIDTH: usize = 8;

/// The interaction, over the rows of a program.
#[derive(Clone, Debug)]
pub struct RomAir {
    content: Content<WIDTH>,
}

impl RomAir {
    /// The table of `program`, padded to `height` rows.
    pub fn new(program: &Program, height: usize) -> Self {
        let addresses = (program.code_base..).step_by(INSTRUCTION_BYTES as usize);
        let instructions = program.code.iter().zip(addresses);
        let rows = instructions.filter_map(|(instruction, pc)| {
            let instruction = instruction.as_ref()?;
            let (flags, op) = decoded(instruction);
            let (low, high) = (instruction.imm as u32, (instruction.imm >> 32) as u32);
            let registers = [instruction.rs1, instruction.rs2, instruction.rd].map(u32::from);
            let [rs1, rs2, rd] = registers;
            Some([pc, flags.into(), op.into(), rs1, rs2, rd, low, high].map(Goldilocks::from_u32))
        });
        Self { content: Content::new(rows, height) }
    }

    /// The table of a program that is known by its commitment alone; it has no rows to show.
    pub fn unknown() -> Self {
        Self { content: Content::default() }
    }
}

impl BaseAir<Goldilocks> for RomAir {
    fn width(&self) -> usize {
        1
    }

    fn preprocessed_width(&self) -> usize {
        WIDTH
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<Goldilocks>> {
        Some(self.content.matrix())
    }
}

impl<AB: TableBuilder> Air<AB> for RomAir {
    fn eval(&self, builder: &mut AB) {
        let instruction: [AB::Var; WIDTH] =
            core::array::from_fn(|i| builder.preprocessed().current_slice()[i]);
        let count = builder.main().current_slice()[0];
        builder.receive(&PROGRAM, count, instruction);
    }
}
