//! Row digests of tables and leaves of codewords (`kernels/rows.cu`).

use lambda_math::field::EXT_DEGREE;
use lambda_math::{Digest, Goldilocks};

use super::chunk_tree::{BLOCK_BYTES, ChunkTree};
use crate::{DeviceBuffer, DeviceError, DeviceSlice, Grid, Kernel, PtxModule, Stream};

static MODULE: PtxModule = PtxModule::new("rows", include_str!("../../kernels/rows.ptx"));
static ABSORB: Kernel = Kernel::new(&MODULE, "rows_absorb");
static COSETS: Kernel = Kernel::new(&MODULE, "rows_cosets");

/// Threads of a block.
const THREADS: u32 = 128;
/// Cells of a row in a block of its hash.
const BLOCK_CELLS: usize = BLOCK_BYTES / size_of::<Goldilocks>();
/// Largest cosets of [`coset_digests`], `log2`: such a leaf is one chunk.
const MAX_ARITY_LOG2: u32 = 5;

/// Digests of the rows of a table whose columns come a few at a time, so that a table never has to be in
/// memory whole.
///
/// ```text
///     let mut hasher = RowHasher::new(stream, rows, width)?;
///     for columns in …  { hasher.absorb(stream, columns)?; }
///     let digests = hasher.finish();
/// ```
///
/// 8 bytes read and one eighth of a compression (85 operations) a cell; 32 bytes written a row, and 64 more
/// of traffic a row for each time it is interrupted.
#[derive(Debug)]
pub struct RowHasher {
    rows: usize,
    cells_left: usize,
    tree: ChunkTree,
    /// Chaining values between launches, then the digests.
    digests: DeviceBuffer<Digest>,
}

impl RowHasher {
    /// At the start of `rows` rows of `width` cells. A row of more than 128 cells needs up to 32 bytes for
    /// every doubling of that, besides its digest.
    ///
    /// # Errors
    /// Those of [`Stream::alloc`] and [`Launch::run`](crate::Launch::run).
    pub fn new(stream: &Stream, rows: usize, width: usize) -> Result<Self, DeviceError> {
        let digests = stream.alloc(rows, "row digests")?;
        let tree = ChunkTree::new(stream, rows, width * size_of::<Goldilocks>())?;
        let mut hasher = Self { rows, cells_left: width, tree, digests };
        if width == 0 {
            let launch = stream.launch(&ABSORB, Grid::linear(rows as u64, THREADS));
            let launch = launch.null().u64(rows as u64).u64(rows as u64).u32(0);
            hasher.tree.advance(launch, 1, hasher.digests.as_slice_mut()).run()?;
        }
        Ok(hasher)
    }

    /// Absorbs the next columns, whole and one after the other: a multiple of 8, or all that are left.
    ///
    /// # Panics
    /// When they are another number of columns.
    ///
    /// # Errors
    /// Those of [`Launch::run`](crate::Launch::run).
    pub fn absorb(
        &mut self,
        stream: &Stream,
        columns: DeviceSlice<'_, Goldilocks>,
    ) -> Result<(), DeviceError> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut width = columns.len() / self.rows;
        assert_eq!(columns.len(), width * self.rows, "columns are whole");
        assert!(width <= self.cells_left, "{width} columns come where {} are left", self.cells_left);
        assert!(
            width == self.cells_left || width.is_multiple_of(BLOCK_CELLS),
            "{width} columns end within a block of the rows' hashes"
        );
        let mut columns = columns;
        while width > 0 {
            let cells = width.min(self.tree.remaining_in_chunk() * BLOCK_CELLS);
            let launch = stream
                .launch(&ABSORB, Grid::linear(self.rows as u64, THREADS))
                .read(columns.slice(..cells * self.rows))
                .u64(self.rows as u64)
                .u64(self.rows as u64)
                .u32(cells as u32);
            let blocks = cells.div_ceil(BLOCK_CELLS);
            self.tree.advance(launch, blocks, self.digests.as_slice_mut()).run()?;
            columns = columns.slice(cells * self.rows..);
            width -= cells;
            self.cells_left -= cells;
        }
        Ok(())
    }

    /// The digests, one a row: [`lambda_math::hash::hash_row`] of each.
    ///
    /// # Panics
    /// When columns are missing.
    pub fn finish(self) -> DeviceBuffer<Digest> {
        assert!(self.rows == 0 || self.cells_left == 0, "{} columns are missing", self.cells_left);
        self.digests
    }
}

/// Bytes that hashing `rows` rows of `width` cells takes besides the digests: subtrees that wait.
pub fn hashing_scratch_bytes(rows: usize, width: usize) -> u64 {
    (ChunkTree::stack_entries(width * size_of::<Goldilocks>()) * rows * size_of::<Digest>()) as u64
}

/// Digests of `rows` rows whose columns, of any number, lie one after the other.
///
/// # Panics
/// When the columns do not have that many rows.
///
/// # Errors
/// Those of [`RowHasher`].
pub fn row_digests(
    stream: &Stream,
    columns: DeviceSlice<'_, Goldilocks>,
    rows: usize,
) -> Result<DeviceBuffer<Digest>, DeviceError> {
    let mut hasher = RowHasher::new(stream, rows, columns.len().checked_div(rows).unwrap_or(0))?;
    hasher.absorb(stream, columns)?;
    Ok(hasher.finish())
}

/// Leaves of the tree over a codeword's cosets of `2^arity_log2` points, in slab order: a leaf is the
/// [`lambda_math::hash::hash_row`] of a coset's values in position order, three cells each. `codeword` is one
/// extension column of slabs of `2^height_log2` values.
///
/// 24 bytes read and three eighths of a compression (255 operations) a value; 32 bytes written a leaf.
///
/// # Panics
/// When the codeword is not whole slabs, or a coset is larger than a slab or than `2^5` points.
///
/// # Errors
/// Those of [`Stream::alloc`] and [`Launch::run`](crate::Launch::run).
pub fn coset_digests(
    stream: &Stream,
    codeword: DeviceSlice<'_, Goldilocks>,
    height_log2: u32,
    arity_log2: u32,
) -> Result<DeviceBuffer<Digest>, DeviceError> {
    let rows = codeword.len() / EXT_DEGREE;
    assert!(
        codeword.len() == EXT_DEGREE * rows && rows.is_multiple_of(1 << height_log2),
        "a codeword is whole slabs of one extension column"
    );
    assert!(
        arity_log2 <= height_log2.min(MAX_ARITY_LOG2),
        "cosets of 2^{arity_log2} points in slabs of 2^{height_log2}"
    );
    let leaves = rows >> arity_log2;
    let mut digests = stream.alloc(leaves, "codeword leaves")?;
    stream
        .launch(&COSETS, Grid::linear(leaves as u64, THREADS))
        .read(codeword)
        .u64(rows as u64)
        .u32(height_log2)
        .u32(arity_log2)
        .u64(leaves as u64)
        .write(&mut digests)
        .run()?;
    Ok(digests)
}
