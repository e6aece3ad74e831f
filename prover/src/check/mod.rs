//! The trace checker: which constraint fails at which row, and which bus message does not balance.
//!
//! It proves nothing and shares no code with the prover's arithmetic: it runs the AIRs' own bodies over the
//! base field, row by row, and compares what is sent with what is received. Traces that pass can be proven;
//! those that fail are explained in a [`TraceReport`], which is the same on every run and with any number of
//! threads.
//!
//! Memory stays bounded whatever is wrong: messages are first summed up in a fixed number of classes
//! (`residues`), and only the messages of classes that do not cancel are looked at one by one (`ledger`).

mod constraints;
mod display;
mod ledger;
mod report;
mod residues;
mod rows;
mod shapes;

use lambda_math::Columns;
use lambda_verifier::{ProvingKey, Statement};
use rayon::prelude::*;

use constraints::{Tally, explain};
use ledger::Ledger;
pub use report::{
    BusFailure, ConstraintFailure, Nearest, Place, Reading, RowFailure, Side, TableFailure, TraceReport,
    UnbalancedMessage,
};
use residues::Residues;
use rows::TableRows;
pub use shapes::ShapeFault;
use shapes::shape_faults;

/// How much of what is wrong a report lists; it counts all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Failing constraints of each table.
    pub constraints: usize,
    /// Failing rows of each constraint.
    pub rows: usize,
    /// Values that a constraint reads, of each row.
    pub readings: usize,
    /// Unbalanced messages of each bus.
    pub messages: usize,
    /// Places where a message is sent, and as many where it is received; at least 1.
    pub places: usize,
    /// Interactions examined one by one, hence messages in memory at a time, unless a single class has more.
    pub examined: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { constraints: 8, rows: 3, readings: 24, messages: 8, places: 3, examined: 1 << 20 }
    }
}

/// Checks `traces` against the system without proving anything: every constraint on every row, every bus
/// over all tables.
///
/// `traces` are the main columns of each table in registry order. Constraints and buses are checked only
/// when all shapes are right.
///
/// # Errors
/// What is wrong, with the default [`Limits`].
pub fn check_traces(key: &ProvingKey, traces: &[Columns], statement: &Statement) -> Result<(), TraceReport> {
    check_traces_within(key, traces, statement, &Limits::default())
}

/// [`check_traces`] with `limits` on what the report lists.
///
/// # Errors
/// What is wrong.
pub fn check_traces_within(
    key: &ProvingKey,
    traces: &[Columns],
    statement: &Statement,
    limits: &Limits,
) -> Result<(), TraceReport> {
    let table_names = key.verifying.tables.iter().map(|table| table.name.clone()).collect();
    let mut report = TraceReport { table_names, ..TraceReport::default() };
    report.shapes = shape_faults(&key.verifying, traces, statement);
    if !report.shapes.is_empty() {
        return Err(report);
    }
    let tables: Vec<TableRows<'_>> = TableRows::all(key, traces, statement);
    let mut residues = Residues::default();
    for message in &statement.messages {
        residues.add(message.bus, &message.fields, message.multiplicity);
    }
    for (index, table) in tables.iter().enumerate() {
        let (tally, own) = scan(table, limits);
        report.tables.extend(explain(index, table, tally, limits));
        residues = residues.merge(own);
    }
    let suspects = residues.suspects(limits.examined);
    if !suspects.is_empty() {
        report.unexamined_interactions = suspects.unexamined();
        let ledger = Ledger::new(&tables, statement, &suspects, limits);
        report.buses = ledger.unbalanced(&key.verifying, limits);
    }
    if report.is_clean() { Ok(()) } else { Err(report) }
}

/// Runs the body once over all rows of `table`.
fn scan(table: &TableRows<'_>, limits: &Limits) -> (Tally, Residues) {
    let empty = || (Tally::new(table.constraint_count()), Residues::default());
    table
        .chunks()
        .fold(empty, |(mut tally, mut residues), rows| {
            table.evaluate(rows, |row, evaluated| {
                tally.add(row, &evaluated.constraints, limits.rows);
                for interaction in &evaluated.interactions {
                    let net = rows::signed(interaction);
                    residues.add(interaction.bus.id.into(), &interaction.fields, net);
                }
            });
            (tally, residues)
        })
        .reduce(empty, |(tally, residues), (other_tally, other_residues)| {
            (tally.merge(other_tally, limits.rows), residues.merge(other_residues))
        })
}
