//! What the stand-in driver offers beyond the CUDA driver API. A real driver has none of these symbols.

use std::ffi::{CString, c_char};

use libloading::Library;

/// The stand-in driver's own entry points.
#[derive(Clone, Copy, Debug)]
pub struct Emulator {
    device_new: unsafe extern "C" fn(*const c_char) -> i32,
    note_alloc: unsafe extern "C" fn(u64, u64, *const c_char),
    note_free: unsafe extern "C" fn(u64),
    report: unsafe extern "C" fn(i32, *mut c_char, usize) -> usize,
}

impl Emulator {
    /// The entry points, where the library has them.
    pub(super) fn resolve(library: &Library) -> Option<Self> {
        // SAFETY: these symbols are functions of our stand-in driver with these signatures.
        unsafe {
            Some(Self {
                device_new: *library.get(b"lambda_emu_device_new\0").ok()?,
                note_alloc: *library.get(b"lambda_emu_note_alloc\0").ok()?,
                note_free: *library.get(b"lambda_emu_note_free\0").ok()?,
                report: *library.get(b"lambda_emu_report\0").ok()?,
            })
        }
    }

    /// Makes a device of its own from a JSON description and returns its ordinal; `None` when the
    /// description is not understood.
    pub fn new_device(&self, description: &str) -> Option<u32> {
        let description = CString::new(description).ok()?;
        // SAFETY: the pointer is a string that lives through the call.
        let ordinal = unsafe { (self.device_new)(description.as_ptr()) };
        u32::try_from(ordinal).ok()
    }

    /// What happened on a device, as JSON.
    pub fn report(&self, ordinal: u32) -> String {
        let mut text = vec![0u8; 1 << 12];
        loop {
            // SAFETY: the buffer has the capacity that is named.
            let wanted = unsafe { (self.report)(ordinal as i32, text.as_mut_ptr().cast(), text.len()) };
            if wanted <= text.len() {
                text.truncate(wanted);
                return String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned();
            }
            text.resize(wanted, 0);
        }
    }

    /// Says that a part of a device allocation is now a buffer of its own.
    pub(crate) fn note_alloc(&self, address: u64, bytes: u64, label: &str) {
        let label = CString::new(label).unwrap_or_default();
        // SAFETY: the pointer is a string that lives through the call.
        unsafe { (self.note_alloc)(address, bytes, label.as_ptr()) }
    }

    /// Says that the buffer at `address` is one no more.
    pub(crate) fn note_free(&self, address: u64) {
        // SAFETY: the call takes a number.
        unsafe { (self.note_free)(address) }
    }
}
