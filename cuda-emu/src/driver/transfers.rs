//! Copies and memsets.

use super::work::{DeviceRange, Task};
use super::{Code, Engine, Failure};
use crate::faults::At;
use crate::memory::{HostRange, HostUse};
use crate::schedule::{Goal, Point};

impl Engine {
    /// Copies from the host: pageable memory is read now, page-locked memory when the copy is executed.
    ///
    /// # Safety
    /// `from` is readable; if it is page-locked it stays so until the copy was executed, which
    /// [`Self::host_free`] enforces.
    pub unsafe fn upload(&mut self, to: u64, from: HostRange, stream: usize) -> Result<(), Code> {
        let to = DeviceRange { address: to, bytes: from.bytes as u64 };
        let pinned = self.context.pinned.contains(from);
        let task = if pinned {
            Task::UploadPinned { to, from }
        } else {
            // SAFETY: the caller's promise.
            Task::UploadStaged { to, bytes: unsafe { from.slice() }.into() }
        };
        let Some(point) = self.transfer(task, stream)? else { return Ok(()) };
        if pinned {
            self.begin_pinned(from, HostUse::Source, &point)?;
        }
        self.advance();
        Ok(())
    }

    /// Copies to the host. A copy to pageable memory is executed before this returns, as drivers tend to do;
    /// the host has not synchronised with it for all that.
    ///
    /// # Safety
    /// `to` is writable; if it is page-locked it stays so until the copy was executed, which
    /// [`Self::host_free`] enforces.
    pub unsafe fn download(&mut self, to: HostRange, from: u64, stream: usize) -> Result<(), Code> {
        let from = DeviceRange { address: from, bytes: to.bytes as u64 };
        let Some(point) = self.transfer(Task::Download { from, to }, stream)? else { return Ok(()) };
        if self.context.pinned.contains(to) {
            self.begin_pinned(to, HostUse::Destination, &point)?;
            self.advance();
            return Ok(());
        }
        self.run(Goal::Reach { stream, index: point.index })
    }

    /// Copies inside the device.
    pub fn copy(&mut self, to: u64, from: u64, bytes: u64, stream: usize) -> Result<(), Code> {
        let range = |address| DeviceRange { address, bytes };
        self.transfer(Task::Copy { to: range(to), from: range(from) }, stream)?;
        self.advance();
        Ok(())
    }

    /// Repeats a pattern.
    pub fn fill(&mut self, to: u64, pattern: &[u8], count: usize, stream: usize) -> Result<(), Code> {
        if !to.is_multiple_of(pattern.len() as u64) {
            return Err(Code::INVALID_VALUE);
        }
        let bytes = (count as u64).checked_mul(pattern.len() as u64).ok_or(Code::INVALID_VALUE)?;
        let to = DeviceRange { address: to, bytes };
        self.transfer(Task::Fill { to, pattern: pattern.into() }, stream)?;
        self.advance();
        Ok(())
    }

    /// Enqueues a transfer; none if it is empty. Addresses that never were device memory are refused as a
    /// driver does; bounds and lifetime are checked when it is executed.
    fn transfer(&mut self, task: Task, stream: usize) -> Result<Option<Point>, Code> {
        if task.ranges().all(|range| range.bytes == 0) {
            return Ok(None);
        }
        let memory = &self.context.memory;
        if task.ranges().any(|range| !memory.contains(range.address) && memory.freed(range.address).is_none())
        {
            return Err(Code::INVALID_VALUE);
        }
        let footprint = memory.footprint(task.ranges().map(|range| range.address));
        let injected = self.planned(At::Copy, "")?;
        Ok(Some(self.enqueue(stream, task, footprint, injected, None)))
    }

    fn begin_pinned(&mut self, range: HostRange, usage: HostUse, point: &Point) -> Result<(), Code> {
        let begun = self.context.pinned.begin(range, usage, point);
        begun.map_err(|text| self.fail(Failure::launch_failed(text)))
    }
}
