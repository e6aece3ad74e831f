//! Times every kernel on a GPU, beside what the card could do at best; or counts, on the stand-in driver, the
//! PTX instructions that it executes. Times of the stand-in driver would say nothing and are not taken.
//!
//! `bench_kernels [--device cuda|emu] [--only PART] [--json FILE]`. Without a GPU it says so, and that is no
//! error. The table of `docs/src/gpu/kernels.md` is what it prints with `--device emu`.

mod case;
mod columns;
mod commitment;
mod floor;
mod openings;
mod print;
mod table;

use std::error::Error;
use std::path::{Path, PathBuf};

use lambda_math_cuda::{Device, DeviceError, DeviceOptions, Driver};
use serde_json::json;

use case::{Scale, measure};

/// Memory of the emulated device, bytes.
const EMULATED_BYTES: u64 = 1 << 30;

/// The command line.
#[derive(Default)]
struct Arguments {
    emulated: bool,
    only: String,
    json: Option<PathBuf>,
}

impl Arguments {
    fn parse() -> Option<Self> {
        let mut parsed = Self::default();
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let value = arguments.next()?;
            match (argument.as_str(), value.as_str()) {
                ("--device", "cuda") => parsed.emulated = false,
                ("--device", "emu") => parsed.emulated = true,
                ("--only", _) => parsed.only = value,
                ("--json", _) => parsed.json = Some(PathBuf::from(value)),
                _ => return None,
            }
        }
        Some(parsed)
    }
}

/// The first device of NVIDIA's driver, with as much memory as it has.
fn real() -> Result<Device, DeviceError> {
    Device::open(&Driver::system()?, 0, DeviceOptions::default())
}

/// A device of the stand-in driver, which cargo builds with the examples.
fn emulated() -> Result<Device, Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let folder = program.parent().ok_or("a program lies in a folder")?;
    let library = Path::new("liblambda_cuda_emu.so");
    let places = [folder.join("../deps").join(library), folder.join(library)];
    let library = places.iter().find(|path| path.exists()).ok_or("cargo built no stand-in driver")?;
    let driver = Driver::open(library)?;
    let own = driver.emulator().ok_or("it is no stand-in driver")?;
    let description = json!({ "memory_bytes": EMULATED_BYTES, "schedule": "eager" });
    let ordinal = own.new_device(&description.to_string()).ok_or("the description is not understood")?;
    let options = DeviceOptions { budget_bytes: Some(EMULATED_BYTES / 2), ..DeviceOptions::default() };
    Ok(Device::open(&driver, ordinal, options)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments =
        Arguments::parse().ok_or("usage: bench_kernels [--device cuda|emu] [--only PART] [--json FILE]")?;
    let (device, scale) = if arguments.emulated {
        (emulated()?, Scale::SMALL)
    } else {
        match real() {
            Ok(device) => (device, Scale::REALISTIC),
            Err(error) => {
                println!("no GPU: {error}; nothing was timed");
                return Ok(());
            }
        }
    };
    println!("{}\n\n{}", device.info().name, print::head(&device));
    let stream = device.stream()?;
    let mut rows = Vec::new();
    for (kernel, build) in [commitment::CASES, table::CASES, openings::CASES].into_iter().flatten() {
        if kernel.contains(&arguments.only) {
            let mut case = build(&stream, scale)?;
            let measured = measure(&stream, &mut case).map_err(|error| format!("{kernel}: {error}"))?;
            println!("{}", print::row(kernel, &case, measured));
            rows.push(print::json_row(kernel, &case, measured));
        }
    }
    if let Some(path) = arguments.json {
        let info = device.info();
        let machine = json!({
            "device": info.name,
            "capability": [info.capability.0, info.capability.1],
            "multiprocessors": info.multiprocessors,
        });
        let result = json!({ "bench": "device_kernels", "machine": machine, "rows": rows });
        std::fs::write(path, format!("{result:#}\n"))?;
    }
    Ok(())
}
