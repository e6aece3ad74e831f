//! `lambda-verify`: checks a proof file, knowing only the program.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::Parser;
use lambda_verifier::command::{VerifyArgs, run};

/// Verify a proof.
///
/// Exit codes: 0 valid, 1 invalid or for another program, 2 usage, 3 unreadable or of an unknown format or
/// version.
#[derive(Parser)]
#[command(name = "lambda-verify", version)]
struct Cli {
    #[command(flatten)]
    verify: VerifyArgs,
}

fn main() -> ExitCode {
    match run(&Cli::parse().verify, &mut std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lambda-verify: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
