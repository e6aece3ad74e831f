//! The happy path: the plan's peak is the arena's, nothing is recovered from, and the driver gives no memory
//! after the device was opened.

#[path = "../../math-cuda/tests/kernels/kit.rs"]
#[allow(dead_code, reason = "each test binary uses its own part")]
mod kit;
mod mixes;
#[path = "../../prover/tests/support/mod.rs"]
mod support;

use lambda_air::Table;
use lambda_demo::DemoInput;
use lambda_gpu_lde::{BackendOptions, Counters, DeviceBackend, DevicePlan};
use lambda_math::{Columns, Goldilocks};
use lambda_math_cuda::Device;
use lambda_prover::{Witness, prove};
use lambda_verifier::Statement;
use lambda_verifier::layout::Layout;
use serde_json::{Value, json};

use mixes::{Cubes, Mix, cubes};
use support::columns;
use support::tables::{Fibonacci, NIBBLES, Power, SQUARES, tables};

/// Bytes of a chunk's messages and sums: small beside what the tables take.
const CHUNK_BYTES: u64 = 64 << 10;

/// Fibonacci tables of two heights, so that something joins: tall enough for what the plan leaves out not to
/// matter.
#[test]
fn without_lookups() {
    let tables = ["tall", "short"].map(|name| Table::new(name, Fibonacci)).into();
    let (traces, public_values) = [13, 11].map(|log2| support::fibonacci(log2, 3, 5)).into_iter().unzip();
    assert_as_planned(&mix("fibonacci", tables, traces, public_values));
}

/// A wide table, whose main columns are most of it.
#[test]
fn wide() {
    let tables = vec![Table::new("wide", Cubes { width: 40 }), Table::new("narrow", Cubes { width: 2 })];
    assert_as_planned(&mix("wide", tables, vec![cubes(11, 40), cubes(12, 2)], vec![vec![]; 2]));
}

/// One and two parts, lookups, preprocessed columns, tables of equal heights.
#[test]
fn with_lookups() {
    let powers = [support::power(12, 4000), support::power(12, 100), support::power(10, 1 << 10)];
    let sent: Vec<_> = powers
        .iter()
        .flat_map(|power| power.column(0).iter().zip(power.column(3)))
        .filter(|(_, used)| **used == support::field(1))
        .map(|(&base, _)| base)
        .collect();
    let counts = support::count(16, sent);
    let mut all: Vec<Table> = ["first", "second", "third"].map(|name| Table::new(name, Power)).into();
    all.extend(
        tables()
            .into_iter()
            .enumerate()
            .filter_map(|(index, table)| matches!(index, NIBBLES | SQUARES).then_some(table)),
    );
    let mut traces: Vec<_> = powers.into();
    traces.extend([columns([counts.clone()]), support::squares(counts)]);
    assert_as_planned(&mix("powers", all, traces, vec![vec![]; 5]));
}

/// The demo's tables.
#[test]
fn demo() {
    let input = DemoInput { fibonacci_log2: 5, keccak_permutations: 1, seed: 7 };
    let (traces, public_values) = lambda_demo::traces(&input);
    assert_as_planned(&mix("demo", lambda_demo::tables(), traces, public_values));
}

/// What the emulator says about a device.
fn report(device: &Device) -> Value {
    serde_json::from_str(&kit::report(device)).expect("the report is JSON")
}

fn mix(
    name: &'static str,
    tables: Vec<Table>,
    traces: Vec<Columns>,
    public_values: Vec<Vec<Goldilocks>>,
) -> Mix {
    Mix::new(name, tables, Witness { traces, statement: Statement { public_values, messages: vec![] } })
}

/// Proves on a device whose driver refuses every allocation but the arena's own, and compares with the plan.
fn assert_as_planned(mix: &Mix) {
    let refused = json!({"at": "alloc", "nth": 2, "times": 1u64 << 40, "kind": "oom"});
    let device = kit::emulated(json!({"schedule": "eager", "faults": [refused]}), kit::options());
    let opened = report(&device);
    let options = BackendOptions { chunk_bytes: CHUNK_BYTES, ..BackendOptions::default() };
    let backend = DeviceBackend::new(&device, options).expect("there is room");
    let proven = prove(&mix.system, &backend, mix.witness.clone(), &()).expect("the witness is true");
    assert!(proven.proof == mix.host.proof, "{}: another proof", mix.name);
    assert_eq!(proven.report.recovery, [], "{}", mix.name);
    // Other tests of this process may be in the window.
    let counters = backend.counters();
    let waits = Counters { window_waits: 0, window_wait_nanoseconds: 0, ..counters };
    assert_eq!(waits, Counters::default(), "{}", mix.name);
    let report = report(&device);
    assert_eq!(report["counters"]["injected"], 0, "{}: the driver was asked for more memory", mix.name);
    for memory in ["device_bytes", "peak_device_bytes", "pinned_bytes"] {
        assert_eq!(report["held"][memory], opened["held"][memory], "{}: {memory}", mix.name);
    }

    let heights_log2: Vec<u8> =
        mix.witness.traces.iter().map(|trace| trace.height().trailing_zeros() as u8).collect();
    let key = mix.system.verifying_key();
    let layout = Layout::new(key, &heights_log2).expect("a layout");
    let plan = DevicePlan::new(key, &layout, CHUNK_BYTES);
    let measured = device.stats().peak_extent_bytes;
    let difference = plan.peak_bytes().abs_diff(measured);
    assert!(
        difference * 50 <= measured,
        "{}: planned {}, measured {measured}: {plan:?}",
        mix.name,
        plan.peak_bytes()
    );
}
