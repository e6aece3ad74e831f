//! Repository chores, run as `cargo xtask <chore>`.
//!
//! - `tidy` checks the house rules that neither the compiler nor clippy knows; see [`tidy`].
//! - `chart IN.json OUT.svg` draws a benchmark result; see [`chart`].

#![forbid(unsafe_code)]

mod chart;
mod tidy;
mod tree;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

const USAGE: &str = "usage: cargo xtask tidy\n       cargo xtask chart IN.json OUT.svg";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["tidy"] => run_tidy(),
        ["chart", input, output] => run_chart(Path::new(input), Path::new(output)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("xtask: {error:#}");
        ExitCode::FAILURE
    })
}

/// Prints the findings, one a line, and fails when there are any.
fn run_tidy() -> Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent folder")?;
    let tree = tree::Tree::read(root)?;
    let findings = tidy::check(&tree);
    if findings.is_empty() {
        println!("tidy: {} files are in order", tree.files().len());
        return Ok(ExitCode::SUCCESS);
    }
    for finding in &findings {
        println!("{finding}");
    }
    eprintln!("tidy: {} to mend", findings.len());
    Ok(ExitCode::FAILURE)
}

fn run_chart(input: &Path, output: &Path) -> Result<ExitCode> {
    let text = std::fs::read_to_string(input).with_context(|| format!("cannot read {}", input.display()))?;
    let chart = chart::Chart::parse(&text).with_context(|| format!("{} is not a chart", input.display()))?;
    std::fs::write(output, chart.to_svg()).with_context(|| format!("cannot write {}", output.display()))?;
    println!("{}", output.display());
    Ok(ExitCode::SUCCESS)
}
