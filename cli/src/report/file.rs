//! The report of a proof as a file, as `--report` writes it and `report` reads it: JSON, the library's report
//! and who computed.

use lambda_prover::Report;
use lambda_prover::execution::ProvenExecution;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::device::shown::ComputerReport;

/// The format that is written and read. One that adds fields which a reader may pass over keeps the number.
pub const FORMAT: u64 = 1;

/// A report, with everything that is not the library's to know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportFile {
    /// Always [`FORMAT`].
    pub format: u64,
    /// Version of the `lambda-prove` that proved.
    pub version: String,
    /// Id of the program that was proven.
    pub program_id: String,
    /// Instructions that it executed.
    pub cycles: u64,
    /// How the proof came about.
    #[serde(flatten)]
    pub report: Report,
    /// Who computed.
    pub device: ComputerReport,
}

/// Why a file is no report that can be drawn.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// It has nothing in it.
    #[error("the file is empty; {WANTED}")]
    Empty,
    /// It is not JSON.
    #[error("this is not JSON ({0}); {WANTED}")]
    NotJson(serde_json::Error),
    /// It is other JSON.
    #[error("this is JSON, but not a report: it has no number `format`; {WANTED}")]
    OtherJson,
    /// A later version wrote it.
    #[error(
        "the report has format {0}, and this lambda-prove reads format {FORMAT}; use a newer lambda-prove"
    )]
    Newer(u64),
    /// It says that it is a report of this format, and something is missing or wrong.
    #[error("the report is damaged ({0}); {WANTED}")]
    Damaged(serde_json::Error),
}

const WANTED: &str = "name a file that `lambda-prove prove --report FILE` wrote";

impl ReportFile {
    /// The report of `proven`, an execution of so many `cycles`.
    pub fn new(proven: &ProvenExecution, cycles: u64, device: ComputerReport) -> Self {
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            program_id: proven.file.program_id.to_string(),
            cycles,
            report: proven.report.clone(),
            device,
        }
    }

    /// As JSON.
    pub fn encode(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec_pretty(self).expect("a report is plain data");
        text.push(b'\n');
        text
    }

    /// From JSON.
    pub fn decode(bytes: &[u8]) -> Result<Self, ReportError> {
        if bytes.trim_ascii().is_empty() {
            return Err(ReportError::Empty);
        }
        let value: Value = serde_json::from_slice(bytes).map_err(ReportError::NotJson)?;
        match value.get("format").and_then(Value::as_u64) {
            Some(FORMAT) => serde_json::from_slice(bytes).map_err(ReportError::Damaged),
            Some(format) if format > FORMAT => Err(ReportError::Newer(format)),
            _ => Err(ReportError::OtherJson),
        }
    }
}
