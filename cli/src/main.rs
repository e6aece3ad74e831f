//! `lambda-prove`: the command line of the prover.
//!
//! stdout carries the result, stderr progress and errors. Exit codes: 0 ok, 1 proof invalid, 2 usage, 3
//! input unreadable or unsupported, 5 resource refused, 6 internal fault, 7 cancelled.
#![forbid(unsafe_code)]

mod demo;
mod error;
mod output;
mod progress;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
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
                          5 resource refused, 6 internal fault, 7 cancelled";

#[derive(Subcommand)]
enum Command {
    /// Prove the built-in demo: a Fibonacci table and Keccak-f permutations, joined by a range table
    Demo(demo::DemoArgs),
    /// Verify a proof
    Verify(VerifyArgs),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Demo(args) => demo::run(&args),
        Command::Verify(args) => command::run(&args, &mut std::io::stdout().lock()).map_err(CliError::Verify),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lambda-prove: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
