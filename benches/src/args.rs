//! Arguments of the benchmarks.

use std::path::PathBuf;

use clap::Parser;

/// Arguments of every benchmark.
#[derive(Clone, Debug, Parser)]
#[command(about = "Time the part of the prover that the binary is named after")]
pub struct Args {
    /// Runs that count, of each thing that is timed
    #[arg(long, default_value_t = 5, value_parser = parse_runs)]
    pub runs: usize,
    /// Time only what has this in its name
    #[arg(long, value_name = "PART", default_value = "")]
    pub only: String,
    /// Result file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

impl Args {
    /// Whether what is called `name` is to be timed.
    pub fn selects(&self, name: &str) -> bool {
        name.contains(&self.only)
    }
}

fn parse_runs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a number from 1".to_owned()),
        Ok(runs) => Ok(runs),
    }
}
