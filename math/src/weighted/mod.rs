//! Sums of base field columns with extension field weights: the inner loops of composing constraints, of
//! out-of-domain evaluation and of DEEP.
//!
//! [`WeightedRows`] adds up columns row by row, `Σ_k w_k·f_k(row)`; [`RowWeights`] adds up the rows of a
//! column, `Σ_i w_i·f(row i)`. Results are exact field elements, whatever the vector width.
//!
//! Reducing every product modulo `p` costs several times more than multiplying. Therefore `sum` adds up whole
//! products and reduces after thousands of them; that leaves memory as the limit, hence `cache`.

mod columns;
mod rows;
mod sum;
#[cfg(test)]
mod tests;

pub use columns::RowWeights;
pub use rows::WeightedRows;

/// Columns between the one in use and the one to fetch.
const COLUMNS_AHEAD: usize = 4;
