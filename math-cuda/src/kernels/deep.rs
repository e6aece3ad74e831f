//! DEEP codewords: columns combined on slab 0 (`kernels/deep.cu`) and extended.

use lambda_math::field::{EXT_DEGREE, ext_coefficients};
use lambda_math::{Ext3, Goldilocks, domain};
use p3_field::{Field, PrimeCharacteristicRing};

use super::ntt::{self, Twiddles};
use crate::{DeviceBuffer, DeviceError, DeviceSlice, Grid, Kernel, PtxModule, Stream};

static MODULE: PtxModule = PtxModule::new("deep", include_str!("../../kernels/deep.ptx"));
static ADD: Kernel = Kernel::new(&MODULE, "deep_add");

/// Threads of a block, its rows, and the most columns of a launch: as in the source.
const THREADS: u32 = 256;
const BLOCK_ROWS: usize = 1024;
const MAX_COLUMNS: usize = 512;

/// Columns of one table in one tree.
#[derive(Clone, Copy, Debug)]
pub struct DeepColumns<'a> {
    /// The extended columns.
    pub lde: DeviceSlice<'a, Goldilocks>,
    /// Rows of an extended column.
    pub lde_height: usize,
    /// Columns that are also opened at the next row.
    pub next: &'a [usize],
    /// Values of all columns at ζ.
    pub values: &'a [Ext3],
    /// Values of the `next` columns at ζ·ω.
    pub next_values: &'a [Ext3],
}

/// The DEEP codeword of all tables of height `2^height_log2` on slab 0, where it is a polynomial of degree
/// below `N`: what a [`Combination`] of `tables` is.
///
/// # Panics
/// As [`Combination::add`] does.
///
/// # Errors
/// Those of [`Combination`].
pub fn combine<'b>(
    stream: &Stream,
    height_log2: u32,
    tables: &[DeepColumns<'_>],
    denominators: impl Into<DeviceSlice<'b, Goldilocks>>,
    gamma: Ext3,
) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
    let count = tables.iter().map(DeepColumns::width).sum();
    let mut combination = Combination::new(stream, height_log2, count, denominators.into(), gamma)?;
    for table in tables {
        combination.add(table)?;
    }
    combination.finish()
}

/// The DEEP codeword on all `2^blowup_log2` slabs: what [`combine`] gives, extended from slab 0.
///
/// Needs memory for the codeword, for slab 0 of it, and for what [`ntt::coset_lde`] takes.
///
/// # Panics
/// As [`combine`] and [`ntt::coset_lde`] do.
///
/// # Errors
/// Those of [`combine`] and [`ntt::coset_lde`].
pub fn codeword<'b>(
    stream: &Stream,
    twiddles: &Twiddles,
    [height_log2, blowup_log2]: [u32; 2],
    tables: &[DeepColumns<'_>],
    denominators: impl Into<DeviceSlice<'b, Goldilocks>>,
    gamma: Ext3,
) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
    let slab = combine(stream, height_log2, tables, denominators, gamma)?;
    let mut codeword = stream.alloc(slab.len() << blowup_log2, "DEEP codeword")?;
    let (from, to) = (slab.as_slice(), codeword.as_slice_mut());
    ntt::coset_lde(stream, twiddles, height_log2, blowup_log2, from, domain::SHIFT, to)?;
    Ok(codeword)
}

/// A DEEP codeword in the making, whose columns come a few at a time:
///
/// ```text
///     Σ_k γ^k·(f_k(x) - f_k(ζ))/(x - ζ) + Σ_k γ^(K+k)·(f_k(x) - f_k(ζω))/(x - ζω)
/// ```
///
/// with the first sum over all `K` columns of all tables, in order, and the second one over their `next`
/// columns: three base columns of `N` rows. With the columns of `1/(ζ - x)` given, `1/(x_j - ζω) =
/// -ω^-1/(ζ - x_{j-1})`.
///
/// 8 bytes and 18 multiply-adds of 32 bits a row and column; each [`add`](Self::add) takes 72 bytes a row
/// besides, and as much for its `next` columns and for every 512 columns.
#[derive(Debug)]
pub struct Combination<'a> {
    stream: &'a Stream,
    denominators: DeviceSlice<'a, Goldilocks>,
    height: usize,
    gamma: Ext3,
    /// The next column's power of γ, and that of the next one at the next row.
    powers: [Ext3; 2],
    slab: DeviceBuffer<Goldilocks>,
    is_empty: bool,
}

impl<'a> Combination<'a> {
    /// Nothing yet of `count` columns of tables of height `2^height_log2`.
    ///
    /// # Panics
    /// When the denominators are not three columns of that height.
    ///
    /// # Errors
    /// Those of [`Stream::alloc`].
    pub fn new(
        stream: &'a Stream,
        height_log2: u32,
        count: usize,
        denominators: DeviceSlice<'a, Goldilocks>,
        gamma: Ext3,
    ) -> Result<Self, DeviceError> {
        let height = 1usize << height_log2;
        assert_eq!(denominators.len(), EXT_DEGREE * height, "each row has a denominator");
        let slab = stream.alloc(EXT_DEGREE * height, "slab of a DEEP codeword")?;
        let powers = [Ext3::ONE, gamma.exp_u64(count as u64)];
        Ok(Self { stream, denominators, height, gamma, powers, slab, is_empty: true })
    }

    /// Adds the next columns.
    ///
    /// # Panics
    /// When columns are not whole or lack values, or a `next` column is not there.
    ///
    /// # Errors
    /// Those of [`Stream::upload`] and [`Launch::run`](crate::Launch::run).
    pub fn add(&mut self, columns: &DeepColumns<'_>) -> Result<(), DeviceError> {
        assert!(columns.lde.len().is_multiple_of(columns.lde_height), "columns are whole");
        assert!(self.height <= columns.lde_height, "a slab is a part of a column");
        let width = columns.width();
        let all: Vec<u32> = (0..width as u32).collect();
        let next: Vec<u32> = columns.next.iter().map(|&column| column as u32).collect();
        assert!(next.iter().all(|&column| (column as usize) < width), "columns at the next row exist");
        let root_inverse = domain::root_of_unity(self.height.trailing_zeros()).inverse();
        self.add_terms(columns, &all, columns.values, Ext3::ONE, 0)?;
        self.add_terms(columns, &next, columns.next_values, root_inverse.into(), 1)
    }

    /// Adds `Σ factor·power·(value - f(x_j))/(ζ - x_(j-rotation))` over the columns in `list`.
    fn add_terms(
        &mut self,
        columns: &DeepColumns<'_>,
        list: &[u32],
        values: &[Ext3],
        factor: Ext3,
        rotation: usize,
    ) -> Result<(), DeviceError> {
        assert_eq!(list.len(), values.len(), "each column has a value");
        for (list, values) in list.chunks(MAX_COLUMNS).zip(values.chunks(MAX_COLUMNS)) {
            let powers = self.gamma.shifted_powers(self.powers[rotation] * factor);
            let weights: Vec<Ext3> = powers.take(list.len()).collect();
            self.powers[rotation] *= self.gamma.exp_u64(list.len() as u64);
            let value: Ext3 = weights.iter().zip(values).map(|(&weight, &value)| weight * value).sum();
            let weights: Vec<Goldilocks> = weights.into_iter().flat_map(ext_coefficients).collect();
            let list_on_device = self.stream.upload(list, "DEEP columns")?;
            let weights = self.stream.upload(&weights, "DEEP weights")?;
            let blocks = self.height.div_ceil(BLOCK_ROWS) as u64;
            self.stream
                .launch(&ADD, Grid::linear(blocks * u64::from(THREADS), THREADS))
                .read(columns.lde)
                .u64(columns.lde_height as u64)
                .read(&list_on_device)
                .u32(list.len() as u32)
                .read(&weights)
                .ext(value)
                .read(self.denominators)
                .u64(self.height as u64)
                .u32(rotation as u32)
                .u32(u32::from(self.is_empty))
                .write(&mut self.slab)
                .run()?;
            self.is_empty = false;
        }
        Ok(())
    }

    /// The codeword on slab 0, of the columns that were added; zero of none.
    ///
    /// # Errors
    /// Those of [`Stream::fill_zero`].
    pub fn finish(mut self) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
        if self.is_empty {
            self.stream.fill_zero(&mut self.slab)?;
        }
        Ok(self.slab)
    }
}

impl DeepColumns<'_> {
    fn width(&self) -> usize {
        self.lde.len() / self.lde_height
    }
}
