//! `lambda-prove doctor`: what this machine offers, what would prove, and what to fix. Proves nothing.

use std::fs;
use std::thread::available_parallelism;

use clap::Args;
use lambda_math_cuda::{Device, DeviceError, DeviceOptions, Driver};
use lambda_verifier::command::human_bytes;
use serde_json::{Value, json};

use crate::device::shown::{capability, driver, version};
use crate::device::{DeviceArgs, emulator};
use crate::error::CliError;
use crate::inspect::{Line, show};

/// Arguments of `doctor`.
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Lanes that a build may use, the widest first.
const LEVELS: [&str; 3] = ["avx512", "avx2", "sse2"];

/// Says what is there.
///
/// # Errors
/// When it cannot be printed. Whatever is missing is said, and no error.
pub fn run(args: &DoctorArgs) -> Result<(), CliError> {
    let mut fixes = Vec::new();
    let mut lines = device_lines(&mut fixes);
    lines.push(emulator_line());
    lines.extend(host_lines(&mut fixes));
    lines.push(choice_line(&mut fixes));
    let text = if fixes.is_empty() { "nothing".to_owned() } else { fixes.join(NEXT_LINE) };
    lines.push(Line("to fix", text, json!(fixes)));
    show(lines, args.json)
}

/// Puts the rest of a text under its beginning.
const NEXT_LINE: &str = "\n               ";

/// The driver and its devices.
fn device_lines(fixes: &mut Vec<String>) -> Vec<Line> {
    match Driver::system() {
        Err(error) => {
            if !matches!(error, DeviceError::NoDriver { .. }) {
                fixes.push(error.to_string());
            }
            vec![
                Line("driver", error.to_string(), Value::Null),
                Line("devices", "none".to_owned(), json!([])),
            ]
        }
        Ok(found) => {
            let text = format!("{}, for CUDA {}", found.path().display(), version(&found));
            let count = found.device_count().unwrap_or_else(|error| {
                fixes.push(error.to_string());
                0
            });
            let (texts, values): (Vec<String>, Vec<Value>) =
                (0..count).map(|ordinal| device(&found, ordinal, fixes)).unzip();
            let texts = if texts.is_empty() { "none".to_owned() } else { texts.join(NEXT_LINE) };
            vec![Line("driver", text, driver(&found)), Line("devices", texts, json!(values))]
        }
    }
}

/// A device, opened as a proof would open it.
fn device(driver: &Driver, ordinal: u32, fixes: &mut Vec<String>) -> (String, Value) {
    match Device::open(driver, ordinal, DeviceOptions::default()) {
        Ok(device) => {
            let info = device.info();
            let budget = device.ledger().budget_bytes();
            let capability = capability(info.capability);
            let text = format!(
                "{ordinal}: {}, compute capability {capability}, {} for proofs",
                info.name,
                human_bytes(budget as usize)
            );
            let value = json!({
                "ordinal": ordinal, "name": info.name, "compute_capability": capability,
                "multiprocessors": info.multiprocessors, "budget_bytes": budget, "error": null,
            });
            (text, value)
        }
        Err(error) => {
            fixes.push(format!("device {ordinal}: {error}"));
            (format!("{ordinal}: {error}"), json!({"ordinal": ordinal, "error": error.to_string()}))
        }
    }
}

/// The stand-in driver, which no proof needs.
fn emulator_line() -> Line {
    let (text, value) = match emulator() {
        Ok(path) => match Driver::open(&path) {
            Ok(_) => (path.display().to_string(), json!({"path": path.display().to_string(), "error": null})),
            Err(error) => (error.to_string(), json!({"path": null, "error": error.to_string()})),
        },
        Err(error) => (error.to_string(), json!({"path": null, "error": error.to_string()})),
    };
    Line("emulator", text, value)
}

/// Memory, cores, lanes.
fn host_lines(fixes: &mut Vec<String>) -> Vec<Line> {
    let (total, available) = (memory_bytes("MemTotal:"), memory_bytes("MemAvailable:"));
    let memory = match (total, available) {
        (Some(total), Some(available)) => {
            format!("{}, {} of it available", human_bytes(total as usize), human_bytes(available as usize))
        }
        _ => "the system does not tell".to_owned(),
    };
    let cores = available_parallelism().map_or(1, usize::from);
    let (built, has) = (built_level(), processor_level());
    if built != has {
        fixes.push(format!(
            "this build uses {built} while the processor has {has}: build with RUSTFLAGS=-Ctarget-cpu=native"
        ));
    }
    vec![
        Line("memory", memory, json!({"total_bytes": total, "available_bytes": available})),
        Line("cores", cores.to_string(), json!(cores)),
        Line("lanes", format!("{built}; the processor has {has}"), json!({"build": built, "processor": has})),
    ]
}

/// A line of `/proc/meminfo`, where the system has it.
fn memory_bytes(name: &str) -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1 << 10)
}

/// The lanes that this build uses: they are chosen at compile time.
fn built_level() -> &'static str {
    let levels =
        [cfg!(target_feature = "avx512f"), cfg!(target_feature = "avx2"), cfg!(target_feature = "sse2")];
    widest(levels)
}

/// The lanes that the processor has.
fn processor_level() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    return widest([
        is_x86_feature_detected!("avx512f"),
        is_x86_feature_detected!("avx2"),
        is_x86_feature_detected!("sse2"),
    ]);
    #[cfg(not(target_arch = "x86_64"))]
    widest([false; 3])
}

fn widest(has: [bool; 3]) -> &'static str {
    LEVELS.into_iter().zip(has).find_map(|(level, has)| has.then_some(level)).unwrap_or("portable")
}

/// What `--device auto` would use, with the switches of the environment.
fn choice_line(fixes: &mut Vec<String>) -> Line {
    match DeviceArgs::default().open() {
        Ok(computer) => Line(
            "auto",
            format!("{}: {}", computer.name(), computer.reason),
            json!({"kind": computer.kind(), "name": computer.name(), "reason": computer.reason}),
        ),
        Err(error) => {
            fixes.push(error.to_string());
            Line("auto", "nothing, until what is below is fixed".to_owned(), Value::Null)
        }
    }
}
