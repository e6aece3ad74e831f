//! `lambda-prove run`: executes a program without proving anything.

use std::fmt::Write as _;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use lambda_executor::{Execution, Executor};
use lambda_machine::record::ExecutionRecord;
use lambda_prover::Profile;
use lambda_prover::execution::{Census, ProvableProgram};
use lambda_verifier::command::hex;
use serde_json::{Value, json};

use crate::error::CliError;
use crate::output::{PendingFile, exit_cleanly_on_signals, publish};
use crate::program::{ProgramArgs, check_exit, show_log};
use crate::progress::human_count;

/// Arguments of `run`.
#[derive(Args, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub options: RunOptions,
}

/// What to do with an execution.
#[derive(Args, Debug)]
pub struct RunOptions {
    /// Write the public output to a file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Show rows and cells of every table that a proof would have
    #[arg(long)]
    pub census: bool,
    /// Write instructions by call stack, as folded lines for flame graphs
    #[arg(long, value_name = "FILE", conflicts_with = "census")]
    pub profile: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

/// Executes a program.
pub fn run(args: &RunArgs) -> Result<(), CliError> {
    let executor = args.program.executor(args.options.census)?;
    let input = args.program.input.read()?;
    execute(&executor, &input, &args.options, |_| Ok(Shown::default()))
}

/// Arguments of `census`.
#[derive(Args, Debug)]
pub struct CensusArgs {
    #[command(flatten)]
    program: ProgramArgs,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Executes a program and shows what its proof would consist of: `run --census`.
pub fn census(args: &CensusArgs) -> Result<(), CliError> {
    let executor = args.program.executor(true)?;
    let input = args.program.input.read()?;
    let options = RunOptions { output: None, census: true, profile: None, json: args.json };
    execute(&executor, &input, &options, |_| Ok(Shown::default()))
}

/// What a caller knows about the output, shown with the result.
#[derive(Debug, Default)]
pub struct Shown {
    /// Lines of text.
    pub text: String,
    /// Members of the JSON object.
    pub json: Vec<(&'static str, Value)>,
}

/// Executes `executor`'s program on `input` and shows the result; `explain` may say what the output means.
///
/// # Errors
/// When the program traps, or exits with another code than 0: the result has been shown then.
pub fn execute(
    executor: &Executor,
    input: &[u8],
    options: &RunOptions,
    explain: impl FnOnce(&Execution) -> Result<Shown, CliError>,
) -> Result<(), CliError> {
    exit_cleanly_on_signals()?;
    let mut output_file = options.output.as_deref().map(PendingFile::create).transpose()?;
    let mut profile_file = options.profile.as_deref().map(PendingFile::create).transpose()?;
    let start = Instant::now();
    let mut record = None;
    let execution = if options.census {
        let (execution, recorded) = executor.record(input).map_err(CliError::Trap)?;
        record = Some(recorded);
        execution
    } else if let Some(file) = &mut profile_file {
        let (execution, profile) = executor.profile(input).map_err(CliError::Trap)?;
        file.write(profile.folded().as_bytes())?;
        execution
    } else {
        executor.run(input).map_err(CliError::Trap)?
    };
    let seconds = start.elapsed().as_secs_f64();
    show_log(&execution.log);
    let shown = if execution.exit_code == 0 { explain(&execution)? } else { Shown::default() };
    if let Some(file) = &mut output_file {
        file.write(&execution.output)?;
    }
    publish([output_file, profile_file].into_iter().flatten())?;
    let census = record.map(|record| take_census(executor, &record)).transpose()?;
    let text = match options.json {
        true => format!("{}\n", as_json(&execution, seconds, census.as_ref(), shown)),
        false => as_text(&execution, seconds, census.as_ref(), &shown),
    };
    stdout().write_all(text.as_bytes()).map_err(CliError::Stdout)?;
    check_exit(&execution, 0)
}

fn take_census(executor: &Executor, record: &ExecutionRecord) -> Result<Census, CliError> {
    let program =
        ProvableProgram::new(Profile::Default, executor.program().clone()).map_err(CliError::Program)?;
    Ok(program.census(record))
}

fn as_text(execution: &Execution, seconds: f64, census: Option<&Census>, shown: &Shown) -> String {
    let Execution { output, exit_code, cycles, memory_bytes, .. } = execution;
    let speed = *cycles as f64 / seconds.max(1e-9);
    let mut text = format!(
        "output     {}\nexit code  {exit_code}\ncycles     {cycles} ({} M/s)\nmemory     {} KiB touched\n",
        if output.is_empty() { "none".to_owned() } else { hex(output) },
        human_speed(speed),
        memory_bytes >> 10,
    );
    text.push_str(&shown.text);
    if let Some(census) = census {
        text.push_str(&census_table(census));
    }
    text
}

fn human_speed(per_second: f64) -> String {
    format!("{:.1}", per_second / 1e6)
}

/// A census as a table.
pub fn census_table(census: &Census) -> String {
    let mut text = format!(
        "\n{:<12}{:>10}{:>12}{:>6}{:>8}{:>8}{:>14}{:>8}\n",
        "table", "rows", "padded", "inst", "main", "lookup", "cells/cycle", "share"
    );
    let total: u64 = census.tables.iter().map(|table| table.cells()).sum();
    for table in &census.tables {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<12}{:>10}{:>12}{:>6}{:>8}{:>8}{:>14.2}{:>7.1}%",
            table.table,
            human_count(table.rows),
            human_count(table.padded_rows),
            table.instances,
            table.main_columns,
            table.lookup_columns,
            table.cells() as f64 / census.cycles as f64,
            100.0 * table.cells() as f64 / total as f64,
        );
    }
    let _ = writeln!(
        text,
        "{:.1} cells per cycle, and {:.1} of padding",
        census.cells_per_cycle(),
        census.padding_per_cycle()
    );
    text
}

fn as_json(execution: &Execution, seconds: f64, census: Option<&Census>, shown: Shown) -> Value {
    let mut value = json!({
        "output": hex(&execution.output),
        "exit_code": execution.exit_code,
        "cycles": execution.cycles,
        "memory_bytes": execution.memory_bytes,
        "log": String::from_utf8_lossy(&execution.log),
        "seconds": seconds,
    });
    if let Some(census) = census {
        value["census"] = json!(census);
        value["cells_per_cycle"] = json!(census.cells_per_cycle());
        value["padding_per_cycle"] = json!(census.padding_per_cycle());
    }
    for (key, member) in shown.json {
        value[key] = member;
    }
    value
}
