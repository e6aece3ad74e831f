//! `lambda-prove demo`: the built-in system, from traces to a proof file.

use std::io::{Write, stdout};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use lambda_demo::DemoInput;
use lambda_prover::{HostBackend, Observer, Profile, Proven, System, Witness, prove};
use lambda_verifier::command::{human_bytes, parse_profile};
use lambda_verifier::{ProofFile, Statement};
use serde_json::json;

use crate::error::CliError;
use crate::output::{PendingFile, exit_cleanly_on_signals};
use crate::progress::{Mode, human_count, observer};

/// Arguments of the demo.
#[derive(Args, Debug)]
pub struct DemoArgs {
    /// Where the proof goes
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Steps of the Fibonacci table, as a power of two
    #[arg(long, value_name = "LOG2", default_value_t = 16)]
    #[arg(value_parser = clap::value_parser!(u32).range(4..=22))]
    fibonacci_log2: u32,
    /// Keccak-f permutations
    #[arg(long, value_name = "N", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    permutations: u32,
    /// Seed of the permutations' inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Parameters: default is fastest, compact gives a smaller proof
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = parse_profile)]
    profile: Profile,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Write time per round and table, and bytes planned and measured, as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// How progress is shown
    #[arg(long, value_enum, default_value_t = Mode::Auto)]
    progress: Mode,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Proves the demo.
pub fn run(args: &DemoArgs) -> Result<(), CliError> {
    if args.report.as_ref() == Some(&args.output) {
        return Err(CliError::Usage("proof and report cannot be the same file".to_owned()));
    }
    exit_cleanly_on_signals()?;
    // Outputs that cannot be written are found out before the work is done.
    let proof_file = PendingFile::create(&args.output)?;
    let report_file = args.report.as_deref().map(PendingFile::create).transpose()?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.unwrap_or(0) as usize)
        .build_global()
        .map_err(|error| CliError::Resource(format!("cannot start threads: {error}")))?;

    let start = Instant::now();
    let observer = observer(args.progress, args.quiet);
    let system = System::new(args.profile, lambda_demo::tables()).map_err(CliError::System)?;
    let proven = prove_demo(&system, args, observer.as_ref())?;
    drop(observer);
    let seconds = start.elapsed().as_secs_f64();

    let Proven { proof, statement, accepted, report } = proven;
    let file = ProofFile::new(system.verifying_key(), statement, proof);
    let bytes = file.encode();
    proof_file.finish(&bytes)?;
    if let Some(report_file) = report_file {
        let mut text = serde_json::to_vec_pretty(&report).expect("a report is plain data");
        text.push(b'\n');
        report_file.finish(&text)?;
    }
    let rows: u64 = report.tables.iter().map(|table| table.rows).sum();
    let text = if args.json {
        let result = json!({
            "proof": args.output.display().to_string(),
            "program_id": file.program_id.to_string(),
            "profile": report.profile,
            "bytes": bytes.len(),
            "rows": rows,
            "seconds": seconds,
            "prove_seconds": report.seconds,
            "johnson_bits": report.johnson_bits,
            "unique_decoding_bits": report.unique_decoding_bits,
            "planned_peak_bytes": report.planned_peak_bytes,
            "measured_peak_bytes": report.measured_peak_bytes,
        });
        format!("{result}\n")
    } else {
        format!(
            "proved     {} rows in {} tables, {:.2} s\nproof      {} ({})\nprogram    {}\nsecurity   {}\n",
            human_count(rows),
            report.tables.len(),
            report.seconds,
            args.output.display(),
            human_bytes(bytes.len()),
            file.program_id,
            accepted.johnson,
        )
    };
    stdout().write_all(text.as_bytes()).map_err(CliError::Stdout)
}

fn prove_demo(system: &System, args: &DemoArgs, observer: &dyn Observer) -> Result<Proven, CliError> {
    let (traces, public_values) = lambda_demo::traces(&DemoInput {
        fibonacci_log2: args.fibonacci_log2,
        keccak_permutations: args.permutations as usize,
        seed: args.seed,
    });
    let statement = Statement { public_values, messages: Vec::new() };
    prove(system, &HostBackend, Witness { traces, statement }, observer).map_err(CliError::Prove)
}
