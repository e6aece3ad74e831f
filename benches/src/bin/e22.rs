//! An epoch of 2^E cycles under less and less device memory: every proof is verified and compared with the
//! host's.
//!
//! On NVIDIA's driver where there is a device, else on the stand-in driver, whose times say nothing about a
//! card's. The unpressured peak is measured first; budgets are shares of it, and the last one is next to
//! nothing.
#![forbid(unsafe_code)]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;
use lambda_benches::result;
use lambda_benches::timing::seconds;
use lambda_executor::Executor;
use lambda_gpu_lde::{BackendOptions, DeviceBackend, DevicePlan, Place};
use lambda_math::release_memory;
use lambda_math_cuda::{Device, DeviceError, DeviceOptions, Driver};
use lambda_prover::execution::{ProvableProgram, ProvenExecution};
use lambda_prover::recovery::Action;
use lambda_prover::{HostBackend, Profile};
use lambda_verifier::execution::verify_execution;
use lambda_verifier::layout::Layout;
use serde_json::{Value, json};

/// Fibonacci's instructions per step of its loop, and those around it, both rounded up.
const CYCLES_PER_STEP: u64 = 8;
/// Budgets in percent of the unpressured peak.
const BUDGETS: [u64; 5] = [100, 75, 50, 35, 0];
/// What the backend keeps for itself, bytes: with less than that there is none.
const LEAST_BYTES: u64 = 1 << 20;

#[derive(Parser)]
#[command(about = "Prove an epoch under reduced budgets of device memory")]
struct Args {
    /// Cycles of the epoch, log2
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(12..=22))]
    cycles_log2: u32,
    /// Runs of each configuration
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// Device memory of the stand-in driver, bytes
    #[arg(long, default_value_t = 16 << 30)]
    emulated_bytes: u64,
    /// Result file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The program, its execution and the proof that every other one has to equal.
struct Epoch {
    program: ProvableProgram,
    record: lambda_machine::record::ExecutionRecord,
    host: Vec<u8>,
    host_seconds: f64,
    planned_bytes: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let (driver, where_it_runs) = driver()?;
    println!("e22: 2^{} cycles on {where_it_runs}", args.cycles_log2);
    let epoch = Epoch::new(args.cycles_log2)?;
    println!("bench e22 host {:.2} s", epoch.host_seconds);
    let device = open(&driver, &args, None)?;
    let unpressured = epoch.prove(&device, true)?;
    // What does not grow with the tables is not planned; what is planned is what has to be there.
    let peak = device.stats().peak_extent_bytes.max(epoch.planned_bytes);
    println!("bench e22 peak {} bytes, {} planned", device.stats().peak_extent_bytes, epoch.planned_bytes);
    let mut rows = vec![unpressured.row(&epoch, "unpressured", peak, true)];
    drop(device);
    for percent in BUDGETS {
        for serialize in [true, false] {
            let budget = (peak * percent / 100).max(LEAST_BYTES);
            for _ in 0..args.runs {
                let device = open(&driver, &args, Some(budget))?;
                let run = epoch.prove(&device, serialize)?;
                let name = format!("{percent} %, lock {}", if serialize { "on" } else { "off" });
                let retries = run.count(|action| action < Action::Downgrade);
                println!(
                    "bench e22 {name} {:.2} s, peak {} of {budget} bytes, {} planned, {retries} retries, \
                     {} downgrades",
                    run.seconds, run.peak_bytes, run.planned_bytes, run.downgrades
                );
                rows.push(run.row(&epoch, &name, budget, serialize));
            }
        }
    }
    println!("e22: {} proofs, all of them the host's", rows.len());
    let rows = vec![json!({ "runs_on": where_it_runs, "cycles_log2": args.cycles_log2, "proofs": rows })];
    Ok(result::write(args.json.as_deref(), "e22", rows)?)
}

/// NVIDIA's driver and its first device's name, or the stand-in driver.
fn driver() -> Result<(Driver, String), Box<dyn Error>> {
    if let Ok(driver) = Driver::system() {
        let device = Device::open(&driver, 0, DeviceOptions::default())?;
        let name = device.info().name.clone();
        return Ok((driver, name));
    }
    let program = std::env::current_exe()?;
    let library = program.with_file_name("liblambda_cuda_emu.so");
    let driver = Driver::open(&library)
        .map_err(|error| format!("{error}; build it: cargo build --release -p lambda-cuda-emu"))?;
    Ok((driver, "the stand-in driver, whose times are not a card's".to_owned()))
}

fn open(driver: &Driver, args: &Args, budget_bytes: Option<u64>) -> Result<Device, DeviceError> {
    let options = DeviceOptions { budget_bytes, ..DeviceOptions::default() };
    let ordinal = driver.emulator().map_or(Some(0), |emulator| {
        let description = json!({ "memory_bytes": args.emulated_bytes, "schedule": "eager" });
        emulator.new_device(&description.to_string())
    });
    Device::open(driver, ordinal.expect("the description is understood"), options)
}

impl Epoch {
    fn new(cycles_log2: u32) -> Result<Self, Box<dyn Error>> {
        let elf = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../guests/elf/fib.elf"));
        let executor = Executor::from_elf(&fs::read(elf)?)?;
        let steps = (1u64 << cycles_log2) / CYCLES_PER_STEP;
        let (_, record) = executor.record(&steps.to_le_bytes())?;
        let program = ProvableProgram::new(Profile::Default, executor.program().clone())?;
        let (key, heights_log2) = program.shape(&program.census(&record))?;
        let layout = Layout::new(&key, &heights_log2)?;
        let chunk_bytes = BackendOptions::default().chunk_bytes;
        let planned_bytes = DevicePlan::new(&key, &layout, chunk_bytes).peak_bytes();
        let witness = program.witness(&record);
        let (host_seconds, proven) = seconds(|| program.prove(&HostBackend, witness, &()));
        let host = proven?.file.encode();
        Ok(Self { program, record, host, host_seconds, planned_bytes })
    }

    /// Proves on `device`, verifies, and compares.
    fn prove(&self, device: &Device, serialize_window: bool) -> Result<Run, Box<dyn Error>> {
        release_memory();
        let options = BackendOptions { serialize_window, ..BackendOptions::default() };
        let backend = DeviceBackend::new(device, options)?;
        let witness = self.program.witness(&self.record);
        let (seconds, proven) = seconds(|| self.program.prove(&backend, witness, &()));
        let proven: ProvenExecution = proven?;
        let _ = verify_execution(&proven.file)?;
        if proven.file.encode() != self.host {
            return Err("a proof differs from the host's".into());
        }
        let actions = proven.report.recovery.iter().map(|event| event.action).collect();
        let counters = backend.counters();
        let plan = backend.plan().expect("a proof has been made");
        let count = |place| plan.tables.iter().filter(|table| table.place == place).count();
        Ok(Run {
            seconds,
            peak_bytes: device.stats().peak_extent_bytes,
            planned_bytes: plan.peak_bytes(),
            streamed: count(Place::Streamed),
            on_host: count(Place::Host),
            actions,
            downgrades: counters.downgrades,
            window_wait_seconds: counters.window_wait_nanoseconds as f64 / 1e9,
        })
    }
}

/// One proof.
struct Run {
    seconds: f64,
    /// What the arena reached, and what the plan said that it would.
    peak_bytes: u64,
    planned_bytes: u64,
    /// Tables that were planned elsewhere than resident.
    streamed: usize,
    on_host: usize,
    actions: Vec<Action>,
    downgrades: u64,
    window_wait_seconds: f64,
}

impl Run {
    fn count(&self, wanted: impl Fn(Action) -> bool) -> usize {
        self.actions.iter().filter(|&&action| wanted(action)).count()
    }

    fn row(&self, epoch: &Epoch, name: &str, budget_bytes: u64, serialized: bool) -> Value {
        json!({
            "budget": name,
            "budget_bytes": budget_bytes,
            "serialized": serialized,
            "seconds": self.seconds,
            "host_seconds": epoch.host_seconds,
            "peak_bytes": self.peak_bytes,
            "planned_bytes": self.planned_bytes,
            "streamed": self.streamed,
            "on_host": self.on_host,
            "retries": self.count(|action| action < Action::Downgrade),
            "downgrades": self.downgrades,
            "restarts": self.count(|action| action == Action::Restart),
            "window_wait_seconds": self.window_wait_seconds,
        })
    }
}
