//! Repository chores, run as `cargo xtask <chore>`.
//!
//! - `tidy` checks the house rules that neither the compiler nor clippy knows; see [`tidy`].
//! - `chart IN.json OUT.svg` draws a benchmark result; see [`chart`].
//! - `gen-ptx [--check] [--only FAMILY] [--nvrtc DIR]` compiles the GPU kernels; see [`ptx`].

#![deny(unsafe_code)]

mod chart;
mod ptx;
mod tidy;
mod tree;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

const USAGE: &str = "\
usage: cargo xtask tidy
       cargo xtask chart IN.json OUT.svg
       cargo xtask gen-ptx [--check] [--only FAMILY] [--nvrtc DIR]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["tidy"] => run_tidy(),
        ["chart", input, output] => run_chart(Path::new(input), Path::new(output)),
        ["gen-ptx", options @ ..] => match ptx::Options::parse(options) {
            Some(options) => run_gen_ptx(&options),
            None => return misused(),
        },
        _ => return misused(),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("xtask: {error:#}");
        ExitCode::FAILURE
    })
}

fn misused() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

/// The repository's root.
fn root() -> Result<&'static Path> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent folder")
}

/// Prints the findings, one a line, and fails when there are any.
fn run_tidy() -> Result<ExitCode> {
    let tree = tree::Tree::read(root()?)?;
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

/// `LAMBDA_NVRTC` names the compiler's folder where the options do not.
#[allow(clippy::disallowed_methods)]
fn run_gen_ptx(options: &ptx::Options) -> Result<ExitCode> {
    let folder = std::env::var_os("LAMBDA_NVRTC").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let findings = ptx::run(root()?, options, folder)?;
    for finding in &findings {
        eprintln!("{finding}");
    }
    Ok(if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
