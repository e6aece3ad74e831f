//! Buffers on a device, and views of them.
//!
//! A buffer is the right to use a block of the arena. Nobody gets its address: it is named as an argument of
//! a launch or a copy, which notes what was done with it on which stream. Dropping it gives the block back
//! at once; work that still uses it is waited for by whoever writes to those bytes next.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

use lambda_math::Goldilocks;

use crate::arena::{Allocation, Epoch};
use crate::device::Device;
use crate::error::DeviceError;
use crate::stream::Stream;
use crate::word::DeviceWord;

/// `len` values of `T` on a device.
pub struct DeviceBuffer<T: DeviceWord> {
    device: Device,
    allocation: Allocation,
    len: usize,
    _values: PhantomData<T>,
}

impl<T: DeviceWord> DeviceBuffer<T> {
    pub(crate) fn new(device: Device, allocation: Allocation, len: usize) -> Self {
        Self { device, allocation, len, _values: PhantomData }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Epoch in which it was allocated.
    pub fn epoch(&self) -> Epoch {
        self.allocation.epoch
    }

    /// Bytes of the arena that it takes.
    pub fn bytes(&self) -> u64 {
        self.allocation.bytes
    }

    /// Bytes from the arena's start, which never change.
    pub fn offset(&self) -> u64 {
        self.allocation.offset
    }

    /// What it is for.
    pub fn label(&self) -> &'static str {
        self.allocation.label
    }

    /// A view of all values.
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        DeviceSlice {
            allocation: self.allocation,
            start: 0,
            len: self.len,
            device: self.device.serial(),
            _values: PhantomData,
        }
    }

    /// A view of all values, writable.
    pub fn as_slice_mut(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSliceMut(self.as_slice().forever())
    }

    /// A view of some values.
    ///
    /// # Panics
    /// When the range leaves the buffer.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> DeviceSlice<'_, T> {
        self.as_slice().slice(range)
    }

    /// A view of some values, writable.
    ///
    /// # Panics
    /// When the range leaves the buffer.
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> DeviceSliceMut<'_, T> {
        DeviceSliceMut(self.as_slice().forever().slice(range))
    }

    /// Another length, in a block of its own: the values in front are kept, new ones hold anything.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], and nothing has changed then; any of [`Stream::copy`].
    pub fn resize(&mut self, stream: &Stream, len: usize) -> Result<(), DeviceError> {
        let mut resized = stream.alloc::<T>(len, self.allocation.label)?;
        let kept = len.min(self.len);
        stream.copy(resized.slice_mut(..kept), self.slice(..kept))?;
        *self = resized;
        Ok(())
    }
}

impl<T: DeviceWord> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        self.device.give_back(&self.allocation);
    }
}

impl<T: DeviceWord> fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceBuffer({}, {} values, {})", self.allocation.label, self.len, self.allocation.epoch)
    }
}

/// A view of a buffer's values. It carries the buffer's epoch.
#[derive(Debug)]
pub struct DeviceSlice<'a, T: DeviceWord> {
    allocation: Allocation,
    /// First value, counted from the buffer's start.
    start: usize,
    len: usize,
    /// Serial number of the device.
    device: u64,
    _values: PhantomData<&'a [T]>,
}

impl<T: DeviceWord> Clone for DeviceSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: DeviceWord> Copy for DeviceSlice<'_, T> {}

impl<'a, T: DeviceWord> DeviceSlice<'a, T> {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A view of some of these values.
    ///
    /// # Panics
    /// When the range leaves the view.
    #[must_use]
    pub fn slice(self, range: impl RangeBounds<usize>) -> Self {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => before + 1,
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last + 1,
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len,
        };
        assert!(start <= end && end <= self.len, "{start}..{end} leaves a view of {} values", self.len);
        Self { start: self.start + start, len: end - start, ..self }
    }

    /// The same values as field elements.
    pub(crate) fn as_fields<'b>(&self) -> DeviceSlice<'b, Goldilocks> {
        assert!(T::IS_FIELD, "the values are field elements");
        DeviceSlice {
            allocation: self.allocation,
            start: self.start,
            len: self.len,
            device: self.device,
            _values: PhantomData,
        }
    }

    pub(crate) fn allocation(&self) -> &Allocation {
        &self.allocation
    }

    /// Bytes from the buffer's start.
    pub(crate) fn byte_offset(&self) -> u64 {
        (self.start * size_of::<T>()) as u64
    }

    pub(crate) fn device(&self) -> u64 {
        self.device
    }

    /// The view without its borrow, for a writable view, which has another.
    fn forever<'b>(self) -> DeviceSlice<'b, T> {
        DeviceSlice {
            allocation: self.allocation,
            start: self.start,
            len: self.len,
            device: self.device,
            _values: PhantomData,
        }
    }
}

/// A writable view of a buffer's values.
#[derive(Debug)]
pub struct DeviceSliceMut<'a, T: DeviceWord>(DeviceSlice<'a, T>);

impl<'a, T: DeviceWord> DeviceSliceMut<'a, T> {
    /// Number of values.
    pub fn len(&self) -> usize {
        self.0.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.len == 0
    }

    /// The same values, not writable.
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        self.0
    }

    /// The same view, for a shorter time.
    pub fn reborrow(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSliceMut(self.0)
    }

    /// A view of some of these values.
    ///
    /// # Panics
    /// When the range leaves the view.
    #[must_use]
    pub fn slice(self, range: impl RangeBounds<usize>) -> Self {
        Self(self.0.slice(range))
    }

    /// Two views, of the first `at` values and of the rest.
    ///
    /// # Panics
    /// When there are fewer than `at`.
    pub fn split_at(self, at: usize) -> (Self, Self) {
        (Self(self.0.slice(..at)), Self(self.0.slice(at..)))
    }
}

impl<'a, T: DeviceWord> From<&'a DeviceBuffer<T>> for DeviceSlice<'a, T> {
    fn from(buffer: &'a DeviceBuffer<T>) -> Self {
        buffer.as_slice()
    }
}

impl<'a, T: DeviceWord> From<&'a mut DeviceBuffer<T>> for DeviceSliceMut<'a, T> {
    fn from(buffer: &'a mut DeviceBuffer<T>) -> Self {
        buffer.as_slice_mut()
    }
}

impl<'a, T: DeviceWord> From<&'a mut DeviceBuffer<T>> for DeviceSlice<'a, T> {
    fn from(buffer: &'a mut DeviceBuffer<T>) -> Self {
        buffer.as_slice()
    }
}
