//! A panic in the middle of a proof: the device, the backend and the window are as good as before.
//!
//! A proof's tables come one after another on the thread that called `prove`, so no sibling is at work when a
//! stage panics: the panic ends that proof, on that thread, with the text of whoever panicked; nobody dresses
//! it up as an error. Other proofs on the device go on.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use lambda_gpu_lde::{BackendOptions, DeviceBackend};
use lambda_math::{Ext3, Goldilocks};
use lambda_math_cuda::{Device, DeviceOptions};
use lambda_prover::backend::{Backend, QuotientInput, TableContext};
use lambda_prover::recovery::RecoveryEvent;
use lambda_prover::{Event, Observer, Round, prove};
use lambda_verifier::transcript::LookupChallenges;
use p3_field::PrimeCharacteristicRing;
use serde_json::json;

use crate::kit::{emulated, options, report};
use crate::mixes::{KINDS, MIXES, Mix};

/// How soon a panic has to be out of `prove`.
const LIMIT: Duration = Duration::from_secs(1);

/// Index of `cubes` in the mix, a table with two parts.
const CUBES: usize = 1;

/// Allocations of a proof that are refused are so far apart.
const STRIDE: usize = 7;

fn kinds() -> &'static Mix {
    &MIXES[KINDS]
}

fn device() -> Device {
    let options = DeviceOptions { budget_bytes: Some(64 << 20), ..options() };
    emulated(json!({"schedule": "random"}), options)
}

fn backend(device: &Device) -> DeviceBackend {
    DeviceBackend::new(device, BackendOptions::default()).expect("the device gives a stream")
}

/// Nothing goes wrong.
fn assert_proves(backend: &DeviceBackend) {
    let proven = prove(&kinds().system, backend, kinds().witness.clone(), &())
        .unwrap_or_else(|error| panic!("{error}: {}", report(backend.device())));
    assert!(proven.proof == kinds().host.proof, "another proof");
    assert_eq!(proven.report.recovery, []);
}

/// Panics when a stage has failed, between the attempts, with the time and what it was.
struct PanicsAtRecovery;

impl Observer for PanicsAtRecovery {
    fn event(&self, event: Event<'_>) {
        if let Event::Recovered(RecoveryEvent { stage, scope, .. }) = event {
            resume_unwind(Box::new((Instant::now(), format!("{stage} of {scope}"))));
        }
    }
}

/// Where a proof panics that does so at its first recovery. It ends at once.
fn panicked_at(backend: &DeviceBackend) -> String {
    let panic = catch_unwind(AssertUnwindSafe(|| {
        prove(&kinds().system, backend, kinds().witness.clone(), &PanicsAtRecovery)
    }));
    let panic = panic.expect_err("there is something to recover from");
    let (begun, place) = *panic.downcast::<(Instant, String)>().expect("the planned panic");
    assert!(begun.elapsed() < LIMIT, "{place}: {:?}", begun.elapsed());
    place
}

/// A panic in the midst of a stage, of whatever table it comes to: what the proof had is given back, and the
/// same backend proves again.
#[test]
fn a_panic_between_attempts_leaves_nothing() {
    let device = device();
    let backend = backend(&device);
    let before = device.stats();
    assert_proves(&backend);
    let proof = device.stats();
    let mut places = Vec::new();
    for after in (0..proof.allocations - before.allocations).step_by(STRIDE) {
        device.deny_allocations(after, 1);
        places.push(panicked_at(&backend));
        assert_eq!(device.stats().used_bytes, 0, "{places:?}");
        assert_eq!(device.ledger().unreserved_bytes(), device.ledger().budget_bytes(), "{places:?}");
    }
    assert_proves(&backend);
    for table in &kinds().system.verifying_key().tables {
        let scope = format!("of {}", table.name);
        assert!(places.iter().any(|place| place.ends_with(&scope)), "none {scope}: {places:?}");
    }
    drop(backend);
    assert_eq!(device.stats().used_bytes, 0);
}

/// A panic of the device arm itself, in the window: a table that is said to be taller than its columns.
#[test]
fn a_panic_in_the_window_does_not_close_it() {
    let device = device();
    let backend = backend(&device);
    let mix = kinds();
    let trace = Arc::new(mix.witness.traces[CUBES].clone());
    let height_log2 = trace.height().trailing_zeros() + 1;
    let key = &mix.system.verifying_key().tables[CUBES];
    assert_eq!(key.shape.quotient_parts(), 2);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        let trace = backend.load(CUBES, &trace).expect("there is room");
        let lde = backend.extend(CUBES, 1, &[(&trace, Goldilocks::ONE)]).expect("there is room");
        backend.quotient(QuotientInput {
            table: TableContext { index: CUBES, key, height_log2, public_values: &[] },
            program: &mix.system.programs()[CUBES].composition,
            main: &lde,
            preprocessed: None,
            lookup: None,
            challenges: LookupChallenges { alpha: Ext3::ONE, gamma: Ext3::ONE },
            lookup_sum: Ext3::ZERO,
            alpha: Ext3::ONE,
        })
    }));
    assert!(panic.is_err(), "there are no such rows");
    assert_proves(&backend);
    assert_proves(&self::backend(&device));
    drop(backend);
    assert_eq!(device.stats().used_bytes, 0);
}

/// Panics when the quotients begin.
struct PanicsAtQuotient;

impl Observer for PanicsAtQuotient {
    fn event(&self, event: Event<'_>) {
        assert!(!matches!(event, Event::RoundStarted { round: Round::Quotient, .. }), "planned panic");
    }
}

/// A panic in one proof's thread leaves the other alone, and gives back what it had.
#[test]
fn a_panic_leaves_the_other_proof_alone() {
    let device = device();
    thread::scope(|scope| {
        let panics = scope
            .spawn(|| prove(&kinds().system, &backend(&device), kinds().witness.clone(), &PanicsAtQuotient));
        let other = scope.spawn(|| assert_proves(&backend(&device)));
        assert!(panics.join().is_err(), "the observer panics");
        other.join().expect("the other one ends");
    });
    assert_eq!(device.stats().used_bytes, 0);
    assert_proves(&backend(&device));
}
