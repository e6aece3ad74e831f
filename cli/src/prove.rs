//! `lambda-prove prove`: from a program and an input to a proof file.

use std::cell::RefCell;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use lambda_executor::Executor;
use lambda_prover::execution::{ExecutionWitness, ProvableProgram, ProvenExecution};
use lambda_prover::recovery::RecoveryEvent;
use lambda_prover::{Action, Event, HostBackend, Observer, Profile, ProveError};
use lambda_verifier::command::{hex, human_bytes, parse_profile};
use serde_json::{Value, json};

use crate::device::{Computer, DeviceArgs};
use crate::error::CliError;
use crate::output::{PendingFile, exit_cleanly_on_signals, publish};
use crate::program::{ProgramArgs, check_exit, show_log};
use crate::progress::{Mode, announce, human_count, observer};
use crate::report::ReportFile;
use crate::run::Shown;

/// Arguments of `prove`.
#[derive(Args, Debug)]
pub struct ProveArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub options: ProveOptions,
}

/// How to prove, and what to write.
#[derive(Args, Debug)]
pub struct ProveOptions {
    /// Where the proof goes
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Exit code that the program must end with
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub expect_exit: u64,
    /// Parameters: default is fastest, compact gives a smaller proof
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = parse_profile)]
    pub profile: Profile,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Write times, memory and faults as JSON, which `lambda-prove report` draws
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// How progress is shown
    #[arg(long, value_enum, default_value_t = Mode::Auto)]
    pub progress: Mode,
    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub device: DeviceArgs,
}

/// Proves an execution.
pub fn run(args: &ProveArgs) -> Result<(), CliError> {
    let executor = args.program.executor(true)?;
    let input = args.program.input.read()?;
    prove(&executor, &input, &args.options, |_| Ok(Shown::default()))
}

/// Proves `executor`'s program on `input`; `explain` may say what the output means.
pub fn prove(
    executor: &Executor,
    input: &[u8],
    options: &ProveOptions,
    explain: impl FnOnce(&[u8]) -> Result<Shown, CliError>,
) -> Result<(), CliError> {
    if options.report.as_ref() == Some(&options.output) {
        return Err(CliError::Usage("proof and report cannot be the same file".to_owned()));
    }
    exit_cleanly_on_signals()?;
    // Outputs that cannot be written are found out before the work is done.
    let mut proof_file = PendingFile::create(&options.output)?;
    let mut report_file = options.report.as_deref().map(PendingFile::create).transpose()?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads.unwrap_or(0) as usize)
        .build_global()
        .map_err(|error| CliError::Resource(format!("cannot start threads: {error}")))?;
    let computer = options.device.open()?;

    let start = Instant::now();
    let (execution, record) = executor.record(input).map_err(CliError::Trap)?;
    show_log(&execution.log);
    check_exit(&execution, options.expect_exit)?;
    announce(&computer, options.progress, options.quiet);
    // From here on, stderr is the progress bar's.
    let observer = observer(options.progress, options.quiet);
    let executed = start.elapsed().as_secs_f64();
    let program =
        ProvableProgram::new(options.profile, executor.program().clone()).map_err(CliError::Program)?;
    let prepared = start.elapsed().as_secs_f64();
    let witness = program.witness(&record);
    drop(record);
    let proven = compute(&program, &computer, witness, observer.as_ref())?;
    drop(observer);
    let seconds = start.elapsed().as_secs_f64();

    let bytes = proven.file.encode();
    let shown = explain(&execution.output)?;
    proof_file.write(&bytes)?;
    if let Some(report_file) = &mut report_file {
        let report = ReportFile::new(&proven, execution.cycles, computer.report());
        report_file.write(&report.encode())?;
    }
    publish([Some(proof_file), report_file].into_iter().flatten())?;
    let times = Times { executed, prepared, seconds };
    let (cycles, bytes) = (execution.cycles, bytes.len());
    let result = Proved { options, proven: &proven, computer: &computer, cycles, bytes, times };
    let text = if options.json { format!("{}\n", result.json(shown)) } else { result.text(&shown) };
    stdout().write_all(text.as_bytes()).map_err(CliError::Stdout)
}

/// Has `computer` prove `witness`.
fn compute(
    program: &ProvableProgram,
    computer: &Computer,
    witness: ExecutionWitness,
    observer: &dyn Observer,
) -> Result<ProvenExecution, CliError> {
    let watch = Watch { observer, gave_up: RefCell::default() };
    let proven = match &computer.backend {
        Some(backend) => program.prove(backend, witness, &watch),
        None => program.prove(&HostBackend, witness, &watch),
    };
    proven.map_err(|error| match (error, watch.gave_up.into_inner()) {
        (ProveError::Fault(_), Some((last, tried))) => CliError::GaveUp { last: Box::new(last), tried },
        (error, _) => CliError::Prove(error),
    })
}

/// Passes events on, and remembers the last fault and what had been tried when recovery gave up.
struct Watch<'a> {
    observer: &'a dyn Observer,
    gave_up: RefCell<Option<(RecoveryEvent, Vec<Action>)>>,
}

impl Observer for Watch<'_> {
    fn event(&self, event: Event<'_>) {
        if let Event::GaveUp { last, tried } = event {
            self.gave_up.replace(Some((last.clone(), tried.to_vec())));
        }
        self.observer.event(event);
    }
}

/// Seconds since the start.
struct Times {
    executed: f64,
    prepared: f64,
    seconds: f64,
}

/// A proof that has been written, to be shown.
struct Proved<'a> {
    options: &'a ProveOptions,
    proven: &'a ProvenExecution,
    computer: &'a Computer,
    cycles: u64,
    bytes: usize,
    times: Times,
}

impl Proved<'_> {
    /// Seconds from the record to the verified proof: committing the program is done once for many proofs.
    fn prove_seconds(&self) -> f64 {
        self.times.seconds - self.times.prepared
    }

    fn cycles_per_second(&self) -> f64 {
        self.cycles as f64 / self.prove_seconds()
    }

    fn text(&self, shown: &Shown) -> String {
        let ProvenExecution { file, accepted, report } = self.proven;
        let claim = &file.statement;
        format!(
            "output     {}\nexit code  {}\n{}cycles     {} in {:.2} s ({:.0} cycles/s)\n\
             program    {} (committed in {:.2} s)\nproof      {} ({})\n\
             security   {}\nmemory     {} at its peak\ndevice     {}\n",
            if claim.output.is_empty() { "none".to_owned() } else { hex(&claim.output) },
            claim.exit_code,
            shown.text,
            human_count(self.cycles),
            self.prove_seconds(),
            self.cycles_per_second(),
            file.program_id,
            self.times.prepared - self.times.executed,
            self.options.output.display(),
            human_bytes(self.bytes),
            accepted.johnson,
            human_bytes(report.measured_peak_bytes.unwrap_or(report.planned_peak_bytes) as usize),
            self.computer.text(&report.recovery),
        )
    }

    fn json(&self, shown: Shown) -> Value {
        let ProvenExecution { file, report, .. } = self.proven;
        let claim = &file.statement;
        let mut value = json!({
            "proof": self.options.output.display().to_string(),
            "program_id": file.program_id.to_string(),
            "profile": report.profile,
            "output": hex(&claim.output),
            "exit_code": claim.exit_code,
            "cycles": self.cycles,
            "bytes": self.bytes,
            "execute_seconds": self.times.executed,
            "commit_program_seconds": self.times.prepared - self.times.executed,
            "prove_seconds": self.prove_seconds(),
            "cycles_per_second": self.cycles_per_second(),
            "johnson_bits": report.johnson_bits,
            "unique_decoding_bits": report.unique_decoding_bits,
            "planned_peak_bytes": report.planned_peak_bytes,
            "measured_peak_bytes": report.measured_peak_bytes,
            "device": self.computer.report(),
            "recovery": report.recovery,
        });
        for (key, member) in shown.json {
            value[key] = member;
        }
        value
    }
}
