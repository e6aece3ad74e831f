//! Tables have the places that the memory allows, and with enough for the plan nothing fails.

#[path = "../../math-cuda/tests/kernels/kit.rs"]
#[allow(dead_code, reason = "each test binary uses its own part")]
mod kit;
#[path = "../../prover/tests/support/mod.rs"]
mod support;

use std::collections::BTreeSet;

use lambda_air::Table;
use lambda_gpu_lde::{BackendOptions, DeviceBackend, DevicePlan, Place};
use lambda_math_cuda::{Device, DeviceOptions};
use lambda_prover::{HostBackend, Policy, Proven, System, Witness, prove};
use lambda_verifier::Statement;
use lambda_verifier::layout::Layout;
use serde_json::json;

use support::SMALL;
use support::tables::Fibonacci;

/// Heights for which what the plan leaves out is small beside what it counts.
const HEIGHTS_LOG2: [u8; 3] = [13, 11, 9];
/// What the plan leaves out, bytes.
const UNPLANNED_BYTES: u64 = 48 << 10;

fn tall() -> System {
    support::system(["tall", "middle", "short"].map(|name| Table::new(name, Fibonacci)).into())
}

fn tall_witness() -> Witness {
    let (traces, public_values) =
        HEIGHTS_LOG2.map(|log2| support::fibonacci(log2.into(), 3, 5)).into_iter().unzip();
    Witness { traces, statement: Statement { public_values, messages: Vec::new() } }
}

fn plan(system: &System, heights_log2: &[u8], budget_bytes: u64, policy: Policy) -> DevicePlan {
    let layout = Layout::new(system.verifying_key(), heights_log2).expect("a layout");
    let chunk_bytes = BackendOptions::default().chunk_bytes;
    DevicePlan::within(system.verifying_key(), &layout, chunk_bytes, budget_bytes, policy)
}

fn places(plan: &DevicePlan) -> BTreeSet<Place> {
    plan.tables.iter().map(|table| table.place).collect()
}

fn device(budget_bytes: u64) -> Device {
    let description = json!({"seed": budget_bytes, "schedule": "random"});
    kit::emulated(description, DeviceOptions { budget_bytes: Some(budget_bytes), ..kit::options() })
}

fn proven(system: &System, device: &Device, witness: Witness) -> (Proven, DeviceBackend) {
    let backend = DeviceBackend::new(device, BackendOptions::default()).expect("the device gives a stream");
    let proven = prove(system, &backend, witness, &()).expect("the witness is true");
    (proven, backend)
}

/// Bug: a plan that exceeds its budget, or leaves out a table that has room.
#[test]
fn plans_fit_their_budgets() {
    for (system, heights_log2) in [(&tall(), &HEIGHTS_LOG2[..]), (&*SMALL, &support::HEIGHTS_LOG2[..])] {
        let unpressured = plan(system, heights_log2, u64::MAX, Policy::Recover).peak_bytes();
        let mut seen = BTreeSet::new();
        for budget in (0..=200).map(|step| unpressured * step / 200) {
            let within = plan(system, heights_log2, budget, Policy::Recover);
            assert!(within.peak_bytes() <= budget, "{budget}: {within:?}");
            assert_eq!(within.host_only, within.peak_bytes() == 0, "{budget}: {within:?}");
            seen.extend(places(&within));
            for table in &within.tables {
                assert_eq!(
                    table.missing_bytes.is_some(),
                    table.place != Place::Resident,
                    "{budget}: {within:?}"
                );
            }
            let strict = plan(system, heights_log2, budget, Policy::Strict);
            assert!(!strict.host_only && !places(&strict).contains(&Place::Host), "{budget}: {strict:?}");
        }
        assert_eq!(seen.len(), 3, "{seen:?}");
        let enough = plan(system, heights_log2, unpressured, Policy::Recover);
        assert_eq!(places(&enough), BTreeSet::from([Place::Resident]));
    }
}

/// Bug: a buffer that the plan does not know, or one more than it needs.
#[test]
fn with_memory_for_the_plan_nothing_fails() {
    let system = tall();
    let host = prove(&system, &HostBackend, tall_witness(), &()).expect("the witness is true");
    let unpressured = plan(&system, &HEIGHTS_LOG2, u64::MAX, Policy::Recover).peak_bytes();
    for percent in (10..=100).step_by(10) {
        let budget = unpressured * percent / 100;
        let device = device(budget + UNPLANNED_BYTES);
        let (proven, backend) = proven(&system, &device, tall_witness());
        assert!(proven.proof == host.proof, "{percent} %: another proof");
        assert_eq!(proven.report.recovery, [], "{percent} %");
        let planned = backend.plan().expect("a proof was made").peak_bytes();
        let measured = device.stats().peak_extent_bytes;
        assert!(measured <= planned + UNPLANNED_BYTES, "{percent} %: {measured} of {planned} planned");
        assert!(planned <= measured + measured / 50, "{percent} %: {measured} of {planned} planned");
    }
}

/// Bug: a table that is larger than the budget goes to the host, or is brought to the device whole.
#[test]
fn a_table_larger_than_the_budget_is_streamed() {
    let system = support::system(vec![Table::new("tall", Fibonacci)]);
    let witness = || {
        let (trace, public_values) = support::fibonacci(13, 3, 5);
        let statement = Statement { public_values: vec![public_values], messages: Vec::new() };
        Witness { traces: vec![trace], statement }
    };
    let unpressured = plan(&system, &[13], u64::MAX, Policy::Strict).peak_bytes();
    let least = (0..100).map(|percent| unpressured * percent / 100).find(|&budget| {
        let plan = plan(&system, &[13], budget, Policy::Strict);
        plan.peak_bytes() <= budget && places(&plan) == BTreeSet::from([Place::Streamed])
    });
    let device = device(least.expect("the table can be streamed") + UNPLANNED_BYTES);
    let host = prove(&system, &HostBackend, witness(), &()).expect("the witness is true");
    let (proven, backend) = proven(&system, &device, witness());
    assert!(proven.proof == host.proof, "another proof");
    assert_eq!((proven.report.recovery.len(), backend.counters().downgrades), (0, 0));
}

/// Two proofs at once: what one has reserved the other does not plan with.
#[test]
fn the_second_proof_plans_with_what_is_left() {
    let system = tall();
    let unpressured = plan(&system, &HEIGHTS_LOG2, u64::MAX, Policy::Recover).peak_bytes();
    let device = device(unpressured * 3 / 2);
    let taken = device.ledger().reserve(unpressured);
    let (_, second) = proven(&system, &device, tall_witness());
    let second = second.plan().expect("a proof was made");
    assert!(second.peak_bytes() <= unpressured / 2, "{second:?}");
    assert_ne!(places(&second), BTreeSet::from([Place::Resident]));
    assert_eq!(device.ledger().unreserved_bytes(), device.ledger().budget_bytes() - unpressured);
    drop(taken);
    let (_, third) = proven(&system, &device, tall_witness());
    assert_eq!(places(&third.plan().expect("a proof was made")), BTreeSet::from([Place::Resident]));
}
