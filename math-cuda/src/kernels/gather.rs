//! What openings read (`kernels/gather.cu`): cells of rows, and digests, copied to the host.

use lambda_math::domain::slab_and_entry;
use lambda_math::{Digest, Goldilocks};

use crate::{DeviceError, DeviceSlice, Grid, Kernel, PtxModule, Stream};

static MODULE: PtxModule = PtxModule::new("gather", include_str!("../../kernels/gather.ptx"));
static ROWS: Kernel = Kernel::new(&MODULE, "gather_rows");
static DIGESTS: Kernel = Kernel::new(&MODULE, "gather_digests");

/// Threads of a block.
const THREADS: u32 = 128;

/// The canonical cells of the rows at `positions`, row after row. `columns` are whole columns of `height`
/// rows, in slabs of `2^slab_log2`; a codeword is three of them. Waits for the cells.
///
/// 24 bytes of traffic a cell.
///
/// # Panics
/// When columns are not whole, or there is no such position.
///
/// # Errors
/// Those of [`Stream::alloc`], [`Launch::run`](crate::Launch::run) and [`Stream::download`].
pub fn rows(
    stream: &Stream,
    columns: DeviceSlice<'_, Goldilocks>,
    height: usize,
    slab_log2: u32,
    positions: &[usize],
) -> Result<Vec<Goldilocks>, DeviceError> {
    assert!(columns.len().is_multiple_of(height), "columns are whole");
    let row = |&position: &usize| {
        let (slab, entry) = slab_and_entry(position, slab_log2);
        let row = (slab << slab_log2) + entry;
        assert!(row < height, "position {position} is beyond {height} rows");
        row as u64
    };
    let rows: Vec<u64> = positions.iter().map(row).collect();
    let width = columns.len() / height;
    let cells = rows.len() * width;
    if cells == 0 {
        return Ok(Vec::new());
    }
    let rows = stream.upload(&rows, "rows to open")?;
    let mut out = stream.alloc(cells, "opened cells")?;
    stream
        .launch(&ROWS, Grid::linear(cells as u64, THREADS))
        .read(columns)
        .u64(height as u64)
        .u32(width as u32)
        .read(&rows)
        .u64(cells as u64)
        .write(&mut out)
        .run()?;
    stream.download(&out)
}

/// The digests at `places`. Waits for them.
///
/// 72 bytes of traffic a digest.
///
/// # Panics
/// When there is no such place.
///
/// # Errors
/// Those of [`Stream::alloc`], [`Launch::run`](crate::Launch::run) and [`Stream::download`].
pub fn digests(
    stream: &Stream,
    digests: DeviceSlice<'_, Digest>,
    places: &[u64],
) -> Result<Vec<Digest>, DeviceError> {
    assert!(places.iter().all(|&place| place < digests.len() as u64), "a place is that of a digest");
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let count = places.len();
    let places = stream.upload(places, "digests to open")?;
    let mut out = stream.alloc(count, "opened digests")?;
    stream
        .launch(&DIGESTS, Grid::linear(2 * count as u64, THREADS))
        .read(digests)
        .read(&places)
        .u64(count as u64)
        .write(&mut out)
        .run()?;
    stream.download(&out)
}
