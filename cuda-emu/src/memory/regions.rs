//! The device's memory: blocks, the buffers inside them, and who may touch what.
//!
//! A block that the host divides itself (an arena) is announced buffer by buffer; a block without
//! announcements is one buffer. An operation may touch the buffers that its arguments point into, as they
//! were when it was enqueued: its [`Footprint`]. Kernels keep no pointers in memory, so everything else is
//! out of bounds, and freeing a buffer does not disturb operations that were enqueued before.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Place;
use super::block::Block;
use crate::schedule::Clock;

/// Freed buffers that are remembered for messages, per device.
const REMEMBERED: usize = 4096;

/// A buffer that an operation may touch.
#[derive(Clone)]
pub struct Region {
    /// The block it lies in.
    pub block: Arc<Block>,
    /// First address.
    pub base: u64,
    /// Length in bytes.
    pub bytes: u64,
    /// The host's name for it.
    pub label: Arc<str>,
}

/// A buffer that is no more.
#[derive(Clone)]
pub struct Freed {
    base: u64,
    bytes: u64,
    label: Arc<str>,
}

/// What an operation may touch.
#[derive(Clone, Default)]
pub struct Footprint {
    /// Buffers that its arguments point into.
    pub regions: Vec<Region>,
    /// Freed buffers that its arguments point into.
    pub freed: Vec<Freed>,
}

/// Why the host's request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryError {
    /// More than the device has left.
    OutOfMemory,
    /// No block starts at this address.
    UnknownBlock,
    /// The block is used by operations that the host has not synchronised with.
    InUse {
        /// What it is.
        label: String,
        /// Stream of such an operation.
        stream: usize,
    },
    /// An announcement that contradicts what is known, in words.
    BadNote(String),
}

struct Entry {
    block: Arc<Block>,
    label: Arc<str>,
    /// Announced buffers by first address.
    buffers: BTreeMap<u64, (u64, Arc<str>)>,
    /// Whether buffers were ever announced.
    divided: bool,
    /// The last use by each stream.
    used: Clock,
}

/// Blocks and buffers of one device.
pub struct DeviceMemory {
    capacity: u64,
    junk: u64,
    used_bytes: u64,
    peak_bytes: u64,
    allocations: u64,
    blocks: BTreeMap<u64, Entry>,
    /// Freed buffers, oldest first.
    freed: Vec<Freed>,
}

impl Region {
    /// Where `address` lies in the buffer.
    pub fn place(&self, address: u64) -> Place {
        let offset = address.wrapping_sub(self.base) as i64;
        Place { label: self.label.to_string(), bytes: self.bytes, offset }
    }

    /// How far `address` is from the buffer.
    pub fn distance(&self, address: u64) -> u64 {
        if address < self.base { self.base - address } else { address.saturating_sub(self.base + self.bytes) }
    }
}

impl Freed {
    /// First address.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Where `address` lay in the buffer, if it did.
    pub fn place(&self, address: u64) -> Option<Place> {
        (address.wrapping_sub(self.base) < self.bytes).then(|| Place {
            label: self.label.to_string(),
            bytes: self.bytes,
            offset: (address - self.base) as i64,
        })
    }
}

impl DeviceMemory {
    /// `capacity` bytes, fresh memory filled with `junk`.
    pub fn new(capacity: u64, junk: u64) -> Self {
        let (blocks, freed) = (BTreeMap::new(), vec![]);
        Self { capacity, junk, used_bytes: 0, peak_bytes: 0, allocations: 0, blocks, freed }
    }

    /// Bytes of the device.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Bytes in blocks.
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes
    }

    /// The most that [`Self::used_bytes`] ever was.
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes
    }

    /// Announced buffers that were not freed.
    pub fn live_buffers(&self) -> usize {
        self.blocks.values().map(|entry| entry.buffers.len()).sum()
    }

    /// A new block of `bytes`, which is not zero; its address.
    pub fn allocate(&mut self, bytes: u64) -> Result<u64, MemoryError> {
        if bytes > self.capacity - self.used_bytes {
            return Err(MemoryError::OutOfMemory);
        }
        let block = Block::reserve(bytes as usize, self.junk).ok_or(MemoryError::OutOfMemory)?;
        self.allocations += 1;
        self.used_bytes += bytes;
        self.peak_bytes = self.peak_bytes.max(self.used_bytes);
        let (base, label) = (block.base(), format!("block {}", self.allocations).into());
        let (block, buffers, used) = (Arc::new(block), BTreeMap::new(), Clock::default());
        self.blocks.insert(base, Entry { block, label, buffers, divided: false, used });
        Ok(base)
    }

    /// Gives a block back. `host` is what the host knows to have finished.
    pub fn free(&mut self, base: u64, host: &Clock, streams: usize) -> Result<(), MemoryError> {
        let entry = self.blocks.get(&base).ok_or(MemoryError::UnknownBlock)?;
        let busy = (0..streams).find(|&stream| entry.used.get(stream) > host.get(stream));
        if let Some(stream) = busy {
            return Err(MemoryError::InUse { label: entry.label.to_string(), stream });
        }
        let entry = self.blocks.remove(&base).expect("the block was found above");
        self.used_bytes -= entry.block.bytes();
        for (&base, (bytes, label)) in &entry.buffers {
            self.remember(Freed { base, bytes: *bytes, label: label.clone() });
        }
        if !entry.divided {
            self.remember(Freed { base, bytes: entry.block.bytes(), label: entry.label });
        }
        Ok(())
    }

    /// Whether some block holds `address`.
    pub fn contains(&self, address: u64) -> bool {
        self.entry(address).is_some()
    }

    /// The host made a buffer of part of a block: its contents are junk from now on.
    pub fn note_alloc(&mut self, base: u64, bytes: u64, label: &str) -> Result<(), MemoryError> {
        let bad = |what: &str| MemoryError::BadNote(format!("announced buffer `{label}` {what}"));
        let Some(entry) = self.entry_mut(base) else { return Err(bad("lies in no block")) };
        if bytes > entry.block.base() + entry.block.bytes() - base {
            return Err(bad("reaches past the end of its block"));
        }
        let before = entry.buffers.range(..base + bytes).next_back();
        if let Some((&other, (other_bytes, other_label))) = before
            && other + other_bytes > base
        {
            return Err(bad(&format!("overlaps the live buffer `{other_label}`")));
        }
        entry.divided = true;
        entry.buffers.insert(base, (bytes, label.into()));
        entry.block.forget(base, bytes);
        Ok(())
    }

    /// The host gave an announced buffer up.
    pub fn note_free(&mut self, base: u64) -> Result<(), MemoryError> {
        let known = self.entry_mut(base).and_then(|entry| entry.buffers.remove(&base));
        let Some((bytes, label)) = known else {
            let what = format!("freed buffer at {base:#x}, where no live buffer starts");
            return Err(MemoryError::BadNote(what));
        };
        self.remember(Freed { base, bytes, label });
        Ok(())
    }

    /// The live buffer that holds `address`.
    pub fn region(&self, address: u64) -> Option<Region> {
        let entry = self.entry(address)?;
        let (base, bytes, label) = if entry.divided {
            let (&base, (bytes, label)) = entry.buffers.range(..=address).next_back()?;
            (base, *bytes, label)
        } else {
            (entry.block.base(), entry.block.bytes(), &entry.label)
        };
        (address - base < bytes).then(|| Region {
            block: entry.block.clone(),
            base,
            bytes,
            label: label.clone(),
        })
    }

    /// The live buffer of this label; the first by address if several have it.
    pub fn labelled(&self, label: &str) -> Option<Region> {
        let mut buffers = self.blocks.values().flat_map(|entry| &entry.buffers);
        let (&base, _) = buffers.find(|(_, (_, other))| &**other == label)?;
        self.region(base)
    }

    /// The buffers that `addresses` point into, live and freed.
    pub fn footprint(&self, addresses: impl Iterator<Item = u64>) -> Footprint {
        let mut footprint = Footprint::default();
        for address in addresses {
            if let Some(region) = self.region(address) {
                if footprint.regions.iter().all(|known| known.base != region.base) {
                    footprint.regions.push(region);
                }
            } else if let Some(freed) = self.freed(address)
                && footprint.freed.iter().all(|known| known.base != freed.base)
            {
                footprint.freed.push(freed.clone());
            }
        }
        footprint
    }

    /// The buffer freed last that held `address`.
    pub fn freed(&self, address: u64) -> Option<&Freed> {
        self.freed.iter().rev().find(|freed| freed.place(address).is_some())
    }

    /// Notes that operation `index` of `stream` uses the blocks of its footprint.
    pub fn note_use(&mut self, footprint: &Footprint, stream: usize, index: u32) {
        for region in &footprint.regions {
            if let Some(entry) = self.blocks.get_mut(&region.block.base()) {
                entry.used.learn(stream, index);
            }
        }
    }

    fn entry(&self, address: u64) -> Option<&Entry> {
        let (&base, entry) = self.blocks.range(..=address).next_back()?;
        (address - base < entry.block.bytes()).then_some(entry)
    }

    fn entry_mut(&mut self, address: u64) -> Option<&mut Entry> {
        let (&base, entry) = self.blocks.range_mut(..=address).next_back()?;
        (address - base < entry.block.bytes()).then_some(entry)
    }

    fn remember(&mut self, freed: Freed) {
        if self.freed.len() == REMEMBERED {
            self.freed.drain(..REMEMBERED / 2);
        }
        self.freed.push(freed);
    }
}
