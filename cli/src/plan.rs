//! `lambda-prove plan`: what a proof would have on a device, before anything is proven and without a device.

use std::fmt::Write as _;
use std::io::{Write, stdout};

use clap::Args;
use lambda_executor::Executor;
use lambda_gpu_lde::{BackendOptions, DevicePlan, Place, PlannedTable};
use lambda_prover::execution::ProvableProgram;
use lambda_prover::{Policy, Profile, ProveError};
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
    /// Plan for a card with this much memory, such as 32GB
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
    let within = |budget| {
        let chunk_bytes = BackendOptions::default().chunk_bytes;
        DevicePlan::within(&key, &layout, chunk_bytes, budget, Policy::Recover)
    };
    let sizes =
        options.vram.map_or_else(|| CARDS_GB.map(|size| size * 1_000_000_000).to_vec(), |vram| vec![vram]);
    let cards = sizes.into_iter().map(|bytes| Card { bytes, plan: within(usable(bytes)) }).collect();
    let plan = within(options.vram.map_or(u64::MAX, usable));
    let shown = Shown { plan, cycles: census.cycles, cards };
    let text = if options.json { format!("{}\n", shown.json()) } else { shown.text() };
    stdout().write_all(text.as_bytes()).map_err(CliError::Stdout)
}

/// Bytes of a card's memory that a proof may have.
const fn usable(vram: u64) -> u64 {
    vram / 8 * USABLE_EIGHTHS
}

/// A plan, and what becomes of it on cards.
struct Shown {
    plan: DevicePlan,
    cycles: u64,
    cards: Vec<Card>,
}

struct Card {
    bytes: u64,
    plan: DevicePlan,
}

impl Shown {
    fn text(&self) -> String {
        let mut text = format!(
            "cycles     {}\n\n{:<16}{:>10}{:>12}{:>14}{:>12}{:>12}{:>12}{:>12}   place\n",
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
        for planned in &self.plan.tables {
            let PlannedTable { table, rows, trace, preprocessed, main, lookup, quotient, .. } = planned;
            let _ = write!(text, "{table:<16}{:>10}", human_count(*rows));
            let resident = planned.resident();
            for (part, width) in
                [(trace, 12), (preprocessed, 14), (main, 12), (lookup, 12), (quotient, 12), (&resident, 12)]
            {
                let _ = write!(text, "{:>width$}", bytes(*part));
            }
            let _ = writeln!(text, "   {}", place(planned));
        }
        text.push('\n');
        if !self.plan.host_only {
            for (round, peak) in &self.plan.rounds {
                let _ = writeln!(text, "{:<11}{:>12}", round.title(), bytes(*peak));
            }
        }
        let _ = writeln!(text, "{:<11}{:>12}", "peak", bytes(self.plan.peak_bytes()));
        for card in &self.cards {
            let _ = writeln!(text, "{:<11}{:>12}   {}", "on a card of", bytes(card.bytes), card.text());
        }
        text
    }

    fn json(&self) -> Value {
        let cards: Vec<Value> = self.cards.iter().map(Card::json).collect();
        json!({
            "cycles": self.cycles,
            "peak_bytes": self.plan.peak_bytes(),
            "rounds": self.plan.rounds,
            "tables": self.plan.tables,
            "cards": cards,
        })
    }
}

impl Card {
    fn count(&self, place: Place) -> usize {
        self.plan.tables.iter().filter(|table| table.place == place).count()
    }

    fn text(&self) -> String {
        let (streamed, on_host) = (self.count(Place::Streamed), self.count(Place::Host));
        if self.plan.host_only {
            return "nothing fits: all is computed on the host".to_owned();
        }
        if streamed + on_host == 0 {
            return "all tables stay on the device".to_owned();
        }
        let trees = if self.plan.spills_trees { ", trees go to the host" } else { "" };
        let (resident, peak) = (self.count(Place::Resident), bytes(self.plan.peak_bytes()));
        format!("{resident} tables resident, {streamed} streamed, {on_host} on the host{trees}; peak {peak}")
    }

    fn json(&self) -> Value {
        json!({
            "vram_bytes": self.bytes,
            "usable_bytes": usable(self.bytes),
            "peak_bytes": self.plan.peak_bytes(),
            "fits": self.count(Place::Resident) == self.plan.tables.len(),
            "resident": self.count(Place::Resident),
            "streamed": self.count(Place::Streamed),
            "on_host": self.count(Place::Host),
            "spills_trees": self.plan.spills_trees,
        })
    }
}

fn bytes(bytes: u64) -> String {
    human_bytes(bytes as usize)
}

/// Where a table is computed, and why not elsewhere.
fn place(planned: &PlannedTable) -> String {
    let place = match planned.place {
        Place::Resident => "resident",
        Place::Streamed => "streamed",
        Place::Host => "host",
    };
    planned
        .missing_bytes
        .map_or_else(|| place.to_owned(), |missing| format!("{place}, {} short", bytes(missing)))
}
