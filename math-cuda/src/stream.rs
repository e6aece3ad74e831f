//! Streams: where work is issued. Work of one stream runs in order; work of different streams runs in any
//! order that the buffers allow.

use std::sync::Arc;

use crate::arena::{Access, Lifetime, StreamId};
use crate::buffer::{DeviceBuffer, DeviceSlice, DeviceSliceMut};
use crate::device::Device;
use crate::error::DeviceError;
use crate::event::Event;
use crate::kernel::Kernel;
use crate::launch::{Grid, Launch};
use crate::word::DeviceWord;

/// A stream of a device. Clones are the same stream. When the last one is dropped, its work goes on.
#[derive(Clone, Debug)]
pub struct Stream(Arc<Lease>);

#[derive(Debug)]
struct Lease {
    device: Device,
    id: StreamId,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.device.close_stream(self.id);
    }
}

impl Stream {
    pub(crate) fn new(device: Device, id: StreamId) -> Self {
        Self(Arc::new(Lease { device, id }))
    }

    /// Its device.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    pub(crate) fn id(&self) -> StreamId {
        self.0.id
    }

    /// A transient buffer of `len` values that hold anything.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], and what broke the device.
    pub fn alloc<T: DeviceWord>(
        &self,
        len: usize,
        label: &'static str,
    ) -> Result<DeviceBuffer<T>, DeviceError> {
        self.device().alloc(len, label, Lifetime::Transient)
    }

    /// A buffer that outlives resets and never moves.
    ///
    /// # Errors
    /// Like [`alloc`](Self::alloc).
    pub fn alloc_persistent<T: DeviceWord>(
        &self,
        len: usize,
        label: &'static str,
    ) -> Result<DeviceBuffer<T>, DeviceError> {
        self.device().alloc(len, label, Lifetime::Persistent)
    }

    /// A transient buffer that holds `values`.
    ///
    /// # Errors
    /// Like [`alloc`](Self::alloc).
    pub fn upload<T: DeviceWord>(
        &self,
        values: &[T],
        label: &'static str,
    ) -> Result<DeviceBuffer<T>, DeviceError> {
        let mut buffer = self.alloc(values.len(), label)?;
        self.write(&mut buffer, values)?;
        Ok(buffer)
    }

    /// Copies `values` to the device. They are free again when this returns; the copy itself may be pending.
    ///
    /// # Panics
    /// When the lengths differ.
    ///
    /// # Errors
    /// [`DeviceError::Stale`], and what broke the device.
    pub fn write<'b, T: DeviceWord>(
        &self,
        to: impl Into<DeviceSliceMut<'b, T>>,
        values: &[T],
    ) -> Result<(), DeviceError> {
        self.device().upload(self, to.into(), values)
    }

    /// The values of a buffer. Waits until they are there.
    ///
    /// # Errors
    /// [`DeviceError::Stale`], and what broke the device.
    pub fn download<'b, T: DeviceWord>(
        &self,
        from: impl Into<DeviceSlice<'b, T>>,
    ) -> Result<Vec<T>, DeviceError> {
        self.device().download(self, from.into())
    }

    /// Copies values on the device.
    ///
    /// # Panics
    /// When the lengths differ.
    ///
    /// # Errors
    /// [`DeviceError::Stale`], and what broke the device.
    pub fn copy<'a, 'b, T: DeviceWord>(
        &self,
        to: impl Into<DeviceSliceMut<'a, T>>,
        from: impl Into<DeviceSlice<'b, T>>,
    ) -> Result<(), DeviceError> {
        let (to, from) = (to.into(), from.into());
        let to = to.as_slice();
        assert_eq!(to.len(), from.len(), "a copy has one length");
        let uses = [(*from.allocation(), Access::Read), (*to.allocation(), Access::Write)];
        let context = self.device().context();
        self.device().enqueue(self, &uses, |base, stream, _| {
            let calls = context.enter()?;
            let target = base + to.allocation().offset + to.byte_offset();
            let source = base + from.allocation().offset + from.byte_offset();
            // SAFETY: both ranges lie in live blocks, which the stream waits for.
            let code = unsafe { (calls.copy_on_device)(target, source, from.len() * size_of::<T>(), stream) };
            context.check("cuMemcpyDtoDAsync", code)
        })
    }

    /// Sets all bytes to zero.
    ///
    /// # Errors
    /// [`DeviceError::Stale`], and what broke the device.
    pub fn fill_zero<'b, T: DeviceWord>(
        &self,
        to: impl Into<DeviceSliceMut<'b, T>>,
    ) -> Result<(), DeviceError> {
        let to = to.into();
        let to = to.as_slice();
        let context = self.device().context();
        self.device().enqueue(self, &[(*to.allocation(), Access::Write)], |base, stream, _| {
            let calls = context.enter()?;
            let target = base + to.allocation().offset + to.byte_offset();
            // SAFETY: the range lies in a live block, which the stream waits for.
            let code = unsafe { (calls.fill_bytes)(target, 0, to.len() * size_of::<T>(), stream) };
            context.check("cuMemsetD8Async", code)
        })
    }

    /// A launch of `kernel`, which wants its arguments next.
    pub fn launch(&self, kernel: &'static Kernel, grid: Grid) -> Launch<'_> {
        Launch::new(self, kernel, grid)
    }

    /// The end of the work issued so far.
    ///
    /// # Errors
    /// What broke the device.
    pub fn record(&self) -> Result<Event, DeviceError> {
        let event = Event::new(self.device().context())?;
        event.record(self.device().handle_of(self.id()))?;
        Ok(event)
    }

    /// Waits on the host until all work issued so far is done.
    ///
    /// # Errors
    /// What broke the device.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        let context = self.device().context();
        let calls = context.enter()?;
        // SAFETY: the stream lives as long as the device.
        let code = unsafe { (calls.stream_synchronize)(self.device().handle_of(self.id())) };
        context.check("cuStreamSynchronize", code)
    }
}
