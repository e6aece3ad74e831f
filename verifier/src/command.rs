//! The `verify` command, shared by `lambda-verify` and `lambda-prove verify`.

use std::format;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::string::{String, ToString};
use std::time::{Duration, Instant};
use std::vec::Vec;

use clap::Args;
use p3_field::PrimeField64;
use serde_json::{Value, json};

use crate::error::KeyError;
use crate::file::{FileError, HEADER_BYTES, Id, MAX_BODY_BYTES};
use crate::security::SecurityReport;
use crate::verify::Accepted;
use crate::{Profile, ProofFile, Statement, VerifyingKey, verify_file};

/// Exit code of an invalid proof.
pub const EXIT_INVALID: u8 = 1;
/// Exit code when the result cannot be written.
pub const EXIT_REFUSED: u8 = 5;
/// Exit code of a fault of this program.
pub const EXIT_INTERNAL: u8 = 6;
/// Exit code of an input that cannot be read or is of an unknown format or version.
pub const EXIT_UNREADABLE: u8 = 3;

/// Arguments of the command.
#[derive(Args, Clone, Debug)]
pub struct VerifyArgs {
    /// Proof file; `-` reads standard input
    #[arg(value_name = "PROOF")]
    pub proof: PathBuf,
    /// Program id that the proof must be for, 64 hexadecimal digits [default: the built-in demo]
    #[arg(long, value_name = "HEX", value_parser = parse_id)]
    pub program_id: Option<Id>,
    /// Profile that the proof must have [default: any that promises 128 bits]
    #[arg(long, value_name = "NAME", value_parser = parse_profile)]
    pub profile: Option<Profile>,
    /// Print the provable bits of every round
    #[arg(long)]
    pub explain: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

/// Why the command did not accept.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The file is larger than any proof.
    #[error("{} is larger than {limit} bytes, the largest a proof can be", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit: u64,
    },
    /// The file is not an acceptable proof.
    #[error("{}: {error}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// Why.
        error: FileError,
    },
    /// The proof's profile is not wanted here.
    #[error("{}: the proof has profile {got}, {expected} is required", path.display())]
    Profile {
        /// The file.
        path: PathBuf,
        /// Its profile.
        got: Profile,
        /// What is required.
        expected: String,
    },
    /// The built-in system breaks a rule.
    #[error("internal fault: {0}")]
    System(#[from] KeyError),
    /// The output cannot be written.
    #[error("cannot write the result: {0}")]
    Output(#[from] std::io::Error),
}

impl CommandError {
    /// The exit code.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Unreadable { .. } | Self::TooLarge { .. } => EXIT_UNREADABLE,
            Self::Output(_) => EXIT_REFUSED,
            Self::System(_) => EXIT_INTERNAL,
            Self::Refused { error, .. } if !error.is_invalid_proof() => EXIT_UNREADABLE,
            Self::Refused { .. } | Self::Profile { .. } => EXIT_INVALID,
        }
    }
}

/// Verifies the proof that `args` name and writes the result to `out`.
///
/// # Errors
/// When the proof is not accepted; nothing has been written then.
pub fn run(args: &VerifyArgs, out: &mut impl Write) -> Result<(), CommandError> {
    let path = &args.proof;
    let bytes = read(path)?;
    let refused = |error| CommandError::Refused { path: path.clone(), error };
    let file = ProofFile::decode(&bytes).map_err(refused)?;
    check_profile(args, &file)?;
    if let Some(expected) = args.program_id
        && expected != file.program_id
    {
        return Err(refused(FileError::Program { expected, got: file.program_id }));
    }
    let key = VerifyingKey::from_tables(file.profile, lambda_demo::tables())?;
    let start = Instant::now();
    let (accepted, statement) = verify_file(&key, &file).map_err(refused)?;
    let time = start.elapsed();
    let result =
        Verified { file: &file, statement, key: &key, accepted: &accepted, bytes: bytes.len(), time };
    if args.json {
        writeln!(out, "{}", result.json())?;
    } else {
        out.write_all(result.text(path, args.explain).as_bytes())?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    let unreadable = |error| CommandError::Unreadable { path: path.to_path_buf(), error };
    let limit = u64::try_from(HEADER_BYTES.saturating_add(MAX_BODY_BYTES)).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    let source: &mut dyn Read = if path == Path::new("-") {
        &mut std::io::stdin()
    } else {
        &mut File::open(path).map_err(unreadable)?
    };
    source.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > limit {
        return Err(CommandError::TooLarge { path: path.to_path_buf(), limit });
    }
    Ok(bytes)
}

fn check_profile(args: &VerifyArgs, file: &ProofFile) -> Result<(), CommandError> {
    let got = file.profile;
    let refuse = |expected: String| Err(CommandError::Profile { path: args.proof.clone(), got, expected });
    match args.profile {
        Some(expected) if expected != got => refuse(expected.to_string()),
        Some(_) => Ok(()),
        None if !got.is_selectable() => refuse(String::from("one that promises 128 bits")),
        None => Ok(()),
    }
}

fn parse_id(text: &str) -> Result<Id, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let wrong = || format!("{text} is not 64 hexadecimal digits");
    if digits.len() != 64 || !digits.is_ascii() {
        return Err(wrong());
    }
    let mut id = [0; 32];
    for (index, byte) in id.iter_mut().enumerate() {
        let first = index.saturating_mul(2);
        let pair = digits.get(first..first.saturating_add(2)).ok_or_else(wrong)?;
        *byte = u8::from_str_radix(pair, 16).map_err(|_| wrong())?;
    }
    Ok(Id(id))
}

/// The profile called `name`, if a user may select it.
///
/// # Errors
/// A sentence for the user.
pub fn parse_profile(name: &str) -> Result<Profile, String> {
    match Profile::from_name(name) {
        Some(profile) if profile.is_selectable() => Ok(profile),
        Some(_) => Err(format!("{name} gives no security and is for tests only; choose default or compact")),
        None => Err(format!("there is no profile {name}; choose default or compact")),
    }
}

/// An accepted proof, to be shown.
struct Verified<'a> {
    file: &'a ProofFile,
    statement: &'a Statement,
    key: &'a VerifyingKey,
    accepted: &'a Accepted,
    bytes: usize,
    time: Duration,
}

impl Verified<'_> {
    fn text(&self, path: &Path, explain: bool) -> String {
        let profile = self.file.profile;
        let mut lines = Vec::from([
            format!("proof      {} ({})", path.display(), human_bytes(self.bytes)),
            format!("program    {}", self.file.program_id),
            format!(
                "profile    {profile}: blowup {}, {} queries, {} bits of grinding",
                1u32.checked_shl(profile.blowup_log2()).unwrap_or(0),
                profile.queries(),
                profile.grinding_bits(),
            ),
        ]);
        for ((table, height), values) in
            self.key.tables.iter().zip(&self.accepted.layout.heights_log2).zip(&self.statement.public_values)
        {
            let values: Vec<String> =
                values.iter().map(|value| value.as_canonical_u64().to_string()).collect();
            let values =
                if values.is_empty() { String::new() } else { format!(", public {}", values.join(" ")) };
            let width = table.shape.main_width;
            lines.push(format!("table      {}: 2^{height} rows, {width} columns{values}", table.name));
        }
        lines.push(format!("security   {}", self.accepted.johnson));
        lines.push(format!("           {}", self.accepted.unique_decoding));
        if explain {
            lines.push(explain_rounds(&self.accepted.johnson, &self.accepted.unique_decoding));
        }
        lines.push(format!("verified in {} ms", self.time.as_millis()));
        lines.push(String::new());
        lines.join("\n")
    }

    fn json(&self) -> Value {
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
            .key
            .tables
            .iter()
            .zip(&self.accepted.layout.heights_log2)
            .zip(&self.statement.public_values)
            .map(|((table, height_log2), values)| {
                let values: Vec<u64> = values.iter().map(PrimeField64::as_canonical_u64).collect();
                json!({
                    "table": table.name,
                    "height_log2": height_log2,
                    "columns": table.shape.main_width,
                    "public_values": values,
                })
            })
            .collect();
        json!({
            "valid": true,
            "program_id": self.file.program_id.to_string(),
            "profile": self.file.profile.name(),
            "bytes": self.bytes,
            "tables": tables,
            "johnson": security(&self.accepted.johnson),
            "unique_decoding": security(&self.accepted.unique_decoding),
            "microseconds": u64::try_from(self.time.as_micros()).unwrap_or(u64::MAX),
        })
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
