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
/// below `N`: three base columns of `N` rows,
///
/// ```text
///     Σ_k γ^k·(f_k(x) - f_k(ζ))/(x - ζ) + Σ_k γ^(K+k)·(f_k(x) - f_k(ζω))/(x - ζω)
/// ```
///
/// with the first sum over all `K` columns of all tables, in order, and the second one over their `next`
/// columns. `denominators` are the three columns of `1/(ζ - x)`; `1/(x_j - ζω) = -ω^-1/(ζ - x_{j-1})`.
///
/// 8 bytes and 18 multiply-adds of 32 bits a row and column; a table takes 72 bytes a row besides, and as
/// much for its `next` columns and for every 512 columns.
///
/// # Panics
/// When columns are not whole or lack values, or a `next` column is not there.
///
/// # Errors
/// Those of [`Stream::alloc`] and [`Launch::run`](crate::Launch::run).
pub fn combine<'b>(
    stream: &Stream,
    height_log2: u32,
    tables: &[DeepColumns<'_>],
    denominators: impl Into<DeviceSlice<'b, Goldilocks>>,
    gamma: Ext3,
) -> Result<DeviceBuffer<Goldilocks>, DeviceError> {
    let height = 1usize << height_log2;
    let denominators = denominators.into();
    assert_eq!(denominators.len(), EXT_DEGREE * height, "each row has a denominator");
    let mut slab = stream.alloc(EXT_DEGREE * height, "slab of a DEEP codeword")?;
    let mut sum = Sum { stream, denominators, height, slab: &mut slab, is_empty: true };
    let mut powers = gamma.powers();
    for table in tables {
        let width = table.lde.len() / table.lde_height;
        let columns: Vec<u32> = (0..width as u32).collect();
        let terms = terms(table, columns, table.values, &mut powers, Ext3::ONE);
        sum.add(table, &terms, 0)?;
    }
    let root_inverse = domain::root_of_unity(height_log2).inverse();
    for table in tables {
        let columns: Vec<u32> = table.next.iter().map(|&column| column as u32).collect();
        let terms = terms(table, columns, table.next_values, &mut powers, root_inverse.into());
        sum.add(table, &terms, 1)?;
    }
    if sum.is_empty {
        stream.fill_zero(&mut slab)?;
    }
    Ok(slab)
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

/// A column, its weight and its value out of domain.
struct Term {
    column: u32,
    weight: Ext3,
    value: Ext3,
}

/// Each column with the next power of γ, times `factor`.
fn terms(
    table: &DeepColumns<'_>,
    columns: Vec<u32>,
    values: &[Ext3],
    powers: &mut impl Iterator<Item = Ext3>,
    factor: Ext3,
) -> Vec<Term> {
    let width = table.lde.len() / table.lde_height;
    assert!(table.lde.len().is_multiple_of(table.lde_height), "columns are whole");
    assert!(columns.iter().all(|&column| (column as usize) < width), "columns at the next row exist");
    assert_eq!(columns.len(), values.len(), "each column has a value");
    let weights = powers.map(|power| power * factor);
    let columns = columns.into_iter().zip(values).zip(weights);
    columns.map(|((column, &value), weight)| Term { column, weight, value }).collect()
}

/// The codeword in the making.
struct Sum<'a> {
    stream: &'a Stream,
    denominators: DeviceSlice<'a, Goldilocks>,
    height: usize,
    slab: &'a mut DeviceBuffer<Goldilocks>,
    is_empty: bool,
}

impl Sum<'_> {
    /// Adds `Σ weight·(value - f(x_j))/(ζ - x_(j-rotation))`.
    fn add(&mut self, table: &DeepColumns<'_>, terms: &[Term], rotation: u32) -> Result<(), DeviceError> {
        assert!(self.height <= table.lde_height, "a slab is a part of a column");
        for terms in terms.chunks(MAX_COLUMNS) {
            let columns: Vec<u32> = terms.iter().map(|term| term.column).collect();
            let weights: Vec<Goldilocks> =
                terms.iter().flat_map(|term| ext_coefficients(term.weight)).collect();
            let value: Ext3 = terms.iter().map(|term| term.weight * term.value).sum();
            let columns = self.stream.upload(&columns, "DEEP columns")?;
            let weights = self.stream.upload(&weights, "DEEP weights")?;
            let blocks = self.height.div_ceil(BLOCK_ROWS) as u64;
            self.stream
                .launch(&ADD, Grid::linear(blocks * u64::from(THREADS), THREADS))
                .read(table.lde)
                .u64(table.lde_height as u64)
                .read(&columns)
                .u32(terms.len() as u32)
                .read(&weights)
                .ext(value)
                .read(self.denominators)
                .u64(self.height as u64)
                .u32(rotation)
                .u32(u32::from(self.is_empty))
                .write(&mut *self.slab)
                .run()?;
            self.is_empty = false;
        }
        Ok(())
    }
}
