//! Sums and running sums of columns (`kernels/scan.cu`).

use lambda_math::Goldilocks;
use p3_field::{Field, PrimeCharacteristicRing};

use crate::{DeviceBuffer, DeviceError, DeviceSlice, DeviceSliceMut, Grid, Kernel, PtxModule, Stream};

static MODULE: PtxModule = PtxModule::new("scan", include_str!("../../kernels/scan.ptx"));
static TILE_SUMS: Kernel = Kernel::new(&MODULE, "scan_tile_sums");
static RUNNING_SUMS: Kernel = Kernel::new(&MODULE, "scan_running_sums");

/// Threads of a block, and rows of its tile: `SCAN_THREADS` and `SCAN_ROWS` of the source.
const THREADS: u32 = 256;
const TILE_ROWS: usize = 2048;

/// The sum of each of `columns`, which have `rows` rows.
///
/// 8 bytes and one addition a value.
///
/// # Panics
/// When `columns` are not whole.
///
/// # Errors
/// Those of [`Stream::alloc`] and [`Launch::run`](crate::Launch::run).
pub fn column_sums<'b>(
    stream: &Stream,
    columns: impl Into<DeviceSlice<'b, Goldilocks>>,
    rows: usize,
) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
    let mut sums = tile_sums(stream, columns.into(), rows)?;
    let mut rows = rows.div_ceil(TILE_ROWS);
    while rows > 1 {
        sums = tile_sums(stream, sums.as_slice(), rows)?;
        rows = rows.div_ceil(TILE_ROWS);
    }
    Ok(sums)
}

/// Replaces each of `columns`, of `rows` rows, by its running sum: row `i` becomes the sum of the rows before
/// it, less `i` times the column's mean, so that the running sum is cyclic. Returns the sums of the columns.
///
/// 24 bytes and four additions a value.
///
/// # Panics
/// When `columns` are not whole.
///
/// # Errors
/// Those of [`Stream::alloc`] and [`Launch::run`](crate::Launch::run).
pub fn running_sums<'b>(
    stream: &Stream,
    columns: impl Into<DeviceSliceMut<'b, Goldilocks>>,
    rows: usize,
) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
    let mut columns = columns.into();
    // Tile sums of the columns, sums of those, and so on to one row.
    let mut levels = vec![tile_sums(stream, columns.as_slice(), rows)?];
    let mut heights = vec![rows.div_ceil(TILE_ROWS)];
    while let (Some(sums), Some(&height)) = (levels.last(), heights.last())
        && height > 1
    {
        levels.push(tile_sums(stream, sums.as_slice(), height)?);
        heights.push(height.div_ceil(TILE_ROWS));
    }
    let totals = levels.pop().expect("there is a level of one row");
    heights.pop();
    let mut starts: Option<DeviceBuffer<Goldilocks>> = None;
    for (mut sums, height) in levels.into_iter().zip(heights).rev() {
        run(stream, sums.as_slice_mut(), height, starts.as_ref(), &totals, Goldilocks::ZERO)?;
        starts = Some(sums);
    }
    let mean_factor = Goldilocks::from_usize(rows).inverse();
    run(stream, columns.reborrow(), rows, starts.as_ref(), &totals, mean_factor)?;
    Ok(totals)
}

/// The sums of the tiles of each column, one column of tiles after the other.
fn tile_sums(
    stream: &Stream,
    columns: DeviceSlice<'_, Goldilocks>,
    rows: usize,
) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
    let grid = grid(columns.len(), rows);
    let mut sums = stream.alloc(rows.div_ceil(TILE_ROWS) * (columns.len() / rows), "tile sums")?;
    stream.launch(&TILE_SUMS, grid).read(columns).u64(rows as u64).u64(rows as u64).write(&mut sums).run()?;
    Ok(sums)
}

/// Running sums of `columns`; those of a tile begin with the tile's row of `starts`, or zero.
fn run(
    stream: &Stream,
    columns: DeviceSliceMut<'_, Goldilocks>,
    rows: usize,
    starts: Option<&DeviceBuffer<Goldilocks>>,
    totals: &DeviceBuffer<Goldilocks>,
    mean_factor: Goldilocks,
) -> Result<(), DeviceError> {
    let grid = grid(columns.len(), rows);
    let launch = stream.launch(&RUNNING_SUMS, grid).write(columns).u64(rows as u64).u64(rows as u64);
    let launch = match starts {
        Some(starts) => launch.read(starts),
        None => launch.null(),
    };
    launch.read(totals).field(mean_factor).run()
}

/// A block for each tile of each column.
fn grid(len: usize, rows: usize) -> Grid {
    assert!(rows > 0 && len.is_multiple_of(rows), "columns are whole");
    let tiles = rows.div_ceil(TILE_ROWS) as u64;
    let columns = u32::try_from(len / rows).expect("fewer than 2^32 columns");
    Grid::linear(tiles * u64::from(THREADS), THREADS).rows(columns)
}
