//! The arena: bookkeeping of one device allocation, out of which all buffers are cut.
//!
//! It never calls a driver and knows offsets only; the device asks it under one lock. What it guarantees:
//!
//! - **Placement is a function of the sequence of calls.** Transient blocks come from the top, persistent
//!   ones from the bottom, first fit. No timing of a device enters, so a budget that was enough once is
//!   enough again.
//! - **A reset ends an epoch.** It takes every transient block back at once and leaves persistent ones where
//!   they are. A handle carries the epoch it was made in: giving one back from an earlier epoch does nothing
//!   but count, and using one is an error, because its bytes have other owners.
//! - **Freed memory is not free of its past.** A free piece remembers the work that may still touch it, and
//!   so does the block cut from it: whoever writes there first waits for that work, on the device. A buffer
//!   can therefore be given back while kernels read it.
//!
//! The arena of `ztensor` has the same contract of epochs for a tape of a neural network.

mod free_space;
mod high_water;
mod ledger;
mod uses;

use std::collections::BTreeMap;
use std::fmt;

pub use ledger::{Ledger, Reservation};
pub use uses::{StreamId, Ticket, Uses};

use crate::error::{DeviceError, Owners};
use free_space::{End, FreeSpace};
use high_water::HighWater;

/// Bytes to which sizes and offsets are rounded up.
pub const GRANULE_BYTES: u64 = 256;

/// Number of resets before something happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(pub u64);

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "epoch {}", self.0)
    }
}

/// How long a block lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Until it is given back or the arena is reset.
    Transient,
    /// Until it is given back. It never moves.
    Persistent,
}

/// What a piece of work does with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads it.
    Read,
    /// Writes it, and perhaps reads it.
    Write,
}

/// The right to use a block. A view of a block carries the same handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Bytes from the arena's start.
    pub offset: u64,
    /// Length in bytes, a multiple of [`GRANULE_BYTES`].
    pub bytes: u64,
    /// Length that was asked for, at least one byte.
    pub wanted_bytes: u64,
    /// Epoch in which it was made.
    pub epoch: Epoch,
    /// What it is for.
    pub label: &'static str,
    /// How long it lives.
    pub lifetime: Lifetime,
    /// Unlike that of any other block of this arena.
    serial: u64,
}

/// Faults to plant into an arena, so that a test can show that it would be noticed.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flaws {
    /// A block given back from an earlier epoch is taken for one of this epoch.
    pub accepts_stale_frees: bool,
    /// A block is handed out as if nothing were pending on its bytes.
    pub forgets_pending_work: bool,
}

/// What became of a block that was given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freed {
    /// Its bytes are free.
    Returned,
    /// Its epoch is over: a reset took its bytes back before.
    Stale,
}

/// Numbers of an arena.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArenaStats {
    /// Its size.
    pub budget_bytes: u64,
    /// Bytes of all blocks.
    pub used_bytes: u64,
    /// Most bytes of all blocks at one time, since it was made or asked to forget.
    pub peak_bytes: u64,
    /// Size of the smallest arena in which the same calls would have put every block as far from its end,
    /// since this one was made or asked to forget: the most that both lifetimes' blocks reached at one time.
    pub peak_extent_bytes: u64,
    /// Longest free piece.
    pub largest_free_bytes: u64,
    /// Blocks in use.
    pub blocks: usize,
    /// Its epoch.
    pub epoch: Epoch,
    /// Allocations so far, refused ones included.
    pub allocations: u64,
    /// Blocks given back after their epoch.
    pub stale_frees: u64,
}

#[derive(Debug)]
struct Block {
    allocation: Allocation,
    written: Uses,
    read: Uses,
}

/// The bookkeeping (module docs).
#[derive(Debug)]
pub struct Arena {
    free: FreeSpace,
    /// Blocks in use, by offset.
    blocks: BTreeMap<u64, Block>,
    stats: ArenaStats,
    high_water: HighWater,
    serial: u64,
    /// How far persistent blocks reach up, and transient ones down.
    reach: [u64; 2],
    denied: Option<(u64, u64)>,
    flaws: Flaws,
}

impl Arena {
    /// An arena of `budget_bytes`, rounded down to the granularity.
    pub fn new(budget_bytes: u64) -> Self {
        Self::with_flaws(budget_bytes, Flaws::default())
    }

    /// An arena with faults planted.
    #[doc(hidden)]
    pub fn with_flaws(budget_bytes: u64, flaws: Flaws) -> Self {
        let budget_bytes = budget_bytes / GRANULE_BYTES * GRANULE_BYTES;
        Self {
            free: FreeSpace::whole(budget_bytes),
            blocks: BTreeMap::new(),
            stats: ArenaStats { budget_bytes, ..ArenaStats::default() },
            high_water: HighWater::default(),
            serial: 0,
            reach: [0, budget_bytes],
            denied: None,
            flaws,
        }
    }

    /// Cuts out a block of at least `bytes`.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] when no free piece is long enough; nothing has changed then.
    pub fn alloc(
        &mut self,
        bytes: u64,
        label: &'static str,
        lifetime: Lifetime,
    ) -> Result<Allocation, DeviceError> {
        let number = self.stats.allocations;
        self.stats.allocations += 1;
        let wanted_bytes = bytes.max(1);
        let wanted = wanted_bytes.checked_next_multiple_of(GRANULE_BYTES).unwrap_or(u64::MAX);
        let denied =
            self.denied.is_some_and(|(first, count)| (first..first.saturating_add(count)).contains(&number));
        let end = match lifetime {
            Lifetime::Transient => End::High,
            Lifetime::Persistent => End::Low,
        };
        let taken = if denied { None } else { self.free.take(wanted, end) };
        let Some((offset, pending)) = taken else { return Err(self.out_of_memory(label, wanted)) };
        self.serial += 1;
        let allocation = Allocation {
            offset,
            bytes: wanted,
            wanted_bytes,
            epoch: self.stats.epoch,
            label,
            lifetime,
            serial: self.serial,
        };
        let read = if self.flaws.forgets_pending_work { Uses::default() } else { pending };
        self.blocks.insert(offset, Block { allocation, written: Uses::default(), read });
        match lifetime {
            Lifetime::Persistent => self.reach[0] = self.reach[0].max(offset + wanted),
            Lifetime::Transient => self.reach[1] = self.reach[1].min(offset),
        }
        self.stats.used_bytes += wanted;
        self.stats.peak_bytes = self.stats.peak_bytes.max(self.stats.used_bytes);
        self.high_water.note(number, self.stats.used_bytes);
        self.stats.peak_extent_bytes = self.stats.peak_extent_bytes.max(self.extent_bytes());
        Ok(allocation)
    }

    /// Bytes that are not between the blocks of the two lifetimes.
    fn extent_bytes(&self) -> u64 {
        let [up, down] = self.reach;
        up + self.stats.budget_bytes - down
    }

    /// What the blocks reach after `gone` was given back.
    fn retreat(&mut self, gone: &Allocation) {
        let alike = |block: &&Block| block.allocation.lifetime == gone.lifetime;
        match gone.lifetime {
            Lifetime::Persistent if gone.offset + gone.bytes == self.reach[0] => {
                let last = self.blocks.range(..gone.offset).rev().map(|(_, block)| block).find(alike);
                self.reach[0] = last.map_or(0, |block| block.allocation.offset + block.allocation.bytes);
            }
            Lifetime::Transient if gone.offset == self.reach[1] => {
                let first = self.blocks.range(gone.offset..).map(|(_, block)| block).find(alike);
                self.reach[1] = first.map_or(self.stats.budget_bytes, |block| block.allocation.offset);
            }
            _ => {}
        }
    }

    /// Gives a block back. Its bytes may still be in use by work that was issued before; see the module docs.
    pub fn free(&mut self, allocation: &Allocation) -> Freed {
        let ours = |block: &Block| block.allocation.serial == allocation.serial;
        if self.blocks.get(&allocation.offset).is_some_and(ours) || self.flaws.accepts_stale_frees {
            let block = self.blocks.remove(&allocation.offset);
            let mut pending = Uses::default();
            if let Some(block) = block {
                pending.merge(&block.written);
                pending.merge(&block.read);
            }
            self.stats.used_bytes = self.stats.used_bytes.saturating_sub(allocation.bytes);
            self.free.put(allocation.offset, allocation.bytes, pending);
            self.retreat(allocation);
            return Freed::Returned;
        }
        self.stats.stale_frees += 1;
        Freed::Stale
    }

    /// The transient blocks in use.
    pub fn transient(&self) -> Vec<Allocation> {
        let allocations = self.blocks.values().map(|block| block.allocation);
        allocations.filter(|allocation| allocation.lifetime == Lifetime::Transient).collect()
    }

    /// Ends the epoch: takes every transient block back, and returns their places.
    pub fn reset(&mut self) -> Vec<Allocation> {
        self.stats.epoch.0 += 1;
        let transient = |block: &Block| block.allocation.lifetime == Lifetime::Transient;
        let ended: Vec<Block> =
            self.blocks.extract_if(.., |_, block| transient(block)).map(|(_, b)| b).collect();
        for block in &ended {
            let mut pending = block.written.clone();
            pending.merge(&block.read);
            self.stats.used_bytes -= block.allocation.bytes;
            self.free.put(block.allocation.offset, block.allocation.bytes, pending);
        }
        self.reach[1] = self.stats.budget_bytes;
        ended.into_iter().map(|block| block.allocation).collect()
    }

    /// What work that does `access` to a block has to wait for.
    ///
    /// # Errors
    /// [`DeviceError::Stale`] when the block is no longer the handle's.
    pub fn waits(&self, allocation: &Allocation, access: Access) -> Result<Uses, DeviceError> {
        let block = self.block(allocation)?;
        let mut waits = block.written.clone();
        if access == Access::Write || block.written == Uses::default() {
            waits.merge(&block.read);
        }
        Ok(waits)
    }

    /// Notes that the piece of work `ticket` of `stream`, which waited for [`waits`](Self::waits), does
    /// `access` to a block.
    ///
    /// # Errors
    /// [`DeviceError::Stale`] when the block is no longer the handle's.
    pub fn note_use(
        &mut self,
        allocation: &Allocation,
        access: Access,
        stream: StreamId,
        ticket: Ticket,
    ) -> Result<(), DeviceError> {
        self.block(allocation)?;
        let Some(block) = self.blocks.get_mut(&allocation.offset) else { return Ok(()) };
        match access {
            Access::Read => block.read.add(stream, ticket),
            Access::Write => {
                block.written = Uses::one(stream, ticket);
                block.read = Uses::default();
            }
        }
        Ok(())
    }

    /// Refuses `count` allocations, the first of them after `after` others. For tests of what happens then.
    pub fn deny(&mut self, after: u64, count: u64) {
        self.denied = Some((self.stats.allocations + after, count));
    }

    /// Refuses none any more.
    pub fn deny_none(&mut self) {
        self.denied = None;
    }

    /// Numbers.
    pub fn stats(&self) -> ArenaStats {
        let largest_free_bytes = self.free.largest();
        ArenaStats { largest_free_bytes, blocks: self.blocks.len(), ..self.stats }
    }

    /// Most bytes in use after any allocation since there had been `allocations`, 0 where there was none.
    pub fn highest_bytes_since(&self, allocations: u64) -> u64 {
        self.high_water.since(allocations)
    }

    /// Forgets the peak so far.
    pub fn reset_peak(&mut self) {
        self.stats.peak_bytes = self.stats.used_bytes;
        self.stats.peak_extent_bytes = self.extent_bytes();
    }

    fn block(&self, allocation: &Allocation) -> Result<&Block, DeviceError> {
        self.blocks
            .get(&allocation.offset)
            .filter(|block| block.allocation.serial == allocation.serial)
            .ok_or(DeviceError::Stale {
                label: allocation.label,
                made: allocation.epoch,
                now: self.stats.epoch,
            })
    }

    fn out_of_memory(&self, label: &'static str, wanted: u64) -> DeviceError {
        let mut owners: BTreeMap<&'static str, u64> = BTreeMap::new();
        for block in self.blocks.values() {
            *owners.entry(block.allocation.label).or_default() += block.allocation.bytes;
        }
        let mut owners: Vec<(&'static str, u64)> = owners.into_iter().collect();
        owners.sort_by_key(|&(label, bytes)| (std::cmp::Reverse(bytes), label));
        DeviceError::OutOfMemory {
            label,
            wanted,
            free: self.free.bytes(),
            largest: self.free.largest(),
            budget: self.stats.budget_bytes,
            owners: Owners(owners),
        }
    }
}
