//! One row per cell of the program's image.
//!
//! - Preprocessed: number and value (low word, high word) of the cell.
//! - Main: how often it is looked up: 1 for cells that the execution accesses, else 0.
//! - Receives on `IMAGE`.
//!
//! Rows after the last cell repeat it.

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;

use super::content::Content;
use super::limbs::words;
use crate::buses::IMAGE;
use crate::program::Program;

/// Name of the table.
pub const NAME: &str = "image";

/// Preprocessed columns.
pub const WIDTH: usize = 3;

/// The interaction, over the cells of a program.
#[derive(Clone, Debug)]
pub struct ImageAir {
    content: Content<WIDTH>,
}

impl ImageAir {
    /// The table of `program`, padded to `height` rows.
    pub fn new(program: &Program, height: usize) -> Self {
        let cells = program.image.iter().zip(program.image_base..);
        let rows = cells.map(|(&value, cell)| {
            let [low, high] = words(value);
            [Goldilocks::from_u32(cell), low, high]
        });
        Self { content: Content::new(rows, height) }
    }

    /// The table of a program that is known by its commitment alone; it has no rows to show.
    pub fn unknown() -> Self {
        Self { content: Content::default() }
    }
}

impl BaseAir<Goldilocks> for ImageAir {
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

impl<AB: TableBuilder> Air<AB> for ImageAir {
    fn eval(&self, builder: &mut AB) {
        let cell: [AB::Var; WIDTH] = core::array::from_fn(|i| builder.preprocessed().current_slice()[i]);
        let count = builder.main().current_slice()[0];
        builder.receive(&IMAGE, count, cell);
    }
}
