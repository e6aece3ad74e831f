//! Copying columns to the device, narrow where they are narrow: a column of bytes takes an eighth of the bus.

use std::ops::Range;

use lambda_math::{Columns, Goldilocks};
use lambda_math_cuda::kernels::widen::{NarrowCell, widen};
use lambda_math_cuda::{DeviceBuffer, DeviceError, DeviceSliceMut, Stream};
use p3_field::PrimeField64;
use rayon::prelude::*;

/// Some rows of some neighbouring columns.
#[derive(Clone, Debug)]
pub struct Piece<'a> {
    /// The columns.
    pub columns: &'a Columns,
    /// Which of them.
    pub which: Range<usize>,
    /// Their rows, one range after the other.
    pub rows: [Range<usize>; 2],
}

/// Width of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    U8,
    U16,
    U32,
    U64,
}

impl<'a> Piece<'a> {
    /// All of `columns`.
    pub fn all(columns: &'a Columns) -> Self {
        Self { columns, which: 0..columns.width(), rows: [0..columns.height(), 0..0] }
    }

    /// Rows.
    fn height(&self) -> usize {
        self.rows.iter().map(Range::len).sum()
    }

    fn column(&self, index: usize) -> [&'a [Goldilocks]; 2] {
        self.rows.clone().map(|rows| &self.columns.column(index)[rows])
    }

    /// The narrowest width that holds a column's cells.
    fn width(&self, index: usize) -> Width {
        let cells = self.column(index).into_iter().flatten();
        let bits = cells.fold(0, |bits, cell| bits | cell.as_canonical_u64());
        match bits {
            0..0x100 => Width::U8,
            0x100..0x1_0000 => Width::U16,
            0x1_0000..0x1_0000_0000 => Width::U32,
            _ => Width::U64,
        }
    }

    /// Copies it to the device, one column after the other, canonical.
    ///
    /// # Errors
    /// Those of [`Stream::alloc`] and of copying.
    pub fn upload(
        &self,
        stream: &Stream,
        label: &'static str,
    ) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
        let height = self.height();
        let widths: Vec<Width> = self.which.clone().into_par_iter().map(|index| self.width(index)).collect();
        let mut buffer = stream.alloc(self.which.len() * height, label)?;
        let mut start = 0;
        // Neighbours of one width are copied together.
        for run in widths.chunk_by(|a, b| a == b) {
            let end = start + run.len();
            let target = buffer.slice_mut(start * height..end * height);
            let which = self.which.start + start..self.which.start + end;
            match run[0] {
                Width::U8 => narrow(stream, &self.cells(which, |cell| cell as u8), target)?,
                Width::U16 => narrow(stream, &self.cells(which, |cell| cell as u16), target)?,
                Width::U32 => narrow(stream, &self.cells(which, |cell| cell as u32), target)?,
                Width::U64 => stream.write(target, &self.cells(which, Goldilocks::new))?,
            }
            start = end;
        }
        Ok(buffer)
    }

    /// The canonical cells of the columns `which`.
    fn cells<T: Copy + Default + Send>(&self, which: Range<usize>, of: impl Fn(u64) -> T + Sync) -> Vec<T> {
        let height = self.height();
        let mut cells = vec![T::default(); which.len() * height];
        cells.par_chunks_mut(height).zip(which).for_each(|(mut target, index)| {
            for rows in self.column(index) {
                let (now, later) = target.split_at_mut(rows.len());
                let pairs = now.par_iter_mut().zip(rows).with_min_len(1 << 12);
                pairs.for_each(|(target, cell)| *target = of(cell.as_canonical_u64()));
                target = later;
            }
        });
        cells
    }
}

fn narrow<T: NarrowCell>(
    stream: &Stream,
    cells: &[T],
    target: DeviceSliceMut<'_, Goldilocks>,
) -> Result<(), DeviceError> {
    let staged = stream.upload(cells, "narrow columns")?;
    widen(stream, staged.as_slice(), target)
}
