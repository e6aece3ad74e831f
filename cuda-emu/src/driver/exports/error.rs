//! Result codes in words.

use std::ffi::{CStr, c_char};

use super::CUresult;
use crate::driver::Code;

/// Stores a text; null and an error for an unknown code.
///
/// # Safety
/// `out` is null or writable.
unsafe fn put_text(out: *mut *const c_char, text: Option<&'static CStr>) -> CUresult {
    if out.is_null() {
        return Code::INVALID_VALUE.0;
    }
    // SAFETY: `out` is not null, and writable as the caller says.
    unsafe { out.write(text.map_or(std::ptr::null(), CStr::as_ptr)) };
    if text.is_some() { 0 } else { Code::INVALID_VALUE.0 }
}

/// `cuGetErrorName`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(error: CUresult, name: *mut *const c_char) -> CUresult {
    // SAFETY: as the caller says.
    unsafe { put_text(name, Code(error).name()) }
}

/// `cuGetErrorString`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(error: CUresult, text: *mut *const c_char) -> CUresult {
    // SAFETY: as the caller says.
    unsafe { put_text(text, Code(error).text()) }
}
