//! The same bytes everywhere.

use std::collections::BTreeSet;

use lambda_gpu_lde::{BackendOptions, Counters, DeviceBackend};
use lambda_math_cuda::{Device, DeviceOptions};
use lambda_prover::{Action, Fault, Policy, ProveError, Proven, Stage, prove};
use serde_json::{Value, json};

use crate::kit::{emulated, options, report};
use crate::support::{PROVEN, SMALL, witness};

/// More than the small system takes.
const AMPLE_BYTES: u64 = 64 << 20;

fn device(budget_bytes: u64, description: Value) -> Device {
    emulated(description, DeviceOptions { budget_bytes: Some(budget_bytes), ..options() })
}

fn random(seed: u64) -> Value {
    json!({"seed": seed, "schedule": "random"})
}

fn run(device: &Device, options: BackendOptions) -> Result<(Proven, DeviceBackend), ProveError> {
    let backend = DeviceBackend::new(device, options).expect("the device gives a stream");
    let proven = prove(&SMALL, &backend, witness(), &())?;
    Ok((proven, backend))
}

/// Proves, and compares with the host's proof; what recovery did, and what it cost.
fn assert_same(device: &Device, options: BackendOptions, what: &str) -> (Vec<Action>, Counters) {
    let (proven, backend) =
        run(device, options).unwrap_or_else(|error| panic!("{what}: {error}: {}", report(device)));
    assert!(proven.proof == PROVEN.proof, "{what}: another proof");
    let used = device.stats().used_bytes;
    let counters = backend.counters();
    drop(backend);
    assert!(used <= 1 << 20, "{what}: the proof left {used} bytes behind");
    assert_eq!(device.stats().used_bytes, 0, "{what}: the backend left something behind");
    (proven.report.recovery.iter().map(|event| event.action).collect(), counters)
}

/// Most bytes that a proof has on the device when it may have as many as it likes.
fn unpressured_peak() -> u64 {
    let device = device(AMPLE_BYTES, random(0));
    assert_same(&device, BackendOptions::default(), "ample");
    device.stats().peak_extent_bytes
}

#[test]
fn with_enough_memory_nothing_goes_wrong() {
    for seed in 0..3 {
        for serialize_window in [true, false] {
            let options = BackendOptions { serialize_window, ..BackendOptions::default() };
            let (actions, counters) = assert_same(&device(AMPLE_BYTES, random(seed)), options, "ample");
            // Other tests of this process may be in the window.
            let waits = Counters { window_waits: 0, window_wait_nanoseconds: 0, ..counters };
            assert_eq!((actions, waits), (vec![], Counters::default()));
        }
    }
}

#[test]
fn with_less_and_less_memory() {
    let peak = unpressured_peak();
    for percent in [100, 75, 50, 35, 20, 10, 0] {
        let budget = peak * percent / 100;
        let (actions, _) =
            assert_same(&device(budget, random(percent)), BackendOptions::default(), "starved");
        assert!(actions.is_empty() || percent < 100, "{percent} %: {actions:?}");
        assert!(!actions.contains(&Action::Restart), "{percent} %: {actions:?}");
    }
}

#[test]
fn with_each_stage_moved_to_the_host() {
    for &stage in Stage::ALL {
        let force_downgrade = BTreeSet::from([stage]);
        let options = BackendOptions { force_downgrade, ..BackendOptions::default() };
        let (actions, counters) = assert_same(&device(AMPLE_BYTES, random(1)), options, stage.name());
        assert_eq!(actions, [], "{stage}");
        assert!(counters.downgrades > 0, "{stage} never moved");
    }
    let force_downgrade = Stage::ALL.iter().copied().collect();
    let options = BackendOptions { force_downgrade, ..BackendOptions::default() };
    assert_same(&device(AMPLE_BYTES, random(1)), options, "all of it on the host");
}

/// Two compositions' worth of rows at a time instead of all.
#[test]
fn in_small_chunks() {
    let options = BackendOptions { chunk_bytes: 1 << 12, ..BackendOptions::default() };
    assert_same(&device(AMPLE_BYTES, random(1)), options, "small chunks");
}

/// Refuses the n-th allocation and those after it, for a while.
#[test]
fn with_allocations_refused() {
    for after in (0..400).step_by(61) {
        for count in [1, 40] {
            let device = device(AMPLE_BYTES, random(after));
            let backend = DeviceBackend::new(&device, BackendOptions::default()).expect("there is room");
            device.deny_allocations(after, count);
            let proven = prove(&SMALL, &backend, witness(), &())
                .unwrap_or_else(|error| panic!("{after}, {count}: {error}: {}", report(&device)));
            assert!(proven.proof == PROVEN.proof, "{after}, {count}: another proof");
            assert!(!proven.report.recovery.is_empty() || device.stats().allocations < after);
        }
    }
}

#[test]
fn strict_says_what_was_missing() {
    let device = device(264 << 10, random(1));
    let options = BackendOptions { policy: Policy::Strict, ..BackendOptions::default() };
    let Err(error) = run(&device, options) else { panic!("the memory does not suffice") };
    assert!(matches!(error, ProveError::Fault(Fault::OutOfMemory { .. })), "{error}");
}

#[test]
fn with_the_device_lost_at_any_launch() {
    for nth in [1, 2, 5, 20, 60, 100, 150, 200] {
        let faults = json!([{"at": "launch", "nth": nth, "kind": "device_lost"}]);
        let device = device(AMPLE_BYTES, json!({"seed": nth, "schedule": "random", "faults": faults}));
        let (proven, _) = run(&device, BackendOptions::default()).expect("the host goes on");
        assert!(proven.proof == PROVEN.proof, "{nth}: another proof");
        let actions: Vec<Action> = proven.report.recovery.iter().map(|event| event.action).collect();
        assert_eq!(actions, [Action::Restart], "{nth}");
    }
}
