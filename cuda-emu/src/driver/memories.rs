//! Allocation of device and page-locked memory, and the host's announcements of buffers.

use super::{Code, Engine, Failure};
use crate::faults::At;
use crate::memory::{MemoryError, Region};
use crate::schedule::Goal;

impl Engine {
    /// Free and total bytes.
    pub fn memory_info(&self) -> (u64, u64) {
        let memory = &self.context.memory;
        (memory.capacity() - memory.used_bytes(), memory.capacity())
    }

    /// A new block of device memory; its address.
    pub fn allocate(&mut self, bytes: u64) -> Result<u64, Code> {
        if bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        self.planned_at_once(At::Alloc)?;
        self.context.memory.allocate(bytes).map_err(|error| self.refuse(error))
    }

    /// Gives a block back. A null address is accepted. A real driver waits for the device here; the emulator
    /// calls work that the host has not synchronised with a fault.
    pub fn free(&mut self, address: u64) -> Result<(), Code> {
        if address == 0 {
            return Ok(());
        }
        let host = self.context.scheduler.host();
        let streams = self.context.scheduler.streams();
        let freed = self.context.memory.free(address, host, streams);
        freed.map_err(|error| self.refuse(error))
    }

    /// New page-locked host memory; its address.
    pub fn host_allocate(&mut self, bytes: usize) -> Result<usize, Code> {
        if bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        self.planned_at_once(At::HostAlloc)?;
        self.context.pinned.allocate(bytes).ok_or(Code::OUT_OF_MEMORY)
    }

    /// Gives page-locked memory back.
    pub fn host_free(&mut self, address: usize) -> Result<(), Code> {
        if !self.context.pinned.is_allocation(address) {
            return Err(Code::INVALID_VALUE);
        }
        let freed = self.context.pinned.free(address);
        freed.map_err(|text| self.fail(Failure::launch_failed(text)))
    }

    /// Whether a block of this device holds `address`.
    pub fn holds(&self, address: u64) -> bool {
        self.context.memory.contains(address)
    }

    /// The host made a buffer of part of a block. Operations enqueued before that use these bytes run first:
    /// to them the old contents are still there.
    pub fn note_alloc(&mut self, address: u64, bytes: u64, label: &str) -> Result<(), Code> {
        if bytes == 0 {
            return Ok(());
        }
        let overlaps = |region: &Region| {
            region.base < address.saturating_add(bytes) && address < region.base + region.bytes
        };
        let pending = self.context.scheduler.pending();
        let users = pending.filter(|operation| operation.work.footprint.regions.iter().any(overlaps));
        let users: Vec<(usize, u32)> = users.map(|operation| (operation.stream, operation.index)).collect();
        for (stream, index) in users {
            self.run(Goal::Reach { stream, index })?;
        }
        self.context.memory.note_alloc(address, bytes, label).map_err(|error| self.refuse(error))
    }

    /// The host gave an announced buffer up. Work that it enqueues later may not touch the bytes, a fill with
    /// poison included.
    pub fn note_free(&mut self, address: u64) -> Result<(), Code> {
        self.context.memory.note_free(address).map_err(|error| self.refuse(error))
    }

    fn refuse(&mut self, error: MemoryError) -> Code {
        let text = match error {
            MemoryError::OutOfMemory => return Code::OUT_OF_MEMORY,
            MemoryError::UnknownBlock => return Code::INVALID_VALUE,
            MemoryError::InUse { label, stream } => {
                format!(
                    "`{label}` was freed while work on stream {stream} uses it: the host has not \
                     synchronised with it"
                )
            }
            MemoryError::BadNote(text) => text,
        };
        self.fail(Failure::launch_failed(text))
    }
}
