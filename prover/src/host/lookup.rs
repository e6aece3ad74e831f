//! Round 03 on the host: lookup columns from the trace.

use lambda_air::interpreter::{BLOCK_ROWS, ColumnBlock, Packed, Registers, RowBlock, Sink, run};
use lambda_math::field::{EXT_DEGREE, ext_coefficients};
use lambda_math::{Columns, Ext3, Goldilocks};
use p3_field::{Field, PackedFieldExtension, PackedValue, PrimeCharacteristicRing};
use rayon::prelude::*;

use super::domain::SelectorColumns;
use super::messages::{MessageWeights, Messages, PackedExt};
use super::{HostBackend, slices};
use crate::backend::LookupInput;
use crate::fault::Fault;

impl Sink for Messages<'_> {
    fn constraint(&mut self, _index: usize, _values: impl Fn(usize) -> Packed) {
        unreachable!("a program of interactions has no constraints");
    }

    #[inline(always)]
    fn field(&mut self, interaction: usize, field: usize, values: impl Fn(usize) -> Packed) {
        Self::field(self, interaction, field, values);
    }

    #[inline(always)]
    fn multiplicity(&mut self, interaction: usize, values: impl Fn(usize) -> Packed) {
        Self::multiplicity(self, interaction, values);
    }
}

/// The lookup columns of a table, three base columns each, and its sum.
///
/// Column `g` holds the terms of group `g`; the last one holds the running sum, which starts at zero and
/// grows by all terms of the row less the mean.
pub fn lookup_columns(input: &LookupInput<'_, HostBackend>) -> Result<(Columns, Ext3), Fault> {
    let table = input.table;
    let shape = &table.key.shape;
    let height = 1usize << table.height_log2;
    let groups = &shape.lookup.groups;
    let weights = MessageWeights::new(&table.key.dag.interactions, input.challenges);
    let selectors = SelectorColumns::on_trace(table.key, height);
    let main = slices(input.main);
    let preprocessed = input.preprocessed.map(|columns| slices(columns)).unwrap_or_default();
    let mut columns = Columns::scratch(height, groups.len() * EXT_DEGREE);
    let rows = BLOCK_ROWS.min(height);

    // Terms of each group; the last group's columns hold the row's total for now.
    let complete = columns
        .row_blocks_mut(rows)
        .into_par_iter()
        .enumerate()
        .map_init(
            || (Messages::new(&weights, rows / Packed::WIDTH), Registers::default(), Inversion::default()),
            |(messages, registers, inversion), (block, mut out)| {
                let start = block * rows;
                let row_block = RowBlock {
                    main: ColumnBlock::new(&main, &shape.main_next, start, rows),
                    preprocessed: ColumnBlock::new(&preprocessed, &shape.preprocessed_next, start, rows),
                    public_values: table.public_values,
                    selectors: selectors.block(start, rows),
                };
                messages.reset();
                run(input.program, &row_block, registers, messages);
                let packs = rows / Packed::WIDTH;
                inversion.clear();
                for &group in groups {
                    for i in 0..packs {
                        let (numerator, denominator) = messages.group(group, i);
                        inversion.push(numerator, denominator);
                    }
                }
                if !inversion.divide() {
                    return false;
                }
                let mut totals = vec![PackedExt::ZERO; packs];
                for (group, terms) in inversion.quotients.chunks_exact(packs).enumerate() {
                    for (total, &term) in totals.iter_mut().zip(terms) {
                        *total += term;
                    }
                    let stored = if group + 1 == groups.len() { &totals } else { terms };
                    store(stored, &mut out[group * EXT_DEGREE..][..EXT_DEGREE]);
                }
                true
            },
        )
        .reduce(|| true, |a, b| a && b);
    if !complete {
        return Err(Fault::Corrupt { table: table.index, check: "message off the bus argument's pole" });
    }
    let sum = accumulate(&mut columns, groups.len() - 1);
    Ok((columns, sum))
}

/// Writes extension values to their three base columns.
pub fn store(values: &[PackedExt], columns: &mut [&mut [Goldilocks]]) {
    use p3_field::BasedVectorSpace;
    for (k, column) in columns.iter_mut().enumerate() {
        for (cell, value) in Packed::pack_slice_mut(column).iter_mut().zip(values) {
            *cell = value.as_basis_coefficients_slice()[k];
        }
    }
}

/// Replaces the row totals in extension column `column` by the running sum; returns the table's sum.
fn accumulate(columns: &mut Columns, column: usize) -> Ext3 {
    let height = columns.height();
    let cells = &mut columns.values_mut()[column * EXT_DEGREE * height..][..EXT_DEGREE * height];
    let mean_factor = Goldilocks::from_usize(height).inverse();
    // The coefficients of a sum are the sums of coefficients.
    let sums: Vec<Goldilocks> = cells
        .par_chunks_exact_mut(height)
        .map(|column| {
            let sum: Goldilocks = column.iter().copied().sum();
            let mean = sum * mean_factor;
            let mut running = Goldilocks::ZERO;
            for cell in column {
                let total = *cell;
                *cell = running;
                running += total - mean;
            }
            sum
        })
        .collect();
    Ext3::new([sums[0], sums[1], sums[2]])
}

/// Many divisions for one inversion (Montgomery's trick), in SIMD lanes.
#[derive(Default)]
struct Inversion {
    quotients: Vec<PackedExt>,
    denominators: Vec<PackedExt>,
    prefixes: Vec<PackedExt>,
}

impl Inversion {
    fn clear(&mut self) {
        self.quotients.clear();
        self.denominators.clear();
        self.prefixes.clear();
    }

    fn push(&mut self, numerator: PackedExt, denominator: PackedExt) {
        self.quotients.push(numerator);
        self.denominators.push(denominator);
    }

    /// Replaces each numerator by its quotient; false when a denominator is zero.
    fn divide(&mut self) -> bool {
        let mut product = PackedExt::ONE;
        for &denominator in &self.denominators {
            self.prefixes.push(product);
            product *= denominator;
        }
        let mut lanes = vec![Ext3::ZERO; Packed::WIDTH];
        product.to_ext_slice(&mut lanes);
        if lanes.iter().any(|lane| ext_coefficients(*lane) == [Goldilocks::ZERO; EXT_DEGREE]) {
            return false;
        }
        let lanes = p3_field::batch_multiplicative_inverse(&lanes);
        let mut inverse = PackedExt::from_ext_slice(&lanes);
        let parts = self.quotients.iter_mut().zip(&self.denominators).zip(&self.prefixes);
        for ((quotient, &denominator), &prefix) in parts.rev() {
            *quotient *= inverse * prefix;
            inverse *= denominator;
        }
        true
    }
}
