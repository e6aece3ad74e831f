//! Low-degree extension of columns, and coefficients of short ones (`kernels/ntt.cu`).
//!
//! A transform runs in passes over memory, each of which transforms tiles of `2^12` elements: one pass for
//! the lowest twelve levels, which the inverse and the forward transform share, and none, one or two for the
//! levels above. `passes_above` is that plan.

use lambda_math::Goldilocks;
use lambda_math::domain::{SHIFT, reverse_bits, root_of_unity};
use p3_field::{Field, PrimeCharacteristicRing};

use crate::{DeviceBuffer, DeviceError, DeviceSlice, DeviceSliceMut, Grid, Kernel, PtxModule, Stream};

static MODULE: PtxModule = PtxModule::new("ntt", include_str!("../../kernels/ntt.ptx"));
static INVERSE: Kernel = Kernel::new(&MODULE, "ntt_inverse");
static FORWARD: Kernel = Kernel::new(&MODULE, "ntt_forward");
static EXTEND: Kernel = Kernel::new(&MODULE, "ntt_extend");
static EXTEND_SHORT: Kernel = Kernel::new(&MODULE, "ntt_extend_short");
static WEIGHTS: Kernel = Kernel::new(&MODULE, "ntt_weights");
static INTERPOLATE: Kernel = Kernel::new(&MODULE, "ntt_interpolate");

/// `log2` of the tallest columns that can be extended.
pub const MAX_HEIGHT_LOG2: u32 = ROOTS_LOG2;

/// `log2` of a tile's elements, as in the source.
const TILE_LOG2: u32 = 12;
const TILE: usize = 1 << TILE_LOG2;
const TILE_THREADS: u32 = 256;
/// Most levels of a pass above the tiles: its rows are then 4 elements, one sector of memory.
const MAX_LEVELS: u32 = 10;
/// Each half of one level more must be the four of a round, which the twiddles between passes rely on.
const MIN_MAX_LEVELS: u32 = 7;

/// `log2` of the order of the root in the table, and of a window's length, as in the source.
const ROOTS_LOG2: u32 = 26;
const WINDOW_LOG2: u32 = 13;
const WINDOW: usize = 1 << WINDOW_LOG2;
/// Orders, `log2`, of roots between rounds of a tile.
const ROUND_LOG2: std::ops::RangeInclusive<u32> = 5..=12;
/// `log2` of the elements that a round transforms together.
const ROUND_BITS: u32 = 4;

/// Roots in the table: two windows, and twice those between rounds.
const TWIDDLES: usize = 2 * WINDOW + 2 * (2 << *ROUND_LOG2.end());
/// Device memory of [`Twiddles`].
pub const TWIDDLE_BYTES: u64 = (TWIDDLES * size_of::<Goldilocks>()) as u64;

/// Most rows of blocks in a launch.
const MAX_GRID_Y: usize = (1 << 16) - 1;

/// Roots of unity for transforms of any height: 256 KiB that stay on the device.
#[derive(Debug)]
pub struct Twiddles {
    roots: DeviceBuffer<Goldilocks>,
    /// Most levels of a pass above the tiles.
    max_levels: u32,
}

impl Twiddles {
    /// Computes them and copies them to the device, in persistent memory.
    ///
    /// # Errors
    /// Those of [`Stream::alloc_persistent`] and [`Stream::write`].
    pub fn new(stream: &Stream) -> Result<Self, DeviceError> {
        let mut table = root_of_unity(ROOTS_LOG2).powers().collect_n(WINDOW);
        table.extend(root_of_unity(WINDOW_LOG2).powers().take(WINDOW));
        table.extend(round_twiddles(|order_log2| root_of_unity(order_log2).inverse()));
        table.extend(round_twiddles(root_of_unity));
        assert_eq!(table.len(), TWIDDLES, "all roots are there");
        let mut roots = stream.alloc_persistent(TWIDDLES, "twiddles")?;
        stream.write(&mut roots, &table)?;
        Ok(Self { roots, max_levels: MAX_LEVELS })
    }

    /// The same with fewer levels in a pass above the tiles, 7 at the least, for tests and measurements: the
    /// results are the same.
    #[doc(hidden)]
    #[must_use]
    pub fn with_max_levels(mut self, levels: u32) -> Self {
        assert!((MIN_MAX_LEVELS..=MAX_LEVELS).contains(&levels), "passes of {levels} levels");
        self.max_levels = levels;
        self
    }
}

/// For the root of each order `2^s` of [`ROUND_LOG2`], from entry `2^s` on: `root^(j·rev(r))` for `r < 16`
/// and `j < 2^(s - 4)`, `r` major.
fn round_twiddles(root: impl Fn(u32) -> Goldilocks) -> Vec<Goldilocks> {
    let mut twiddles = vec![Goldilocks::ZERO; 1 << ROUND_LOG2.start()];
    for order_log2 in ROUND_LOG2 {
        for r in 0..1 << ROUND_BITS {
            let ratio = root(order_log2).exp_u64(reverse_bits(r, ROUND_BITS) as u64);
            twiddles.extend(ratio.powers().take(1 << (order_log2 - ROUND_BITS)));
        }
    }
    twiddles
}

/// Extends columns of `2^height_log2` rows from `input_shift·H_N` to `2^blowup_log2` slabs, as
/// [`lambda_math::ntt::coset_lde`] does. `trace` and `lde` are whole columns, one after the other.
///
/// At `N = 2^22` and blowup 2: 72 bytes of traffic and about 1100 operations an element of the trace.
/// Allocates [`extension_scratch_bytes`] until the launches are done.
///
/// # Panics
/// When the height is above [`MAX_HEIGHT_LOG2`], the lengths are not those of columns and their extensions,
/// there are `2^16` slabs of columns or more, or `input_shift` is zero.
///
/// # Errors
/// Those of [`Stream::alloc`] and [`Launch::run`](crate::Launch::run).
pub fn coset_lde(
    stream: &Stream,
    twiddles: &Twiddles,
    height_log2: u32,
    blowup_log2: u32,
    trace: DeviceSlice<'_, Goldilocks>,
    input_shift: Goldilocks,
    mut lde: DeviceSliceMut<'_, Goldilocks>,
) -> Result<(), DeviceError> {
    assert!(height_log2 <= MAX_HEIGHT_LOG2, "columns of 2^{height_log2} rows are too tall");
    let (height, slabs) = (1usize << height_log2, 1usize << blowup_log2);
    let width = trace.len() / height;
    assert_eq!(trace.len(), width * height, "columns are whole");
    assert_eq!(lde.len(), slabs * trace.len(), "one slab for each coset");
    let weights = weights(stream, height_log2, blowup_log2, input_shift)?;
    let roots = twiddles.roots.as_slice();
    let (stride, lde_stride) = (height as u64, (slabs * height) as u64);
    let tiles = 1u32 << height_log2.saturating_sub(TILE_LOG2);
    let passes = passes_above(height_log2, twiddles.max_levels);

    for (index, pass) in passes.iter().enumerate() {
        let launch = stream.launch(&INVERSE, tile_grid(tiles, width));
        // The first pass reads the trace, and all write where slab 0 will be. What is changed in place counts
        // as written: the other slabs hold nothing yet.
        let launch = match index {
            0 => launch.read(trace).u64(stride),
            _ => launch.write(lde.reborrow()).u64(lde_stride),
        };
        let launch = launch.write(lde.reborrow()).u64(lde_stride);
        launch.u32(pass.block_log2).u32(pass.levels).u32(pass.parent_log2).read(roots).run()?;
    }
    if height_log2 < TILE_LOG2 {
        stream
            .launch(&EXTEND_SHORT, tile_grid(slabs as u32, width.div_ceil(TILE >> height_log2)))
            .read(trace)
            .u64(stride)
            .u32(width as u32)
            .write(lde)
            .u64(lde_stride)
            .u32(height_log2)
            .read(&weights)
            .read(roots)
            .run()?;
        return Ok(());
    }
    let launch = stream.launch(&EXTEND, tile_grid(tiles, width));
    let launch = match passes.last() {
        None => launch.read(trace).u64(stride),
        Some(_) => launch.write(lde.reborrow()).u64(lde_stride),
    };
    launch
        .write(lde.reborrow())
        .u64(lde_stride)
        .u32(height_log2)
        .u32(slabs as u32)
        .u32(passes.last().map_or(height_log2, |pass| pass.block_log2))
        .read(&weights)
        .read(roots)
        .run()?;
    for pass in passes.iter().rev() {
        stream
            .launch(&FORWARD, tile_grid(tiles, width * slabs))
            .write(lde.reborrow())
            .u64(stride)
            .u32(pass.block_log2)
            .u32(pass.levels)
            .u32(pass.parent_log2)
            .read(roots)
            .run()?;
    }
    Ok(())
}

/// Device memory that [`coset_lde`] allocates for its launches.
pub const fn extension_scratch_bytes(height_log2: u32, blowup_log2: u32) -> u64 {
    (weight_count(height_log2, blowup_log2) * size_of::<Goldilocks>()) as u64
}

/// Coefficients, natural order, of columns of `2^height_log2` values on `H_N`, which are the first of every
/// `stride` of `values`: [`lambda_math::ntt::intt`] of each, one after the other.
///
/// 16 bytes of traffic and about 200 operations an element.
///
/// # Panics
/// When the height is above 2^12 or the stride, or `values` is not a multiple of the stride.
///
/// # Errors
/// Those of [`Stream::alloc`] and [`Launch::run`](crate::Launch::run).
pub fn interpolate(
    stream: &Stream,
    twiddles: &Twiddles,
    height_log2: u32,
    values: DeviceSlice<'_, Goldilocks>,
    stride: usize,
) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
    assert!(height_log2 <= TILE_LOG2, "polynomials of 2^{height_log2} coefficients are too long");
    let height = 1usize << height_log2;
    assert!(height <= stride && values.len().is_multiple_of(stride), "columns are a stride apart");
    let width = values.len() / stride;
    let mut coefficients = stream.alloc(width * height, "coefficients")?;
    stream
        .launch(&INTERPOLATE, tile_grid(1, width.div_ceil(TILE >> height_log2)))
        .read(values)
        .u64(stride as u64)
        .u32(width as u32)
        .write(&mut coefficients)
        .u32(height_log2)
        .field(Goldilocks::from_usize(height).inverse())
        .read(&twiddles.roots)
        .run()?;
    Ok(coefficients)
}

/// A pass over the levels above the tiles, in the direction of the inverse transform.
struct Pass {
    /// The blocks that it transforms the top `levels` levels of.
    block_log2: u32,
    levels: u32,
    /// The blocks whose top levels the pass before it has transformed; its own if there is none.
    parent_log2: u32,
}

/// One pass up to `max_levels` levels, two for more.
fn passes_above(height_log2: u32, max_levels: u32) -> Vec<Pass> {
    let levels = height_log2.saturating_sub(TILE_LOG2);
    let first = if levels <= max_levels { levels } else { levels.div_ceil(2) };
    [(height_log2, first), (height_log2 - first, levels - first)]
        .into_iter()
        .filter(|&(_, levels)| levels > 0)
        .map(|(block_log2, levels)| Pass { block_log2, levels, parent_log2: height_log2 })
        .collect()
}

/// The constants by which coefficients are multiplied on their way from the trace's coset to each slab's.
fn weights(
    stream: &Stream,
    height_log2: u32,
    blowup_log2: u32,
    input_shift: Goldilocks,
) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
    let count = weight_count(height_log2, blowup_log2);
    let mut weights = stream.alloc(count, "extension weights")?;
    stream
        .launch(&WEIGHTS, Grid::linear(count as u64, TILE_THREADS))
        .write(&mut weights)
        .field(SHIFT * input_shift.inverse())
        .field(root_of_unity(height_log2 + blowup_log2))
        .field(Goldilocks::from_usize(1 << height_log2).inverse())
        .u32(height_log2)
        .u32(blowup_log2)
        .u64(count as u64)
        .run()?;
    Ok(weights)
}

/// For each slab, one weight for each element of a tile and one for each tile.
const fn weight_count(height_log2: u32, blowup_log2: u32) -> usize {
    (TILE + (1 << height_log2.saturating_sub(TILE_LOG2))) << blowup_log2
}

/// One block for each tile, `rows` times.
fn tile_grid(tiles: u32, rows: usize) -> Grid {
    assert!(rows <= MAX_GRID_Y, "{rows} columns of slabs are too many for one launch");
    Grid { blocks: [tiles, rows as u32, 1], threads: [TILE_THREADS, 1, 1], shared_bytes: 0 }
}
