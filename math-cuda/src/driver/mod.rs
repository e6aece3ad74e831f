//! The CUDA driver: NVIDIA's library, or the stand-in of this repository, loaded at run time.
//!
//! Nothing is linked, so a machine without a driver gets a [`DeviceError::NoDriver`] and nothing worse.

mod codes;
mod emulator;
mod entry_points;

use std::ffi::{CStr, c_char};
use std::fmt;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libloading::Library;

pub use codes::Code;
pub(crate) use codes::*;
pub use emulator::Emulator;
pub(crate) use entry_points::{EntryPoints, Handle};

use crate::error::DeviceError;

/// CUDA version that the committed PTX (ISA 9.0) needs, `1000·major + 10·minor`.
pub const REQUIRED_VERSION: i32 = 13_000;

/// Names of NVIDIA's library, tried in this order.
const SYSTEM_NAMES: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// A loaded and started driver.
#[derive(Clone)]
pub struct Driver(Arc<Inner>);

struct Inner {
    entry_points: EntryPoints,
    emulator: Option<Emulator>,
    path: PathBuf,
    version: i32,
    /// Keeps the entry points valid. Never unloaded: a driver has threads of its own, and values of ours.
    _library: ManuallyDrop<Library>,
}

impl Driver {
    /// NVIDIA's driver of this machine.
    ///
    /// # Errors
    /// [`DeviceError::NoDriver`], [`DeviceError::DriverTooOld`] or [`DeviceError::NoDevice`].
    pub fn system() -> Result<Self, DeviceError> {
        let mut reason = String::new();
        for name in SYSTEM_NAMES {
            // SAFETY: loading the driver runs its initialisers, which are NVIDIA's.
            match unsafe { Library::new(name) } {
                Ok(library) => return Self::start(library, PathBuf::from(name)),
                Err(error) => reason = in_words(&error),
            }
        }
        Err(DeviceError::NoDriver { path: PathBuf::from(SYSTEM_NAMES[0]), reason })
    }

    /// The driver library at `path`.
    ///
    /// # Errors
    /// Like [`system`](Self::system).
    pub fn open(path: &Path) -> Result<Self, DeviceError> {
        // SAFETY: whoever names a driver library trusts its initialisers.
        let library = unsafe { Library::new(path) }
            .map_err(|error| DeviceError::NoDriver { path: path.to_owned(), reason: in_words(&error) })?;
        Self::start(library, path.to_owned())
    }

    fn start(library: Library, path: PathBuf) -> Result<Self, DeviceError> {
        let entry_points = EntryPoints::resolve(&library).map_err(|symbol| DeviceError::NoDriver {
            path: path.clone(),
            reason: format!("it has no function `{symbol}`, so it is older than CUDA 12.4 or no CUDA driver"),
        })?;
        let emulator = Emulator::resolve(&library);
        let mut version = 0;
        // SAFETY: the pointer is a number of ours.
        let code = unsafe { (entry_points.driver_version)(&raw mut version) };
        let driver = Self(Arc::new(Inner {
            entry_points,
            emulator,
            path,
            version,
            _library: ManuallyDrop::new(library),
        }));
        driver.check("cuDriverGetVersion", code)?;
        if version < REQUIRED_VERSION {
            return Err(DeviceError::DriverTooOld { has: version, needs: REQUIRED_VERSION });
        }
        // SAFETY: the call takes a number.
        match Code(unsafe { (driver.entry_points().init)(0) }) {
            Code::NO_DEVICE => Err(DeviceError::NoDevice { ordinal: 0, count: 0 }),
            code => driver.check("cuInit", code.0).map(|()| driver),
        }
    }

    /// The path or name that it was loaded from.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// CUDA version that it supports, `1000·major + 10·minor`.
    pub fn version(&self) -> i32 {
        self.0.version
    }

    /// The stand-in driver's own entry points; `None` for a real driver.
    pub fn emulator(&self) -> Option<&Emulator> {
        self.0.emulator.as_ref()
    }

    /// Number of devices.
    ///
    /// # Errors
    /// Any that the driver reports.
    pub fn device_count(&self) -> Result<u32, DeviceError> {
        let mut count = 0;
        // SAFETY: the pointer is a number of ours.
        let code = unsafe { (self.entry_points().device_count)(&raw mut count) };
        self.check("cuDeviceGetCount", code)?;
        Ok(u32::try_from(count).unwrap_or(0))
    }

    pub(crate) fn entry_points(&self) -> &EntryPoints {
        &self.0.entry_points
    }

    /// Turns a result code into an error of the call that returned it.
    pub(crate) fn check(&self, call: &'static str, code: i32) -> Result<(), DeviceError> {
        match Code(code) {
            Code::SUCCESS => Ok(()),
            code if code.is_fault() => Err(DeviceError::Fault { call, code, name: self.name_of(code) }),
            code if code.is_lost() => Err(DeviceError::DeviceLost { call, code, name: self.name_of(code) }),
            code => Err(DeviceError::Driver { call, code, name: self.name_of(code) }),
        }
    }

    /// The driver's name for a code.
    pub(crate) fn name_of(&self, code: Code) -> String {
        let mut name: *const c_char = std::ptr::null();
        // SAFETY: the pointer is ours to write.
        let found = unsafe { (self.entry_points().error_name)(code.0, &raw mut name) };
        if found != 0 || name.is_null() {
            return format!("error {}", code.0);
        }
        // SAFETY: the driver gives a string that is never freed.
        unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
    }
}

/// Why a library cannot be loaded: what the loader says, if it says something.
fn in_words(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").field("path", &self.0.path).field("version", &self.0.version).finish()
    }
}
