//! Page-locked host memory, which a device copies from and to on its own.

use std::sync::Arc;

use crate::context::Context;
use crate::device::Device;
use crate::error::DeviceError;

/// Page-locked bytes.
#[derive(Debug)]
pub struct PinnedBuffer {
    context: Arc<Context>,
    address: *mut u8,
    bytes: usize,
}

// SAFETY: the memory belongs to this value alone.
unsafe impl Send for PinnedBuffer {}
// SAFETY: shared references only read.
unsafe impl Sync for PinnedBuffer {}

impl PinnedBuffer {
    /// `bytes` zero bytes.
    ///
    /// # Errors
    /// Any that the driver reports.
    pub fn new(device: &Device, bytes: usize) -> Result<Self, DeviceError> {
        Self::in_context(device.context(), bytes)
    }

    pub(crate) fn in_context(context: &Arc<Context>, bytes: usize) -> Result<Self, DeviceError> {
        let calls = context.enter()?;
        let mut address = std::ptr::null_mut();
        // SAFETY: the pointer is ours to write.
        let code = unsafe { (calls.host_alloc)(&raw mut address, bytes.max(1), 0) };
        context.check("cuMemHostAlloc", code)?;
        let address = address.cast::<u8>();
        // SAFETY: the driver gave as many bytes.
        unsafe { address.write_bytes(0, bytes) };
        Ok(Self { context: context.clone(), address, bytes })
    }

    /// Its bytes.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: `bytes` initialised bytes, which nobody writes while they are borrowed.
        unsafe { std::slice::from_raw_parts(self.address, self.bytes) }
    }

    /// Its bytes, writable.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the borrow is unique.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.bytes) }
    }

    /// Where it is, for a copy.
    pub(crate) fn address(&mut self) -> *mut u8 {
        self.address
    }
}

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        if let Ok(calls) = self.context.bind() {
            // SAFETY: the driver allocated it, and whoever copies waits before the buffer is dropped.
            unsafe { (calls.host_free)(self.address.cast()) };
        }
    }
}
