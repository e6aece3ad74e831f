//! Rounds 05 and 06 on the host: columns out of domain, and combined into DEEP codewords.

use lambda_air::interpreter::Packed;
use lambda_math::field::EXT_DEGREE;
use lambda_math::ntt::{NttPlan, coset_lde};
use lambda_math::weighted::{RowWeights, WeightedRows};
use lambda_math::{Columns, Ext3, Goldilocks, domain};
use p3_field::{BasedVectorSpace, Field, PackedValue, PrimeCharacteristicRing};
use rayon::prelude::*;

use super::lookup::store;
use super::messages::PackedExt;
use super::{HostBackend, slab_slices};
use crate::backend::DeepColumns;

/// Rows whose weights, or sums, stay in cache while all columns pass.
const BLOCK_ROWS: usize = 256;

/// Values of all columns at ζ, and of the `next` ones at ζ·ω, from slab 0 (barycentric formula on `g·H_N`):
///
/// ```text
///     f(z) = (z^N - g^N) / (N·g^N) · Σ_j x_j·f(x_j) / (z - x_j)
/// ```
///
/// As `ζω - x_j = ω·(ζ - x_{j-1})`, the weights for ζ·ω are those for ζ, one row later.
pub fn evaluate(lde: &Columns, denominators: &Columns, zeta: Ext3, next: &[usize]) -> (Vec<Ext3>, Vec<Ext3>) {
    let height = denominators.height();
    let columns = slab_slices(lde, 0, height);
    let weights = row_weights(denominators);
    let next_columns: Vec<&[Goldilocks]> = next.iter().map(|&column| columns[column]).collect();
    let rotated = if next.is_empty() { Columns::default() } else { rotate(&weights) };
    let sums = weighted_sums(&columns, &weights);
    let next_sums = if next.is_empty() { Vec::new() } else { weighted_sums(&next_columns, &rotated) };
    let log2 = height.trailing_zeros() as usize;
    let shift = domain::SHIFT.exp_power_of_2(log2);
    let scale = (zeta.exp_power_of_2(log2) - shift) * (shift * Goldilocks::from_usize(height)).inverse();
    let scaled = |sums: Vec<Ext3>| sums.into_iter().map(|sum| sum * scale).collect();
    (scaled(sums), scaled(next_sums))
}

/// `x_j / (ζ - x_j)`.
fn row_weights(denominators: &Columns) -> Columns {
    let points = super::domain::points(denominators.height(), domain::SHIFT);
    let mut weights = denominators.clone();
    for k in 0..EXT_DEGREE {
        weights.column_mut(k).par_iter_mut().zip(&points).for_each(|(weight, &point)| *weight *= point);
    }
    weights
}

/// Row `j` becomes row `j - 1`, cyclically.
fn rotate(columns: &Columns) -> Columns {
    let mut rotated = columns.clone();
    for k in 0..columns.width() {
        rotated.column_mut(k).rotate_right(1);
    }
    rotated
}

/// `Σ_j w_j·f(j)` for each column.
fn weighted_sums(columns: &[&[Goldilocks]], weights: &Columns) -> Vec<Ext3> {
    let height = weights.height();
    let rows = BLOCK_ROWS.min(height);
    (0..height / rows)
        .into_par_iter()
        .map(|block| {
            let range = block * rows..(block + 1) * rows;
            let weights = RowWeights::new([0, 1, 2].map(|k| &weights.column(k)[range.clone()]));
            let blocks: Vec<&[Goldilocks]> = columns.iter().map(|column| &column[range.clone()]).collect();
            let mut sums = vec![Ext3::ZERO; columns.len()];
            weights.add_dots(&mut sums, &blocks);
            sums
        })
        .reduce(|| vec![Ext3::ZERO; columns.len()], add_all)
}

fn add_all(mut a: Vec<Ext3>, b: Vec<Ext3>) -> Vec<Ext3> {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
    a
}

/// The DEEP codeword of one height: computed on slab 0, where it is a polynomial of degree below `N`, and
/// extended.
pub fn deep(
    height_log2: u32,
    blowup_log2: u32,
    tables: &[DeepColumns<'_, HostBackend>],
    denominators: &Columns,
    gamma: Ext3,
) -> Columns {
    let height = 1usize << height_log2;
    let mut batch = Batch { columns: Vec::new(), weights: Vec::new(), at_zeta: Ext3::ZERO };
    let mut powers = gamma.powers();
    for table in tables {
        let slices = slab_slices(table.lde, 0, height);
        batch.add(slices.into_iter(), table.values, &mut powers);
    }
    let current = batch;
    let mut next = Batch { columns: Vec::new(), weights: Vec::new(), at_zeta: Ext3::ZERO };
    for table in tables {
        let slices = slab_slices(table.lde, 0, height);
        next.add(table.next.iter().map(|&column| slices[column]), table.next_values, &mut powers);
    }
    let root_inverse = Packed::from(domain::root_of_unity(height_log2).inverse());
    let mut slab = Columns::scratch(height, EXT_DEGREE);
    let rows = BLOCK_ROWS.min(height);
    let previous = rotate(denominators);
    slab.row_blocks_mut(rows).into_par_iter().enumerate().for_each_init(
        || [Columns::zeros(rows, EXT_DEGREE), Columns::zeros(rows, EXT_DEGREE)],
        |[current_sums, next_sums], (block, mut out)| {
            let start = block * rows;
            current.sum(start, rows, current_sums);
            next.sum(start, rows, next_sums);
            let quotients: Vec<PackedExt> = (0..rows / Packed::WIDTH)
                .map(|i| {
                    // 1/(x-ζ) = -1/(ζ-x) and 1/(x_j-ζω) = -ω^-1/(ζ-x_{j-1}).
                    let current = PackedExt::from(current.at_zeta) - packed(current_sums, 0, i);
                    let next = PackedExt::from(next.at_zeta) - packed(next_sums, 0, i);
                    current * packed(denominators, start, i)
                        + next * packed(&previous, start, i) * root_inverse
                })
                .collect();
            store(&quotients, &mut out);
        },
    );
    coset_lde(&NttPlan::new(height_log2, blowup_log2), &slab, domain::SHIFT)
}

/// Register `i` of the extension column in `columns`, from row `start` on.
fn packed(columns: &Columns, start: usize, i: usize) -> PackedExt {
    let first = start + i * Packed::WIDTH;
    PackedExt::from_basis_coefficients_fn(|k| {
        *Packed::from_slice(&columns.column(k)[first..first + Packed::WIDTH])
    })
}

/// Columns with their powers of the batching challenge, and the weighted sum of their values.
struct Batch<'a> {
    columns: Vec<&'a [Goldilocks]>,
    weights: Vec<Ext3>,
    at_zeta: Ext3,
}

impl<'a> Batch<'a> {
    fn add(
        &mut self,
        columns: impl Iterator<Item = &'a [Goldilocks]>,
        values: &[Ext3],
        powers: &mut impl Iterator<Item = Ext3>,
    ) {
        for (column, (&value, power)) in columns.zip(values.iter().zip(powers)) {
            self.columns.push(column);
            self.weights.push(power);
            self.at_zeta += power * value;
        }
    }

    /// `Σ γ^k·f_k` on rows `start..start + rows`.
    fn sum(&self, start: usize, rows: usize, out: &mut Columns) {
        let mut sums = WeightedRows::new(rows);
        let blocks: Vec<&[Goldilocks]> =
            self.columns.iter().map(|column| &column[start..start + rows]).collect();
        sums.add(&blocks, &self.weights);
        let [a, b, c] = three(out);
        sums.take([a, b, c]);
    }
}

fn three(columns: &mut Columns) -> [&mut [Goldilocks]; EXT_DEGREE] {
    let height = columns.height();
    let (a, rest) = columns.values_mut().split_at_mut(height);
    let (b, c) = rest.split_at_mut(height);
    [a, b, c]
}
