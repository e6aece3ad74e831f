//! An accepted proof, shown to people and programs.

use std::format;
use std::path::Path;
use std::string::{String, ToString};
use std::time::Duration;
use std::vec::Vec;

use serde_json::{Value, json};

use super::block::ValidatedBlock;
use crate::execution::{ExecutionProof, VerifiedExecution};
use crate::security::SecurityReport;

/// An accepted proof, to be shown.
pub struct Verified<'a> {
    pub file: &'a ExecutionProof,
    pub verified: &'a VerifiedExecution,
    /// The block that the output is about, where one was expected.
    pub block: Option<ValidatedBlock>,
    pub bytes: usize,
    pub time: Duration,
}

impl Verified<'_> {
    pub fn text(&self, path: &Path, explain: bool) -> String {
        let (claim, profile) = (&self.file.statement, self.file.profile);
        let accepted = &self.verified.accepted;
        let heights = &accepted.layout.heights_log2;
        let mut lines = Vec::from([
            format!("proof      {} ({})", path.display(), human_bytes(self.bytes)),
            format!("program    {}", self.file.program_id),
            format!(
                "output     {}",
                if claim.output.is_empty() { "none".into() } else { hex(&claim.output) }
            ),
            format!("exit code  {}", claim.exit_code),
        ]);
        lines.extend(self.block.map(|block| block.text().trim_end().to_string()));
        lines.extend([
            format!(
                "profile    {profile}: blowup {}, {} queries, {} bits of grinding",
                1u32.checked_shl(profile.blowup_log2()).unwrap_or(0),
                profile.queries(),
                profile.grinding_bits(),
            ),
            format!(
                "tables     {}, the tallest of 2^{} rows; at most {} cycles",
                heights.len(),
                accepted.layout.tallest_log2(),
                claim.cycles(&self.file.proof.heights_log2),
            ),
            format!("security   {}", accepted.johnson),
            format!("           {}", accepted.unique_decoding),
        ]);
        if explain {
            for (table, height) in self.verified.key.tables.iter().zip(heights) {
                let width = table.shape.main_width;
                lines.push(format!("table      {}: 2^{height} rows, {width} columns", table.name));
            }
            lines.push(explain_rounds(&accepted.johnson, &accepted.unique_decoding));
        }
        lines.push(format!("verified in {} ms", self.time.as_millis()));
        lines.push(String::new());
        lines.join("\n")
    }

    pub fn json(&self) -> Value {
        let accepted = &self.verified.accepted;
        let claim = &self.file.statement;
        let rounds = |report: &SecurityReport| -> Vec<Value> {
            report
                .rounds
                .iter()
                .map(|(round, bits)| json!({"round": round.to_string(), "bits": bits.to_string()}))
                .collect()
        };
        let security = |report: &SecurityReport| {
            json!({
                "regime": report.regime.to_string(),
                "bits": report.minimum().to_string(),
                "weakest": report.weakest().to_string(),
                "rounds": rounds(report),
            })
        };
        let tables: Vec<Value> = self
            .verified
            .key
            .tables
            .iter()
            .zip(&accepted.layout.heights_log2)
            .map(|(table, height_log2)| {
                json!({
                    "table": table.name,
                    "height_log2": height_log2,
                    "columns": table.shape.main_width,
                })
            })
            .collect();
        let mut value = json!({
            "valid": true,
            "program_id": self.file.program_id.to_string(),
            "output": hex(&claim.output),
            "exit_code": claim.exit_code,
            "cycles_at_most": claim.cycles(&self.file.proof.heights_log2),
            "profile": self.file.profile.name(),
            "bytes": self.bytes,
            "tables": tables,
            "johnson": security(&accepted.johnson),
            "unique_decoding": security(&accepted.unique_decoding),
            "microseconds": u64::try_from(self.time.as_micros()).unwrap_or(u64::MAX),
        });
        if let (Some(object), Some(block)) = (value.as_object_mut(), &self.block) {
            object.insert("block".to_string(), block.json());
        }
        value
    }
}

/// A table of the rounds' bits in both regimes.
fn explain_rounds(johnson: &SecurityReport, unique: &SecurityReport) -> String {
    let mut lines = Vec::from([
        String::new(),
        format!("{:<16}{:>10}{:>18}", "provable bits", "Johnson", "unique decoding"),
    ]);
    for (round, bits) in &johnson.rounds {
        let other = unique.level(*round).map_or(String::new(), |bits| bits.to_string());
        lines.push(format!("{:<16}{:>10}{other:>18}", round.to_string(), bits.to_string()));
    }
    let (least, other) = (johnson.minimum().to_string(), unique.minimum().to_string());
    lines.push(format!("{:<16}{least:>10}{other:>18}", "minimum"));
    lines.push(String::new());
    lines.join("\n")
}

/// A size for people: `2.6 MB`.
pub fn human_bytes(bytes: usize) -> String {
    let units = [("GB", 1_000_000_000usize), ("MB", 1_000_000), ("kB", 1_000)];
    for (unit, size) in units {
        if bytes >= size {
            let tenths = bytes.saturating_mul(10).checked_div(size).unwrap_or(0);
            let whole = tenths.checked_div(10).unwrap_or(0);
            return format!("{whole}.{} {unit}", tenths.checked_rem(10).unwrap_or(0));
        }
    }
    format!("{bytes} bytes")
}

/// `bytes` as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
