//! Keccak-f\[1600\] permutations, 24 rows each: Plonky3's `KeccakAir` with a bus.
//!
//! - Public values: none. The permutations are proven to be permutations, of whatever inputs.
//! - Sends on [`RANGE16`]: the four limbs of the input's first lane, on the first row of each permutation.
//!
//! The AIR is Plonky3's, unchanged: its body runs first, then this table adds its interactions. They show a
//! bus on a foreign AIR and prove nothing new, because `KeccakAir` already derives each limb from 16
//! boolean columns. Four of the 100 input limbs are enough for that.
//!
//! Their multiplicity is the flag of the first round, as boolean as a bus asks for: the AIR fixes the flags
//! of the first row and rotates them from row to row. Rows after the last permutation hold permutations of
//! zero, the last of them possibly cut short; their lookups count like all others.

use core::borrow::Borrow;

use lambda_air::TableBuilder;
#[cfg(feature = "trace")]
use lambda_math::{Columns, Goldilocks};
use p3_air::{Air, BaseAir, WindowAccess};
#[cfg(feature = "trace")]
use p3_keccak_air::NUM_ROUNDS;
use p3_keccak_air::{KeccakAir, KeccakCols, NUM_KECCAK_COLS, U64_LIMBS, input_limb};

use crate::RANGE16;

/// Name of the table.
pub const NAME: &str = "keccak";

/// Limbs of an input that are sent: those of its first lane.
const SENT_LIMBS: usize = U64_LIMBS;

/// Plonky3's constraints and the interactions of this table (module docs).
#[derive(Clone, Copy, Debug)]
pub struct KeccakTableAir;

impl<F> BaseAir<F> for KeccakTableAir {
    fn width(&self) -> usize {
        NUM_KECCAK_COLS
    }
}

impl<AB: TableBuilder> Air<AB> for KeccakTableAir {
    fn eval(&self, builder: &mut AB) {
        KeccakAir {}.eval(builder);

        let main = builder.main();
        let cells = main.current_slice();
        let row: &KeccakCols<AB::Var> = cells.borrow();
        for limb in 0..SENT_LIMBS {
            builder.send(&RANGE16, row.step_flags[0], [cells[input_limb(limb)]]);
        }
    }
}

/// Fills a table with the permutations of `inputs` (lane `(x, y)` at `x + 5y`), padded to a power of two of
/// rows.
#[cfg(feature = "trace")]
pub fn trace(inputs: alloc::vec::Vec<[u64; 25]>) -> Columns {
    let rows = p3_keccak_air::generate_trace_rows(inputs, 0);
    by_column(&rows.values, NUM_KECCAK_COLS)
}

/// The values that the table `trace` sends on [`RANGE16`].
#[cfg(feature = "trace")]
pub fn range_lookups(trace: &Columns) -> impl Iterator<Item = Goldilocks> {
    let sent = |limb| trace.column(input_limb(limb)).iter().step_by(NUM_ROUNDS).copied();
    (0..SENT_LIMBS).flat_map(sent)
}

/// Rows and columns of a tile: two cache lines of cells each way.
#[cfg(feature = "trace")]
const TILE: usize = 16;

/// Transposes `rows` of `width` cells, a tile at a time so that a cache line is used whole while it is near.
/// A task has `TILE` columns.
#[cfg(feature = "trace")]
fn by_column(rows: &[Goldilocks], width: usize) -> Columns {
    use rayon::prelude::*;

    let height = rows.len() / width;
    let mut columns = Columns::zeros(height, width);
    columns.values_mut().par_chunks_mut(TILE * height).enumerate().for_each(|(task, columns)| {
        for (tile, rows) in rows.chunks(TILE * width).enumerate() {
            for (index, column) in columns.chunks_exact_mut(height).enumerate() {
                let cells = rows.chunks_exact(width).map(|row| row[task * TILE + index]);
                for (to, cell) in column[tile * TILE..].iter_mut().zip(cells) {
                    *to = cell;
                }
            }
        }
    });
    columns
}
