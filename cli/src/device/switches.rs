//! Switches of the device: flags first, then the environment, then what they are without either.

use std::collections::BTreeSet;
use std::env::VarError;

use clap::ValueEnum;
use lambda_gpu_lde::BackendOptions;
use lambda_math_cuda::{Device, DeviceError, DeviceOptions, Driver};
use lambda_prover::{Policy, Stage};

use super::DeviceArgs;
use crate::error::CliError;

/// The budget, MiB.
const BUDGET_VARIABLE: &str = "LAMBDA_VM_VRAM_BUDGET_MB";
const SERIALIZE_VARIABLE: &str = "LAMBDA_VM_GPU_SERIALIZE_R2";
const DOWNGRADE_VARIABLE: &str = "LAMBDA_VM_GPU_FORCE_DOWNGRADE";
const XCHECK_VARIABLE: &str = "LAMBDA_VM_GPU_XCHECK";
const POISON_VARIABLE: &str = "LAMBDA_VM_ARENA_POISON";
const SYNCHRONOUS_VARIABLE: &str = "LAMBDA_VM_GPU_SYNC";

/// How far to go when a stage fails on the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PolicyName {
    /// Make room, work on smaller pieces, go on on the host
    #[default]
    Recover,
    /// Fail where the host would have to help
    Strict,
}

/// Device memory that may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// So many bytes.
    Bytes(u64),
    /// A share of what is used by default.
    Percent(u64),
}

/// Stages to be moved to the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stages(BTreeSet<Stage>);

/// The switches that hold.
#[derive(Clone, Debug)]
pub struct Switches {
    budget: Option<Budget>,
    is_poisoned: bool,
    is_synchronous: bool,
    /// Those of the backend.
    pub backend: BackendOptions,
}

impl Switches {
    /// The switches of `args`, and of the environment where they are silent.
    ///
    /// # Errors
    /// When a variable cannot be understood.
    pub fn new(args: &DeviceArgs) -> Result<Self, CliError> {
        let switch =
            |flag, name, default| Ok::<_, CliError>(flag_or(flag, name, parse_switch)?.unwrap_or(default));
        let policy = match args.policy {
            PolicyName::Recover => Policy::Recover,
            PolicyName::Strict => Policy::Strict,
        };
        let stages = flag_or(args.force_downgrade.clone(), DOWNGRADE_VARIABLE, Stages::parse_variable)?;
        Ok(Self {
            budget: flag_or(args.vram_budget, BUDGET_VARIABLE, Budget::parse_mib)?,
            is_poisoned: switch(args.arena_poison, POISON_VARIABLE, false)?,
            is_synchronous: switch(args.gpu_sync, SYNCHRONOUS_VARIABLE, false)?,
            backend: BackendOptions {
                policy,
                serialize_window: switch(args.serialize_r2, SERIALIZE_VARIABLE, true)?,
                force_downgrade: stages.unwrap_or_default().0,
                xcheck: switch(args.xcheck, XCHECK_VARIABLE, false)?,
                ..BackendOptions::default()
            },
        })
    }

    /// How to open a device.
    ///
    /// # Errors
    /// What it takes to find out a share of the memory.
    pub fn device_options(&self, driver: &Driver, ordinal: u32) -> Result<DeviceOptions, DeviceError> {
        let budget_bytes = match self.budget {
            None => None,
            Some(Budget::Bytes(bytes)) => Some(bytes),
            Some(Budget::Percent(percent)) => {
                // Opened only to see how much that is, and closed again.
                let whole = Device::open(driver, ordinal, DeviceOptions::default())?.ledger().budget_bytes();
                Some((u128::from(whole) * u128::from(percent) / 100) as u64)
            }
        };
        Ok(DeviceOptions {
            budget_bytes,
            poison: self.is_poisoned,
            synchronous: self.is_synchronous,
            ..DeviceOptions::default()
        })
    }
}

impl Budget {
    /// Understands `24GB`, `512MiB`, `1000000` and `75%`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, unit) = text.split_at(digits);
        let size: u64 = match unit.trim_start().to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "kb" => 1_000,
            "mb" => 1_000_000,
            "gb" => 1_000_000_000,
            "kib" => 1 << 10,
            "mib" => 1 << 20,
            "gib" => 1 << 30,
            "%" => {
                let percent = number.parse().ok().filter(|percent| *percent <= 100);
                return percent.map(Self::Percent).ok_or_else(|| "a share is 0% to 100%".to_owned());
            }
            _ => return Err("write bytes as 1000000, 24GB or 512MiB, or a share as 75%".to_owned()),
        };
        let number: Option<u64> = number.parse().ok();
        let bytes = number.and_then(|number| number.checked_mul(size));
        bytes
            .map(Self::Bytes)
            .ok_or_else(|| format!("a whole number below 2^64 bytes stands before `{unit}`"))
    }

    fn parse_mib(text: &str) -> Result<Self, String> {
        let mib: Option<u64> = text.parse().ok();
        let bytes = mib.and_then(|mib| mib.checked_mul(1 << 20));
        bytes.map(Self::Bytes).ok_or_else(|| "a whole number of MiB is expected".to_owned())
    }
}

impl Stages {
    /// Understands `all` and names with commas between.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self(Stage::ALL.iter().copied().collect()));
        }
        let named = |name: &str| {
            Stage::ALL.iter().copied().find(|stage| stage.name() == name).ok_or_else(|| {
                let names: Vec<_> = Stage::ALL.iter().map(|stage| stage.name()).collect();
                format!("there is no stage `{name}`; the stages are {}, or `all`", names.join(", "))
            })
        };
        text.split(',').map(|name| named(name.trim())).collect::<Result<_, _>>().map(Self)
    }

    /// In the environment, 1 is all of them and 0 none.
    fn parse_variable(text: &str) -> Result<Self, String> {
        match text {
            "1" => Self::parse("all"),
            "0" => Ok(Self::default()),
            text => Self::parse(text),
        }
    }
}

/// Understands `1`, `0`, `true` and `false`.
pub fn parse_switch(text: &str) -> Result<bool, String> {
    match text {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        _ => Err("1, 0, true or false is expected".to_owned()),
    }
}

/// The value of a flag, else what the variable `name` says.
fn flag_or<T>(
    flag: Option<T>,
    name: &'static str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, CliError> {
    if flag.is_some() {
        return Ok(flag);
    }
    let Some(text) = variable(name)? else { return Ok(None) };
    parse(&text).map(Some).map_err(|expected| CliError::Usage(format!("{name}={text}: {expected}")))
}

/// What a variable of the environment says; one that is empty says nothing.
///
/// # Errors
/// When it is not text.
pub fn variable(name: &'static str) -> Result<Option<String>, CliError> {
    #[expect(clippy::disallowed_methods, reason = "the command line is who reads the environment")]
    let value = std::env::var(name);
    match value {
        Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(CliError::Usage(format!("{name} is not valid UTF-8"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug: a unit is taken for another, or a number that does not fit wraps around.
    #[test]
    fn budgets() {
        for (text, budget) in [
            ("0", Budget::Bytes(0)),
            ("24GB", Budget::Bytes(24_000_000_000)),
            ("24 gb", Budget::Bytes(24_000_000_000)),
            ("512MiB", Budget::Bytes(512 << 20)),
            ("7kb", Budget::Bytes(7_000)),
            ("18446744073709551615", Budget::Bytes(u64::MAX)),
            ("75%", Budget::Percent(75)),
            ("100%", Budget::Percent(100)),
        ] {
            assert_eq!(Budget::parse(text), Ok(budget), "{text}");
        }
        for text in
            ["", "%", "101%", "-1", "1.5GB", "GB", "24TBs", "18446744073709551616", "18446744073709551615kB"]
        {
            assert!(Budget::parse(text).is_err(), "{text}");
        }
        assert_eq!(Budget::parse_mib("3"), Ok(Budget::Bytes(3 << 20)));
        assert!(Budget::parse_mib("17592186044416").is_err());
    }

    /// Bug: a switch is read, and turns nothing, or another one.
    #[test]
    fn each_switch_turns_its_own() {
        let turned = |args: DeviceArgs| {
            let Switches { is_poisoned, is_synchronous, backend, .. } =
                Switches::new(&args).expect("the switches are understood");
            [is_poisoned, is_synchronous, !backend.serialize_window, backend.xcheck]
        };
        let none = DeviceArgs::default;
        assert_eq!(turned(none()), [false; 4]);
        assert_eq!(turned(DeviceArgs { arena_poison: Some(true), ..none() }), [true, false, false, false]);
        assert_eq!(turned(DeviceArgs { gpu_sync: Some(true), ..none() }), [false, true, false, false]);
        assert_eq!(turned(DeviceArgs { serialize_r2: Some(false), ..none() }), [false, false, true, false]);
        assert_eq!(turned(DeviceArgs { xcheck: Some(true), ..none() }), [false, false, false, true]);
    }

    /// Bug: a stage cannot be named, or a misspelt one is passed over.
    #[test]
    fn stages() {
        for &stage in Stage::ALL {
            assert_eq!(Stages::parse(stage.name()), Ok(Stages(BTreeSet::from([stage]))));
        }
        let two = Stages::parse("tree, grind").expect("both are stages");
        assert_eq!(two, Stages(BTreeSet::from([Stage::Tree, Stage::Grind])));
        assert_eq!(Stages::parse_variable("1").map(|stages| stages.0.len()), Ok(Stage::ALL.len()));
        assert_eq!(Stages::parse_variable("0"), Ok(Stages::default()));
        for text in ["", "tree,", "1", "Tree"] {
            assert!(Stages::parse(text).is_err(), "{text}");
        }
    }
}
