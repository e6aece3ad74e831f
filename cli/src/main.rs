//! `lambda-prove`: the command line of the prover.
//!
//! stdout carries the result, stderr progress and errors. Exit codes: 0 ok, 1 proof invalid, 2 usage, 3
//! input unreadable or unsupported, 4 guest failed or trapped, 5 resource refused, 6 internal fault, 7
//! cancelled.
#![forbid(unsafe_code)]

mod block;
mod device;
mod doctor;
mod error;
mod inspect;
mod manual;
mod output;
mod plan;
mod program;
mod progress;
mod prove;
mod report;
mod run;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use lambda_verifier::command::{self, VerifyArgs};

use crate::error::CliError;

/// STARK prover.
#[derive(Parser)]
#[command(name = "lambda-prove", version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 ok, 1 proof invalid, 2 usage, 3 input unreadable or unsupported, \
                          4 guest failed or trapped, 5 resource refused, 6 internal fault, 7 cancelled";

#[derive(Subcommand)]
enum Command {
    /// Execute a program: output, exit code, cycles
    Run(run::RunArgs),
    /// Show rows and cells of every table that the proof of an execution would have
    Census(run::CensusArgs),
    /// Show what a proof would have on a device, and which cards it fits
    Plan(plan::PlanArgs),
    /// Prove that a program ran on an input
    Prove(prove::ProveArgs),
    /// Draw the report of a proof as a page
    Report(report::ReportArgs),
    /// Say what a file is: an ELF executable, a block or a proof
    Inspect(inspect::InspectArgs),
    /// Verify a proof
    Verify(VerifyArgs),
    /// Make, import, run and prove Ethereum blocks
    Block(block::BlockArgs),
    /// Say what this machine offers, which device would prove, and what to fix
    Doctor(doctor::DoctorArgs),
    /// Print a completion script for a shell
    Completions(manual::CompletionsArgs),
    /// Write the manual pages, one a command, into a folder
    Man(manual::ManArgs),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Census(args) => run::census(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Prove(args) => prove::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Block(args) => block::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Completions(args) => manual::completions(&args, Cli::command()),
        Command::Man(args) => manual::pages(&args, Cli::command()),
        Command::Verify(args) => command::run(&args, &mut std::io::stdout().lock()).map_err(CliError::Verify),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if let CliError::Trap(trap) = &error {
                program::show_log(&trap.log);
            }
            eprintln!("lambda-prove: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
