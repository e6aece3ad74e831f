//! Known answers for the tables' shapes, and the trace checker's opinion.

use std::collections::BTreeSet;

use lambda_machine::buses::{BYTE_AND, BYTE_PAIR, IMAGE, POWER, PROGRAM, RANGE16};
use lambda_machine::isa::AluOp;
use lambda_machine::tables::TableId;
use lambda_machine::tables::cpu::CpuColumns;
use lambda_machine::tables::registers::RegistersColumns;
use lambda_math::{Columns, Goldilocks};
use lambda_prover::execution::{ExecutionWitness, ProvableProgram};
use lambda_prover::{Profile, check_traces};
use lambda_verifier::execution::ExecutionClaim;
use p3_field::{PrimeCharacteristicRing, PrimeField64};

use crate::forge::{Forged, ROWS, field};
use crate::judge::net;
use crate::programs::{C, operation};

/// Main and preprocessed columns, public values, constraints, interactions, lookup columns.
const SHAPES: [(TableId, [usize; 6]); 18] = [
    (TableId::Cpu, [41, 0, 5, 47, 19, 10]),
    (TableId::Memory, [10, 0, 0, 5, 5, 3]),
    (TableId::Subword, [31, 0, 0, 30, 10, 5]),
    (TableId::Misaligned, [68, 0, 0, 45, 22, 11]),
    (TableId::Io, [44, 0, 0, 35, 34, 17]),
    (TableId::Boundary, [11, 0, 3, 11, 7, 4]),
    (TableId::Compare, [15, 0, 0, 16, 5, 3]),
    (TableId::Bitwise, [26, 0, 0, 2, 9, 5]),
    (TableId::Shift, [27, 0, 0, 27, 10, 5]),
    (TableId::Word, [9, 0, 0, 4, 3, 2]),
    (TableId::Mul, [33, 0, 0, 25, 18, 9]),
    (TableId::Divrem, [50, 0, 0, 39, 25, 13]),
    (TableId::Registers, [3, 1, 0, 0, 2, 1]),
    (TableId::Rom, [1, 8, 0, 0, 1, 1]),
    (TableId::Image, [1, 3, 0, 0, 1, 1]),
    (TableId::Range16, [1, 1, 0, 0, 1, 1]),
    (TableId::BytePair, [2, 3, 0, 0, 2, 1]),
    (TableId::Power, [1, 2, 0, 0, 1, 1]),
];

/// A table whose body is not evaluated, or only in part, has other numbers.
#[test]
fn every_table_has_its_constraints() {
    let run = operation(AluOp::And, 5, 6);
    let program = ProvableProgram::new(Profile::Test, run.program.clone()).expect("a small program");
    let got: Vec<(TableId, [usize; 6])> = TableId::ALL
        .into_iter()
        .zip(&program.system().verifying_key().tables)
        .map(|(id, table)| {
            let shape = &table.shape;
            assert_eq!(table.name, id.name());
            assert!(shape.degree <= 3);
            let columns = [shape.main_width, shape.preprocessed_width, shape.public_values];
            let [main, preprocessed, publics] = columns;
            (id, [main, preprocessed, publics, shape.constraints, shape.interactions, shape.lookup_columns()])
        })
        .collect();
    assert_eq!(got, SHAPES);
}

/// What the trace checker says of `forged`, whose tables of entries count what is looked up.
fn checked(program: &ProvableProgram, forged: &Forged<'_>) -> BTreeSet<String> {
    // The claim names the program by its true commitment.
    let commitment = program.witness(&forged.run.record).claim.program;
    let claim = ExecutionClaim { program: commitment, ..forged.claim.clone() };
    let witness = ExecutionWitness { claim, traces: forged.traces.clone() };
    let (system, mut witness) = program.instantiate(witness).expect("a claim about an execution");
    count(forged, &mut witness.traces);
    let Err(report) = check_traces(&system.key, &witness.traces, &witness.statement) else {
        return BTreeSet::new();
    };
    let constraints = report.tables.iter().flat_map(|table| {
        let name = &report.table_names[table.table];
        let name = name.split('.').next().expect("a name is not empty").to_owned();
        table.constraints.iter().map(move |constraint| {
            format!("{name}: {}", constraint.name.split("::").next().expect("a name is not empty"))
        })
    });
    constraints.chain(report.buses.iter().map(|bus| bus.bus.name.to_owned())).collect()
}

/// Fills the counts of `traces` from what the other tables look up.
fn count(forged: &Forged<'_>, traces: &mut [Columns]) {
    let statement = forged.statement().expect("a claim about an execution");
    let judge = forged.run.judge();
    let tables = [TableId::Rom, TableId::Image, TableId::Range16, TableId::BytePair, TableId::Power];
    for table in tables {
        traces[forged.instance(table, 0)].values_mut().fill(Goldilocks::ZERO);
    }
    for (place, rows) in forged.places(&statement) {
        for lookup in judge.evaluate(place, [&rows[0], &rows[1]]).lookups {
            if !judge.is_entry(&lookup) {
                continue;
            }
            let fields: Vec<usize> =
                lookup.fields.iter().map(|field| field.as_canonical_u64() as usize).collect();
            let (table, column, row) = match lookup.bus {
                RANGE16 => (TableId::Range16, 0, fields[0]),
                BYTE_AND => (TableId::BytePair, 0, fields[0] + 256 * fields[1]),
                BYTE_PAIR => (TableId::BytePair, 1, fields[0] + 256 * fields[1]),
                POWER => (TableId::Power, 0, fields[0]),
                PROGRAM => (TableId::Rom, 0, judge.instruction(&lookup.fields)),
                IMAGE => (TableId::Image, 0, fields[0] - forged.run.program.image_base as usize),
                other => panic!("{other:?} is no bus of lookups"),
            };
            traces[forged.instance(table, 0)].column_mut(column)[row] += net(&lookup);
        }
    }
}

#[test]
fn the_trace_checker_agrees() {
    let run = operation(AluOp::And, 5, 6);
    let program = ProvableProgram::new(Profile::Test, run.program.clone()).expect("a small program");
    let program = program.with_max_rows(ROWS);
    let agreed = |forged: &Forged<'_>| {
        let broken = forged.broken();
        assert_eq!(checked(&program, forged), broken);
        broken
    };
    let honest = run.honest();
    assert_eq!(agreed(&honest), BTreeSet::new());
    // A constraint, a lookup of what is no entry, a message that nobody answers.
    let row = run.record.cpu.len() - 2;
    let mut forged = honest.clone();
    forged.edit::<CpuColumns<Goldilocks>>(row, |row| row.carry[1] += Goldilocks::TWO);
    assert!(!agreed(&forged).is_empty());
    let mut forged = honest.clone();
    forged.edit::<CpuColumns<Goldilocks>>(row, |row| row.c_low[0] += field(1 << 16));
    assert_eq!(agreed(&forged), ["range16".to_owned()].into());
    let mut forged = honest.clone();
    forged.edit::<RegistersColumns<Goldilocks>>(C.into(), |row| row.last[1] += Goldilocks::ONE);
    assert_eq!(agreed(&forged), ["cells".to_owned()].into());

    // Counts are free of constraints, and each is what it is because of its bus.
    let (system, mut witness) =
        program.instantiate(program.witness(&run.record)).expect("an honest execution");
    let counts = [
        (TableId::Range16, 0, 7, "range16"),
        (TableId::BytePair, 0, 7, "byte_and"),
        (TableId::BytePair, 1, 7, "byte_pair"),
        (TableId::Power, 0, 31, "power"),
        (TableId::Rom, 0, 1, "program"),
        (TableId::Image, 0, 1, "image"),
    ];
    for (table, column, row, _) in counts {
        let trace = &mut witness.traces[honest.instance(table, 0)];
        trace.column_mut(column)[row] += Goldilocks::ONE;
    }
    let report = check_traces(&system.key, &witness.traces, &witness.statement).expect_err("one more each");
    let buses: BTreeSet<&str> = report.buses.iter().map(|bus| bus.bus.name).collect();
    assert!(report.tables.is_empty() && buses == counts.map(|(.., bus)| bus).into(), "{report}");
}
