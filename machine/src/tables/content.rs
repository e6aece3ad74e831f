//! The preprocessed rows of a table that holds part of a program.

use alloc::sync::Arc;
use alloc::vec::Vec;

use lambda_math::Goldilocks;
use p3_matrix::dense::RowMajorMatrix;

/// Rows of a program's table; none where the program is known by its commitment alone.
#[derive(Clone, Debug, Default)]
pub struct Content<const WIDTH: usize>(Arc<Vec<[Goldilocks; WIDTH]>>);

impl<const WIDTH: usize> Content<WIDTH> {
    /// `rows`, the last one repeated up to `height`.
    pub fn new(rows: impl Iterator<Item = [Goldilocks; WIDTH]>, height: usize) -> Self {
        let mut rows: Vec<_> = rows.collect();
        let last = rows.last().copied().unwrap_or([Goldilocks::default(); WIDTH]);
        rows.resize(height, last);
        Self(Arc::new(rows))
    }

    /// The rows as a matrix.
    pub fn matrix(&self) -> RowMajorMatrix<Goldilocks> {
        RowMajorMatrix::new(self.0.as_flattened().to_vec(), WIDTH)
    }
}
