//! The `verify` command, shared by `lambda-verify` and `lambda-prove verify`.

mod block;
mod error;
mod rlp;
mod shown;

use std::format;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::string::{String, ToString};
use std::time::Instant;
use std::vec::Vec;

use clap::Args;
use lambda_machine::program::Program;

use crate::Profile;
use crate::execution::{ExecutionProof, ProgramCommitment, verify_execution};
use crate::file::{FileError, HEADER_BYTES, Id, MAX_BODY_BYTES};
use shown::Verified;

pub use block::{BlockFileError, Difference, ValidatedBlock};
pub use error::{CommandError, EXIT_INVALID, EXIT_REFUSED, EXIT_UNREADABLE, Mismatch};
pub use shown::{hex, human_bytes};

/// Largest ELF file.
const MAX_ELF_BYTES: u64 = 1 << 28;
/// Largest block file.
const MAX_BLOCK_BYTES: u64 = 1 << 28;

/// Arguments of the command.
#[derive(Args, Clone, Debug)]
pub struct VerifyArgs {
    /// Proof file; `-` reads standard input
    #[arg(value_name = "PROOF")]
    pub proof: PathBuf,
    #[command(flatten)]
    program: ExpectedProgram,
    /// Public output that the proof must be for
    #[arg(long, value_name = "HEX", value_parser = parse_hex)]
    pub output: Option<Bytes>,
    /// Exit code that the program must have ended with
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub expect_exit: u64,
    /// Block that the proof must be about, a block file: the output must be what the validator says of it
    #[arg(long, value_name = "FILE")]
    pub block: Option<PathBuf>,
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

/// The program that the proof must be for.
#[derive(Args, Clone, Debug)]
#[group(required = true, multiple = false)]
struct ExpectedProgram {
    /// Program that the proof must be for: an ELF executable
    #[arg(long, value_name = "FILE")]
    elf: Option<PathBuf>,
    /// Id of the program that the proof must be for, 64 hexadecimal digits
    #[arg(long, value_name = "HEX", value_parser = parse_id)]
    program_id: Option<Id>,
}

/// Verifies the proof that `args` name and writes the result to `out`.
///
/// # Errors
/// When the proof is not accepted; nothing has been written then.
pub fn run(args: &VerifyArgs, out: &mut impl Write) -> Result<(), CommandError> {
    let path = &args.proof;
    let limit = u64::try_from(HEADER_BYTES.saturating_add(MAX_BODY_BYTES)).unwrap_or(u64::MAX);
    let bytes = read(path, limit, "proof")?;
    let refused = |error| CommandError::Refused { path: path.clone(), error };
    let file = ExecutionProof::decode(&bytes).map_err(refused)?;
    check_profile(args, &file)?;
    let expected = args.program.id(file.profile)?;
    if expected != file.program_id {
        return Err(refused(FileError::Program { expected, got: file.program_id }));
    }
    let block = args.block.as_deref().map(expected_block).transpose()?;
    let start = Instant::now();
    let verified =
        verify_execution(&file).map_err(|error| CommandError::Invalid { path: path.clone(), error })?;
    let time = start.elapsed();
    check_claim(args, block.as_ref(), &file)?;
    let result = Verified { file: &file, verified: &verified, block, bytes: bytes.len(), time };
    if args.json {
        writeln!(out, "{}", result.json())?;
    } else {
        out.write_all(result.text(path, args.explain).as_bytes())?;
    }
    Ok(())
}

impl ExpectedProgram {
    /// The program's id under `profile`.
    fn id(&self, profile: Profile) -> Result<Id, CommandError> {
        let Some(path) = &self.elf else { return Ok(self.program_id.unwrap_or(Id([0; 32]))) };
        let bytes = read(path, MAX_ELF_BYTES, "program")?;
        let program =
            Program::from_elf(&bytes).map_err(|error| CommandError::Elf { path: path.clone(), error })?;
        let (commitment, key) = ProgramCommitment::new(profile, &program)?;
        Ok(commitment.id(&key.verifying))
    }
}

/// What the validator says of the block in this file.
fn expected_block(path: &Path) -> Result<ValidatedBlock, CommandError> {
    let bytes = read(path, MAX_BLOCK_BYTES, "block")?;
    ValidatedBlock::expected(&bytes).map_err(|error| CommandError::Block { path: path.to_path_buf(), error })
}

fn read(path: &Path, limit: u64, what: &'static str) -> Result<Vec<u8>, CommandError> {
    let unreadable = |error| CommandError::Unreadable { path: path.to_path_buf(), what, error };
    let mut bytes = Vec::new();
    let source: &mut dyn Read = if path == Path::new("-") {
        &mut std::io::stdin()
    } else {
        &mut File::open(path).map_err(unreadable)?
    };
    source.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > limit {
        return Err(CommandError::TooLarge { path: path.to_path_buf(), what, limit });
    }
    Ok(bytes)
}

fn check_profile(args: &VerifyArgs, file: &ExecutionProof) -> Result<(), CommandError> {
    let got = file.profile;
    let refuse = |expected: String| Err(CommandError::Profile { path: args.proof.clone(), got, expected });
    match args.profile {
        Some(expected) if expected != got => refuse(expected.to_string()),
        Some(_) => Ok(()),
        None if !got.is_selectable() => refuse(String::from("one that promises 128 bits")),
        None => Ok(()),
    }
}

/// Compares what is proven with what is expected.
fn check_claim(
    args: &VerifyArgs,
    block: Option<&ValidatedBlock>,
    file: &ExecutionProof,
) -> Result<(), CommandError> {
    let claim = &file.statement;
    let refuse = |mismatch| Err(CommandError::Mismatch { path: args.proof.clone(), mismatch });
    if claim.exit_code != args.expect_exit {
        return refuse(Mismatch::ExitCode { expected: args.expect_exit, got: claim.exit_code });
    }
    if let Some(Bytes(expected)) = &args.output
        && *expected != claim.output
    {
        return refuse(Mismatch::Output { expected: hex(expected), got: hex(&claim.output) });
    }
    block.map_or(Ok(()), |expected| check_block(expected, &claim.output)).or_else(refuse)
}

/// Compares the block that `output` is about with the one expected.
fn check_block(expected: &ValidatedBlock, output: &[u8]) -> Result<(), Mismatch> {
    let got = ValidatedBlock::from_output(output).ok_or(Mismatch::NoBlock { bytes: output.len() })?;
    got.difference(expected).map_or(Ok(()), |difference| Err(Mismatch::Block(difference)))
}

/// Bytes given as hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

/// The bytes that `text` spells, with or without `0x`.
///
/// # Errors
/// A sentence for the user.
pub fn parse_hex(text: &str) -> Result<Bytes, String> {
    let wrong = || format!("{text} is not an even number of hexadecimal digits");
    let digit = |digit: &u8| char::from(*digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    text.strip_prefix("0x")
        .unwrap_or(text)
        .as_bytes()
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => Some(digit(high)?.wrapping_shl(4) | digit(low)?),
            _ => None,
        })
        .collect::<Option<Vec<u8>>>()
        .map(Bytes)
        .ok_or_else(wrong)
}

fn parse_id(text: &str) -> Result<Id, String> {
    let Bytes(bytes) = parse_hex(text)?;
    bytes.try_into().map(Id).map_err(|_| format!("{text} is not 64 hexadecimal digits"))
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
