//! The same bytes everywhere, for the small system.

use lambda_gpu_lde::{BackendOptions, Counters, DeviceBackend};
use lambda_prover::recovery::RecoveryEvent;
use lambda_prover::{Action, Fault, Policy, ProveError, prove};
use serde_json::json;

use crate::kit::report;
use crate::mixes::{MIXES, Mix, SMALL};
use crate::run::{AMPLE_BYTES, assert_same, device, random, run, unpressured_peak};

fn small() -> &'static Mix {
    &MIXES[SMALL]
}

fn actions(events: &[RecoveryEvent]) -> Vec<Action> {
    events.iter().map(|event| event.action).collect()
}

#[test]
fn with_enough_memory_nothing_goes_wrong() {
    for seed in 0..3 {
        for serialize_window in [true, false] {
            let options = BackendOptions { serialize_window, ..BackendOptions::default() };
            let device = device(AMPLE_BYTES, random(seed));
            let (events, counters) = assert_same(small(), &device, options, None, "ample");
            // Other tests of this process may be in the window.
            let waits = Counters { window_waits: 0, window_wait_nanoseconds: 0, ..counters };
            assert_eq!((events, waits), (vec![], Counters::default()));
        }
    }
}

#[test]
fn with_less_and_less_memory() {
    let peak = unpressured_peak(small());
    for percent in [100, 75, 50, 35, 20, 10, 0] {
        for serialize_window in [true, false] {
            let device = device(peak * percent / 100, random(percent));
            let options = BackendOptions { serialize_window, ..BackendOptions::default() };
            let (events, _) = assert_same(small(), &device, options, None, "starved");
            assert!(percent < 100 || events.is_empty(), "{percent} %: {events:?}");
            assert!(!actions(&events).contains(&Action::Restart), "{percent} %: {events:?}");
        }
    }
}

/// Two compositions' worth of rows at a time instead of all.
#[test]
fn in_small_chunks() {
    let options = BackendOptions { chunk_bytes: 1 << 12, ..BackendOptions::default() };
    assert_same(small(), &device(AMPLE_BYTES, random(1)), options, None, "small chunks");
}

/// Refuses the n-th allocation and those after it, for a while.
#[test]
fn with_allocations_refused() {
    for after in (0..400).step_by(61) {
        for count in [1, 40] {
            let device = device(AMPLE_BYTES, random(after));
            let backend = DeviceBackend::new(&device, BackendOptions::default()).expect("there is room");
            device.deny_allocations(after, count);
            let proven = prove(&small().system, &backend, small().witness.clone(), &())
                .unwrap_or_else(|error| panic!("{after}, {count}: {error}: {}", report(&device)));
            assert!(proven.proof == small().host.proof, "{after}, {count}: another proof");
            assert!(!proven.report.recovery.is_empty() || device.stats().allocations < after);
        }
    }
}

#[test]
fn strict_says_what_was_missing() {
    let device = device(264 << 10, random(1));
    let options = BackendOptions { policy: Policy::Strict, ..BackendOptions::default() };
    // A backend that outlives its failed proof keeps nothing for it.
    let backend = DeviceBackend::new(&device, options).expect("the device gives a stream");
    let mix = small();
    let Err(error) = prove(&mix.system, &backend, mix.witness.clone(), &()) else {
        panic!("the memory does not suffice")
    };
    assert!(matches!(error, ProveError::Fault(Fault::OutOfMemory { .. })), "{error}");
    assert_eq!(device.stats().used_bytes, 0);
    assert_eq!(device.ledger().unreserved_bytes(), device.ledger().budget_bytes());
}

#[test]
fn with_the_device_lost_at_any_launch() {
    for nth in [1, 2, 5, 20, 60, 100, 150, 200] {
        let faults = json!([{"at": "launch", "nth": nth, "kind": "device_lost"}]);
        let device = device(AMPLE_BYTES, json!({"seed": nth, "schedule": "random", "faults": faults}));
        let (proven, _) = run(small(), &device, BackendOptions::default()).expect("the host goes on");
        assert!(proven.proof == small().host.proof, "{nth}: another proof");
        assert_eq!(actions(&proven.report.recovery), [Action::Restart], "{nth}");
    }
}
