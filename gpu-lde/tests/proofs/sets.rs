//! The same bytes for the sets of tables that ship: the demo's, and the machine's with two guests.
//!
//! Each is proven under every budget with the window's lock, under one without it, and with some stages
//! moved to the host, so that every stage is moved in one of them. `LAMBDA_SWEEP_MATRIX` in the environment
//! asks for every budget with and without the lock, and every stage in each set.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;

use lambda_demo::DemoInput;
use lambda_executor::Executor;
use lambda_gpu_lde::BackendOptions;
use lambda_prover::execution::ProvableProgram;
use lambda_prover::{Action, HostBackend, Profile, Stage, Witness};
use lambda_verifier::Statement;
use lambda_verifier::execution::verify_execution;
use serde_json::json;

use crate::mixes::Mix;
use crate::run::{AMPLE_BYTES, assert_same, device, unpressured_peak};

/// Budgets in percent of the smallest one that suffices.
const BUDGETS: [u64; 6] = [100, 75, 50, 35, 10, 0];
/// The one that is proven without the lock too.
const WITHOUT_LOCK: u64 = 35;
/// Which set moves a stage to the host: they take turns, the cheapest one more often than the others.
const TURNS: [usize; 6] = [DEMO, DEMO, FIBONACCI, DEMO, DEMO, KECCAK];
/// Index of the demo.
const DEMO: usize = 0;
/// Index of the Fibonacci guest.
const FIBONACCI: usize = 1;
/// Index of the Keccak guest.
const KECCAK: usize = 2;

/// Rows of a table's instances: fewer than the Keccak guest's instructions, so that its tables are split.
const MAX_ROWS: usize = 1 << 11;

#[test]
fn demo() {
    let input = DemoInput { fibonacci_log2: 4, keccak_permutations: 1, seed: 7 };
    let (traces, public_values) = lambda_demo::traces(&input);
    let statement = Statement { public_values, messages: vec![] };
    assert_same_bytes(&Mix::new("demo", lambda_demo::tables(), Witness { traces, statement }), DEMO);
}

/// F(1).
#[test]
fn fibonacci() {
    assert_same_bytes(&guest("fib", &1u64.to_le_bytes()), FIBONACCI);
}

/// The digest of one byte.
#[test]
fn keccak() {
    assert_same_bytes(&guest("keccak", &[&1u64.to_le_bytes(), &b"a"[..]].concat()), KECCAK);
}

/// A guest's execution. The host's proof verifies as one of the program.
fn guest(name: &'static str, input: &[u8]) -> Mix {
    let elf = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../guests/elf/{name}.elf"));
    let executor = Executor::from_elf(&fs::read(elf).expect("a committed file")).expect("an executable");
    let (_, record) = executor.record(input).expect("the guest exits");
    let program = ProvableProgram::new(Profile::Test, executor.program().clone()).expect("a small program");
    let program = program.with_max_rows(MAX_ROWS);
    let proven = program.prove(&HostBackend, program.witness(&record), &()).expect("an honest execution");
    let verified = verify_execution(&proven.file).expect("an honest proof");
    let (system, witness) = program.instantiate(program.witness(&record)).expect("few enough instances");
    let mix = Mix::of(name, system, witness);
    assert_eq!(verified.key.digest(), mix.system.verifying_key().digest());
    assert!(mix.host.proof == proven.file.proof, "{name}: the same proof twice");
    mix
}

/// Budgets, lock and stages (module docs) for a set with this index.
fn assert_same_bytes(mix: &Mix, set: usize) {
    let peak = unpressured_peak(mix);
    for percent in BUDGETS {
        for serialize_window in [true, false] {
            if serialize_window || wants_all() || percent == WITHOUT_LOCK {
                let options = BackendOptions { serialize_window, ..BackendOptions::default() };
                let what = format!("{percent} % of the memory, lock {serialize_window}");
                let device = device(peak * percent / 100, eager());
                let (events, _) = assert_same(mix, &device, options, None, &what);
                assert!(percent < 100 || events.is_empty(), "{}, {what}: {events:?}", mix.name);
                let restarts = events.iter().any(|event| event.action == Action::Restart);
                assert!(!restarts, "{}, {what}: {events:?}", mix.name);
            }
        }
    }
    for (place, &stage) in Stage::ALL.iter().enumerate() {
        if wants_all() || TURNS[place % TURNS.len()] == set {
            let force_downgrade = BTreeSet::from([stage]);
            let options = BackendOptions { force_downgrade, ..BackendOptions::default() };
            let (_, counters) = assert_same(mix, &device(AMPLE_BYTES, eager()), options, None, stage.name());
            assert!(counters.downgrades > 0, "{}: {stage} never moved", mix.name);
        }
    }
}

fn eager() -> serde_json::Value {
    json!({"schedule": "eager"})
}

#[expect(clippy::disallowed_methods, reason = "a matrix is as large as its caller has time")]
fn wants_all() -> bool {
    env::var_os("LAMBDA_SWEEP_MATRIX").is_some()
}
