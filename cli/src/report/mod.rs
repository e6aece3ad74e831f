//! `lambda-prove report`: from the report of a proof to a page that shows it.
//!
//! The page is one file: style and pictures are in it, and it has no scripts and asks for nothing. All of it
//! is made of [`markup`], which escapes whatever text comes out of the report.

mod faults;
mod file;
mod markup;
mod page;
mod rounds;
mod tables;
mod timeline;
mod units;

use std::path::PathBuf;

use clap::Args;

pub use file::{ReportError, ReportFile};

use crate::error::CliError;
use crate::output::{PendingFile, exit_cleanly_on_signals, publish};
use crate::program::read_file;

/// Largest report that is read.
const MAX_BYTES: u64 = 1 << 28;

/// Arguments of `report`.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// A report that `prove --report` wrote; `-` reads standard input
    #[arg(value_name = "REPORT")]
    report: PathBuf,
    /// Where the page goes
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Draws a report.
pub fn run(args: &ReportArgs) -> Result<(), CliError> {
    if args.report == args.output {
        return Err(CliError::Usage("report and page cannot be the same file".to_owned()));
    }
    exit_cleanly_on_signals()?;
    let bytes = read_file(&args.report, MAX_BYTES)?;
    let report =
        ReportFile::decode(&bytes).map_err(|error| CliError::Report { path: args.report.clone(), error })?;
    let mut page = PendingFile::create(&args.output)?;
    page.write(page::page(&report).as_bytes())?;
    publish([page])
}
