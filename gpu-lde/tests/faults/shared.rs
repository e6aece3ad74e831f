//! Two proofs at once on one device.

use std::thread;

use lambda_gpu_lde::{BackendOptions, DeviceBackend};
use lambda_math_cuda::{Device, DeviceOptions};
use lambda_prover::{Action, Proven, prove};
use serde_json::{Value, json};

use crate::kit::{emulated, options, report};
use crate::mixes::{MIXES, SMALL};
use crate::run::UNPRESSURED;

fn device(budget_bytes: u64, seed: u64) -> Device {
    device_with(budget_bytes, json!({"seed": seed, "schedule": "random"}))
}

fn device_with(budget_bytes: u64, description: Value) -> Device {
    emulated(description, DeviceOptions { budget_bytes: Some(budget_bytes), ..options() })
}

fn proven(device: &Device) -> Proven {
    let backend = DeviceBackend::new(device, BackendOptions::default()).expect("there is room");
    let small = &MIXES[SMALL];
    let proven = prove(&small.system, &backend, small.witness.clone(), &())
        .unwrap_or_else(|error| panic!("{error}: {}", report(device)));
    assert!(proven.proof == small.host.proof, "another proof");
    proven
}

/// Memory for both wherever they are, for one and a half, and for less than one.
#[test]
fn two_proofs_share_one_device() {
    for (seed, percent) in [(1, 300), (2, 150), (3, 90)] {
        let device = device(UNPRESSURED[SMALL].bytes * percent / 100, seed);
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
    let device = device_with(UNPRESSURED[SMALL].bytes * 3, json!({"schedule": "random", "faults": faults}));
    thread::scope(|scope| {
        for thread in [(); 2].map(|()| scope.spawn(|| proven(&device))) {
            let events = thread.join().expect("the proof ends").report.recovery;
            assert_eq!(events.iter().map(|event| event.action).collect::<Vec<_>>(), [Action::Restart]);
        }
    });
    assert_eq!(device.stats().used_bytes, 0);
}
