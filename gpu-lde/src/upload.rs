//! Copying columns to the device, narrow where they are narrow: a column of bytes takes an eighth of the bus.

use lambda_math::{Columns, Goldilocks};
use lambda_math_cuda::kernels::widen::{NarrowCell, widen};
use lambda_math_cuda::{DeviceBuffer, DeviceError, Stream};
use p3_field::PrimeField64;
use rayon::prelude::*;

/// Width of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    U8,
    U16,
    U32,
    U64,
}

impl Width {
    /// The narrowest one that holds `column`.
    fn of(column: &[Goldilocks]) -> Self {
        let bits = column.iter().fold(0, |bits, cell| bits | cell.as_canonical_u64());
        match bits {
            0..0x100 => Self::U8,
            0x100..0x1_0000 => Self::U16,
            0x1_0000..0x1_0000_0000 => Self::U32,
            _ => Self::U64,
        }
    }
}

/// Copies `columns` to the device, one after the other, canonical.
///
/// # Errors
/// Those of [`Stream::alloc`] and of copying.
pub fn upload_columns(
    stream: &Stream,
    columns: &Columns,
    label: &'static str,
) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
    let height = columns.height();
    let slices: Vec<&[Goldilocks]> = columns.iter().collect();
    let widths: Vec<Width> = slices.par_iter().map(|column| Width::of(column)).collect();
    let mut buffer = stream.alloc(columns.values().len(), label)?;
    let mut start = 0;
    // Neighbours of one width are copied together.
    for run in widths.chunk_by(|a, b| a == b) {
        let cells = &columns.values()[start * height..(start + run.len()) * height];
        let target = buffer.slice_mut(start * height..(start + run.len()) * height);
        match run[0] {
            Width::U8 => narrow(stream, cells, target, |cell| cell as u8)?,
            Width::U16 => narrow(stream, cells, target, |cell| cell as u16)?,
            Width::U32 => narrow(stream, cells, target, |cell| cell as u32)?,
            Width::U64 => {
                let canonical: Vec<Goldilocks> =
                    cells.par_iter().map(|cell| Goldilocks::new(cell.as_canonical_u64())).collect();
                stream.write(target, &canonical)?;
            }
        }
        start += run.len();
    }
    Ok(buffer)
}

fn narrow<T: NarrowCell>(
    stream: &Stream,
    cells: &[Goldilocks],
    target: lambda_math_cuda::DeviceSliceMut<'_, Goldilocks>,
    narrowed: impl Fn(u64) -> T + Sync,
) -> Result<(), DeviceError> {
    let narrow: Vec<T> = cells.par_iter().map(|cell| narrowed(cell.as_canonical_u64())).collect();
    let staged = stream.upload(&narrow, "narrow columns")?;
    widen(stream, staged.as_slice(), target)
}
