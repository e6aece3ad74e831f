//! A matrix stored column by column.

use std::mem::MaybeUninit;

use p3_field::PrimeCharacteristicRing;
use rayon::prelude::*;

use crate::field::Goldilocks;
use crate::pages::advise_huge_pages;
use crate::recycle;

/// Cells that a thread fills at a time.
const CHUNK: usize = 1 << 16;

/// Column-major matrix of base field elements: column `c` is `values[c·height .. (c+1)·height]`.
///
/// The memory of a large one is kept for the next when it is dropped
/// ([`release_memory`](crate::release_memory)).
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Columns {
    values: Vec<Goldilocks>,
    height: usize,
}

/// A copy is laid out on large pages like a new matrix.
impl Clone for Columns {
    fn clone(&self) -> Self {
        let mut copy = Self::scratch(self.height, self.width());
        copy.values.copy_from_slice(&self.values);
        copy
    }
}

impl Drop for Columns {
    fn drop(&mut self) {
        recycle::keep(std::mem::take(&mut self.values));
    }
}

impl Columns {
    /// `width` zero columns of `height` rows.
    pub fn zeros(height: usize, width: usize) -> Self {
        match Self::recycled(height, width) {
            Some(mut columns) => {
                columns.values.par_chunks_mut(CHUNK).for_each(|cells| cells.fill(Goldilocks::ZERO));
                columns
            }
            None => Self::fresh(height, width),
        }
    }

    /// `width` columns of `height` rows that hold anything, for whoever writes every cell.
    ///
    /// With debug assertions no cell is zero, so that a cell left out shows.
    pub fn scratch(height: usize, width: usize) -> Self {
        let mut columns = Self::recycled(height, width).unwrap_or_else(|| Self::fresh(height, width));
        if cfg!(debug_assertions) {
            columns.values.fill(Goldilocks::new(0x0bad_cafe));
        }
        columns
    }

    /// Columns in memory that was used before, if there is some.
    pub(crate) fn recycled(height: usize, width: usize) -> Option<Self> {
        recycle::take(height * width).map(|values| Self { values, height })
    }

    fn fresh(height: usize, width: usize) -> Self {
        let mut values = Goldilocks::zero_vec(height * width);
        recycle::count(values.capacity());
        advise_huge_pages(&mut values);
        Self { values, height }
    }

    /// As many columns of `height` rows, of which only the first cells, as many as there are now, keep
    /// their order in memory; the rest is zero. For algorithms that spread the columns out in place.
    pub(crate) fn grow(self, height: usize) -> Self {
        let width = self.width();
        let mut values = self.into_values();
        let (old, new) = (values.len(), height * width);
        assert!(old <= new, "columns grow");
        values.reserve_exact(new - old);
        recycle::count(values.capacity());
        let spare = &mut values.spare_capacity_mut()[..new - old];
        advise_huge_pages(spare);
        spare.par_chunks_mut(CHUNK).for_each(|cells| cells.fill(MaybeUninit::new(Goldilocks::ZERO)));
        // SAFETY: all `new` cells are initialised, the spare ones just now.
        unsafe { values.set_len(new) };
        Self { values, height }
    }

    /// Wraps `values`, column after column.
    ///
    /// # Panics
    /// When `values.len()` is not a multiple of `height`.
    pub fn from_values(values: Vec<Goldilocks>, height: usize) -> Self {
        assert!(height > 0 && values.len().is_multiple_of(height), "columns must all have the height");
        recycle::count(values.capacity());
        Self { values, height }
    }

    /// Rows.
    pub const fn height(&self) -> usize {
        self.height
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.values.len().checked_div(self.height).unwrap_or(0)
    }

    /// Column `index`, `height` entries.
    pub fn column(&self, index: usize) -> &[Goldilocks] {
        &self.values[index * self.height..][..self.height]
    }

    /// Column `index`, writable.
    pub fn column_mut(&mut self, index: usize) -> &mut [Goldilocks] {
        &mut self.values[index * self.height..][..self.height]
    }

    /// The columns in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Goldilocks]> {
        self.values.chunks_exact(self.height.max(1))
    }

    /// The rows in blocks of `rows` (the last may be shorter), each block a list of column slices, so that
    /// blocks can be written in parallel.
    pub fn row_blocks_mut(&mut self, rows: usize) -> Vec<Vec<&mut [Goldilocks]>> {
        let width = self.width();
        let mut blocks: Vec<Vec<&mut [Goldilocks]>> =
            (0..self.height.div_ceil(rows)).map(|_| Vec::with_capacity(width)).collect();
        for column in self.values.chunks_exact_mut(self.height.max(1)) {
            for (block, part) in blocks.iter_mut().zip(column.chunks_mut(rows)) {
                block.push(part);
            }
        }
        blocks
    }

    /// All cells, column after column.
    pub fn values(&self) -> &[Goldilocks] {
        &self.values
    }

    /// All cells, writable, column after column.
    pub fn values_mut(&mut self) -> &mut [Goldilocks] {
        &mut self.values
    }

    /// Row `index`, copied out.
    pub fn row(&self, index: usize) -> Vec<Goldilocks> {
        self.iter().map(|column| column[index]).collect()
    }

    /// The cells, column after column.
    pub fn into_values(mut self) -> Vec<Goldilocks> {
        let values = std::mem::take(&mut self.values);
        recycle::uncount(values.capacity());
        values
    }

    /// Size of the cells.
    pub const fn bytes(&self) -> usize {
        self.values.len() * size_of::<Goldilocks>()
    }
}
