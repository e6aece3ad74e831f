//! Executions: how fast programs run, what their proofs cost, where the time goes.
#![forbid(unsafe_code)]

use std::error::Error;
use std::fs;
use std::path::Path;

use clap::Parser;
use lambda_benches::args::Args;
use lambda_benches::result;
use lambda_benches::timing::{Seconds, repeat, seconds};
use lambda_executor::Executor;
use lambda_math::release_memory;
use lambda_prover::execution::ProvableProgram;
use lambda_prover::{HostBackend, Profile};
use lambda_verifier::execution::verify_execution;
use serde_json::{Value, json};

/// Where the guests' ELF files are.
const GUESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../guests/elf");

/// Keccak-f permutations that [`proofs`] has the Keccak guest do.
const PERMUTATIONS: u64 = 200;

/// A program and its input.
struct Workload {
    name: &'static str,
    elf: &'static str,
    input: Vec<u8>,
    profiles: &'static [Profile],
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let mut rows = Vec::new();
    if args.selects("run block-50") {
        rows.push(executor(&args)?);
    }
    for workload in proofs()? {
        for &profile in workload.profiles {
            if args.selects(&format!("{} {profile}", workload.name)) {
                rows.push(prove(&args, &workload, profile)?);
            }
        }
    }
    Ok(result::write(args.json.as_deref(), "executions", rows)?)
}

fn load(elf: &str) -> Result<Executor, Box<dyn Error>> {
    Ok(Executor::from_elf(&fs::read(Path::new(GUESTS).join(elf))?)?)
}

/// The block validator on a block of fifty transfers, without recording.
fn executor(args: &Args) -> Result<Value, Box<dyn Error>> {
    let executor = load("block.elf")?;
    let input = lambda_block::generate(50, 1)?;
    let cycles = executor.run(&input)?.cycles;
    let times = repeat(args.runs, || {
        executor.run(&input).expect("the program has run before");
    });
    let speed = cycles as f64 / times.median();
    println!("bench block-50 run {:.1} M/s", speed / 1e6);
    Ok(json!({
        "workload": "run block-50",
        "cycles": cycles,
        "run_seconds": times,
        "instructions_per_second": speed,
    }))
}

fn proofs() -> Result<Vec<Workload>, Box<dyn Error>> {
    let keccak = PERMUTATIONS.to_le_bytes().to_vec();
    let both = &[Profile::Default, Profile::Compact];
    let default = &[Profile::Default];
    Ok(vec![
        Workload { name: "fib", elf: "fib.elf", input: 1000u64.to_le_bytes().to_vec(), profiles: both },
        Workload { name: "keccak", elf: "keccak.elf", input: keccak, profiles: default },
        Workload { name: "block-0", elf: "block.elf", input: lambda_block::generate(0, 1)?, profiles: both },
        Workload {
            name: "block-1",
            elf: "block.elf",
            input: lambda_block::generate(1, 1)?,
            profiles: default,
        },
    ])
}

fn prove(args: &Args, workload: &Workload, profile: Profile) -> Result<Value, Box<dyn Error>> {
    let name = format!("{} {profile}", workload.name);
    let executor = load(workload.elf)?;
    let (_, record) = executor.record(&workload.input)?;
    // What another workload has left would count as this one's peak.
    release_memory();
    let (commit_seconds, program) = seconds(|| ProvableProgram::new(profile, executor.program().clone()));
    let program = program?;
    let census = program.census(&record);
    let mut times = Seconds::default();
    let mut fill_times = Seconds::default();
    let mut last = None;
    for _ in 0..args.runs {
        // Only one proof at a time is in memory.
        drop(last.take());
        let (fill_seconds, witness) = seconds(|| program.witness(&record));
        let (prove_seconds, proven) = seconds(|| program.prove(&HostBackend, witness, &()));
        fill_times.0.push(fill_seconds);
        times.0.push(fill_seconds + prove_seconds);
        last = Some(proven?);
    }
    let last = last.ok_or("at least one run")?;
    let verified = repeat(args.runs, || {
        let _ = verify_execution(&last.file).expect("the proof is valid");
    });
    let bytes = last.file.encode().len();
    let speed = census.cycles as f64 / times.median();
    let peak = last.report.measured_peak_bytes.unwrap_or(last.report.planned_peak_bytes);
    println!("bench {name} cells {:.1} cells/cycle", census.cells_per_cycle());
    println!("bench {name} padding {:.1} cells/cycle", census.padding_per_cycle());
    println!("bench {name} prove {:.0} cycles/s", speed);
    if workload.name == "keccak" {
        println!("bench {name} prove {:.1} keccak-f/s", PERMUTATIONS as f64 / times.median());
    }
    println!("bench {name} proof {bytes} bytes");
    println!("bench {name} verify {:.1} ms", verified.median() * 1e3);
    println!("bench {name} peak {:.2} GiB/2^20-cycles", peak as f64 / 1024.0 / census.cycles as f64);
    Ok(json!({
        "workload": name,
        "census": census,
        "cells_per_cycle": census.cells_per_cycle(),
        "padding_per_cycle": census.padding_per_cycle(),
        "commit_program_seconds": commit_seconds,
        "fill_seconds": fill_times,
        "prove_seconds": times,
        "cycles_per_second": speed,
        "proof_bytes": bytes,
        "verify_seconds": verified,
        "planned_peak_bytes": last.report.planned_peak_bytes,
        "measured_peak_bytes": last.report.measured_peak_bytes,
        "rounds": last.report.rounds,
    }))
}
