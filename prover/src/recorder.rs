//! The recorder: one clock and one set of lists for a proof, and whoever watches it.
//!
//! Rounds and steps are timed by the rounds, stages and faults by [`Recovery`](crate::recovery::Recovery),
//! through which every stage goes.

use std::cell::RefCell;
use std::time::Instant;

use lambda_verifier::VerifyingKey;

use crate::backend::Backend;
use crate::fault::{Scope, Stage};
use crate::recovery::RecoveryEvent;
use crate::report::{DeviceMemory, Event, Observer, Round, RoundReport, StageReport, StepReport};

/// Times rounds, steps and stages and tells an observer.
pub struct Recorder<'a> {
    observer: &'a dyn Observer,
    key: &'a VerifyingKey,
    start: Instant,
    records: RefCell<Records>,
}

/// What has happened so far.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// Rounds, the one that goes on last.
    pub rounds: Vec<RoundReport>,
    /// Stages that have ended.
    pub stages: Vec<StageReport>,
    /// Faults, and what was done about them.
    pub recovery: Vec<RecoveryEvent>,
}

impl<'a> Recorder<'a> {
    /// A proof of `key`'s system begins; `observer` is told.
    pub fn new(observer: &'a dyn Observer, key: &'a VerifyingKey) -> Self {
        Self { observer, key, start: Instant::now(), records: RefCell::default() }
    }

    /// Seconds since the proof began.
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// The round that goes on, or ended last.
    pub fn current_round(&self) -> Round {
        self.records.borrow().rounds.last().map_or(Round::Trace, |report| report.round)
    }

    /// What a stage works on, with the table's name.
    pub fn scope_name(&self, scope: Scope) -> String {
        match scope {
            Scope::Table(table) => self.key.tables[table].name.clone(),
            Scope::Height(_) | Scope::Proof => scope.to_string(),
        }
    }

    /// Runs a round of `steps` steps.
    pub fn round<T>(&self, round: Round, steps: usize, run: impl FnOnce() -> T) -> T {
        self.observer.event(Event::RoundStarted { round, steps });
        let start_seconds = self.seconds();
        let report = RoundReport { round, start_seconds, seconds: 0.0, steps: Vec::new() };
        self.records.borrow_mut().rounds.push(report);
        let result = run();
        let seconds = self.seconds() - start_seconds;
        if let Some(report) = self.records.borrow_mut().rounds.last_mut() {
            report.seconds = seconds;
        }
        self.observer.event(Event::RoundDone { round, seconds, memory: self.memory() });
        result
    }

    /// Runs a step of the current round.
    pub fn step<T>(&self, step: &str, rows: u64, run: impl FnOnce() -> T) -> T {
        let start = self.seconds();
        let result = run();
        let seconds = self.seconds() - start;
        if let Some(report) = self.records.borrow_mut().rounds.last_mut() {
            report.steps.push(StepReport { step: step.to_owned(), seconds });
        }
        let (round, memory) = (self.current_round(), self.memory());
        self.observer.event(Event::StepDone { round, step, rows, memory });
        result
    }

    /// Runs a stage on `backend`.
    pub fn stage<B: Backend, T>(
        &self,
        backend: &B,
        stage: Stage,
        scope: Scope,
        run: impl FnOnce() -> T,
    ) -> T {
        let before = backend.memory(0);
        let start_seconds = self.seconds();
        let result = run();
        let end_seconds = self.seconds();
        let memory = before.and_then(|before| {
            let after = backend.memory(before.allocations)?;
            // What was in use before is in use at the stage's first moment.
            let highest_bytes = after.highest_bytes.max(before.used_bytes);
            Some(DeviceMemory { highest_bytes, ..after })
        });
        let (stage, scope, round) = (stage.name().to_owned(), self.scope_name(scope), self.current_round());
        let report = StageReport { stage, scope, round, start_seconds, end_seconds, memory };
        self.records.borrow_mut().stages.push(report);
        result
    }

    /// A fault was met, and something done about it.
    pub fn recovered(&self, event: RecoveryEvent) {
        self.observer.event(Event::Recovered(&event));
        self.records.borrow_mut().recovery.push(event);
    }

    /// Tells the observer of an event that no list has.
    pub fn tell(&self, event: Event<'_>) {
        self.observer.event(event);
    }

    /// The device's memory after the last stage.
    fn memory(&self) -> Option<DeviceMemory> {
        self.records.borrow().stages.last().and_then(|stage| stage.memory)
    }

    /// What has happened.
    pub fn records(&self) -> Records {
        self.records.borrow().clone()
    }
}
