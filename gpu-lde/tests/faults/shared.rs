//! Two proofs at once on one device.

use std::thread;

use lambda_gpu_lde::{BackendOptions, DeviceBackend};
use lambda_math_cuda::{Device, DeviceOptions};
use lambda_prover::{Action, Event, Observer, Proven, Round, prove};
use serde_json::{Value, json};

use crate::kit::{emulated, options, report};
use crate::run::UNPRESSURED;
use crate::support::{PROVEN, SMALL, witness};

fn device(budget_bytes: u64, seed: u64) -> Device {
    device_with(budget_bytes, json!({"seed": seed, "schedule": "random"}))
}

fn device_with(budget_bytes: u64, description: Value) -> Device {
    emulated(description, DeviceOptions { budget_bytes: Some(budget_bytes), ..options() })
}

fn proven(device: &Device) -> Proven {
    let backend = DeviceBackend::new(device, BackendOptions::default()).expect("there is room");
    let proven =
        prove(&SMALL, &backend, witness(), &()).unwrap_or_else(|error| panic!("{error}: {}", report(device)));
    assert!(proven.proof == PROVEN.proof, "another proof");
    proven
}

/// Memory for both wherever they are, for one and a half, and for less than one.
#[test]
fn two_proofs_share_one_device() {
    for (seed, percent) in [(1, 300), (2, 150), (3, 90)] {
        let device = device(UNPRESSURED.bytes * percent / 100, seed);
        let recovered: usize = thread::scope(|scope| {
            let threads = [(); 2].map(|()| scope.spawn(|| proven(&device)));
            threads.map(|thread| thread.join().expect("the proof ends").report.recovery.len()).iter().sum()
        });
        assert!(percent < 300 || recovered == 0, "{percent} %: {recovered} events");
        let stats = device.stats();
        assert_eq!(stats.used_bytes, 0, "{percent} %");
        assert!(stats.peak_bytes <= stats.budget_bytes, "{percent} %");
    }
}

/// Both notice that the device is lost, and both go on on the host.
#[test]
fn two_proofs_lose_one_device() {
    let faults = json!([{"at": "launch", "nth": 150, "kind": "device_lost"}]);
    let device = device_with(UNPRESSURED.bytes * 3, json!({"schedule": "random", "faults": faults}));
    thread::scope(|scope| {
        for thread in [(); 2].map(|()| scope.spawn(|| proven(&device))) {
            let events = thread.join().expect("the proof ends").report.recovery;
            assert_eq!(events.iter().map(|event| event.action).collect::<Vec<_>>(), [Action::Restart]);
        }
    });
    assert_eq!(device.stats().used_bytes, 0);
}

/// Panics when the quotients begin.
struct Panics;

impl Observer for Panics {
    fn event(&self, event: Event<'_>) {
        assert!(!matches!(event, Event::RoundStarted { round: Round::Quotient, .. }), "planned panic");
    }
}

/// A panic in one proof's thread leaves the other alone, and gives back what it had.
#[test]
fn a_panic_leaves_the_other_proof_alone() {
    let device = device(UNPRESSURED.bytes * 3, 4);
    thread::scope(|scope| {
        let panics = scope.spawn(|| {
            let backend = DeviceBackend::new(&device, BackendOptions::default()).expect("there is room");
            prove(&SMALL, &backend, witness(), &Panics)
        });
        let other = scope.spawn(|| proven(&device));
        assert!(panics.join().is_err(), "the observer panics");
        other.join().expect("the other one ends");
    });
    assert_eq!(device.stats().used_bytes, 0);
    proven(&device);
}
