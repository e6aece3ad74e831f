//! Plonky3's Keccak-f AIR as our table, and its trace in both layouts.

use lambda_air::Table;
use lambda_math::Columns;
use lambda_math::Goldilocks;
use p3_keccak_air::KeccakAir;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use rayon::prelude::*;

/// Permutations of the comparison: 2^14 rows.
pub const PERMUTATIONS: usize = 680;

/// The AIR, unchanged, as the only table.
pub fn tables() -> Vec<Table> {
    vec![Table::new("keccak", KeccakAir {})]
}

/// The trace of `permutations` pseudo-random permutations, row by row.
pub fn rows(permutations: usize) -> RowMajorMatrix<Goldilocks> {
    KeccakAir {}.generate_random_trace_rows(permutations, 0)
}

/// The same, column by column.
pub fn columns(rows: &RowMajorMatrix<Goldilocks>) -> Columns {
    const TOGETHER: usize = 16;
    let (height, width) = (rows.height(), rows.width());
    let mut columns = Columns::zeros(height, width);
    let parts = columns.values_mut().par_chunks_mut(TOGETHER * height);
    parts.enumerate().for_each(|(part, cells)| {
        let mut columns: Vec<&mut [Goldilocks]> = cells.chunks_exact_mut(height).collect();
        for (row, values) in rows.values.chunks_exact(width).enumerate() {
            for (column, &value) in columns.iter_mut().zip(&values[part * TOGETHER..]) {
                column[row] = value;
            }
        }
    });
    columns
}
