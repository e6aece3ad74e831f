//! What happened while a proof was made: events as it goes, a report at the end.
//!
//! Times are wall time on the host's clock, in seconds; those of a moment count from the start of the proof.
//! A proof that begins again on the host goes on with the same clock and the same lists.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::backend::TableContext;
use crate::recovery::{Action, RecoveryEvent};

/// A round of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
    /// All rounds, in order.
    pub const ALL: [Self; 8] = [
        Self::Trace,
        Self::Main,
        Self::Lookup,
        Self::Quotient,
        Self::Ood,
        Self::Fri,
        Self::Open,
        Self::Verify,
    ];

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

/// A device's memory at a moment, all proofs on it together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceMemory {
    /// Bytes in use.
    pub used_bytes: u64,
    /// Most bytes in use at one time, in the time that was asked about.
    pub highest_bytes: u64,
    /// Bytes that may be used.
    pub budget_bytes: u64,
    /// Allocations so far: what a later question about the time from here on is asked with.
    #[serde(skip)]
    pub allocations: u64,
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
        /// The device's memory after its last stage, where the backend has one.
        memory: Option<DeviceMemory>,
    },
    /// A round ends.
    RoundDone {
        /// Which.
        round: Round,
        /// How long it took.
        seconds: f64,
        /// The device's memory after its last stage, where the backend has one.
        memory: Option<DeviceMemory>,
    },
    /// A stage failed, and something was done about it.
    Recovered(&'a RecoveryEvent),
    /// A stage failed, and recovery has nothing left to do: on this backend there will be no proof.
    GaveUp {
        /// The stage's last fault.
        last: &'a RecoveryEvent,
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepReport {
    /// Name of the table, or the height.
    pub step: String,
    /// Wall time.
    pub seconds: f64,
}

/// Time of one round. A round that was done again has an entry each time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundReport {
    /// Which.
    pub round: Round,
    /// When it began.
    pub start_seconds: f64,
    /// Wall time.
    pub seconds: f64,
    /// Its steps.
    pub steps: Vec<StepReport>,
}

/// One stage of one table, height, or the proof, what recovery did about it included. Work of a device that
/// the stage has issued may still go on when it ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageReport {
    /// Name of the stage.
    pub stage: String,
    /// What it worked on: the table's name, or as [`Scope`](crate::Scope) says.
    pub scope: String,
    /// The round.
    pub round: Round,
    /// When it began.
    pub start_seconds: f64,
    /// When it ended.
    pub end_seconds: f64,
    /// The device's memory at its end, and the most within it; `None` on a backend without one.
    pub memory: Option<DeviceMemory>,
}

/// Size of one table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// The rounds, in order.
    pub rounds: Vec<RoundReport>,
    /// The stages, in order.
    pub stages: Vec<StageReport>,
    /// Faults and what was done about them, in order.
    pub recovery: Vec<RecoveryEvent>,
    /// Largest number of bytes that the plan has in use at a time.
    pub planned_peak_bytes: u64,
    /// Growth of the process's peak resident memory while proving, the traces given included; where the
    /// system tells.
    pub measured_peak_bytes: Option<u64>,
}
