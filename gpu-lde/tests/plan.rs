//! The plan's peak is the arena's.

#[path = "../../math-cuda/tests/kernels/kit.rs"]
#[allow(dead_code, reason = "each test binary uses its own part")]
mod kit;
#[path = "../../prover/tests/support/mod.rs"]
mod support;

use lambda_air::Table;
use lambda_gpu_lde::{BackendOptions, DeviceBackend, DevicePlan};
use lambda_prover::{Witness, prove};
use lambda_verifier::Statement;
use lambda_verifier::layout::Layout;
use serde_json::json;

use support::tables::Fibonacci;

/// Fibonacci tables of two heights, so that something joins: tall enough for what the plan leaves out not to
/// matter.
const HEIGHTS_LOG2: [u8; 2] = [13, 11];

#[test]
fn planned_and_measured() {
    let system = support::system(["tall", "short"].map(|name| Table::new(name, Fibonacci)).into());
    let (traces, public_values) =
        HEIGHTS_LOG2.map(|log2| support::fibonacci(log2.into(), 3, 5)).into_iter().unzip();
    let statement = Statement { public_values, messages: Vec::new() };
    let device = kit::emulated(json!({"schedule": "eager"}), kit::options());
    let options = BackendOptions { chunk_bytes: 64 << 10, ..BackendOptions::default() };
    let backend = DeviceBackend::new(&device, options.clone()).expect("there is room");
    prove(&system, &backend, Witness { traces, statement }, &()).expect("the witness is true");
    let layout = Layout::new(system.verifying_key(), &HEIGHTS_LOG2).expect("a layout");
    let plan = DevicePlan::new(system.verifying_key(), &layout, options.chunk_bytes);
    let measured = device.stats().peak_extent_bytes;
    let difference = plan.peak_bytes().abs_diff(measured);
    assert!(difference * 50 <= measured, "planned {}, measured {measured}: {plan:?}", plan.peak_bytes());
}
