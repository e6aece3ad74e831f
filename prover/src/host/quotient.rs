//! Round 04 on the host: a table's composition on the slabs of its quotient.

use lambda_air::dag::RowOffset;
use lambda_air::interpreter::{BLOCK_ROWS, ColumnBlock, Packed, Registers, RowBlock, Sink, run};
use lambda_math::field::EXT_DEGREE;
use lambda_math::weighted::WeightedRows;
use lambda_math::{Columns, Ext3, Goldilocks, domain};
use p3_field::{BasedVectorSpace, Field, PackedValue, PrimeCharacteristicRing};
use rayon::prelude::*;

use super::domain::SelectorColumns;
use super::messages::{MessageWeights, Messages, PackedExt};
use super::{HostBackend, slab_slices};
use crate::backend::QuotientInput;

/// Constraints that are added up together.
const GROUP: usize = 16;

/// The parts of the quotient `Σ α^k·C_k / (x^N - 1)`: part `c` on slab `c`.
pub fn quotient_parts(input: &QuotientInput<'_, HostBackend>) -> Vec<Columns> {
    (0..input.table.key.shape.quotient_parts()).map(|slab| part(input, slab)).collect()
}

fn part(input: &QuotientInput<'_, HostBackend>, slab: usize) -> Columns {
    let table = input.table;
    let shape = &table.key.shape;
    let height = 1usize << table.height_log2;
    let blowup_log2 = input.main.height().trailing_zeros() - table.height_log2;
    let shift = domain::slab_shift(slab, table.height_log2, blowup_log2);
    let vanishing = shift.exp_power_of_2(table.height_log2 as usize) - Goldilocks::ONE;
    let main = slab_slices(input.main, slab, height);
    let preprocessed: Vec<&[Goldilocks]> =
        input.preprocessed.map(|lde| slab_slices(lde, slab, height)).unwrap_or_default();
    let lookup: Vec<&[Goldilocks]> =
        input.lookup.map(|lde| slab_slices(lde, slab, height)).unwrap_or_default();
    let selectors = SelectorColumns::on_coset(table.key, height, shift);
    let weights = MessageWeights::new(&table.key.dag.interactions, input.challenges);
    let powers: Vec<Ext3> = input.alpha.powers().take(shape.composed_constraints()).collect();
    let lookup_terms = LookupTerms::new(input, &powers[shape.constraints..], height);
    let rows = BLOCK_ROWS.min(height);
    let inverse = Packed::from(vanishing.inverse());

    let mut part = Columns::scratch(height, EXT_DEGREE);
    part.row_blocks_mut(rows).into_par_iter().enumerate().for_each_init(
        || (Composer::new(&weights, &powers, rows), Registers::default()),
        |(composer, registers), (block, out)| {
            let start = block * rows;
            let row_block = RowBlock {
                main: ColumnBlock::new(&main, &shape.main_next, start, rows),
                preprocessed: ColumnBlock::new(&preprocessed, &shape.preprocessed_next, start, rows),
                public_values: table.public_values,
                selectors: selectors.block(start, rows),
            };
            composer.messages.reset();
            run(input.program, &row_block, registers, composer);
            let Ok(mut out): Result<[&mut [Goldilocks]; EXT_DEGREE], _> = out.try_into() else {
                unreachable!("a part has three columns")
            };
            composer.take(out.each_mut().map(|column| &mut **column));
            if !lookup.is_empty() {
                let next: Vec<usize> = (lookup.len() - EXT_DEGREE..lookup.len()).collect();
                let lookup = ColumnBlock::new(&lookup, &next, start, rows);
                lookup_terms.add(&composer.messages, &lookup, &mut out);
            }
            for column in out {
                for cell in Packed::pack_slice_mut(column) {
                    *cell *= inverse;
                }
            }
        },
    );
    part
}

/// Adds up `α^k·C_k` and collects messages.
struct Composer<'a> {
    messages: Messages<'a>,
    powers: &'a [Ext3],
    sums: WeightedRows,
    /// Values of [`GROUP`] constraints, of which the first `waiting` wait to be added.
    values: Columns,
    waiting: usize,
    added: usize,
}

impl<'a> Composer<'a> {
    fn new(weights: &'a MessageWeights, powers: &'a [Ext3], rows: usize) -> Self {
        Self {
            messages: Messages::new(weights, rows / Packed::WIDTH),
            powers,
            sums: WeightedRows::new(rows),
            values: Columns::zeros(rows, GROUP),
            waiting: 0,
            added: 0,
        }
    }

    fn add_waiting(&mut self) {
        let columns: Vec<&[Goldilocks]> = self.values.iter().take(self.waiting).collect();
        self.sums.add(&columns, &self.powers[self.added..self.added + self.waiting]);
        self.added += self.waiting;
        self.waiting = 0;
    }

    /// Ends a block: `Σ α^k·C_k` of the body's constraints.
    fn take(&mut self, out: [&mut [Goldilocks]; EXT_DEGREE]) {
        self.add_waiting();
        self.added = 0;
        self.sums.take(out);
    }
}

impl Sink for Composer<'_> {
    #[inline(always)]
    fn constraint(&mut self, index: usize, values: impl Fn(usize) -> Packed) {
        debug_assert_eq!(index, self.added + self.waiting, "constraints come in program order");
        let column = Packed::pack_slice_mut(self.values.column_mut(self.waiting));
        for (i, value) in column.iter_mut().enumerate() {
            *value = values(i);
        }
        self.waiting += 1;
        if self.waiting == GROUP {
            self.add_waiting();
        }
    }

    #[inline(always)]
    fn field(&mut self, interaction: usize, field: usize, values: impl Fn(usize) -> Packed) {
        self.messages.field(interaction, field, values);
    }

    #[inline(always)]
    fn multiplicity(&mut self, interaction: usize, values: impl Fn(usize) -> Packed) {
        self.messages.multiplicity(interaction, values);
    }
}

/// The lookup constraints of a table (`lambda_air::lookup`), weighed with their powers of α.
struct LookupTerms<'a> {
    groups: &'a [lambda_air::lookup::Group],
    powers: Vec<PackedExt>,
    /// `T/N`.
    mean: PackedExt,
}

impl<'a> LookupTerms<'a> {
    fn new(input: &QuotientInput<'a, HostBackend>, powers: &[Ext3], height: usize) -> Self {
        let mean = input.lookup_sum * Goldilocks::from_usize(height).inverse();
        Self {
            groups: &input.table.key.shape.lookup.groups,
            powers: powers.iter().map(|&power| power.into()).collect(),
            mean: mean.into(),
        }
    }

    fn add(
        &self,
        messages: &Messages<'_>,
        lookup: &ColumnBlock<'_>,
        out: &mut [&mut [Goldilocks]; EXT_DEGREE],
    ) {
        let read = |column: usize, row: RowOffset, i: usize| {
            PackedExt::from_basis_coefficients_fn(|k| lookup.rows(column * EXT_DEGREE + k, row)[i])
        };
        let last = self.groups.len() - 1;
        for i in 0..out[0].len() / Packed::WIDTH {
            let mut sum = PackedExt::ZERO;
            let mut columns = PackedExt::ZERO;
            for (g, (&group, &power)) in self.groups.iter().zip(&self.powers).enumerate() {
                let column = if g == last {
                    let growth = read(g, RowOffset::Next, i) - read(g, RowOffset::Current, i);
                    growth + self.mean - columns
                } else {
                    let column = read(g, RowOffset::Current, i);
                    columns += column;
                    column
                };
                let (numerator, denominator) = messages.group(group, i);
                sum += (column * denominator - numerator) * power;
            }
            let coefficients: &[Packed] = sum.as_basis_coefficients_slice();
            for (column, &coefficient) in out.iter_mut().zip(coefficients) {
                Packed::pack_slice_mut(column)[i] += coefficient;
            }
        }
    }
}
