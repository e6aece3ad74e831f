//! What happened while a proof was made: events as it goes, a report at the end.

use std::fmt;
use std::time::Instant;

use serde::Serialize;

use crate::backend::TableContext;
use crate::fault::{Fault, Scope, Stage};
use crate::recovery::{Action, RecoveryEvent};

/// A round of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Round {
    /// 01: taking over the traces.
    Trace,
    /// 02: committing to the main columns.
    Main,
    /// 03: committing to the lookup columns.
    Lookup,
    /// 04: committing to the quotient.
    Quotient,
    /// 05: evaluating out of domain.
    Ood,
    /// 06: the low-degree test.
    Fri,
    /// 07: opening the queries.
    Open,
    /// The finished proof's verification.
    Verify,
}

impl Round {
    /// Its number and title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Trace => "01 trace",
            Self::Main => "02 main",
            Self::Lookup => "03 lookup",
            Self::Quotient => "04 quotient",
            Self::Ood => "05 ood",
            Self::Fri => "06 fri",
            Self::Open => "07 open",
            Self::Verify => "08 verify",
        }
    }
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

/// A device's memory at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceMemory {
    /// Bytes in use.
    pub used_bytes: u64,
    /// Bytes that may be used.
    pub budget_bytes: u64,
}

/// Something that an observer may show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<'a> {
    /// A round begins; so many steps will be reported.
    RoundStarted {
        /// Which.
        round: Round,
        /// Steps: tables, or heights.
        steps: usize,
    },
    /// A round is done with a table, or with a height.
    StepDone {
        /// Which round.
        round: Round,
        /// Name of the table, or the height.
        step: &'a str,
        /// Rows worked on.
        rows: u64,
    },
    /// A round ends.
    RoundDone {
        /// Which.
        round: Round,
        /// How long it took.
        seconds: f64,
    },
    /// A stage failed, and something was done about it.
    Recovered(&'a RecoveryEvent),
    /// A stage failed, and recovery has nothing left to do: on this backend there will be no proof.
    GaveUp {
        /// The stage.
        stage: Stage,
        /// What it worked on.
        scope: Scope,
        /// Its last fault.
        fault: &'a Fault,
        /// Actions that were taken, those that changed nothing included.
        tried: &'a [Action],
    },
}

/// Receives events in order, on the proving thread.
pub trait Observer {
    /// Shows or records `event`.
    fn event(&self, event: Event<'_>);
}

/// Shows nothing.
impl Observer for () {
    fn event(&self, _event: Event<'_>) {}
}

/// Time of one step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepReport {
    /// Name of the table, or the height.
    pub step: String,
    /// Wall time.
    pub seconds: f64,
}

/// Time of one round.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoundReport {
    /// Which.
    pub round: Round,
    /// Wall time.
    pub seconds: f64,
    /// Its steps.
    pub steps: Vec<StepReport>,
}

/// Size of one table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableReport {
    /// Name.
    pub table: String,
    /// Rows.
    pub rows: u64,
    /// Main columns.
    pub main_columns: usize,
    /// Preprocessed columns.
    pub preprocessed_columns: usize,
    /// Lookup columns, over the extension field.
    pub lookup_columns: usize,
    /// Constraints, the lookup ones included.
    pub constraints: usize,
}

impl TableReport {
    /// The size of `table`.
    pub fn new(table: &TableContext<'_>) -> Self {
        let shape = &table.key.shape;
        Self {
            table: table.key.name.clone(),
            rows: 1 << table.height_log2,
            main_columns: shape.main_width,
            preprocessed_columns: shape.preprocessed_width,
            lookup_columns: shape.lookup_columns(),
            constraints: shape.composed_constraints(),
        }
    }
}

/// What happened while a proof was made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Profile.
    pub profile: String,
    /// Provable bits, Johnson regime.
    pub johnson_bits: String,
    /// Provable bits, unique decoding.
    pub unique_decoding_bits: String,
    /// Wall time of everything, verification included.
    pub seconds: f64,
    /// The tables.
    pub tables: Vec<TableReport>,
    /// The rounds.
    pub rounds: Vec<RoundReport>,
    /// Faults and what was done about them, in order.
    pub recovery: Vec<RecoveryEvent>,
    /// Largest number of bytes that the plan has in use at a time.
    pub planned_peak_bytes: u64,
    /// Growth of the process's peak resident memory while proving, the traces given included; where the
    /// system tells.
    pub measured_peak_bytes: Option<u64>,
}

/// Times rounds and steps and tells an observer.
pub struct Recorder<'a> {
    observer: &'a dyn Observer,
    rounds: Vec<RoundReport>,
}

impl<'a> Recorder<'a> {
    /// Tells `observer`.
    pub fn new(observer: &'a dyn Observer) -> Self {
        Self { observer, rounds: Vec::new() }
    }

    /// Runs a round of `steps` steps.
    pub fn round<T>(&mut self, round: Round, steps: usize, run: impl FnOnce(&mut Self) -> T) -> T {
        self.observer.event(Event::RoundStarted { round, steps });
        self.rounds.push(RoundReport { round, seconds: 0.0, steps: Vec::new() });
        let start = Instant::now();
        let result = run(self);
        let seconds = start.elapsed().as_secs_f64();
        if let Some(report) = self.rounds.last_mut() {
            report.seconds = seconds;
        }
        self.observer.event(Event::RoundDone { round, seconds });
        result
    }

    /// Runs a step of the current round.
    pub fn step<T>(&mut self, step: &str, rows: u64, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = run();
        let seconds = start.elapsed().as_secs_f64();
        if let Some(report) = self.rounds.last_mut() {
            report.steps.push(StepReport { step: step.to_owned(), seconds });
            self.observer.event(Event::StepDone { round: report.round, step, rows });
        }
        result
    }

    /// The rounds so far.
    pub fn into_rounds(self) -> Vec<RoundReport> {
        self.rounds
    }
}
