//! What the cross-check says about faults that were planted.

use lambda_gpu_lde::backend::{Cause, Finding, Shape};
use lambda_gpu_lde::{BackendOptions, DeviceBackend};
use lambda_math_cuda::DeviceOptions;
use lambda_prover::{Action, Stage, prove};
use serde_json::{Value, json};

use crate::kit::{emulated, options, report};
use crate::support::tables::FIBONACCI;
use crate::support::{PROVEN, SMALL, witness};

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

/// One word that the first part's last kernel wrote.
#[test]
fn a_wrong_cell_that_is_right_the_second_time() {
    let fault = json!({
        "at": "launch", "entry": "quotient_finish", "nth": 1, "kind": "flip", "word": 700, "bit": 5,
    });
    let (findings, actions) = found(fault);
    let expected = Finding {
        table: FIBONACCI,
        stage: Stage::Quotient,
        buffer: "quotient part 0".into(),
        shape: Shape::OneCell { column: 1, row: 700 - 512 },
        cause: Cause::Transient,
    };
    assert_eq!((findings, actions), (vec![expected], vec![Action::Drain]));
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

/// A bit of an extension in slab 0, when its rows have been hashed: the composition is that of what is there.
#[test]
fn a_bit_of_resident_columns() {
    let fault = json!({
        "at": "launch", "entry": "rows_absorb", "kind": "flip", "label": "LDE", "word": 3, "bit": 9,
    });
    let (findings, actions) = found(fault);
    let expected = Finding {
        table: FIBONACCI,
        stage: Stage::Extend,
        buffer: "main LDE".into(),
        shape: Shape::OneColumn { column: 0, cells: 512 },
        cause: Cause::Memory,
    };
    assert_eq!(findings, [expected]);
    assert_eq!(actions, [Action::Drain, Action::Downgrade, Action::Restart]);
}
