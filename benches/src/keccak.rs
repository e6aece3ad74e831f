//! Plonky3's Keccak-f AIR as our table, and its trace in both layouts.

use lambda_air::Table;
use lambda_math::Columns;
use lambda_math::Goldilocks;
use p3_keccak_air::KeccakAir;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

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
    let columns = rows.transpose();
    Columns::from_values(columns.values, rows.height())
}
