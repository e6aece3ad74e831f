//! Running a table's body over the rows of its trace.

use core::ops::Range;

use lambda_air::dag::{Leaf, RowOffset, Selector};
use lambda_air::rows::{Interaction, RowPair, Selectors};
use lambda_air::{ConstraintDag, Direction, RowBuilder};
use lambda_math::{Columns, Goldilocks, domain};
use lambda_verifier::key::TableKey;
use lambda_verifier::{ProvingKey, Statement};
use p3_field::{Field, PrimeCharacteristicRing};
use rayon::prelude::*;

/// Rows transposed at a time.
const CHUNK_ROWS: usize = 64;

/// A table with all that its body reads. The shapes are right.
pub struct TableRows<'a> {
    key: &'a TableKey,
    main: &'a Columns,
    preprocessed: Option<&'a Columns>,
    public_values: &'a [Goldilocks],
    root: Goldilocks,
}

impl<'a> TableRows<'a> {
    /// The tables of a system.
    pub fn all(key: &'a ProvingKey, traces: &'a [Columns], statement: &'a Statement) -> Vec<Self> {
        let tables = key.verifying.tables.iter().zip(&key.preprocessed);
        tables
            .zip(traces)
            .zip(&statement.public_values)
            .map(|(((key, preprocessed), main), public_values)| Self {
                key,
                main,
                preprocessed: preprocessed.as_ref().map(|table| &*table.trace),
                public_values,
                root: domain::root_of_unity(main.height().trailing_zeros()),
            })
            .collect()
    }

    /// Number of constraints of the body.
    pub fn constraint_count(&self) -> usize {
        self.key.shape.constraints
    }

    /// The body as a graph.
    pub fn dag(&self) -> &ConstraintDag {
        &self.key.dag
    }

    fn height(&self) -> usize {
        self.main.height()
    }

    /// Ranges that cover all rows, each the work of one task.
    pub fn chunks(&self) -> impl IndexedParallelIterator<Item = Range<usize>> {
        let rows = CHUNK_ROWS.min(self.height());
        (0..self.height() / rows).into_par_iter().map(move |chunk| chunk * rows..(chunk + 1) * rows)
    }

    /// Runs the body on each of `rows` and hands over what it computes.
    pub fn evaluate(&self, rows: Range<usize>, mut visit: impl FnMut(usize, RowBuilder<'_, Goldilocks>)) {
        let main = RowMajor::new(Some(self.main), rows.clone());
        let preprocessed = RowMajor::new(self.preprocessed, rows.clone());
        for (index, row) in rows.enumerate() {
            visit(row, self.run([main.pair(index), preprocessed.pair(index)], self.selectors(row)));
        }
    }

    /// Values of the constraints on `row`, with `selectors` in place of the row's own.
    pub fn constraints_at(&self, row: usize, selectors: Selectors<Goldilocks>) -> Vec<Goldilocks> {
        let main = RowMajor::new(Some(self.main), row..row + 1);
        let preprocessed = RowMajor::new(self.preprocessed, row..row + 1);
        self.run([main.pair(0), preprocessed.pair(0)], selectors).constraints
    }

    fn run<'b>(
        &'b self,
        [main, preprocessed]: [[&'b [Goldilocks]; 2]; 2],
        selectors: Selectors<Goldilocks>,
    ) -> RowBuilder<'b, Goldilocks> {
        let public_values = self.public_values;
        let mut builder = RowBuilder::new(RowPair { main, preprocessed, public_values, selectors });
        self.key.air.eval_row(&mut builder);
        builder
    }

    /// The selectors' polynomials on the trace domain.
    pub fn selectors(&self, row: usize) -> Selectors<Goldilocks> {
        Selectors {
            is_first_row: Goldilocks::from_bool(row == 0),
            is_last_row: Goldilocks::from_bool(row + 1 == self.height()),
            is_transition: self.root.exp_u64(row as u64) - self.root.inverse(),
        }
    }

    /// The value of `leaf` on `row`, whose selectors are `selectors`.
    pub fn read(&self, leaf: Leaf, row: usize, selectors: Selectors<Goldilocks>) -> Goldilocks {
        let at = |offset: RowOffset| match offset {
            RowOffset::Current => row,
            RowOffset::Next => (row + 1) % self.height(),
        };
        match leaf {
            Leaf::Constant(value) => Goldilocks::new(value),
            Leaf::Main(column, offset) => self.main.column(column as usize)[at(offset)],
            Leaf::Preprocessed(column, offset) => self
                .preprocessed
                .map_or(Goldilocks::ZERO, |columns| columns.column(column as usize)[at(offset)]),
            Leaf::Public(index) => self.public_values[index as usize],
            Leaf::Selector(Selector::FirstRow) => selectors.is_first_row,
            Leaf::Selector(Selector::LastRow) => selectors.is_last_row,
            Leaf::Selector(Selector::Transition) => selectors.is_transition,
        }
    }
}

/// What an interaction adds to the balance of its message.
pub fn signed(interaction: &Interaction<Goldilocks>) -> Goldilocks {
    match interaction.direction {
        Direction::Send => interaction.multiplicity,
        Direction::Receive => -interaction.multiplicity,
    }
}

/// Some rows and the one after them, row after row.
struct RowMajor {
    cells: Vec<Goldilocks>,
    width: usize,
}

impl RowMajor {
    fn new(columns: Option<&Columns>, rows: Range<usize>) -> Self {
        let width = columns.map_or(0, Columns::width);
        let mut cells = vec![Goldilocks::ZERO; (rows.len() + 1) * width];
        for (index, column) in columns.into_iter().flat_map(Columns::iter).enumerate() {
            let values = column[rows.start..].iter().chain(column);
            for (cell, &value) in cells[index..].iter_mut().step_by(width).zip(values) {
                *cell = value;
            }
        }
        Self { cells, width }
    }

    fn pair(&self, row: usize) -> [&[Goldilocks]; 2] {
        [row, row + 1].map(|row| &self.cells[row * self.width..][..self.width])
    }
}
