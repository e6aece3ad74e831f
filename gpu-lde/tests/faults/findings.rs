//! What the cross-check says about faults that were planted.

use lambda_gpu_lde::backend::{Cause, Finding, Shape};
use lambda_gpu_lde::{BackendOptions, DeviceBackend};
use lambda_math_cuda::DeviceOptions;
use lambda_prover::{Action, Stage, prove};
use serde_json::{Value, json};

use crate::kit::{emulated, options, report};
use crate::support::tables::{FIBONACCI, POWER};
use crate::support::{PROVEN, SMALL, witness};

/// Which run of the interpreter is the first of `power`'s composition: the lookups of five tables and one
/// part come before it, those of `nibbles` having a kernel of their own.
const COMPOSITION_OF_POWER: u64 = 5 + 1 + 1;
/// Which hashing of rows is that of `power`'s lookup columns: seven tables' main columns come before it.
const HASHING_OF_LOOKUP: u64 = 7 + 1;

/// Proves under one fault; what the cross-check found and recovery did. The proof is the host's.
fn found(fault: Value) -> (Vec<Finding>, Vec<Action>) {
    let options = DeviceOptions { budget_bytes: Some(64 << 20), ..options() };
    let device = emulated(json!({"schedule": "eager", "faults": [fault]}), options);
    let options = BackendOptions { xcheck: true, ..BackendOptions::default() };
    let backend = DeviceBackend::new(&device, options).expect("the device gives a stream");
    let proven = prove(&SMALL, &backend, witness(), &())
        .unwrap_or_else(|error| panic!("{error}: {}", report(&device)));
    assert!(proven.proof == PROVEN.proof, "another proof");
    let actions = proven.report.recovery.iter().map(|event| event.action).collect();
    let findings = backend.findings();
    drop((proven, backend));
    assert_eq!(device.stats().used_bytes, 0);
    (findings, actions)
}

#[test]
fn nothing_where_nothing_is_wrong() {
    let fault = json!({"at": "launch", "entry": "quotient_finish", "nth": 1000, "kind": "flip"});
    assert_eq!(found(fault), (vec![], vec![]));
}

/// One fault, and what is said about it.
struct Case {
    /// What it stands for.
    name: &'static str,
    fault: Value,
    finding: Finding,
    /// What recovery does.
    actions: &'static [Action],
}

/// What a transient fault of the device leads to: the second run is right.
const SECOND_RUN: &[Action] = &[Action::Drain];
/// What wrong columns lead to: a second run from them is as wrong, on the host too.
const WRONG_COLUMNS: &[Action] = &[Action::Drain, Action::Downgrade, Action::Restart];

fn finding(table: usize, stage: Stage, buffer: &str, shape: Shape, cause: Cause) -> Finding {
    Finding { table, stage, buffer: buffer.into(), shape, cause }
}

/// A bit that flips in what a launch wrote.
fn flip(entry: &str, nth: u64, word: u64) -> Value {
    json!({"at": "launch", "entry": entry, "nth": nth, "kind": "flip", "word": word, "bit": 5})
}

/// A bit that flips in a buffer after a launch.
fn flip_in(label: &str, entry: &str, nth: u64, word: u64) -> Value {
    let mut fault = flip(entry, nth, word);
    fault["label"] = label.into();
    fault
}

/// Wrong results and overwritten buffers, as a device with a race or a bad block of memory has them. The
/// first composition is that of `fibonacci`, with one part; the next two are those of `power`, with two.
fn cases() -> Vec<Case> {
    let quotient = |table, part: usize, shape| {
        finding(table, Stage::Quotient, &format!("quotient part {part}"), shape, Cause::Transient)
    };
    vec![
        Case {
            name: "a wrong result of the only part",
            fault: flip("quotient_finish", 1, 700),
            finding: quotient(FIBONACCI, 0, Shape::OneCell { column: 1, row: 700 - 512 }),
            actions: SECOND_RUN,
        },
        Case {
            name: "a wrong result of the second part",
            fault: flip("quotient_finish", 3, 64 + 9),
            finding: quotient(POWER, 1, Shape::OneCell { column: 1, row: 9 }),
            actions: SECOND_RUN,
        },
        Case {
            name: "a recycled block of sums",
            fault: flip_in("constraint sums", "program_run_*", COMPOSITION_OF_POWER, 64 + 9),
            finding: quotient(POWER, 0, Shape::OneCell { column: 1, row: 9 }),
            actions: SECOND_RUN,
        },
        Case {
            name: "a recycled block of messages",
            fault: flip_in("messages", "program_run_*", COMPOSITION_OF_POWER, 9),
            finding: quotient(POWER, 0, Shape::OneRow { row: 9, cells: 3 }),
            actions: SECOND_RUN,
        },
        Case {
            name: "a part that is overwritten before it is extended",
            fault: flip_in("quotient part", "quotient_finish", 3, 2 * 64 + 1),
            finding: quotient(POWER, 1, Shape::OneCell { column: 2, row: 1 }),
            actions: SECOND_RUN,
        },
        Case {
            name: "a resident extension of main columns",
            fault: flip_in("LDE", "rows_absorb", 1, 3),
            finding: finding(
                FIBONACCI,
                Stage::Extend,
                "main LDE",
                Shape::OneColumn { column: 0, cells: 512 },
                Cause::Memory,
            ),
            actions: WRONG_COLUMNS,
        },
        Case {
            name: "a resident extension of lookup columns, in its second slab",
            fault: flip_in("LDE", "rows_absorb", HASHING_OF_LOOKUP, 128 + 64 + 5),
            finding: finding(
                POWER,
                Stage::Extend,
                "lookup LDE",
                Shape::OneCell { column: 1, row: 64 + 5 },
                Cause::Memory,
            ),
            actions: WRONG_COLUMNS,
        },
        Case {
            name: "the lookup trace, before it is extended",
            fault: flip_in("lookup trace", "scan_running_sums", 1, 2 * 64 + 11),
            finding: finding(
                POWER,
                Stage::Lookup,
                "lookup trace",
                Shape::OneCell { column: 2, row: 11 },
                Cause::Memory,
            ),
            actions: WRONG_COLUMNS,
        },
    ]
}

/// Every wrong composition is caught at ζ, the proof is the host's, and the cross-check names stage, buffer
/// and shape.
#[test]
fn every_wrong_composition_is_named() {
    for Case { name, fault, finding, actions } in cases() {
        assert_eq!(found(fault), (vec![finding], actions.to_vec()), "{name}");
    }
}

/// The same every time the table comes to it, on the device.
#[test]
fn a_wrong_cell_that_stays_wrong() {
    let fault = json!({
        "at": "launch", "entry": "quotient_finish", "times": 1000, "kind": "flip", "word": 7, "bit": 5,
    });
    let (findings, actions) = found(fault);
    let first = findings.first().expect("something is wrong");
    assert_eq!((first.table, first.stage, first.cause), (FIBONACCI, Stage::Quotient, Cause::Repeated));
    assert_eq!(first.shape, Shape::OneCell { column: 0, row: 7 });
    assert!(actions.starts_with(&[Action::Drain, Action::Downgrade]), "{actions:?}");
}
