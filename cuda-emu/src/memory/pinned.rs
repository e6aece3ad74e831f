//! Page-locked host memory, and the copies that are under way from and to it.
//!
//! A copy from page-locked memory reads it when it is executed, so changing the memory before the host
//! knows that the copy has finished is a defect, whether or not the schedule at hand shows it. Each copy's
//! source is therefore hashed when it is enqueued, and again when the host learns that it has finished.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;

use crate::schedule::{Clock, Point};

/// Page-locked memory is aligned as pages are.
const ALIGN: usize = 4096;

/// A range of host memory, by address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostRange {
    /// First address.
    pub address: usize,
    /// Length in bytes.
    pub bytes: usize,
}

/// How a copy uses page-locked memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostUse {
    /// As its source.
    Source,
    /// As its destination.
    Destination,
}

struct UnderWay {
    range: HostRange,
    usage: HostUse,
    /// Of a source that no other copy writes meanwhile.
    hash: Option<u64>,
    stream: usize,
    index: u32,
}

/// The page-locked memory of one device.
#[derive(Default)]
pub struct PinnedMemory {
    allocations: BTreeMap<usize, Layout>,
    under_way: Vec<UnderWay>,
}

impl HostRange {
    fn overlaps(self, other: Self) -> bool {
        self.address < other.address + other.bytes && other.address < self.address + self.bytes
    }

    /// The bytes of the range.
    ///
    /// # Safety
    /// The range is readable and nothing writes it for as long as the slice lives.
    pub unsafe fn slice<'a>(self) -> &'a [u8] {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(self.address as *const u8, self.bytes) }
    }

    /// A hash of the bytes, the same for the same bytes within one process.
    ///
    /// # Safety
    /// As [`Self::slice`].
    pub unsafe fn hash(self) -> u64 {
        // SAFETY: the caller's promise.
        let bytes = unsafe { self.slice() };
        let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(29);
        let words = bytes.chunks_exact(8);
        let mut tail = [0; 8];
        tail[..words.remainder().len()].copy_from_slice(words.remainder());
        let hash = words.fold(bytes.len() as u64, |hash, word| {
            mix(hash, u64::from_le_bytes(word.try_into().expect("chunks of eight")))
        });
        mix(hash, u64::from_le_bytes(tail))
    }
}

impl PinnedMemory {
    /// A new zeroed allocation; none if the host has no memory.
    pub fn allocate(&mut self, bytes: usize) -> Option<usize> {
        let layout = Layout::from_size_align(bytes, ALIGN).ok()?;
        // SAFETY: the layout's size is not zero, which the caller of the driver API was told is an error.
        let pointer = unsafe { alloc_zeroed(layout) };
        if pointer.is_null() {
            return None;
        }
        self.allocations.insert(pointer as usize, layout);
        Some(pointer as usize)
    }

    /// Whether an allocation starts at `address`.
    pub fn is_allocation(&self, address: usize) -> bool {
        self.allocations.contains_key(&address)
    }

    /// Gives an allocation back.
    ///
    /// # Errors
    /// A copy from or to it is not known to have finished, in words; the memory stays.
    pub fn free(&mut self, address: usize) -> Result<(), String> {
        let layout = self.allocations[&address];
        let range = HostRange { address, bytes: layout.size() };
        if let Some(copy) = self.under_way.iter().find(|copy| copy.range.overlaps(range)) {
            return Err(format!(
                "page-locked memory at {address:#x} was freed while a copy {} it is pending on stream {}: \
                 the host has not synchronised with it",
                if copy.usage == HostUse::Destination { "to" } else { "from" },
                copy.stream,
            ));
        }
        self.allocations.remove(&address);
        // SAFETY: the allocation was made with this layout and has just been forgotten.
        unsafe { dealloc(address as *mut u8, layout) };
        Ok(())
    }

    /// Whether all of `range` is page-locked.
    pub fn contains(&self, range: HostRange) -> bool {
        let allocation = self.allocations.range(..=range.address).next_back();
        allocation.is_some_and(|(&address, layout)| range.address + range.bytes <= address + layout.size())
    }

    /// Bytes in allocations.
    pub fn bytes(&self) -> u64 {
        self.allocations.values().map(|layout| layout.size() as u64).sum()
    }

    /// A copy that uses page-locked memory was enqueued before `point`.
    ///
    /// # Errors
    /// In words: a source under way was changed, or nothing orders the copy after one that conflicts with it.
    pub fn begin(&mut self, range: HostRange, usage: HostUse, point: &Point) -> Result<(), String> {
        self.check_sources(|copy| copy.range.overlaps(range))?;
        let mut written = false;
        for copy in self.under_way.iter_mut().filter(|copy| copy.range.overlaps(range)) {
            if copy.usage == HostUse::Source && usage == HostUse::Source {
                continue;
            }
            if point.clock.get(copy.stream) < copy.index {
                return Err(format!(
                    "copies on streams {} and {} use the same page-locked memory at {:#x}: \
                     nothing orders the two",
                    copy.stream, point.stream, range.address
                ));
            }
            written |= copy.usage == HostUse::Destination;
            // From here on the later copy may change what the earlier one has read.
            copy.hash = None;
        }
        // SAFETY: the range is page-locked memory that was not freed.
        let hash = (usage == HostUse::Source && !written).then(|| unsafe { range.hash() });
        self.under_way.push(UnderWay { range, usage, hash, stream: point.stream, index: point.index });
        Ok(())
    }

    /// The host has learned what `host` says: forgets the copies that are known to have finished.
    ///
    /// # Errors
    /// A source was changed meanwhile, in words.
    pub fn settle(&mut self, host: &Clock) -> Result<(), String> {
        self.check_sources(|copy| host.get(copy.stream) >= copy.index)?;
        self.under_way.retain(|copy| host.get(copy.stream) < copy.index);
        Ok(())
    }

    fn check_sources(&self, which: impl Fn(&UnderWay) -> bool) -> Result<(), String> {
        for copy in self.under_way.iter().filter(|copy| which(copy)) {
            // SAFETY: memory with a copy under way is not freed, and a host that writes it meanwhile is the
            // defect looked for.
            let changed = copy.hash.is_some_and(|hash| unsafe { copy.range.hash() } != hash);
            if changed {
                return Err(format!(
                    "page-locked memory at {:#x} ({} bytes) changed while a copy from it was pending on \
                     stream {}",
                    copy.range.address, copy.range.bytes, copy.stream
                ));
            }
        }
        Ok(())
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        for (&address, &layout) in &self.allocations {
            // SAFETY: each allocation was made with its layout and is forgotten here.
            unsafe { dealloc(address as *mut u8, layout) };
        }
    }
}
