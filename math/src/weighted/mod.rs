//! Sums of base field columns with extension field weights: the inner loops of composing constraints, of
//! out-of-domain evaluation and of DEEP.
//!
//! [`WeightedRows`] adds up columns row by row, `Σ_k w_k·f_k(row)`; [`RowWeights`] adds up the rows of a column,
//! `Σ_i w_i·f(row i)`. Results are exact field elements, whatever the vector width.
//!
//! Reducing every product modulo `p` would cost several times more than multiplying. Instead `sum` adds up the
//! products' limbs in 64-bit lanes and reduces after a thousand terms or so; that leaves memory as the limit,
//! hence `cache`.

mod cache;
mod columns;
mod rows;
mod sum;
#[cfg(test)]
mod tests;

pub use columns::RowWeights;
pub use rows::WeightedRows;
