//! Columns at the out-of-domain point (`kernels/ood.cu`).

use lambda_math::field::{EXT_DEGREE, ext_from_coefficients};
use lambda_math::{Ext3, Goldilocks, domain};
use p3_field::{Field, PrimeCharacteristicRing};

use super::scan;
use crate::{DeviceBuffer, DeviceError, DeviceSlice, Grid, Kernel, PtxModule, Stream};

static MODULE: PtxModule = PtxModule::new("ood", include_str!("../../kernels/ood.ptx"));
static WEIGHTED_SUMS: Kernel = Kernel::new(&MODULE, "ood_weighted_sums");

/// Threads of a block, its columns and the rows of a tile: as in the source.
const THREADS: u32 = 256;
const BLOCK_COLUMNS: u32 = 32;
const TILE_ROWS: usize = 512;
/// Most rows of a block.
const MAX_BLOCK_ROWS: usize = 8192;
/// Blocks that keep the largest devices busy.
const ENOUGH_BLOCKS: usize = 1024;

/// The values of all columns at ζ, and of those numbered `next` at ζ·ω, from slab 0 of `lde`, whose columns
/// have `lde_height` rows (barycentric formula on `g·H_N`):
///
/// ```text
///     f(z) = (z^N - g^N) / (N·g^N) · Σ_j x_j·f(x_j) / (z - x_j)
/// ```
///
/// As `ζω - x_j = ω·(ζ - x_{j-1})`, the weights for ζ·ω are those for ζ, one row later. `denominators` are
/// the three columns of `1/(ζ - x)`. Waits for the result.
///
/// 8 bytes and 18 multiply-adds of 32 bits a row and column, 24 bytes a row for every 32 columns.
///
/// # Panics
/// When columns or denominators are not whole, or `next` names a column that is not there.
///
/// # Errors
/// Those of [`Stream::alloc`], [`Launch::run`](crate::Launch::run) and [`Stream::download`].
pub fn evaluate<'a, 'b>(
    stream: &Stream,
    lde: impl Into<DeviceSlice<'a, Goldilocks>>,
    lde_height: usize,
    denominators: impl Into<DeviceSlice<'b, Goldilocks>>,
    zeta: Ext3,
    next: &[usize],
) -> Result<(Vec<Ext3>, Vec<Ext3>), DeviceError> {
    let columns = SlabColumns::new(lde.into(), lde_height, denominators.into());
    let height_log2 = columns.height.trailing_zeros();
    let shift = domain::SHIFT.exp_power_of_2(height_log2 as usize);
    let scale = (zeta.exp_power_of_2(height_log2 as usize) - shift)
        * (shift * Goldilocks::from_usize(columns.height)).inverse();
    let scaled = |sums: Vec<Goldilocks>| -> Vec<Ext3> {
        let (sums, _) = sums.as_chunks::<EXT_DEGREE>();
        sums.iter().map(|&sum| ext_from_coefficients(sum) * scale).collect()
    };
    let current = columns.sums(stream, None)?;
    let next = columns.sums(stream, Some(next))?;
    Ok((scaled(stream.download(&current)?), scaled(stream.download(&next)?)))
}

/// Columns on slab 0 and the denominators there.
struct SlabColumns<'a> {
    lde: DeviceSlice<'a, Goldilocks>,
    lde_height: usize,
    denominators: DeviceSlice<'a, Goldilocks>,
    height: usize,
}

impl<'a> SlabColumns<'a> {
    fn new(
        lde: DeviceSlice<'a, Goldilocks>,
        lde_height: usize,
        denominators: DeviceSlice<'a, Goldilocks>,
    ) -> Self {
        let height = denominators.len() / EXT_DEGREE;
        assert!(
            height.is_power_of_two() && denominators.len() == EXT_DEGREE * height,
            "denominators are an extension column whose rows are a power of two"
        );
        assert!(height <= lde_height, "a slab is a part of a column");
        assert!(lde.len().is_multiple_of(lde_height), "columns are whole");
        Self { lde, lde_height, denominators, height }
    }

    /// `Σ_j w_j·f(x_j)` of all columns; of those `next` with the weights one row later. Three coefficients
    /// each.
    fn sums(&self, stream: &Stream, next: Option<&[usize]>) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
        let width = self.lde.len() / self.lde_height;
        let list: Vec<u32> = next.unwrap_or_default().iter().map(|&column| column as u32).collect();
        assert!(list.iter().all(|&column| (column as usize) < width), "columns at the next row exist");
        let count = next.map_or(width, <[usize]>::len);
        if count == 0 {
            return stream.alloc(0, "out-of-domain sums");
        }
        let column_blocks = count.div_ceil(BLOCK_COLUMNS as usize);
        let block_rows = self.block_rows(column_blocks);
        let row_blocks = self.height.div_ceil(block_rows);
        let root = domain::root_of_unity(self.height.trailing_zeros());

        let mut partial = stream.alloc(EXT_DEGREE * count * row_blocks, "out-of-domain sums")?;
        let grid = Grid::linear(column_blocks as u64 * u64::from(THREADS), THREADS).rows(row_blocks as u32);
        let launch = stream.launch(&WEIGHTED_SUMS, grid).read(self.lde).u64(self.lde_height as u64);
        let list = next.map(|_| stream.upload(&list, "next columns")).transpose()?;
        let launch = match &list {
            Some(list) => launch.read(list),
            None => launch.null(),
        };
        launch
            .u32(count as u32)
            .read(self.denominators)
            .u64(self.height as u64)
            .u32(u32::from(next.is_some()))
            .field(domain::SHIFT)
            .field(root)
            .field(root.exp_u64(THREADS.into()))
            .u32(block_rows as u32)
            .write(&mut partial)
            .run()?;
        scan::column_sums(stream, &partial, row_blocks)
    }

    /// Rows of a block: as many as leave enough blocks, for each row of blocks prepares its weights anew.
    fn block_rows(&self, column_blocks: usize) -> usize {
        let row_blocks = ENOUGH_BLOCKS.div_ceil(column_blocks);
        (self.height / row_blocks).next_power_of_two().clamp(TILE_ROWS, MAX_BLOCK_ROWS)
    }
}
