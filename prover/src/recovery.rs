//! What happens after a fault: the one place where that is decided.
//!
//! A backend that computes on a device classifies its faults and otherwise leaves everything as it was before
//! the stage. [`decide`] then says what to do, [`Recovery`] has the backend do it and runs the stage again:
//!
//! | | action | what the backend does |
//! |---|---|---|
//! | 1 | evict | drops resident data that it can compute again |
//! | 2 | drain | waits for all work: nothing of the failed attempt reads or writes any more |
//! | 3 | shrink | has what the stage works on take less memory, a piece at a time |
//! | 4 | downgrade | moves what the stage works on to the host, all or nothing, and goes on there |
//! | 5 | restart | the whole proof begins again on the host |
//!
//! An action that changes nothing is skipped. Each is taken once per stage and scope at most, so that every
//! stage ends. Whatever is done, the values that a stage returns are the same, and so are the proof's bytes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::backend::Backend;
use crate::error::ProveError;
use crate::fault::{Fault, Scope, Stage};
use crate::recorder::Recorder;
use crate::report::{Event, Round};

/// How far the prover may go to finish.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// What was placed on the device stays there: where that fails, so does the proof.
    Strict,
    /// What fails on the device goes on on the host.
    #[default]
    Recover,
}

/// What to do about a fault (module docs).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Drop resident data that can be computed again, and try again.
    Evict,
    /// Wait for all work, and try again.
    Drain,
    /// Take less memory, a piece at a time.
    Shrink,
    /// Move to the host, and go on there.
    Downgrade,
    /// Begin again on the host.
    Restart,
    /// Give up.
    Fail,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Evict => "evict",
            Self::Drain => "drain",
            Self::Shrink => "shrink",
            Self::Downgrade => "downgrade",
            Self::Restart => "restart",
            Self::Fail => "fail",
        })
    }
}

/// The rungs for a fault, in order. Under [`Policy::Strict`] those that leave the device are missing.
const fn ladder(fault: &Fault) -> &'static [Action] {
    match fault {
        Fault::OutOfMemory { .. } => {
            &[Action::Evict, Action::Drain, Action::Shrink, Action::Downgrade, Action::Restart]
        }
        Fault::Launch { .. } | Fault::Corrupt { .. } => &[Action::Drain, Action::Downgrade, Action::Restart],
        Fault::DeviceLost { .. } => &[Action::Restart],
    }
}

/// The next action after `fault`, when `taken` have been taken for the same stage and scope.
pub fn decide(fault: &Fault, taken: &[Action], policy: Policy) -> Action {
    let allowed = |action: &&Action| {
        policy == Policy::Recover || !matches!(action, Action::Downgrade | Action::Restart)
    };
    ladder(fault)
        .iter()
        .filter(allowed)
        .find(|action| taken.iter().all(|done| done < *action))
        .copied()
        .unwrap_or(Action::Fail)
}

/// One fault and what was done about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecoveryEvent {
    /// When it was done, in seconds since the proof began.
    pub at_seconds: f64,
    /// The round in which the fault was met.
    pub round: Round,
    /// Name of the stage.
    pub stage: String,
    /// What the stage worked on: the table's name, or as [`Scope`] says.
    pub scope: String,
    /// The fault, in words.
    pub fault: String,
    /// The memory that was not to be had, for a fault of that kind.
    pub shortage: Option<Shortage>,
    /// What was done.
    pub action: Action,
}

/// Memory that was not to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shortage {
    /// Bytes asked for.
    pub wanted_bytes: u64,
    /// Bytes that were free in one piece.
    pub free_bytes: u64,
}

/// Runs stages, and runs them again.
pub struct Recovery<'a, B: Backend> {
    backend: &'a B,
    recorder: &'a Recorder<'a>,
    /// Actions taken about wrong values, by table: such a fault is noticed long after the stage.
    corruptions: RefCell<BTreeMap<usize, Vec<Action>>>,
    /// The fault after which the proof has to begin again.
    last: RefCell<Option<RecoveryEvent>>,
}

impl<'a, B: Backend> Recovery<'a, B> {
    /// Over `backend`, under its policy, noting in `recorder` what happens.
    pub fn new(backend: &'a B, recorder: &'a Recorder<'a>) -> Self {
        Self { backend, recorder, corruptions: RefCell::default(), last: RefCell::default() }
    }

    /// Who computes.
    pub fn backend(&self) -> &'a B {
        self.backend
    }

    /// Runs a stage until it succeeds or nothing is left to do.
    ///
    /// # Errors
    /// [`ProveError::Fault`] with the last fault.
    pub fn attempt<T>(
        &self,
        stage: Stage,
        scope: Scope,
        mut run: impl FnMut() -> Result<T, Fault>,
    ) -> Result<T, ProveError> {
        self.recorder.stage(self.backend, stage, scope, || {
            let mut taken = Vec::new();
            loop {
                let fault = match run() {
                    Ok(value) => return Ok(value),
                    Err(fault) => fault,
                };
                self.act(stage, scope, &fault, &mut taken)?;
            }
        })
    }

    /// Values of `table` turned out wrong after `stage`: whether the stage is worth running again.
    pub fn corrupt(&self, stage: Stage, table: usize, check: &'static str) -> bool {
        let mut corruptions = self.corruptions.borrow_mut();
        let taken = corruptions.entry(table).or_default();
        self.act(stage, Scope::Table(table), &Fault::Corrupt { table, check }, taken).is_ok()
    }

    /// Goes down the ladder to an action that changes something.
    fn act(
        &self,
        stage: Stage,
        scope: Scope,
        fault: &Fault,
        taken: &mut Vec<Action>,
    ) -> Result<(), ProveError> {
        let Some(policy) = self.backend.policy() else { return Err(fault.clone().into()) };
        loop {
            let action = decide(fault, taken, policy);
            let done = match action {
                // Whoever runs the proof begins again.
                Action::Restart => {
                    self.last.replace(Some(self.event(stage, scope, fault, action)));
                    return Err(fault.clone().into());
                }
                Action::Fail => {
                    let last = &self.event(stage, scope, fault, action);
                    self.recorder.tell(Event::GaveUp { last, tried: taken });
                    return Err(fault.clone().into());
                }
                action => self.backend.recover(action, stage, scope),
            };
            taken.push(action);
            match done {
                Ok(true) => {
                    self.recorder.recovered(self.event(stage, scope, fault, action));
                    return Ok(());
                }
                Ok(false) => {}
                // A fault of the recovery itself has a ladder of its own; the rungs are shared, so it ends.
                Err(worse) => return self.act(stage, scope, &worse, taken),
            }
        }
    }

    fn event(&self, stage: Stage, scope: Scope, fault: &Fault, action: Action) -> RecoveryEvent {
        let (fault, shortage) = described(fault);
        RecoveryEvent {
            at_seconds: self.recorder.seconds(),
            round: self.recorder.current_round(),
            stage: stage.name().to_owned(),
            scope: self.recorder.scope_name(scope),
            fault,
            shortage,
            action,
        }
    }

    /// Notes that the proof begins again on the host because of `error`.
    pub fn restart(&self, error: &ProveError) {
        let at_seconds = self.recorder.seconds();
        let event = match self.last.take() {
            Some(last) => RecoveryEvent { at_seconds, ..last },
            None => RecoveryEvent {
                at_seconds,
                round: self.recorder.current_round(),
                stage: "prove".to_owned(),
                scope: Scope::Proof.to_string(),
                fault: error.to_string(),
                shortage: None,
                action: Action::Restart,
            },
        };
        self.recorder.recovered(event);
    }
}

/// A fault in words that leave stage and scope to whoever shows them, and the memory that it was about.
fn described(fault: &Fault) -> (String, Option<Shortage>) {
    match fault {
        Fault::OutOfMemory { wanted, free, .. } => (
            format!("{wanted} bytes wanted, {free} free in one piece"),
            Some(Shortage { wanted_bytes: *wanted, free_bytes: *free }),
        ),
        Fault::Launch { reason, .. } => (reason.clone(), None),
        Fault::Corrupt { check, .. } => (format!("the {check} does not hold"), None),
        Fault::DeviceLost { .. } => (fault.to_string(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults() -> [(&'static str, Fault); 4] {
        let (stage, scope) = (Stage::Quotient, Scope::Table(3));
        [
            ("out of memory", Fault::OutOfMemory { stage, scope, wanted: 2, free: 1 }),
            ("launch", Fault::Launch { stage, scope, reason: String::new() }),
            ("corrupt", Fault::Corrupt { table: 3, check: "composition" }),
            ("lost", Fault::DeviceLost { reason: String::new() }),
        ]
    }

    /// The whole table: per fault and policy, what is done in which order until the end.
    #[test]
    fn every_cell() {
        use Action::{Downgrade, Drain, Evict, Fail, Restart, Shrink};
        let expected: [(&[Action], &[Action]); 4] = [
            (&[Evict, Drain, Shrink, Downgrade, Restart, Fail], &[Evict, Drain, Shrink, Fail]),
            (&[Drain, Downgrade, Restart, Fail], &[Drain, Fail]),
            (&[Drain, Downgrade, Restart, Fail], &[Drain, Fail]),
            (&[Restart, Fail], &[Fail]),
        ];
        for ((name, fault), (recover, strict)) in faults().into_iter().zip(expected) {
            for (policy, expected) in [(Policy::Recover, recover), (Policy::Strict, strict)] {
                let mut taken = Vec::new();
                for &action in expected {
                    let decided = decide(&fault, &taken, policy);
                    assert_eq!(decided, action, "{name} under {policy:?} after {taken:?}");
                    taken.push(decided);
                }
            }
        }
    }

    /// Whatever faults come in whatever order, a stage ends after at most six actions.
    #[test]
    fn every_sequence_of_faults_ends() {
        let faults = faults();
        for code in 0..4usize.pow(6) {
            let mut taken = Vec::new();
            let mut code = code;
            for _ in 0..6 {
                let action = decide(&faults[code % 4].1, &taken, Policy::Recover);
                code /= 4;
                if action == Action::Fail {
                    break;
                }
                taken.push(action);
                assert!(taken.is_sorted() && taken.windows(2).all(|pair| pair[0] != pair[1]));
            }
            assert!(taken.len() <= 5);
        }
    }
}
