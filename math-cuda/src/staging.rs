//! Copies between pageable host memory and a device, by way of two page-locked pieces that take turns.
//!
//! The pieces are there from the start, so that copying a table back when memory is short needs none.

use std::sync::Arc;

use crate::arena::Access;
use crate::buffer::{DeviceSlice, DeviceSliceMut};
use crate::context::Context;
use crate::device::Device;
use crate::error::DeviceError;
use crate::event::Event;
use crate::pinned::PinnedBuffer;
use crate::stream::Stream;
use crate::word::DeviceWord;

/// Two page-locked pieces for one direction.
#[derive(Debug)]
pub(crate) struct Staging {
    pieces: [Piece; 2],
    next: usize,
}

#[derive(Debug)]
struct Piece {
    memory: PinnedBuffer,
    /// The end of the last copy from or to it.
    copied: Event,
    /// Whether that copy may be pending.
    pending: bool,
}

impl Piece {
    fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, DeviceError> {
        Ok(Self {
            memory: PinnedBuffer::in_context(context, bytes)?,
            copied: Event::new(context)?,
            pending: false,
        })
    }

    /// Waits for the last copy.
    fn settle(&mut self) -> Result<(), DeviceError> {
        if std::mem::take(&mut self.pending) { self.copied.synchronize() } else { Ok(()) }
    }
}

impl Staging {
    /// Two pieces of `bytes`, which every [`DeviceWord`] divides.
    pub(crate) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, DeviceError> {
        Ok(Self { pieces: [Piece::new(context, bytes)?, Piece::new(context, bytes)?], next: 0 })
    }

    fn turn(&mut self) -> &mut Piece {
        self.next ^= 1;
        &mut self.pieces[self.next]
    }

    /// Values of `T` in a piece.
    fn capacity<T>(&self) -> usize {
        self.pieces[0].memory.as_slice().len() / size_of::<T>()
    }

    /// Copies `values` to the device; returns when `values` has been read.
    pub(crate) fn upload<T: DeviceWord>(
        &mut self,
        device: &Device,
        stream: &Stream,
        to: DeviceSliceMut<'_, T>,
        values: &[T],
    ) -> Result<(), DeviceError> {
        assert_eq!(to.len(), values.len(), "an upload has one length");
        let to = to.as_slice();
        let capacity = self.capacity::<T>();
        for (index, values) in values.chunks(capacity).enumerate() {
            let piece = self.turn();
            piece.settle()?;
            let address = piece.memory.address();
            // SAFETY: the piece holds as many values, and no copy reads it.
            unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), address.cast::<T>(), values.len()) };
            let part = to.slice(index * capacity..index * capacity + values.len());
            let copied = &piece.copied;
            device.enqueue(stream, &[(*part.allocation(), Access::Write)], |base, handle, _| {
                let calls = device.context().enter()?;
                let target = base + part.allocation().offset + part.byte_offset();
                // SAFETY: the range lies in a live block, and the piece is left alone until `copied`.
                let code =
                    unsafe { (calls.copy_to_device)(target, address.cast(), size_of_val(values), handle) };
                device.context().check("cuMemcpyHtoDAsync", code)?;
                copied.record(handle)
            })?;
            piece.pending = true;
        }
        Ok(())
    }

    /// Copies values to the host: one piece is copied out while the other is filled.
    pub(crate) fn download<T: DeviceWord>(
        &mut self,
        device: &Device,
        stream: &Stream,
        from: DeviceSlice<'_, T>,
    ) -> Result<Vec<T>, DeviceError> {
        let capacity = self.capacity::<T>();
        let mut values: Vec<T> = Vec::with_capacity(from.len());
        let mut waiting = 0;
        let mut start = 0;
        while start < from.len() || waiting > 0 {
            let count = capacity.min(from.len() - start);
            let piece = self.turn();
            if count > 0 {
                piece.settle()?;
                let address = piece.memory.address();
                let part = from.slice(start..start + count);
                let copied = &piece.copied;
                device.enqueue(stream, &[(*part.allocation(), Access::Read)], |base, handle, _| {
                    let calls = device.context().enter()?;
                    let source = base + part.allocation().offset + part.byte_offset();
                    // SAFETY: the range lies in a live block, and nobody reads the piece until `copied`.
                    let code = unsafe {
                        (calls.copy_to_host)(address.cast(), source, count * size_of::<T>(), handle)
                    };
                    device.context().check("cuMemcpyDtoHAsync", code)?;
                    copied.record(handle)
                })?;
                piece.pending = true;
                start += count;
            }
            if waiting > 0 {
                let before = &mut self.pieces[self.next ^ 1];
                before.settle()?;
                let address = before.memory.address().cast::<T>();
                // SAFETY: `waiting` values have been copied to the piece, any bytes are a value, and the
                // vector has room for all.
                unsafe {
                    let end = values.as_mut_ptr().add(values.len());
                    std::ptr::copy_nonoverlapping(address, end, waiting);
                    values.set_len(values.len() + waiting);
                }
            }
            waiting = count;
        }
        Ok(values)
    }
}
