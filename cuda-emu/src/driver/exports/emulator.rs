//! What the emulator offers beside the driver API. A host looks these names up and does without them on a
//! real driver.

use std::ffi::{c_char, c_int};

use super::{CUresult, call, text};
use crate::driver::current::{config_error, new_device, with_device, with_holder};
use crate::driver::{Code, Reference};

/// Makes a device of its own, so that tests share neither faults nor schedule; returns its ordinal, or -1
/// for a configuration that is none (`lambda_emu_report(-1, …)` says why). `json` may be null. Calls of
/// this thread about the whole machine (`cuInit`, `cuDriverGetVersion`, `cuDeviceGetCount`) follow it from
/// now on.
///
/// # Safety
/// `json` is null or ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lambda_emu_device_new(json: *const c_char) -> c_int {
    // SAFETY: as the caller says.
    let json = if json.is_null() { Some("") } else { unsafe { text(json) } };
    json.and_then(new_device).map_or(-1, |ordinal| ordinal as c_int)
}

/// The host made a buffer of part of a block: its contents are uninitialised from now on. Needs no context.
///
/// # Safety
/// `label` is null or ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lambda_emu_note_alloc(address: u64, bytes: u64, label: *const c_char) {
    // SAFETY: as the caller says.
    let label = unsafe { text(label) }.unwrap_or("unnamed");
    with_holder(address, |engine| engine.note_alloc(address, bytes, label).ok());
}

/// The host gave a buffer up: work that it enqueues from now on may not touch it. Needs no context.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lambda_emu_note_free(address: u64) {
    with_holder(address, |engine| engine.note_free(address).ok());
}

/// Writes a device's report as JSON, cut to `capacity` bytes with the zero byte; returns the bytes it needs.
///
/// # Safety
/// `out` is null or has room for `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lambda_emu_report(ordinal: c_int, out: *mut c_char, capacity: usize) -> usize {
    let report = u32::try_from(ordinal).ok().and_then(|ordinal| {
        let report = with_device(ordinal, |engine| engine.report()).ok()?;
        serde_json::to_string(&report).ok()
    });
    let report = report.unwrap_or_else(|| serde_json::json!({ "error": config_error() }).to_string());
    if !out.is_null() && capacity > 0 {
        let bytes = report.len().min(capacity - 1);
        // SAFETY: `out` has room for `capacity` bytes, as the caller says.
        unsafe {
            std::ptr::copy_nonoverlapping(report.as_ptr().cast(), out, bytes);
            out.add(bytes).write(0);
        }
    }
    report.len() + 1
}

/// Runs a host function in place of a kernel, on the current context's device; null ends that.
///
/// # Safety
/// `entry` ends in a zero byte; the function keeps to the buffers that its arguments point into.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lambda_emu_bind(entry: *const c_char, reference: Option<Reference>) -> CUresult {
    call(|engine| {
        // SAFETY: as the caller says.
        let entry = unsafe { text(entry) }.ok_or(Code::INVALID_VALUE)?;
        engine.references.bind(entry, reference);
        Ok(())
    })
}
