//! The small system's constraints and buses, cell by cell: no cell is free, and no constraint is there for
//! nothing.
//!
//! No proof is made; the trace checker says what a changed trace breaks.

mod support;

use std::collections::BTreeSet;

use lambda_math::field::ORDER;
use lambda_math::{Columns, Goldilocks};
use lambda_prover::{Witness, check_traces};
use p3_field::PrimeCharacteristicRing;
use support::{SMALL, USED, field, tables, witness};

/// What is broken: the claims of constraints, as `table: claim`, and the names of buses.
fn broken(witness: &Witness) -> BTreeSet<String> {
    let key = &SMALL.key;
    let Err(report) = check_traces(key, &witness.traces, &witness.statement) else { return BTreeSet::new() };
    assert!(report.shapes.is_empty(), "{report}");
    let constraints = report.tables.iter().flat_map(|table| {
        let name = &key.verifying.tables[table.table].name;
        assert_eq!(table.failing_constraints, table.constraints.len());
        table.constraints.iter().map(move |constraint| format!("{name}: {}", constraint.name))
    });
    constraints.chain(report.buses.iter().map(|bus| bus.bus.name.to_owned())).collect()
}

fn cell(traces: &mut [Columns], table: usize, column: usize, row: usize) -> &mut Goldilocks {
    &mut traces[table].column_mut(column)[row]
}

#[test]
fn honest_traces_break_nothing() {
    assert_eq!(broken(&witness()), BTreeSet::new());
}

/// Every column of every table, on the first rows, in the middle, on both sides of the end of the used rows,
/// and on the last.
#[test]
fn no_cell_is_free() {
    let mut witness = witness();
    for table in 0..witness.traces.len() {
        let height = witness.traces[table].height();
        let padding = if table == tables::POWER { USED } else { height / 4 };
        let rows = BTreeSet::from([0, 1, height / 2, padding - 1, padding, height - 2, height - 1]);
        for (column, row) in
            (0..witness.traces[table].width()).flat_map(|c| rows.iter().map(move |&r| (c, r)))
        {
            let honest = *cell(&mut witness.traces, table, column, row);
            let others = [honest + field(1), honest - field(1), honest.double(), -honest, field(0), field(1)];
            let others = others.into_iter().chain([2, 15, 16, 1 << 32, ORDER - 1].map(field));
            for other in others.filter(|&other| other != honest) {
                *cell(&mut witness.traces, table, column, row) = other;
                assert!(
                    !broken(&witness).is_empty(),
                    "table {table}, column {column}, row {row}: {other} may stand for {honest}"
                );
            }
            *cell(&mut witness.traces, table, column, row) = honest;
        }
    }
}

/// A change of the traces that breaks one claim only.
struct Forgery {
    breaks: &'static str,
    change: fn(&mut Witness),
}

fn count(traces: &mut [Columns], table: usize, number: usize, difference: i32) {
    let counts = cell(traces, table, 0, number);
    if difference < 0 {
        *counts -= field(difference.unsigned_abs().into())
    } else {
        *counts += field(difference as u64)
    }
}

/// For each claim of each table a forgery that nothing else stops: were the constraint missing, or the bus,
/// it would pass.
const FORGERIES: [Forgery; 18] = [
    Forgery {
        breaks: "fibonacci: the first term is public",
        // The sequence is another one from the start.
        change: |witness| refill(witness, 4, 5),
    },
    Forgery { breaks: "fibonacci: the second term is public", change: |witness| refill(witness, 3, 6) },
    Forgery {
        breaks: "fibonacci: the terms follow each other",
        change: |witness| restart(witness, |term, following| (term + field(1), following)),
    },
    Forgery {
        breaks: "fibonacci: a term is the sum of two",
        change: |witness| restart(witness, |term, following| (term, following + field(1))),
    },
    Forgery {
        breaks: "fibonacci: the last term is public",
        change: |witness| witness.statement.public_values[tables::FIBONACCI][2] += field(1),
    },
    Forgery {
        breaks: "power: the cube is that of the base",
        change: |witness| *cell(&mut witness.traces, tables::POWER, 2, 0) += field(1),
    },
    Forgery {
        breaks: "power: a row is used or not",
        // A row that counts twice is received twice. Its square is 0, as in a row that is not used.
        change: |witness| {
            *cell(&mut witness.traces, tables::POWER, 3, 0) = field(2);
            count(&mut witness.traces, tables::NIBBLES, 0, 1);
            count(&mut witness.traces, tables::SQUARES, 0, 1);
        },
    },
    Forgery {
        breaks: "power: a row that is not used has no square",
        change: |witness| *cell(&mut witness.traces, tables::POWER, 1, 63) = field(5),
    },
    Forgery {
        breaks: "right: the next key is larger",
        change: |witness| {
            // The gap is another one, and counted as such.
            *cell(&mut witness.traces, tables::RIGHT, 2, 1) -= field(1);
            count(&mut witness.traces, tables::NIBBLES, 5, -1);
            count(&mut witness.traces, tables::NIBBLES, 4, 1);
        },
    },
    Forgery {
        breaks: "right: a pair is asked for or not",
        change: |witness| {
            *cell(&mut witness.traces, tables::RIGHT, 3, 3) = field(2);
            witness.statement.messages[0].multiplicity = field(2);
        },
    },
    Forgery {
        breaks: "digits: the first number is public",
        change: |witness| witness.statement.public_values[tables::DIGITS][0] += field(1),
    },
    Forgery {
        breaks: "digits: the numbers count up",
        // The last row's number and digit are one less.
        change: |witness| {
            *cell(&mut witness.traces, tables::DIGITS, 0, 127) -= field(1);
            *cell(&mut witness.traces, tables::DIGITS, 1, 127) -= field(1);
            for table in [tables::NIBBLES, tables::SQUARES] {
                count(&mut witness.traces, table, 15, -1);
                count(&mut witness.traces, table, 14, 1);
            }
        },
    },
    Forgery {
        breaks: "digits: the number has these digits",
        change: |witness| {
            // Row 0 is number 0xabc0, row 1 is 0xabc1.
            *cell(&mut witness.traces, tables::DIGITS, 2, 1) += field(1);
            count(&mut witness.traces, tables::NIBBLES, 12, -1);
            count(&mut witness.traces, tables::NIBBLES, 13, 1);
        },
    },
    Forgery {
        breaks: "squares: the next row's square follows",
        change: |witness| *cell(&mut witness.traces, tables::SQUARES, 1, 15) += field(1),
    },
    // A digit of 17 makes up for the one before it: the limb trick.
    Forgery {
        breaks: "nibble",
        change: |witness| {
            *cell(&mut witness.traces, tables::DIGITS, 2, 0) += field(16);
            *cell(&mut witness.traces, tables::DIGITS, 3, 0) -= field(1);
        },
    },
    Forgery {
        breaks: "square",
        change: |witness| *cell(&mut witness.traces, tables::POWER, 1, 1) += field(1),
    },
    Forgery { breaks: "answer", change: |witness| drop(witness.statement.messages.pop()) },
    Forgery { breaks: "pair", change: |witness| *cell(&mut witness.traces, tables::LEFT, 1, 9) += field(1) },
];

/// The sequence that starts with `first` and `second`; the last term is made public.
fn refill(witness: &mut Witness, first: u64, second: u64) {
    let (trace, values) = support::fibonacci(9, first, second);
    witness.traces[tables::FIBONACCI] = trace;
    witness.statement.public_values[tables::FIBONACCI][2] = values[2];
}

/// The sequence goes on from row 100 with what `step` makes of that row; the last term is made public.
fn restart(witness: &mut Witness, step: fn(Goldilocks, Goldilocks) -> (Goldilocks, Goldilocks)) {
    let trace = &mut witness.traces[tables::FIBONACCI];
    let (mut term, mut following) = step(trace.column(0)[100], trace.column(1)[100]);
    for row in 100..512 {
        trace.column_mut(0)[row] = term;
        trace.column_mut(1)[row] = following;
        (term, following) = (following, term + following);
    }
    witness.statement.public_values[tables::FIBONACCI][2] = trace.column(0)[511];
}

/// Each constraint and bus alone stops its forgery; a body that lost one of them would let a false trace
/// through.
#[test]
fn each_constraint_and_bus_is_needed() {
    for forgery in &FORGERIES {
        let mut witness = witness();
        (forgery.change)(&mut witness);
        assert_eq!(broken(&witness), BTreeSet::from([forgery.breaks.to_owned()]));
    }
    let key = SMALL.verifying_key();
    let claims = key
        .tables
        .iter()
        .flat_map(|table| table.dag.names.iter().map(|claim| format!("{}: {claim}", table.name)));
    let claims: BTreeSet<String> = claims.chain(key.buses.values().map(|bus| bus.name.to_owned())).collect();
    let covered: BTreeSet<String> = FORGERIES.iter().map(|forgery| forgery.breaks.to_owned()).collect();
    assert_eq!(covered, claims);
}

/// On rows that are not used, whatever the flag is set to.
#[test]
fn flags_on_padding_rows_break_something() {
    for row in USED..64 {
        for flag in [field(1), field(2), -field(1)] {
            let mut witness = witness();
            *cell(&mut witness.traces, tables::POWER, 3, row) = flag;
            assert!(!broken(&witness).is_empty(), "row {row}, flag {flag}");
        }
    }
}

/// A negative multiplicity turns a send into a receive: -1 use of one row and one more use of another
/// balance.
#[test]
fn negative_multiplicities_break_the_flag() {
    let mut witness = witness();
    // Rows 0 and 16 have one base, 0, whose square is 0.
    *cell(&mut witness.traces, tables::POWER, 3, 0) = -field(1);
    *cell(&mut witness.traces, tables::POWER, 3, 16) = field(3);
    assert_eq!(broken(&witness), BTreeSet::from(["power: a row is used or not".to_owned()]));
}
