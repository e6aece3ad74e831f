//! The window's lock covers compositions of two parts on the device, and nothing else. These tests hold it
//! themselves, one after the other, so they have a process of their own.

#[path = "../../math-cuda/tests/kernels/kit.rs"]
#[allow(dead_code, reason = "each test binary uses its own part")]
mod kit;
mod mixes;
#[path = "../../prover/tests/support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lambda_gpu_lde::{BackendOptions, Counters, DeviceBackend, window};
use lambda_prover::{Event, Observer, Round, Stage, prove};
use serde_json::json;

use mixes::{KINDS, MIXES};

/// How long a proof that is let in may take at the most.
const LONG: Duration = Duration::from_secs(300);
/// How long one that is kept out is watched.
const SHORT: Duration = Duration::from_millis(1500);

/// The table of `kinds` that is composed right before the first one of two parts.
const BEFORE_TWO_PARTS: &str = "fibonacci";

/// What a proof tells.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    /// The next composition has two parts.
    BeforeTwoParts,
    /// What it cost.
    Ended(Counters),
}

struct Tells(Sender<Told>);

impl Observer for Tells {
    fn event(&self, event: Event<'_>) {
        if let Event::StepDone { round: Round::Quotient, step: BEFORE_TWO_PARTS, .. } = event {
            self.0.send(Told::BeforeTwoParts).expect("somebody waits");
        }
    }
}

/// Proves one of the mixes on another thread; the receiver is told.
fn proof(mix: usize, options: BackendOptions) -> (JoinHandle<()>, Receiver<Told>) {
    let (sender, receiver) = channel();
    let thread = thread::spawn(move || {
        let mix = &MIXES[mix];
        let device = kit::emulated(json!({"schedule": "eager"}), kit::options());
        let backend = DeviceBackend::new(&device, options).expect("the device gives a stream");
        let watch = Tells(sender);
        let proven = prove(&mix.system, &backend, mix.witness.clone(), &watch).expect("the witness is true");
        assert!(proven.proof == mix.host.proof, "{}: another proof", mix.name);
        watch.0.send(Told::Ended(backend.counters())).expect("somebody waits");
    });
    (thread, receiver)
}

/// What the proof cost, once it has ended.
fn cost(receiver: &Receiver<Told>, what: &str) -> Counters {
    loop {
        match receiver.recv_timeout(LONG).unwrap_or_else(|error| panic!("{what}: {error}")) {
            Told::BeforeTwoParts => {}
            Told::Ended(counters) => return counters,
        }
    }
}

/// Bug: the lock is not taken, is taken where it does not belong, or its wait is not counted.
#[test]
fn the_lock_covers_compositions_of_two_parts_on_the_device() {
    let single = MIXES.iter().position(|mix| mix.name == "single").expect("there is one");
    let (held, waited) = window::enter();
    assert_eq!(waited, None);
    let on_host =
        BackendOptions { force_downgrade: BTreeSet::from([Stage::Quotient]), ..BackendOptions::default() };
    let lifted = BackendOptions { serialize_window: false, ..BackendOptions::default() };
    for (what, mix, options) in [
        ("one part", single, BackendOptions::default()),
        ("two parts, on the host", KINDS, on_host),
        ("two parts, without the lock", KINDS, lifted),
    ] {
        let (thread, receiver) = proof(mix, options);
        assert_eq!(cost(&receiver, what).window_waits, 0, "{what}");
        thread.join().expect("the proof ends");
    }
    let (thread, receiver) = proof(KINDS, BackendOptions::default());
    assert_eq!(receiver.recv_timeout(LONG), Ok(Told::BeforeTwoParts));
    assert_eq!(receiver.recv_timeout(SHORT), Err(RecvTimeoutError::Timeout), "nobody waited for the window");
    drop(held);
    let counters = cost(&receiver, "two parts");
    thread.join().expect("the proof ends");
    assert_eq!(counters.window_waits, 1);
    assert!(counters.window_wait_nanoseconds > 0);
}
