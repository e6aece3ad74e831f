//! Inverses of whole columns (`kernels/batch_inverse.cu`).

use lambda_math::Goldilocks;
use lambda_math::field::EXT_DEGREE;

use crate::{DeviceBuffer, DeviceError, DeviceSliceMut, Grid, Kernel, PtxModule, Stream};

static MODULE: PtxModule = PtxModule::new("batch_inverse", include_str!("../../kernels/batch_inverse.ptx"));
static BASE: Kernel = Kernel::new(&MODULE, "batch_inverse_base");
static EXT: Kernel = Kernel::new(&MODULE, "batch_inverse_ext");

/// Threads of a block that keeps runs: `RUN_THREADS` of `kernels/inverse.cuh`.
pub(super) const RUN_THREADS: u32 = 128;
/// Rows of such a block: `RUN_ROWS`.
const RUN_ROWS: u64 = 1024;

/// The grid of a kernel whose threads take runs of `rows` rows.
pub(super) fn runs(rows: usize) -> Grid {
    let blocks = (rows as u64).div_ceil(RUN_ROWS);
    Grid::linear(blocks * u64::from(RUN_THREADS), RUN_THREADS)
}

/// Whether a kernel met a zero where it divides. It stays set, over any number of launches.
#[derive(Debug)]
pub struct ZeroFlag(DeviceBuffer<u32>);

impl ZeroFlag {
    /// A flag that is not set.
    ///
    /// # Errors
    /// Those of [`Stream::alloc`].
    pub fn new(stream: &Stream) -> Result<Self, DeviceError> {
        let mut word = stream.alloc(1, "zero flag")?;
        stream.fill_zero(&mut word)?;
        Ok(Self(word))
    }

    /// Whether it is set. Waits for all launches that were given it.
    ///
    /// # Errors
    /// Those of [`Stream::download`].
    pub fn is_set(&self, stream: &Stream) -> Result<bool, DeviceError> {
        Ok(stream.download(&self.0)?.iter().any(|&word| word != 0))
    }

    pub(super) fn word(&mut self) -> &mut DeviceBuffer<u32> {
        &mut self.0
    }
}

/// Replaces every value of `columns`, each of `rows` rows, by its inverse. Zeros stay and set `flag`.
///
/// 16 bytes and 12 products a value.
///
/// # Panics
/// When `columns` are not whole.
///
/// # Errors
/// Those of [`Launch::run`](crate::Launch::run).
pub fn invert_base<'b>(
    stream: &Stream,
    columns: impl Into<DeviceSliceMut<'b, Goldilocks>>,
    rows: usize,
    flag: &mut ZeroFlag,
) -> Result<(), DeviceError> {
    invert(stream, &BASE, columns.into(), rows, rows, flag)
}

/// The same for extension columns, three base columns of `rows` rows each.
///
/// 48 bytes and 24 products a value.
///
/// # Panics
/// When `columns` are not whole.
///
/// # Errors
/// Those of [`Launch::run`](crate::Launch::run).
pub fn invert_ext<'b>(
    stream: &Stream,
    columns: impl Into<DeviceSliceMut<'b, Goldilocks>>,
    rows: usize,
    flag: &mut ZeroFlag,
) -> Result<(), DeviceError> {
    invert(stream, &EXT, columns.into(), rows, EXT_DEGREE * rows, flag)
}

fn invert(
    stream: &Stream,
    kernel: &'static Kernel,
    columns: DeviceSliceMut<'_, Goldilocks>,
    rows: usize,
    column_len: usize,
    flag: &mut ZeroFlag,
) -> Result<(), DeviceError> {
    assert!(rows > 0 && columns.len().is_multiple_of(column_len), "columns are whole");
    let count = u32::try_from(columns.len() / column_len).expect("fewer than 2^32 columns");
    stream
        .launch(kernel, runs(rows).rows(count))
        .write(columns)
        .u64(rows as u64)
        .u64(rows as u64)
        .write(flag.word())
        .run()
}
