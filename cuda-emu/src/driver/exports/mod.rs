//! The exported functions: NVIDIA's driver API under NVIDIA's names and signatures, and the emulator's own.
//!
//! Each checks its pointers for null, resolves handles and calls the device's [`super::Engine`]. What a
//! function means is in NVIDIA's documentation; the docs here say what is particular to this driver.
//!
//! # Safety
//! As for the real driver: every pointer is null or valid for what the function reads or writes through it,
//! strings end in a zero byte, and host memory of a copy stays valid until the copy was executed.

mod context;
mod device;
mod emulator;
mod error;
mod event;
mod launch;
mod memory;
mod module;
mod stream;

use std::ffi::{CStr, c_char, c_void};

pub use context::*;
pub use device::*;
pub use emulator::*;
pub use error::*;
pub use event::*;
pub use launch::*;
pub use memory::*;
pub use module::*;
pub use stream::*;

use super::current::with_current;
use super::handle::{Handle, Kind};
use super::{Code, Engine};

/// `CUresult`.
pub type CUresult = i32;
/// `CUdevice`: the ordinal.
pub type CUdevice = i32;
/// `CUdeviceptr`.
pub type CUdeviceptr = u64;
/// `CUcontext`, `CUstream`, `CUevent`, `CUmodule` and `CUfunction`.
pub type CUhandle = *mut c_void;

/// The result as a number.
fn result(outcome: Result<(), Code>) -> CUresult {
    outcome.map_or_else(|code| code.0, |()| 0)
}

/// Calls a function with the current context's device.
fn call(function: impl FnOnce(&mut Engine) -> Result<(), Code>) -> CUresult {
    result(with_current(function))
}

/// Calls a function with the current context's device and stores what it returns.
///
/// # Safety
/// `out` is null or writable.
unsafe fn call_into<T>(out: *mut T, function: impl FnOnce(&mut Engine) -> Result<T, Code>) -> CUresult {
    if out.is_null() {
        return Code::INVALID_VALUE.0;
    }
    result(with_current(function).map(|value| {
        // SAFETY: `out` is not null, and writable as the caller says.
        unsafe { out.write(value) }
    }))
}

/// The text behind a C string.
///
/// # Safety
/// `text` is null or ends in a zero byte.
unsafe fn text<'a>(text: *const c_char) -> Option<&'a str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: as the caller says.
    unsafe { CStr::from_ptr(text) }.to_str().ok()
}

impl Engine {
    /// A handle of this context.
    fn handle(&self, kind: Kind, id: u32) -> CUhandle {
        Handle { kind, device: self.ordinal, generation: self.generation(), id }.pointer()
    }

    /// The number behind a handle of this context.
    fn resolve(&self, handle: CUhandle, kind: Kind) -> Result<u32, Code> {
        let handle = Handle::of(handle, kind).ok_or(Code::INVALID_HANDLE)?;
        let own = handle.device == self.ordinal && handle.generation == self.generation();
        if own { Ok(handle.id) } else { Err(Code::INVALID_HANDLE) }
    }

    /// The open stream behind a handle; null and `CU_STREAM_LEGACY` are the legacy default stream.
    fn stream(&self, handle: CUhandle) -> Result<usize, Code> {
        if handle as usize <= 1 {
            return Ok(crate::schedule::LEGACY_STREAM);
        }
        let stream = self.resolve(handle, Kind::Stream)? as usize;
        if self.context.scheduler.is_open(stream) { Ok(stream) } else { Err(Code::INVALID_HANDLE) }
    }
}
