//! Programs and their inputs, as the user names them.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use lambda_executor::{Execution, Executor, Limits};
use lambda_verifier::command::{Bytes, parse_hex};

use crate::error::CliError;

/// Largest input.
pub const MAX_INPUT_BYTES: u64 = 1 << 28;
/// Largest ELF file.
const MAX_ELF_BYTES: u64 = 1 << 28;

/// A program and its input.
#[derive(Args, Debug)]
pub struct ProgramArgs {
    /// Program: an RV64IM ELF executable
    #[arg(value_name = "ELF")]
    pub elf: PathBuf,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
}

/// A program's input; empty unless given.
#[derive(Args, Debug)]
#[group(multiple = false)]
pub struct InputArgs {
    /// Input file; `-` reads standard input
    #[arg(short, long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// Input bytes
    #[arg(long, value_name = "HEX", value_parser = parse_hex)]
    pub input_hex: Option<Bytes>,
}

/// Most instructions that are recorded unless the user says otherwise: some 4 GB of record.
const RECORDED_CYCLES: u64 = 1 << 25;

/// What an execution may use.
#[derive(Args, Clone, Copy, Debug)]
pub struct LimitArgs {
    /// Stop after so many instructions [default: 2^25 where the execution is recorded, else none]
    #[arg(long, value_name = "N")]
    pub max_cycles: Option<u64>,
    /// Stop when the program has touched so many MiB of memory
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub max_memory: Option<u64>,
}

impl InputArgs {
    /// The input's bytes.
    pub fn read(&self) -> Result<Vec<u8>, CliError> {
        match (&self.input, &self.input_hex) {
            (Some(path), _) => read_file(path, MAX_INPUT_BYTES),
            (None, Some(bytes)) => Ok(bytes.0.clone()),
            (None, None) => Ok(Vec::new()),
        }
    }
}

impl LimitArgs {
    /// The executor's limits, for executions that are `recorded` or only run.
    pub fn limits(self, recorded: bool) -> Limits {
        let default = Limits::default();
        let cycles = if recorded { RECORDED_CYCLES } else { default.cycles };
        Limits {
            cycles: self.max_cycles.unwrap_or(cycles),
            memory_bytes: self.max_memory.map_or(default.memory_bytes, |mib| mib << 20),
        }
    }
}

impl ProgramArgs {
    /// The program, ready to be run or `recorded`.
    pub fn executor(&self, recorded: bool) -> Result<Executor, CliError> {
        Ok(load(&self.elf)?.with_limits(self.limits.limits(recorded)))
    }
}

/// The program in the ELF file at `path`.
pub fn load(path: &Path) -> Result<Executor, CliError> {
    let bytes = read_file(path, MAX_ELF_BYTES)?;
    Executor::from_elf(&bytes).map_err(|error| CliError::Elf { path: path.to_path_buf(), error })
}

/// The file's bytes, at most `limit`; `-` is standard input.
pub fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, CliError> {
    let unreadable = |error| CliError::Input { path: path.to_path_buf(), error };
    let mut bytes = Vec::new();
    let source: &mut dyn Read = match path.to_str() {
        Some("-") => &mut io::stdin(),
        _ => &mut File::open(path).map_err(unreadable)?,
    };
    source.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(CliError::TooLarge { path: path.to_path_buf(), limit });
    }
    Ok(bytes)
}

/// Shows on stderr what the program logged, on lines of its own.
pub fn show_log(log: &[u8]) {
    for line in String::from_utf8_lossy(log).lines() {
        eprintln!("guest: {}", line.escape_debug());
    }
}

/// Errs unless the program exited with `expected`.
pub fn check_exit(execution: &Execution, expected: u64) -> Result<(), CliError> {
    match execution.exit_code {
        code if code == expected => Ok(()),
        code => Err(CliError::Exit { code, expected }),
    }
}
