//! `lambda-prove plan`: what a proof would have on a device, before anything is proven and without a device.

use std::fmt::Write as _;
use std::io::{Write, stdout};

use clap::Args;
use lambda_executor::Executor;
use lambda_gpu_lde::{BackendOptions, DevicePlan, TableBytes};
use lambda_prover::execution::ProvableProgram;
use lambda_prover::{Profile, ProveError};
use lambda_verifier::command::{human_bytes, parse_profile};
use lambda_verifier::layout::Layout;
use serde_json::{Value, json};

use crate::device::switches::Budget;
use crate::error::CliError;
use crate::program::ProgramArgs;
use crate::progress::human_count;

/// Memory of the cards that a plan is compared with, GB.
const CARDS_GB: [u64; 4] = [24, 32, 80, 141];
/// Part of a card's memory that a proof may have: the rest is the driver's and its context's.
const USABLE_EIGHTHS: u64 = 7;

/// Arguments of `plan`.
#[derive(Args, Debug)]
pub struct PlanArgs {
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    options: PlanOptions,
}

/// What to plan for.
#[derive(Args, Debug)]
pub struct PlanOptions {
    /// Parameters
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = parse_profile)]
    profile: Profile,
    /// Plan for a run of N instructions that is otherwise like this one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    cycles: Option<u64>,
    /// Device memory to compare with, such as 32GB
    #[arg(long, value_name = "BYTES", value_parser = parse_vram)]
    vram: Option<u64>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

fn parse_vram(text: &str) -> Result<u64, String> {
    match Budget::parse(text)? {
        Budget::Bytes(bytes) => Ok(bytes),
        Budget::Percent(_) => {
            Err("write bytes, such as 32GB: there is no device to take a share of".to_owned())
        }
    }
}

/// Plans the proof of a program's execution.
pub fn run(args: &PlanArgs) -> Result<(), CliError> {
    plan(&args.program.executor(true)?, &args.program.input.read()?, &args.options)
}

/// Plans the proof of `executor`'s program on `input`.
pub fn plan(executor: &Executor, input: &[u8], options: &PlanOptions) -> Result<(), CliError> {
    let (_, record) = executor.record(input).map_err(CliError::Trap)?;
    let program =
        ProvableProgram::new(options.profile, executor.program().clone()).map_err(CliError::Program)?;
    let mut census = program.census(&record);
    if let Some(cycles) = options.cycles {
        census = program.scaled(census, cycles);
    }
    let (key, heights_log2) = program.shape(&census).map_err(CliError::Program)?;
    let layout =
        Layout::new(&key, &heights_log2).map_err(|error| CliError::Prove(ProveError::Shape(error)))?;
    let plan = DevicePlan::new(&key, &layout, BackendOptions::default().chunk_bytes);
    let shown = Shown { plan: &plan, cycles: census.cycles, vram: options.vram };
    let text = if options.json { format!("{}\n", shown.json()) } else { shown.text() };
    stdout().write_all(text.as_bytes()).map_err(CliError::Stdout)
}

struct Shown<'a> {
    plan: &'a DevicePlan,
    cycles: u64,
    vram: Option<u64>,
}

impl Shown<'_> {
    /// Whether a device with so much memory has room for the fullest moment.
    fn fits(&self, vram: u64) -> bool {
        self.plan.peak_bytes() <= vram / 8 * USABLE_EIGHTHS
    }

    /// Memory to compare with: what was asked for, else what cards have.
    fn sizes(&self) -> Vec<u64> {
        self.vram.map_or_else(|| CARDS_GB.map(|size| size * 1_000_000_000).to_vec(), |bytes| vec![bytes])
    }

    fn text(&self) -> String {
        let bytes = |bytes: u64| human_bytes(bytes as usize);
        let mut text = format!(
            "cycles     {}\n\n{:<16}{:>10}{:>12}{:>14}{:>12}{:>12}{:>12}{:>12}\n",
            human_count(self.cycles),
            "table",
            "rows",
            "trace",
            "preprocessed",
            "main",
            "lookup",
            "quotient",
            "resident"
        );
        // Writing to a string cannot fail.
        for TableBytes { table, rows, trace, preprocessed, main, lookup, quotient } in &self.plan.tables {
            let resident = preprocessed + main + lookup + quotient;
            let _ = write!(text, "{table:<16}{:>10}", human_count(*rows));
            for (part, width) in
                [(trace, 12), (preprocessed, 14), (main, 12), (lookup, 12), (quotient, 12), (&resident, 12)]
            {
                let _ = write!(text, "{:>width$}", bytes(*part));
            }
            text.push('\n');
        }
        text.push('\n');
        for (round, peak) in &self.plan.rounds {
            let _ = writeln!(text, "{:<11}{:>12}", round.title(), bytes(*peak));
        }
        let _ = writeln!(text, "{:<11}{:>12}", "peak", bytes(self.plan.peak_bytes()));
        for size in self.sizes() {
            let answer = if self.fits(size) {
                "all tables stay on the device".to_owned()
            } else {
                let usable = size / 8 * USABLE_EIGHTHS;
                let missing = self.plan.peak_bytes() - usable;
                format!("{} are missing: tables move to the host until the others fit", bytes(missing))
            };
            let _ = writeln!(text, "{:<11}{:>12}   {answer}", "on a card of", bytes(size));
        }
        text
    }

    fn json(&self) -> Value {
        let cards: Vec<Value> = self
            .sizes()
            .into_iter()
            .map(|size| json!({ "vram_bytes": size, "fits": self.fits(size) }))
            .collect();
        json!({
            "cycles": self.cycles,
            "peak_bytes": self.plan.peak_bytes(),
            "rounds": self.plan.rounds,
            "tables": self.plan.tables,
            "cards": cards,
        })
    }
}
