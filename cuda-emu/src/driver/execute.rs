//! Executes one operation, with the checks of what it touches.

use std::time::Instant;

use super::references::run_reference;
use super::work::{DeviceRange, Launch, Task, Work};
use super::{Engine, Failure};
use crate::exec::{self, LaunchOptions};
use crate::faults::{Flip, Injected};
use crate::memory::{Access, AccessFault, Actor, HostRange, OperationMemory, Region};
use crate::record::Recording;
use crate::schedule::{Operation, Random};

impl Engine {
    /// Does an operation's work.
    pub(super) fn execute(&mut self, operation: &Operation<Work>) -> Result<(), Failure> {
        let work = &operation.work;
        if let Some(Injected::Fails(code)) = work.injected {
            self.counters.injected += 1;
            let what = self.context.scheduler.history().describe(operation.id);
            return Err(Failure { code, text: format!("planned fault: {what} fails") });
        }
        match &work.task {
            Task::Launch(launch) => self.run_launch(operation, launch)?,
            Task::Record(executed) => {
                executed.get_or_init(Instant::now);
            }
            Task::Wait => {}
            Task::UploadStaged { to, .. } | Task::UploadPinned { to, .. } => {
                self.counters.uploads += 1;
                self.counters.uploaded_bytes += to.bytes;
            }
            Task::Download { from, .. } => {
                self.counters.downloads += 1;
                self.counters.downloaded_bytes += from.bytes;
            }
            Task::Copy { .. } => self.counters.copies += 1,
            Task::Fill { .. } => self.counters.fills += 1,
        }
        transfer(&work.task, &self.view(operation)).map_err(|fault| {
            let what = self.context.scheduler.history().describe(operation.id);
            Failure::of_access(&what, &fault)
        })?;
        if let Some(Injected::Flips(flip)) = &work.injected {
            self.flip(operation, flip);
        }
        Ok(())
    }

    fn view<'a>(&'a self, operation: &'a Operation<Work>) -> OperationMemory<'a> {
        let (history, readers) = (self.context.scheduler.history(), &self.context.readers);
        let actor = Actor::new(operation.id, &operation.clock, history, readers);
        OperationMemory::new(&operation.work.footprint, actor)
    }

    fn run_launch(&mut self, operation: &Operation<Work>, launch: &Launch) -> Result<(), Failure> {
        let regions = &operation.work.footprint.regions;
        let recording = self.config.record.as_ref().map(|_| Recording::begin(launch, regions));
        self.counters.launches += 1;
        if let Some(reference) = self.references.get(&launch.entry) {
            self.counters.references += 1;
            run_reference(reference, launch, &operation.work.footprint, &self.view(operation))?;
        } else {
            let kernel = launch.module.kernel(&launch.entry).expect("a launch's module has its kernel");
            let options = LaunchOptions {
                seed: Random::new(self.config.seed ^ u64::from(operation.id)).word(),
                junk: self.config.junk,
                threads: self.config.launch_threads,
                ..LaunchOptions::default()
            };
            let view = self.view(operation);
            let ran = exec::launch(&launch.module, kernel, launch.shape, &launch.params, &view, &options);
            let stats = ran.map_err(|fault| Failure::of_kernel(&fault))?;
            self.counters.instructions += stats.instructions;
        }
        if let (Some(recording), Some(folder)) = (recording, &self.config.record) {
            let name = format!("{}-{:08}-{}.launch", self.ordinal, operation.id, launch.entry);
            recording.finish(regions, &folder.join(&name)).map_err(|error| {
                Failure::launch_failed(format!("{}: {error}", folder.join(&name).display()))
            })?;
        }
        Ok(())
    }

    /// Flips a bit in a labelled buffer or in one of the words that the operation wrote. Nothing happens
    /// where there is no such word; the counter of injected faults tells.
    fn flip(&mut self, operation: &Operation<Work>, flip: &Flip) {
        let regions = &operation.work.footprint.regions;
        let words: Vec<(&Region, u64)> = match &flip.label {
            Some(label) => {
                let own = regions.iter().find(|region| *region.label == **label).cloned();
                let Some(region) = own.or_else(|| self.context.memory.labelled(label)) else { return };
                let word = flip.word % region.bytes.div_ceil(8);
                self.counters.injected += 1;
                return flip_bit(&region, region.base + 8 * word, flip.bit);
            }
            None => regions
                .iter()
                .flat_map(|region| {
                    let mut written = vec![];
                    region.block.each_written(region.base, region.bytes, |address, _, writer| {
                        if writer == operation.id {
                            written.push((region, address));
                        }
                    });
                    written
                })
                .collect(),
        };
        if !words.is_empty() {
            let (region, address) = words[(flip.word % words.len() as u64) as usize];
            self.counters.injected += 1;
            flip_bit(region, address, flip.bit);
        }
    }
}

/// Flips bit `bit` modulo the bits there are in the word at `address`.
fn flip_bit(region: &Region, address: u64, bit: u32) {
    let bits = 8 * (region.base + region.bytes - address).min(8) as u32;
    let bit = bit % bits;
    let byte = region.block.pointer(address + u64::from(bit / 8));
    // SAFETY: the byte lies in the region, and nothing runs meanwhile.
    unsafe { *byte ^= 1 << (bit % 8) };
}

/// Copies or fills; other tasks were done before.
fn transfer(task: &Task, memory: &OperationMemory<'_>) -> Result<(), AccessFault> {
    let read = |range: &DeviceRange| memory.access_range(range.address, range.bytes, Access::Read);
    let write = |range: &DeviceRange| memory.access_range(range.address, range.bytes, Access::Write);
    // SAFETY: device ranges were just checked to lie in one buffer each; host ranges are the caller's, valid
    // until the operation was executed; pinned ones cannot be freed before the host knows that it was.
    unsafe {
        match task {
            Task::UploadStaged { to, bytes } => {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), write(to)?, bytes.len());
            }
            Task::UploadPinned { to, from: HostRange { address, bytes } } => {
                std::ptr::copy_nonoverlapping(*address as *const u8, write(to)?, *bytes);
            }
            Task::Download { from, to: HostRange { address, bytes } } => {
                std::ptr::copy_nonoverlapping(read(from)?, *address as *mut u8, *bytes);
            }
            Task::Copy { to, from } => {
                let (from, bytes) = (read(from)?, to.bytes as usize);
                std::ptr::copy(from, write(to)?, bytes);
            }
            Task::Fill { to, pattern } => {
                let start = write(to)?;
                let target = std::slice::from_raw_parts_mut(start, to.bytes as usize);
                target.chunks_exact_mut(pattern.len()).for_each(|chunk| chunk.copy_from_slice(pattern));
            }
            Task::Launch(_) | Task::Record(_) | Task::Wait => {}
        }
    }
    Ok(())
}
