//! What the opaque pointers of the driver API hold here.

use std::ffi::c_void;

/// What a handle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Kind {
    /// A context.
    Context = 1,
    /// A stream.
    Stream = 2,
    /// An event.
    Event = 3,
    /// A module.
    Module = 4,
    /// A kernel of a module.
    Function = 5,
}

/// A handle: kind, device, the device's context and a number there. Handles of other devices and of contexts
/// that are gone are recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle {
    /// What it stands for.
    pub kind: Kind,
    /// Ordinal of the device.
    pub device: u32,
    /// Which of the device's contexts, from one.
    pub generation: u32,
    /// Number in that context.
    pub id: u32,
}

const DEVICE_BITS: u32 = 16;
const GENERATION_BITS: u32 = 12;
const KIND_SHIFT: u32 = 32 + DEVICE_BITS + GENERATION_BITS;

impl Handle {
    /// As the driver API passes it.
    pub fn pointer(self) -> *mut c_void {
        let bits = ((self.kind as u64) << KIND_SHIFT)
            | u64::from(self.device) << (32 + GENERATION_BITS)
            | u64::from(self.generation) << 32
            | u64::from(self.id);
        bits as usize as *mut c_void
    }

    /// The handle of this kind behind a pointer, if it is one.
    pub fn of(pointer: *mut c_void, kind: Kind) -> Option<Self> {
        let bits = pointer as u64;
        (bits >> KIND_SHIFT == kind as u64).then_some(Self {
            kind,
            device: (bits >> (32 + GENERATION_BITS)) as u32 & ((1 << DEVICE_BITS) - 1),
            generation: (bits >> 32) as u32 & ((1 << GENERATION_BITS) - 1),
            id: bits as u32,
        })
    }
}
