//! One proof on an emulated device.

use lambda_gpu_lde::{BackendOptions, Counters, DeviceBackend};
use lambda_math_cuda::{Device, DeviceOptions};
use lambda_prover::recovery::RecoveryEvent;
use lambda_prover::{ProveError, Proven, prove};
use serde_json::{Value, json};

use crate::kit::{emulated, options, report};
use crate::mixes::Mix;

/// More than any of the mixes takes.
pub const AMPLE_BYTES: u64 = 512 << 20;

pub fn device(budget_bytes: u64, description: Value) -> Device {
    emulated(description, DeviceOptions { budget_bytes: Some(budget_bytes), ..options() })
}

pub fn random(seed: u64) -> Value {
    json!({"seed": seed, "schedule": "random"})
}

pub fn run(
    mix: &Mix,
    device: &Device,
    options: BackendOptions,
) -> Result<(Proven, DeviceBackend), ProveError> {
    let backend = DeviceBackend::new(device, options).expect("the device gives a stream");
    let proven = prove(&mix.system, &backend, mix.witness.clone(), &())?;
    Ok((proven, backend))
}

/// Proves and compares with the host's proof; what recovery did, and what it cost. `denied` allocations are
/// refused, the first of them after so many others.
pub fn assert_same(
    mix: &Mix,
    device: &Device,
    options: BackendOptions,
    denied: Option<(u64, u64)>,
    what: &str,
) -> (Vec<RecoveryEvent>, Counters) {
    let backend = DeviceBackend::new(device, options).expect("the device gives a stream");
    if let Some((after, count)) = denied {
        device.deny_allocations(after, count);
    }
    let proven = prove(&mix.system, &backend, mix.witness.clone(), &())
        .unwrap_or_else(|error| panic!("{}, {what}: {error}: {}", mix.name, report(device)));
    assert!(proven.proof == mix.host.proof, "{}, {what}: another proof", mix.name);
    let (stats, counters) = (device.stats(), backend.counters());
    assert_eq!(stats.used_bytes, 0, "{}, {what}: the proof left something behind", mix.name);
    assert_eq!(device.ledger().unreserved_bytes(), stats.budget_bytes, "{}, {what}", mix.name);
    assert!(stats.peak_bytes <= stats.budget_bytes, "{}, {what}: more than the budget", mix.name);
    (proven.report.recovery, counters)
}

/// The smallest budget that suffices for everything to be on the device.
pub fn unpressured_peak(mix: &Mix) -> u64 {
    let device = device(AMPLE_BYTES, random(0));
    let (events, _) = assert_same(mix, &device, BackendOptions::default(), None, "ample");
    assert_eq!(events, [], "{}", mix.name);
    device.stats().peak_extent_bytes
}
