//! `lambda-prove inspect`: says what a file is. Verifies nothing.

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

use clap::Args;
use lambda_executor::Executor;
use lambda_machine::elf::SymbolTable;
use lambda_machine::isa::INSTRUCTION_BYTES;
use lambda_prover::Profile;
use lambda_verifier::ProofFile;
use lambda_verifier::command::{hex, human_bytes, parse_profile};
use lambda_verifier::execution::{ExecutionClaim, ExecutionProof, ProgramCommitment};
use lambda_verifier::file::{self, Claim, MAGIC};
use serde_json::{Value, json};

use crate::block;
use crate::error::CliError;
use crate::program::read_file;
use crate::progress::human_count;

/// Largest file that is looked at.
const MAX_BYTES: u64 = 1 << 28;

/// Arguments of `inspect`.
#[derive(Args, Debug)]
pub struct InspectArgs {
    /// An ELF executable, a block or a proof; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Parameters for a program's id
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = parse_profile)]
    profile: Profile,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// One property of a file: its name, for people, for programs.
pub struct Line(pub &'static str, pub String, pub Value);

impl Line {
    /// A property that looks the same to people and programs.
    pub fn new(name: &'static str, text: String) -> Self {
        Self(name, text.clone(), text.into())
    }
}

/// Says what the file is.
pub fn run(args: &InspectArgs) -> Result<(), CliError> {
    let path = &args.file;
    let bytes = read_file(path, MAX_BYTES)?;
    let mut lines = vec![Line("bytes", human_bytes(bytes.len()), json!(bytes.len()))];
    lines.extend(if bytes.starts_with(b"\x7fELF") {
        elf(path, &bytes, args.profile)?
    } else if bytes.starts_with(&MAGIC) {
        proof(path, &bytes)?
    } else if let Some(mut summary) = block::shown::summary(&bytes) {
        let kind = "Ethereum block and its witness, not validated".to_owned();
        summary.insert(0, Line("kind", kind, json!("block")));
        summary
    } else {
        return Err(CliError::Unrecognised { path: path.clone() });
    });
    show(lines, args.json)
}

/// Prints `lines` for people, or as one `json` object.
pub fn show(lines: Vec<Line>, json: bool) -> Result<(), CliError> {
    let text = if json {
        let object: serde_json::Map<String, Value> =
            lines.into_iter().map(|Line(name, _, value)| (name.replace(' ', "_"), value)).collect();
        format!("{}\n", Value::Object(object))
    } else {
        lines.iter().map(|Line(name, text, _)| format!("{name:<14} {text}\n")).collect()
    };
    stdout().write_all(text.as_bytes()).map_err(CliError::Stdout)
}

fn elf(path: &Path, bytes: &[u8], profile: Profile) -> Result<Vec<Line>, CliError> {
    let executor =
        Executor::from_elf(bytes).map_err(|error| CliError::Elf { path: path.to_path_buf(), error })?;
    let program = executor.program();
    let (commitment, key) = ProgramCommitment::new(profile, program).map_err(CliError::Program)?;
    let id = commitment.id(&key.verifying).to_string();
    let instructions = program.code.iter().flatten().count();
    let code_end = u64::from(program.code_base) + program.code.len() as u64 * u64::from(INSTRUCTION_BYTES);
    let symbols = SymbolTable::from_elf(bytes).symbols().len();
    Ok(vec![
        Line("kind", "RV64IM executable".to_owned(), json!("elf")),
        Line("entry", format!("{:#x}", program.entry), json!(program.entry)),
        Line(
            "code",
            format!(
                "{:#x} to {code_end:#x}, {} instructions",
                program.code_base,
                human_count(instructions as u64)
            ),
            json!({"start": program.code_base, "end": code_end, "instructions": instructions}),
        ),
        Line(
            "image",
            format!("{} from {:#x}", human_bytes(program.image.len() * 8), u64::from(program.image_base) * 8),
            json!({"start": u64::from(program.image_base) * 8, "bytes": program.image.len() * 8}),
        ),
        Line("functions", symbols.to_string(), json!(symbols)),
        Line("profile", profile.to_string(), json!(profile.name())),
        Line("program id", id.clone(), json!(id)),
    ])
}

fn proof(path: &Path, bytes: &[u8]) -> Result<Vec<Line>, CliError> {
    let unsupported = |error| CliError::Proof { path: path.to_path_buf(), error };
    let (kind, profile, id, heights, mut lines) = if file::kind(bytes) == Some(ExecutionClaim::KIND) {
        let file = ExecutionProof::decode(bytes).map_err(unsupported)?;
        let claim = &file.statement;
        let lines = vec![
            Line("output", output(&claim.output), json!(hex(&claim.output))),
            Line("exit code", claim.exit_code.to_string(), json!(claim.exit_code)),
        ];
        ("proof of an execution", file.profile, file.program_id, file.proof.heights_log2, lines)
    } else {
        let file = ProofFile::decode(bytes).map_err(unsupported)?;
        ("proof about a system of tables", file.profile, file.program_id, file.proof.heights_log2, Vec::new())
    };
    let blowup = 1u32 << profile.blowup_log2();
    let tallest = heights.iter().max().copied().unwrap_or(0);
    lines.insert(0, Line("kind", format!("{kind}, not verified"), json!("proof")));
    lines.extend([
        Line(
            "profile",
            format!(
                "{profile}: blowup {blowup}, {} queries, {} bits of grinding; {} bits if it verifies",
                profile.queries(),
                profile.grinding_bits(),
                profile.promised_bits()
            ),
            json!(profile.name()),
        ),
        Line("program id", id.to_string(), json!(id.to_string())),
        Line(
            "tables",
            format!("{}, the tallest of 2^{tallest} rows", heights.len()),
            json!({"heights_log2": heights}),
        ),
        Line("verified", "no: `lambda-verify` does that".to_owned(), json!(false)),
    ]);
    Ok(lines)
}

fn output(bytes: &[u8]) -> String {
    if bytes.is_empty() { "none".to_owned() } else { hex(bytes) }
}
