//! What can go wrong between the host and a device.

use std::fmt;
use std::path::PathBuf;

use crate::arena::Epoch;
use crate::driver::Code;

/// A device, or the way to one, has failed.
///
/// After [`Fault`](Self::Fault) and [`DeviceLost`](Self::DeviceLost) every later call of the device returns
/// the same error: nothing it holds can be trusted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// No driver library, or one that lacks entry points.
    #[error("no CUDA driver: {} cannot be used: {reason}", path.display())]
    NoDriver {
        /// The library that was tried.
        path: PathBuf,
        /// Why it cannot be used.
        reason: String,
    },
    /// The driver does not know the PTX version of the kernels.
    #[error(
        "the CUDA driver supports CUDA {}.{}, and the kernels need {}.{}: update the driver",
        has / 1000, has % 1000 / 10, needs / 1000, needs % 1000 / 10
    )]
    DriverTooOld {
        /// What the driver supports, `1000·major + 10·minor`.
        has: i32,
        /// What the kernels need.
        needs: i32,
    },
    /// There is no device of this ordinal.
    #[error("there is no CUDA device {ordinal}: the driver sees {count}")]
    NoDevice {
        /// The ordinal asked for.
        ordinal: u32,
        /// Number of devices.
        count: u32,
    },
    /// The device cannot run the kernels.
    #[error("{device} has compute capability {}.{}, and the kernels need 8.0 or more", has.0, has.1)]
    WrongArchitecture {
        /// The device's name.
        device: String,
        /// Its compute capability.
        has: (i32, i32),
    },
    /// The device is open already, with other options.
    #[error("device {ordinal} is open already with other options; one process has one budget for it")]
    AlreadyOpen {
        /// The device's ordinal.
        ordinal: u32,
    },
    /// The driver refused a module.
    #[error("the driver refused the kernels of `{module}` ({name}): {log}")]
    Module {
        /// The module's name.
        module: &'static str,
        /// The driver's code.
        code: Code,
        /// The code's name.
        name: String,
        /// What the driver's compiler said.
        log: String,
    },
    /// The budget has no room.
    #[error(
        "out of device memory: `{label}` wants {wanted} bytes of a budget of {budget}, {free} are free, \
         {largest} in one piece; in use: {owners}"
    )]
    OutOfMemory {
        /// What the memory was for.
        label: &'static str,
        /// Bytes asked for, rounded up to the arena's granularity.
        wanted: u64,
        /// Free bytes.
        free: u64,
        /// Longest run of free bytes.
        largest: u64,
        /// The arena's bytes.
        budget: u64,
        /// Who has the rest.
        owners: Owners,
    },
    /// A launch that cannot be made: arguments or shape do not fit the kernel.
    #[error("kernel `{kernel}` cannot be launched: {reason}")]
    Launch {
        /// The kernel.
        kernel: &'static str,
        /// What does not fit.
        reason: String,
    },
    /// A kernel broke a rule. The device is unusable from here on.
    #[error("a kernel failed on the device; {call} reports {name}")]
    Fault {
        /// The call that reported it, which need not be the one that caused it.
        call: &'static str,
        /// The driver's code.
        code: Code,
        /// The code's name.
        name: String,
    },
    /// The device is gone.
    #[error("the device is lost; {call} reports {name}")]
    DeviceLost {
        /// The call that reported it.
        call: &'static str,
        /// The driver's code.
        code: Code,
        /// The code's name.
        name: String,
    },
    /// A buffer of an earlier epoch was used: its bytes belong to others now.
    #[error("`{label}` was allocated in {made} and the arena is in {now}: its memory is no longer its own")]
    Stale {
        /// The buffer.
        label: &'static str,
        /// Epoch in which it was allocated.
        made: Epoch,
        /// Epoch of the arena.
        now: Epoch,
    },
    /// Memory that nobody had written was read (poison mode).
    #[error("`{label}` holds poison: memory was read that nobody had written, or that had been freed")]
    Poisoned {
        /// The buffer.
        label: &'static str,
    },
    /// Any other refusal of the driver.
    #[error("{call} failed: {name}")]
    Driver {
        /// The call.
        call: &'static str,
        /// The driver's code.
        code: Code,
        /// The code's name.
        name: String,
    },
}

impl DeviceError {
    /// Whether the device is unusable from here on.
    pub const fn is_sticky(&self) -> bool {
        matches!(self, Self::Fault { .. } | Self::DeviceLost { .. })
    }
}

/// Who holds the bytes of an arena: label and bytes, most bytes first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owners(pub Vec<(&'static str, u64)>);

impl fmt::Display for Owners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Owners that are named; the others are counted.
        const SHOWN: usize = 6;
        if self.0.is_empty() {
            return f.write_str("nothing");
        }
        for (index, (label, bytes)) in self.0.iter().take(SHOWN).enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{label} {bytes}")?;
        }
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
