//! Folding and joining codewords (`kernels/fri.cu`).
//!
//! A codeword of height `N` is one extension column, three base columns of `B·N` rows, in slabs, in the
//! variable `y = x/g`.

use lambda_math::field::EXT_DEGREE;
use lambda_math::{Digest, Ext3, Goldilocks, domain};
use p3_field::{Field, PrimeCharacteristicRing};

use crate::{
    DeviceBuffer, DeviceError, DeviceSlice, DeviceSliceMut, Grid, Kernel, Launch, PtxModule, Stream,
};

static MODULE: PtxModule = PtxModule::new("fri", include_str!("../../kernels/fri.ptx"));
static FOLD: Kernel = Kernel::new(&MODULE, "fri_fold");
static FOLD_LEAVES: Kernel = Kernel::new(&MODULE, "fri_fold_leaves");
static JOIN: Kernel = Kernel::new(&MODULE, "fri_join");

/// Largest fold, `log2`: by eight.
pub const MAX_ARITY_LOG2: u32 = 3;
/// Points of a leaf that [`Fold::run_with_leaves`] hashes, `log2`.
pub const LEAF_LOG2: u32 = 3;

/// Threads of a block: `FRI_THREADS` of the source.
const THREADS: u32 = 256;

/// A codeword, and what it is folded with.
#[derive(Clone, Copy, Debug)]
pub struct Fold<'a> {
    /// The codeword.
    pub codeword: DeviceSlice<'a, Goldilocks>,
    /// `log2` of its height.
    pub height_log2: u32,
    /// `log2` of the arity: 1, 2 or 3.
    pub arity_log2: u32,
    /// Challenge β.
    pub challenge: Ext3,
}

/// A shorter codeword that joins a folded one, and its weight.
#[derive(Clone, Copy, Debug)]
pub struct Joining<'a> {
    /// The codeword.
    pub codeword: DeviceSlice<'a, Goldilocks>,
    /// Its weight.
    pub weight: Ext3,
}

impl Fold<'_> {
    /// The folded codeword, folded by two as often as the arity says, with `β`, `β²`, `β⁴`,
    ///
    /// ```text
    ///     f'(y²) = (f(y) + f(-y))/2 + β·(f(y) - f(-y))/(2y)
    /// ```
    ///
    /// plus `joining`'s codeword times its weight.
    ///
    /// `24·(2^arity_log2 + 1)` bytes a folded value and 24 more where another joins; at arity 8, 140
    /// products.
    ///
    /// # Panics
    /// When a codeword is not whole, or the arity is not 2, 4 or 8, or more than the height.
    ///
    /// # Errors
    /// Those of [`Stream::alloc`] and [`Launch::run`].
    pub fn run(
        &self,
        stream: &Stream,
        joining: Option<Joining<'_>>,
    ) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
        let grid = Grid::linear(1 << self.folded_height_log2(), THREADS);
        let mut folded = stream.alloc(EXT_DEGREE * self.folded_rows(), "folded codeword")?;
        let launch = self.launch(stream, &FOLD, grid, &mut folded);
        match joining {
            Some(Joining { codeword, weight }) => {
                assert_eq!(codeword.len(), folded.len(), "codewords that join have one height");
                launch.read(codeword).ext(weight).run()?;
            }
            None => launch.null().ext(Ext3::ZERO).run()?,
        }
        Ok(folded)
    }

    /// The folded codeword and the leaves of its tree over cosets of `2^LEAF_LOG2` points, in slab order:
    /// what [`run`](Self::run) and [`coset_digests`](super::rows::coset_digests) give, in one launch.
    ///
    /// `24·(2^arity_log2 + 1) + 4` bytes, at arity 8 some 140 products, and three eighths of a compression
    /// (255 operations) a folded value.
    ///
    /// # Panics
    /// As [`run`](Self::run) does, and when a leaf is larger than a slab.
    ///
    /// # Errors
    /// Those of [`Stream::alloc`] and [`Launch::run`].
    pub fn run_with_leaves(
        &self,
        stream: &Stream,
    ) -> Result<(DeviceBuffer<Goldilocks>, DeviceBuffer<Digest>), DeviceError> {
        assert!(self.folded_height_log2() >= LEAF_LOG2, "a leaf is not larger than a slab");
        let grid = Grid::linear(1 << self.folded_height_log2(), THREADS);
        let mut folded = stream.alloc(EXT_DEGREE * self.folded_rows(), "folded codeword")?;
        let mut leaves = stream.alloc(self.folded_rows() >> LEAF_LOG2, "codeword leaves")?;
        self.launch(stream, &FOLD_LEAVES, grid, &mut folded).write(&mut leaves).run()?;
        Ok((folded, leaves))
    }

    fn folded_height_log2(&self) -> u32 {
        assert!(
            (1..=MAX_ARITY_LOG2).contains(&self.arity_log2) && self.arity_log2 <= self.height_log2,
            "a fold is by 2, 4 or 8 and at most by the height"
        );
        self.height_log2 - self.arity_log2
    }

    fn folded_rows(&self) -> usize {
        (self.codeword.len() / EXT_DEGREE) >> self.arity_log2
    }

    /// A launch with the arguments that both kernels take, a row of blocks for each slab.
    fn launch<'s>(
        &self,
        stream: &'s Stream,
        kernel: &'static Kernel,
        grid: Grid,
        folded: &mut DeviceBuffer<Goldilocks>,
    ) -> Launch<'s> {
        let rows = self.codeword.len() / EXT_DEGREE;
        assert!(
            rows.is_power_of_two()
                && self.codeword.len() == EXT_DEGREE * rows
                && rows >> self.height_log2 > 0,
            "a codeword is whole slabs of one extension column"
        );
        let blowup_log2 = rows.trailing_zeros() - self.height_log2;
        stream
            .launch(kernel, grid.rows(1 << blowup_log2))
            .read(self.codeword)
            .u64(rows as u64)
            .write(folded)
            .u64(self.folded_rows() as u64)
            .u64(1 << self.folded_height_log2())
            .u32(blowup_log2)
            .u32(self.arity_log2)
            .ext(self.challenge)
            .field(domain::root_of_unity(self.height_log2 + blowup_log2).inverse())
            .field(domain::root_of_unity(self.arity_log2).inverse())
            .field(Goldilocks::TWO.inverse().exp_u64(self.arity_log2.into()))
    }
}

/// Adds `joining`'s codeword, times its weight, to `codeword` of the same height.
///
/// 72 bytes and nine products a value.
///
/// # Panics
/// When the heights differ.
///
/// # Errors
/// Those of [`Launch::run`].
pub fn join<'b>(
    stream: &Stream,
    codeword: impl Into<DeviceSliceMut<'b, Goldilocks>>,
    joining: Joining<'_>,
) -> Result<(), DeviceError> {
    let codeword = codeword.into();
    assert_eq!(codeword.len(), joining.codeword.len(), "codewords that join have one height");
    let rows = (codeword.len() / EXT_DEGREE) as u64;
    stream
        .launch(&JOIN, Grid::linear(rows, THREADS))
        .write(codeword)
        .read(joining.codeword)
        .u64(rows)
        .ext(joining.weight)
        .run()
}
