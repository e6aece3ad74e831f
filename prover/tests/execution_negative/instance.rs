//! A table of [`EVERYTHING`], of which a row is replaced.

use std::collections::BTreeSet;

use lambda_machine::tables::TableId;
use lambda_math::Goldilocks;

use crate::forge::Forged;
use crate::judge::{Evaluated, Place, is_evaluated, net};
use crate::oracle::{self, Says};
use crate::programs::EVERYTHING;

/// An instance of a table, row by row.
pub struct Instance {
    pub table: TableId,
    pub rows: Vec<Vec<Goldilocks>>,
    public_values: Vec<Goldilocks>,
    /// What each row tells the other tables.
    told: Vec<Told>,
}

/// What a changed row does.
pub struct Outcome {
    /// Constraints that fail, on the row or the one before it.
    pub constraints: BTreeSet<String>,
    /// Buses on which something is looked up that is no entry.
    pub missing: BTreeSet<&'static str>,
    /// Whether other tables are told something else than by the honest row.
    pub is_heard: bool,
    /// Whether that is true; only where nothing is missing.
    pub says: Says,
}

impl Instance {
    /// The instances of all tables that are evaluated.
    pub fn all(honest: &Forged<'_>) -> Vec<Self> {
        let statement = honest.statement().expect("an honest claim");
        let instances = honest.kinds().into_iter().zip(&honest.traces).zip(statement.public_values);
        instances
            .filter(|((table, _), _)| is_evaluated(*table))
            .map(|((table, trace), public_values)| {
                let rows: Vec<_> = (0..trace.height()).map(|row| trace.row(row)).collect();
                let mut instance = Self { table, rows, public_values, told: Vec::new() };
                instance.told = (0..trace.height()).map(|row| told(&instance.evaluate(row))).collect();
                instance
            })
            .collect()
    }

    fn place(&self, row: usize) -> Place<'_> {
        Place { table: self.table, row, height: self.rows.len(), public_values: &self.public_values }
    }

    fn evaluate(&self, row: usize) -> Evaluated {
        let next = &self.rows[(row + 1) % self.rows.len()];
        EVERYTHING.judge().evaluate(self.place(row), [&self.rows[row], next])
    }

    /// Rows that take part in a bus.
    pub fn real_rows(&self) -> usize {
        let is_real = |row: &usize| {
            let Evaluated { messages, lookups, .. } = self.evaluate(*row);
            !messages.is_empty() || !lookups.is_empty()
        };
        (0..self.rows.len()).take_while(is_real).count()
    }

    /// First and last rows, those in the middle, those at the end of what is real.
    pub fn edges(&self) -> BTreeSet<usize> {
        let (height, real) = (self.rows.len(), self.real_rows());
        [0, 1, real / 2, real.saturating_sub(1), real, height - 1]
            .into_iter()
            .filter(|&row| row < height)
            .collect()
    }

    /// What happens where `changed` stands in for the row.
    pub fn replaced(&self, row: usize, changed: &[Goldilocks]) -> Outcome {
        let judge = EVERYTHING.judge();
        let height = self.rows.len();
        let (before, next) = ((row + height - 1) % height, (row + 1) % height);
        let here = [changed, &self.rows[next]];
        let there = [&*self.rows[before], changed];
        let evaluated = judge.evaluate(self.place(row), here);
        // The row before says the same as ever, but where rows are in order its constraints look at this one.
        let is_ordered = matches!(self.table, TableId::Cpu | TableId::Boundary);
        let preceding = is_ordered.then(|| judge.evaluate(self.place(before), there));
        let missing = judge.missing(&evaluated);
        let is_heard = told(&evaluated) != self.told[row];
        let says = match missing.is_empty() {
            true => {
                let own = oracle::judge(&EVERYTHING, self.place(row), here, &evaluated);
                let before = preceding
                    .as_ref()
                    .map(|preceding| oracle::judge(&EVERYTHING, self.place(before), there, preceding));
                if before == Some(Says::Lie) { Says::Lie } else { own }
            }
            false => Says::Unheard,
        };
        let mut constraints = evaluated.constraints;
        constraints.extend(preceding.into_iter().flat_map(|preceding| preceding.constraints));
        Outcome { constraints, missing, is_heard, says }
    }
}

/// Messages with their buses and how often they are sent, in some order.
type Told = Vec<(u32, Vec<Goldilocks>, Goldilocks)>;

fn told(evaluated: &Evaluated) -> Told {
    let mut messages: Told =
        evaluated.messages.iter().map(|own| (own.bus.id, own.fields.clone(), net(own))).collect();
    messages.sort();
    messages
}
