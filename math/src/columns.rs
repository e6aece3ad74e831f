//! A matrix stored column by column.

use std::mem::MaybeUninit;

use p3_field::PrimeCharacteristicRing;
use rayon::prelude::*;

use crate::field::Goldilocks;
use crate::pages::advise_huge_pages;
use crate::recycle;

/// Cells that a thread fills at a time.
const CHUNK: usize = 1 << 16;

/// Cells of a cache line.
const LINE: usize = 64 / size_of::<Goldilocks>();

/// Column-major matrix of base field elements: column `c` is `values[c·height .. (c+1)·height]`.
///
/// Memory of its own begins at a cache line, so that no vector of a column lies in two. The memory of a large
/// matrix is kept for the next when it is dropped ([`release_memory`](crate::release_memory)).
#[derive(Debug, Default)]
pub struct Columns {
    /// The cells, from `start` on.
    buffer: Vec<Goldilocks>,
    start: usize,
    height: usize,
}

impl PartialEq for Columns {
    fn eq(&self, other: &Self) -> bool {
        self.height == other.height && self.values() == other.values()
    }
}

impl Eq for Columns {}

/// A copy is laid out on large pages like a new matrix.
impl Clone for Columns {
    fn clone(&self) -> Self {
        let mut copy = Self::scratch(self.height, self.width());
        copy.values_mut().copy_from_slice(self.values());
        copy
    }
}

impl Drop for Columns {
    fn drop(&mut self) {
        recycle::keep(std::mem::take(&mut self.buffer));
    }
}

impl Columns {
    /// `width` zero columns of `height` rows.
    pub fn zeros(height: usize, width: usize) -> Self {
        match Self::recycled(height, width) {
            Some(mut columns) => {
                columns.values_mut().par_chunks_mut(CHUNK).for_each(|cells| cells.fill(Goldilocks::ZERO));
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
            columns.values_mut().fill(Goldilocks::new(0x0bad_cafe));
        }
        columns
    }

    /// Columns in memory that was used before, if there is some.
    pub(crate) fn recycled(height: usize, width: usize) -> Option<Self> {
        recycle::take(height * width + LINE - 1).map(|buffer| Self::aligned(buffer, height, width))
    }

    fn fresh(height: usize, width: usize) -> Self {
        let mut buffer = Goldilocks::zero_vec(height * width + LINE - 1);
        recycle::count(buffer.capacity());
        advise_huge_pages(&mut buffer);
        Self::aligned(buffer, height, width)
    }

    /// The cells of `buffer`, which has `LINE - 1` to spare, from its first cache line on.
    fn aligned(mut buffer: Vec<Goldilocks>, height: usize, width: usize) -> Self {
        let start = (buffer.as_ptr().addr() / size_of::<Goldilocks>()).wrapping_neg() % LINE;
        buffer.truncate(start + height * width);
        Self { buffer, start, height }
    }

    /// As many columns of `height` rows, of which only the first cells, as many as there are now, keep
    /// their order in memory; the rest is zero. For algorithms that spread the columns out in place.
    ///
    /// Memory that grows by pages still begins at a cache line; where the allocator copies it, it may not.
    pub(crate) fn grow(self, height: usize) -> Self {
        let (width, start) = (self.width(), self.start);
        let mut buffer = self.into_buffer();
        let (old, new) = (buffer.len(), start + height * width);
        assert!(old <= new, "columns grow");
        buffer.reserve_exact(new - old);
        recycle::count(buffer.capacity());
        let spare = &mut buffer.spare_capacity_mut()[..new - old];
        advise_huge_pages(spare);
        spare.par_chunks_mut(CHUNK).for_each(|cells| cells.fill(MaybeUninit::new(Goldilocks::ZERO)));
        // SAFETY: all `new` cells are initialised, the spare ones just now.
        unsafe { buffer.set_len(new) };
        Self { buffer, start, height }
    }

    /// Wraps `values`, column after column, where they are.
    ///
    /// # Panics
    /// When `values.len()` is not a multiple of `height`.
    pub fn from_values(values: Vec<Goldilocks>, height: usize) -> Self {
        assert!(height > 0 && values.len().is_multiple_of(height), "columns must all have the height");
        recycle::count(values.capacity());
        Self { buffer: values, start: 0, height }
    }

    /// Rows.
    pub const fn height(&self) -> usize {
        self.height
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.values().len().checked_div(self.height).unwrap_or(0)
    }

    /// Column `index`, `height` entries.
    pub fn column(&self, index: usize) -> &[Goldilocks] {
        &self.values()[index * self.height..][..self.height]
    }

    /// Column `index`, writable.
    pub fn column_mut(&mut self, index: usize) -> &mut [Goldilocks] {
        let height = self.height;
        &mut self.values_mut()[index * height..][..height]
    }

    /// The columns in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Goldilocks]> {
        self.values().chunks_exact(self.height.max(1))
    }

    /// The rows in blocks of `rows` (the last may be shorter), each block a list of column slices, so that
    /// blocks can be written in parallel.
    pub fn row_blocks_mut(&mut self, rows: usize) -> Vec<Vec<&mut [Goldilocks]>> {
        let (width, height) = (self.width(), self.height);
        let mut blocks: Vec<Vec<&mut [Goldilocks]>> =
            (0..height.div_ceil(rows)).map(|_| Vec::with_capacity(width)).collect();
        for column in self.values_mut().chunks_exact_mut(height.max(1)) {
            for (block, part) in blocks.iter_mut().zip(column.chunks_mut(rows)) {
                block.push(part);
            }
        }
        blocks
    }

    /// All cells, column after column.
    pub fn values(&self) -> &[Goldilocks] {
        &self.buffer[self.start..]
    }

    /// All cells, writable, column after column.
    pub fn values_mut(&mut self) -> &mut [Goldilocks] {
        &mut self.buffer[self.start..]
    }

    /// Row `index`, copied out.
    pub fn row(&self, index: usize) -> Vec<Goldilocks> {
        self.iter().map(|column| column[index]).collect()
    }

    /// The cells, column after column.
    pub fn into_values(self) -> Vec<Goldilocks> {
        let start = self.start;
        let mut values = self.into_buffer();
        values.drain(..start);
        values
    }

    fn into_buffer(mut self) -> Vec<Goldilocks> {
        let buffer = std::mem::take(&mut self.buffer);
        recycle::uncount(buffer.capacity());
        buffer
    }

    /// Size of the cells.
    pub fn bytes(&self) -> usize {
        size_of_val(self.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Vec<Goldilocks> {
        (0..count as u64).map(Goldilocks::new).collect()
    }

    fn filled(height: usize, width: usize) -> Columns {
        let mut columns = Columns::zeros(height, width);
        columns.values_mut().copy_from_slice(&numbers(height * width));
        columns
    }

    fn begins_a_line(columns: &Columns) -> bool {
        columns.values().as_ptr().addr().is_multiple_of(64)
    }

    /// The bug: vectors of a column that lie in two cache lines. Small memory, and memory that is recycled.
    #[test]
    fn own_memory_begins_a_line() {
        for (height, width) in [(0, 0), (1, 1), (8, 3), (64, 5), (1 << 15, 9)] {
            for _ in 0..3 {
                let made = [
                    Columns::zeros(height, width),
                    Columns::scratch(height, width),
                    filled(height, width).clone(),
                ];
                assert!(made.iter().all(begins_a_line), "{height} x {width}");
            }
        }
    }

    /// The bug: cells before the first line that are taken for the matrix's, or the other way round.
    #[test]
    fn cells_are_the_same_wherever_they_begin() {
        for (height, width) in [(4, 3), (1 << 15, 9)] {
            let values = numbers(height * width);
            let (own, wrapped) = (filled(height, width), Columns::from_values(values.clone(), height));
            assert_eq!(own, wrapped);
            assert_eq!((own.width(), own.bytes()), (width, 8 * height * width));
            assert_eq!(own.column(2), &values[2 * height..3 * height]);
            for columns in [own.clone(), wrapped] {
                let grown = columns.grow(2 * height);
                assert_eq!((grown.width(), grown.height()), (width, 2 * height));
                assert_eq!(grown.values()[..values.len()], values);
                assert!(grown.values()[values.len()..].iter().all(|&cell| cell == Goldilocks::ZERO));
            }
            assert_eq!(own.into_values(), values);
        }
    }
}
