//! The proof after one that went wrong: nothing of it is left.

use lambda_gpu_lde::{BackendOptions, Counters, DeviceBackend};
use lambda_math_cuda::{Device, DeviceOptions};
use lambda_prover::{Action, prove};
use serde_json::{Value, json};

use crate::kit::{emulated, options, report};
use crate::support::{PROVEN, SMALL, witness};

fn device(faults: Value) -> Device {
    let options = DeviceOptions { budget_bytes: Some(64 << 20), ..options() };
    emulated(json!({"schedule": "random", "faults": faults}), options)
}

fn backend(device: &Device) -> DeviceBackend {
    DeviceBackend::new(device, BackendOptions::default()).expect("the device gives a stream")
}

/// Proves with the host's bytes; what recovery did.
fn actions(backend: &DeviceBackend) -> Vec<Action> {
    let proven = prove(&SMALL, backend, witness(), &())
        .unwrap_or_else(|error| panic!("{error}: {}", report(backend.device())));
    assert!(proven.proof == PROVEN.proof, "another proof");
    proven.report.recovery.iter().map(|event| event.action).collect()
}

/// Tables that were moved to the host are on the device again.
#[test]
fn after_downgrades_it_begins_on_the_device() {
    let device = device(json!([]));
    let backend = backend(&device);
    device.deny_allocations(20, 1 << 40);
    assert!(actions(&backend).contains(&Action::Downgrade));
    assert!(backend.counters().downgrades > 0);
    device.deny_allocations(0, 0);
    assert_eq!(actions(&backend), []);
    // Counters are of one proof. Other tests of this process may be in the window.
    let waits = Counters { window_waits: 0, window_wait_nanoseconds: 0, ..backend.counters() };
    assert_eq!(waits, Counters::default());
}

/// Roots of unity that a bit flipped in are not those of the next proof.
#[test]
fn after_broken_twiddles_there_are_new_ones() {
    // Past the two windows of roots for tall columns, and within those of order 2^5.
    let word = (2 << 13) + 35;
    let flip = json!({"at": "launch", "nth": 2, "kind": "flip", "label": "twiddles", "word": word, "bit": 0});
    let device = device(json!([flip]));
    let backend = backend(&device);
    assert_eq!(actions(&backend).last(), Some(&Action::Restart));
    assert_eq!(actions(&backend), []);
}

#[test]
fn after_a_lost_device_there_is_a_new_one() {
    let lost = device(json!([{"at": "launch", "nth": 40, "kind": "device_lost"}]));
    assert_eq!(actions(&backend(&lost)), [Action::Restart]);
    assert_eq!(lost.stats().used_bytes, 0);
    assert_eq!(actions(&backend(&device(json!([])))), []);
}
