//! `lambda-prove block`: makes, imports, runs and proves Ethereum blocks.
//!
//! A block file is the input of the bundled validator, whose output says what it validated.

pub mod shown;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use lambda_executor::Executor;
use lambda_verifier::command::human_bytes;
use serde_json::json;

use crate::error::CliError;
use crate::inspect::{self, Line};
use crate::output::{PendingFile, exit_cleanly_on_signals, publish};
use crate::plan::{self, PlanOptions};
use crate::program::{LimitArgs, MAX_INPUT_BYTES, read_file};
use crate::prove::{self, ProveOptions};
use crate::run::{self, RunOptions};

/// The validator, an ELF executable.
const VALIDATOR: &[u8] = include_bytes!("../../guests/elf/block.elf");
/// Largest answer of a node. Its bytes are hexadecimal digits, two for each of an input's.
const MAX_ANSWER_BYTES: u64 = 2 * MAX_INPUT_BYTES;

/// Arguments of `block`.
#[derive(Args, Debug)]
pub struct BlockArgs {
    #[command(subcommand)]
    command: BlockCommand,
}

#[derive(Subcommand, Debug)]
enum BlockCommand {
    /// Make a valid block of transfers on a development chain, with its witness
    Gen(GenArgs),
    /// Make a block file of what a node answers, without what validation does not use
    Import(ImportArgs),
    /// Validate a block, without proving anything
    Run(RunBlockArgs),
    /// Show what a block's proof would have on a device, and which cards it fits
    Plan(PlanBlockArgs),
    /// Prove that a block is valid
    Prove(ProveBlockArgs),
}

#[derive(Args, Debug)]
struct GenArgs {
    /// Transfers in the block, at most 10000
    #[arg(long, value_name = "N")]
    txs: usize,
    /// Decides who transfers to whom
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    written: WrittenBlock,
}

#[derive(Args, Debug)]
struct ImportArgs {
    #[command(flatten)]
    source: ImportSource,
    /// Execution witness: what a node answers to `debug_executionWitness`, as JSON
    #[arg(long, value_name = "FILE", requires = "raw", conflicts_with = "input")]
    witness: Option<PathBuf>,
    /// Chain id [default: the one that the transactions are signed for]
    #[arg(long, value_name = "N", requires = "raw", conflicts_with = "input")]
    chain_id: Option<u64>,
    #[command(flatten)]
    written: WrittenBlock,
}

/// Where an imported block comes from.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
struct ImportSource {
    /// The block: what a node answers to `debug_getRawBlock`, as JSON or as hexadecimal digits
    #[arg(long, value_name = "FILE", requires = "witness")]
    raw: Option<PathBuf>,
    /// A block file from elsewhere, whose witness may hold more than it takes
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
}

/// Where a made block goes.
#[derive(Args, Debug)]
struct WrittenBlock {
    /// Where the block file goes
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
struct RunBlockArgs {
    #[command(flatten)]
    block: BlockInput,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    options: RunOptions,
}

#[derive(Args, Debug)]
struct PlanBlockArgs {
    #[command(flatten)]
    block: BlockInput,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    options: PlanOptions,
}

#[derive(Args, Debug)]
struct ProveBlockArgs {
    #[command(flatten)]
    block: BlockInput,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    options: ProveOptions,
}

#[derive(Args, Debug)]
struct BlockInput {
    /// Block file; `-` reads standard input
    #[arg(value_name = "BLOCK")]
    file: PathBuf,
}

/// Does what `args` ask for.
pub fn run(args: &BlockArgs) -> Result<(), CliError> {
    match &args.command {
        BlockCommand::Gen(args) => {
            args.written.write(|| lambda_block::generate(args.txs, args.seed).map_err(CliError::Block))
        }
        BlockCommand::Import(args) => args.written.write(|| args.import()),
        BlockCommand::Run(args) => {
            let executor = validator(args.limits, args.options.census);
            run::execute(&executor, &args.block.read()?, &args.options, |execution| {
                Ok(shown::validated(&execution.output))
            })
        }
        BlockCommand::Plan(args) => {
            plan::plan(&validator(args.limits, true), &args.block.read()?, &args.options)
        }
        BlockCommand::Prove(args) => {
            let executor = validator(args.limits, true);
            prove::prove(&executor, &args.block.read()?, &args.options, |output| Ok(shown::validated(output)))
        }
    }
}

impl ImportArgs {
    fn import(&self) -> Result<Vec<u8>, CliError> {
        let made = match (&self.source.raw, &self.witness, &self.source.input) {
            (Some(raw), Some(witness), _) => {
                let raw = read_file(raw, MAX_ANSWER_BYTES)?;
                let witness = read_file(witness, MAX_ANSWER_BYTES)?;
                lambda_block::import(&raw, &witness, self.chain_id)
            }
            (_, _, Some(input)) => lambda_block::prune(&read_file(input, MAX_INPUT_BYTES)?),
            _ => return Err(CliError::Usage("name --raw and --witness, or --input".to_owned())),
        };
        made.map_err(CliError::Block)
    }
}

impl WrittenBlock {
    /// Writes the block file that `make` gives, and says what is in it.
    fn write(&self, make: impl FnOnce() -> Result<Vec<u8>, CliError>) -> Result<(), CliError> {
        exit_cleanly_on_signals()?;
        let mut file = PendingFile::create(&self.output)?;
        let bytes = make()?;
        file.write(&bytes)?;
        publish([file])?;
        let mut lines = vec![
            Line::new("file", self.output.display().to_string()),
            Line("bytes", human_bytes(bytes.len()), json!(bytes.len())),
        ];
        lines.extend(shown::summary(&bytes).unwrap_or_default());
        inspect::show(lines, self.json)
    }
}

impl BlockInput {
    /// The input, without what its witness holds in vain, which the validator would refuse. A block that no
    /// validator accepts is left as it is: the validator says why.
    fn read(&self) -> Result<Vec<u8>, CliError> {
        let bytes = read_file(&self.file, MAX_INPUT_BYTES)?;
        match lambda_block::prune(&bytes) {
            Ok(pruned) if pruned.len() < bytes.len() => {
                let unused = human_bytes(bytes.len() - pruned.len());
                eprintln!(
                    "note: {}: {unused} of witness are not used and were left out",
                    self.file.display()
                );
                Ok(pruned)
            }
            _ => Ok(bytes),
        }
    }
}

/// The bundled validator, for runs that are `recorded` or only run.
fn validator(limits: LimitArgs, recorded: bool) -> Executor {
    let executor = Executor::from_elf(VALIDATOR).expect("the bundled validator is a program");
    executor.with_limits(limits.limits(recorded))
}
