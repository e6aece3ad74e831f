//! Who computes a proof: a CUDA device, the stand-in driver's, or the host.
//!
//! [`DeviceArgs`] is what the user wants, [`Computer`] what came of it. Nothing here changes a proof's bytes.

pub mod shown;
pub mod switches;

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use lambda_gpu_lde::DeviceBackend;
use lambda_math_cuda::{Device, DeviceError, Driver};

use crate::error::CliError;
use switches::{Budget, PolicyName, Stages, Switches, parse_switch};

/// Names the stand-in driver.
const EMULATOR_VARIABLE: &str = "LAMBDA_VM_CUDA_EMU";
/// The device that is used. `CUDA_VISIBLE_DEVICES` decides which one that is.
const ORDINAL: u32 = 0;
/// Why somebody computes whom the user named.
const AS_ASKED: &str = "as asked for";

/// Who computes, as the user names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// A CUDA device where there is one, else the host
    #[default]
    Auto,
    /// A CUDA device
    Cuda,
    /// The stand-in driver, which executes the device's kernels on the processor: slow, for tests
    Emu,
    /// The processor
    Host,
}

/// Who computes, and how.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Device options (the proof's bytes depend on none of them)")]
pub struct DeviceArgs {
    /// Who computes
    #[arg(long, value_enum, value_name = "KIND", default_value_t = Kind::Auto)]
    pub device: Kind,
    /// Device memory to use: bytes such as 24GB or 512MiB, or a share of the default such as 75% [env:
    /// LAMBDA_VM_VRAM_BUDGET_MB, in MiB] [default: seven eighths of what is free]
    #[arg(long, value_name = "BYTES|%", value_parser = Budget::parse)]
    pub vram_budget: Option<Budget>,
    /// What to do when a stage fails on the device
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = PolicyName::Recover)]
    pub policy: PolicyName,
    /// Let compositions of tables with two quotient parts take turns on the device [env:
    /// LAMBDA_VM_GPU_SERIALIZE_R2] [default: true]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = parse_switch)]
    pub serialize_r2: Option<bool>,
    /// Move what these stages work on to the host: names with commas between, or `all` [env:
    /// LAMBDA_VM_GPU_FORCE_DOWNGRADE]
    #[arg(long, value_name = "STAGES", value_parser = Stages::parse)]
    pub force_downgrade: Option<Stages>,
    /// When values of a composition turn out wrong, find out which stage left them, and how [env:
    /// LAMBDA_VM_GPU_XCHECK]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = parse_switch)]
    pub xcheck: Option<bool>,
    /// Fill device memory that holds nothing with a pattern, and look for it in what is read [env:
    /// LAMBDA_VM_ARENA_POISON]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = parse_switch)]
    pub arena_poison: Option<bool>,
    /// Wait after each launch, so that a fault is reported where it happens [env: LAMBDA_VM_GPU_SYNC]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true", value_parser = parse_switch)]
    pub gpu_sync: Option<bool>,
}

/// Who computes, and why.
#[derive(Debug)]
pub struct Computer {
    /// Why it is this one, in words.
    pub reason: String,
    /// The device; `None` for the host.
    pub backend: Option<DeviceBackend>,
}

impl DeviceArgs {
    /// Finds and opens who computes.
    ///
    /// # Errors
    /// When a switch in the environment cannot be understood, or there is no device of the kind asked for.
    pub fn open(&self) -> Result<Computer, CliError> {
        let switches = Switches::new(self)?;
        let asked = self.device;
        match asked {
            Kind::Host => Ok(Computer::host(AS_ASKED)),
            Kind::Cuda => Driver::system()
                .and_then(|driver| Computer::new(asked, &driver, &switches))
                .map_err(|error| CliError::Device { kind: "cuda", error }),
            Kind::Emu => {
                let path = emulator()?;
                Driver::open(&path)
                    .and_then(|driver| Computer::new(asked, &driver, &switches))
                    .map_err(|error| CliError::Device { kind: "emu", error })
            }
            Kind::Auto => {
                let opened = Driver::system().and_then(|driver| Computer::new(asked, &driver, &switches));
                Ok(opened.unwrap_or_else(Computer::host))
            }
        }
    }
}

impl Computer {
    /// The device of `driver`.
    fn new(asked: Kind, driver: &Driver, switches: &Switches) -> Result<Self, DeviceError> {
        let device = Device::open(driver, ORDINAL, switches.device_options(driver, ORDINAL)?)?;
        let backend = DeviceBackend::new(&device, switches.backend.clone())?;
        let reason = match asked {
            Kind::Auto => "the driver has a device that can be used",
            Kind::Cuda | Kind::Emu | Kind::Host => AS_ASKED,
        };
        Ok(Self { reason: reason.to_owned(), backend: Some(backend) })
    }

    /// The host, for this reason.
    fn host(reason: impl ToString) -> Self {
        Self { reason: reason.to_string(), backend: None }
    }
}

/// Where the stand-in driver lies.
///
/// # Errors
/// When it is not there.
pub fn emulator() -> Result<PathBuf, CliError> {
    if let Some(path) = switches::variable(EMULATOR_VARIABLE)? {
        let path = PathBuf::from(path);
        return if path.is_file() { Ok(path) } else { Err(CliError::NoEmulator { looked: vec![path] }) };
    }
    let program = std::env::current_exe().unwrap_or_default();
    let folder = program.parent().unwrap_or(Path::new("."));
    // As cargo names it, and where it leaves what another package of the build made.
    let name = format!("{DLL_PREFIX}lambda_cuda_emu{DLL_SUFFIX}");
    let looked = vec![folder.join(&name), folder.join("deps").join(&name)];
    match looked.iter().find(|path| path.is_file()) {
        Some(path) => Ok(path.clone()),
        None => Err(CliError::NoEmulator { looked }),
    }
}
