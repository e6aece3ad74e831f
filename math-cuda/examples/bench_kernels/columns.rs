//! Columns to work on, made on the device.

use lambda_math::{Ext3, Goldilocks};
use lambda_math_cuda::kernels::domain::points;
use lambda_math_cuda::{DeviceBuffer, DeviceError, Stream};
use p3_field::PrimeCharacteristicRing;

/// Factor between the first cells of columns.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// `width` columns of `2^height_log2` cells, of which none is zero.
pub fn columns(
    stream: &Stream,
    height_log2: u32,
    width: usize,
) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
    let height = 1 << height_log2;
    let mut columns = stream.alloc(width * height, "columns")?;
    for (index, shift) in Goldilocks::from_u64(FACTOR).powers().take(width).enumerate() {
        let column = points(stream, height_log2, shift)?;
        stream.copy(columns.slice_mut(index * height..(index + 1) * height), &column)?;
    }
    Ok(columns)
}

/// An element of the extension, as good as any.
pub fn challenge() -> Ext3 {
    Ext3::new([3, 5, 7].map(|word| Goldilocks::from_u64(FACTOR * word)))
}
