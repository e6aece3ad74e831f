//! One run of a plan, and what must hold after it.

use std::sync::LazyLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use lambda_gpu_lde::{BackendOptions, Counters, DeviceBackend};
use lambda_math_cuda::arena::Flaws;
use lambda_math_cuda::{Device, DeviceOptions};
use lambda_prover::recovery::RecoveryEvent;
use lambda_prover::{Action, Policy, ProveError, Proven, prove};
use serde_json::Value;

use crate::kit;
use crate::mixes::{MIXES, Mix};
use crate::plan::{Plan, Reach};

/// How long a run may take; it takes less than a second.
const LIMIT: Duration = Duration::from_secs(60);

/// For each of the [`MIXES`], a run that has all it wants.
pub static UNPRESSURED: LazyLock<[Unpressured; 4]> =
    LazyLock::new(|| MIXES.each_ref().map(Unpressured::measure));

/// What such a run takes, counted from the opening of the device.
#[derive(Debug)]
pub struct Unpressured {
    /// The smallest budget that suffices.
    pub bytes: u64,
    /// Allocations of the proof.
    pub allocations: u64,
    /// Launches.
    pub launches: u64,
    /// Copies and memsets.
    pub copies: u64,
    /// Modules.
    pub modules: u64,
}

impl Unpressured {
    fn measure(mix: &Mix) -> Self {
        let options = DeviceOptions { budget_bytes: Some(64 << 20), ..kit::options() };
        let device = kit::emulated(serde_json::json!({}), options);
        let backend = DeviceBackend::new(&device, BackendOptions::default()).expect("there is room");
        let before = device.stats().allocations;
        prove(&mix.system, &backend, mix.witness.clone(), &()).expect("nothing goes wrong");
        let report = report(&device);
        let count = |name: &str| report["counters"][name].as_u64().expect("a counter of the emulator");
        Self {
            bytes: device.stats().peak_extent_bytes,
            allocations: device.stats().allocations - before,
            launches: count("launches"),
            copies: ["uploads", "downloads", "copies", "fills"].map(count).iter().sum(),
            modules: report["held"]["modules"].as_u64().expect("a number of the emulator"),
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// Nothing went wrong.
    Undisturbed,
    /// The host's bytes.
    SameBytes,
    /// Another proof that the verifier accepts, after a bit flipped in memory.
    OtherBytes,
    /// A typed error under `strict`.
    Refused,
    /// There was no backend to begin with.
    NoBackend,
}

impl Ending {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Undisturbed => "undisturbed",
            Self::SameBytes => "same-bytes",
            Self::OtherBytes => "other-bytes",
            Self::Refused => "refused",
            Self::NoBackend => "no-backend",
        }
    }
}

/// A run that went as it must.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How it ended.
    pub ending: Ending,
    /// What recovery did.
    pub actions: Vec<Action>,
}

/// Runs a plan; what is wrong with the outcome, if anything is. A panic and a hang are wrong.
pub fn watched(plan: &Plan) -> Result<Summary, String> {
    let (sender, receiver) = mpsc::channel();
    let own = plan.clone();
    let thread = thread::spawn(move || {
        // Nobody listens after the time is up.
        let _ = sender.send(run(&own));
    });
    match receiver.recv_timeout(LIMIT) {
        Ok(outcome) => outcome.map_err(|what| format!("{plan}: {what}")),
        Err(RecvTimeoutError::Timeout) => Err(format!("{plan}: hangs")),
        Err(RecvTimeoutError::Disconnected) => match thread.join() {
            Ok(()) => Err(format!("{plan}: ended without an outcome")),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
                Err(format!("{plan}: panics: {}", text.unwrap_or("with no words")))
            }
        },
    }
}

fn run(plan: &Plan) -> Result<Summary, String> {
    // The cross-check keeps parts that are dropped otherwise.
    let ample = if plan.xcheck { 2 * plan.unpressured().bytes } else { plan.unpressured().bytes };
    let budget = ample * plan.budget_percent / 100;
    let flaws = Flaws { forgets_pending_work: plan.forgets_pending_work, ..Flaws::default() };
    let options = DeviceOptions { budget_bytes: Some(budget), poison: plan.poison, flaws, ..kit::options() };
    let device = kit::emulated(plan.device(), options);
    let options = BackendOptions {
        policy: plan.policy,
        serialize_window: plan.serialize_window,
        xcheck: plan.xcheck,
        chunk_bytes: plan.chunk_bytes,
        ..BackendOptions::default()
    };
    let outcome = match DeviceBackend::new(&device, options) {
        Err(error) if bit(plan, &device, 0) => {
            let _ = error;
            Ok(Summary { ending: Ending::NoBackend, actions: Vec::new() })
        }
        Err(error) => Err(format!("no backend: {error}")),
        Ok(backend) => {
            let before = device.stats().allocations;
            if let Some(denied) = plan.denied {
                device.deny_allocations(denied.after, denied.count);
            }
            let mix = plan.mix();
            let proven = prove(&mix.system, &backend, mix.witness.clone(), &());
            let bit = bit(plan, &device, before);
            let counters = backend.counters();
            drop(backend);
            judge(plan, &device, proven, counters, bit)
        }
    };
    let outcome = outcome.and_then(|summary| nothing_left(&device).map(|()| summary));
    outcome.map_err(|what| format!("{what}; {}", kit::report(&device)))
}

/// Whether anything of the plan came to pass, when the device had made `before` allocations for the backend.
fn bit(plan: &Plan, device: &Device, before: u64) -> bool {
    let denied = plan.denied.is_some_and(|denied| device.stats().allocations > before + denied.after);
    plan.budget_percent < 100
        || plan.forgets_pending_work
        || denied
        || report(device)["counters"]["injected"] != 0
}

fn judge(
    plan: &Plan,
    device: &Device,
    proven: Result<Proven, ProveError>,
    counters: Counters,
    bit: bool,
) -> Result<Summary, String> {
    let report = report(device);
    let may_break = plan.forgets_pending_work || plan.reaches(Reach::Broken) || plan.reaches(Reach::Memory);
    ensure(may_break || report["first_fault"].is_null(), || "a kernel broke a rule".into())?;
    let proven = match proven {
        Ok(proven) => proven,
        Err(error) => {
            ensure(plan.policy == Policy::Strict, || format!("recovery gave up: {error}"))?;
            ensure(bit, || format!("refused although nothing went wrong: {error}"))?;
            ensure(is_typed(&error), || format!("an error that is none of the backend's: {error}"))?;
            return Ok(Summary { ending: Ending::Refused, actions: Vec::new() });
        }
    };
    let events = &proven.report.recovery;
    let actions: Vec<Action> = events.iter().map(|event| event.action).collect();
    consistent(plan, events, &actions, counters, bit).map_err(|what| format!("{what}: {events:#?}"))?;
    let broke = !report["first_fault"].is_null() && plan.policy == Policy::Recover;
    ensure(!broke || actions.last() == Some(&Action::Restart), || "the device broke unnoticed".into())?;
    if proven.proof == plan.mix().host.proof {
        let ending = if bit { Ending::SameBytes } else { Ending::Undisturbed };
        return Ok(Summary { ending, actions });
    }
    ensure(plan.reaches(Reach::Memory), || format!("another proof: {events:#?}"))?;
    let verified =
        lambda_verifier::verify(plan.mix().system.verifying_key(), &proven.statement, &proven.proof);
    ensure(verified.is_ok(), || format!("an invalid proof: {verified:?}"))?;
    Ok(Summary { ending: Ending::OtherBytes, actions })
}

/// Whether what recovery did fits the plan and the counters.
fn consistent(
    plan: &Plan,
    events: &[RecoveryEvent],
    actions: &[Action],
    counters: Counters,
    bit: bool,
) -> Result<(), String> {
    let count = |action: Action| actions.iter().filter(|&&other| other == action).count();
    ensure(bit || actions.is_empty(), || "recovery from nothing".into())?;
    ensure(counters.drains == count(Action::Drain) as u64, || format!("drains: {counters:?}"))?;
    ensure(counters.downgrades == count(Action::Downgrade) as u64, || format!("downgrades: {counters:?}"))?;
    let restarts = count(Action::Restart);
    let ends_there = restarts == 0 || restarts == 1 && actions.last() == Some(&Action::Restart);
    ensure(ends_there, || "more after a restart".into())?;
    let leaves = restarts + count(Action::Downgrade) > 0;
    ensure(plan.policy == Policy::Recover || !leaves, || "strict, and left the device".into())?;
    if plan.faults.is_empty() && !plan.forgets_pending_work {
        ensure(restarts == 0, || "the host's stages need no device memory".into())?;
        let of_memory = events.iter().all(|event| event.fault.contains("bytes wanted"));
        ensure(of_memory, || "another fault than the planned ones".into())?;
    }
    Ok(())
}

fn nothing_left(device: &Device) -> Result<(), String> {
    let used = device.stats().used_bytes;
    ensure(used == 0, || format!("{used} bytes left behind"))?;
    let (peak, budget) = (device.stats().peak_bytes, device.stats().budget_bytes);
    ensure(peak <= budget, || format!("{peak} bytes of {budget}"))?;
    let buffers = &report(device)["held"]["buffers"];
    ensure(*buffers == 0, || format!("{buffers} buffers left behind"))
}

/// Whether an error is one that `strict` may end with.
const fn is_typed(error: &ProveError) -> bool {
    matches!(
        error,
        ProveError::Fault(_)
            | ProveError::Unbalanced
            | ProveError::Unsatisfied { .. }
            | ProveError::SelfCheck(_)
    )
}

/// What the emulator says about a device.
fn report(device: &Device) -> Value {
    serde_json::from_str(&kit::report(device)).expect("the report is JSON")
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}
