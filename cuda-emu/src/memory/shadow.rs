//! Shadow state of device memory: who touched a word last, and which of its bytes were ever written.
//!
//! One [`Cell`] stands for eight bytes and holds two [`Mark`]s, the last write and the last read. Two
//! accesses of the same bytes conflict when one of them writes, they belong to different operations that
//! nothing orders, or to different blocks of one launch and are not both atomic. This is FastTrack
//! (Flanagan and Freund, PLDI 2009) over operations instead of threads, with blocks as a second level.
//!
//! Marks know bytes, so neighbours that share a word are no conflict. Where a mark cannot hold two disjoint
//! accesses it keeps the later one: a conflict between parts of words may be missed, none is invented.
//!
//! Blocks of a launch run concurrently. Each access publishes its own mark before it reads the other one,
//! both sequentially consistent, so that of two conflicting accesses at least one sees the other.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use super::Access;
use super::actor::Actor;

/// Bytes of device memory behind one shadow page.
pub const PAGE_BYTES: usize = 1 << 16;
/// Bytes of device memory behind one cell.
pub const CELL_BYTES: usize = 8;
const CELLS: usize = PAGE_BYTES / CELL_BYTES;

/// Stands for several blocks in a mark.
pub const MANY_BLOCKS: u32 = (1 << 24) - 1;
/// Stands for an operation that has no blocks.
pub const NO_BLOCK: u32 = MANY_BLOCKS - 1;
/// Blocks are told apart modulo this.
pub const DISTINCT_BLOCKS: u32 = 1 << 23;

/// An access to a cell: operation (31 bits), flag (1), block (24), bytes (8).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Mark(u64);

impl Mark {
    /// `flag`: an atomic write, or a read by the several operations of reader set `operation`.
    #[inline]
    pub fn new(operation: u32, flag: bool, block: u32, bytes: u8) -> Self {
        Self(
            (u64::from(operation) << 33)
                | (u64::from(flag) << 32)
                | (u64::from(block) << 8)
                | u64::from(bytes),
        )
    }

    #[inline]
    pub fn operation(self) -> u32 {
        (self.0 >> 33) as u32
    }

    #[inline]
    pub fn flag(self) -> bool {
        self.0 >> 32 & 1 == 1
    }

    /// Operation and flag in one number: which operation or set this is the mark of.
    #[inline]
    pub fn who(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline]
    pub fn block(self) -> u32 {
        (self.0 >> 8) as u32 & MANY_BLOCKS
    }

    #[inline]
    pub fn bytes(self) -> u8 {
        self.0 as u8
    }

    #[inline]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    #[inline]
    fn covers(self, bytes: u8) -> bool {
        self.bytes() & bytes == bytes
    }
}

/// Why an access to a cell is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It reads bytes that nothing has written.
    Uninitialised,
    /// It conflicts with an access of another operation or block.
    Conflict {
        /// The other operation.
        operation: u32,
        /// The other block; [`MANY_BLOCKS`] for several.
        block: u32,
        /// What the other did.
        access: Access,
    },
}

/// Last write and last read of eight bytes.
struct Cell {
    write: AtomicU64,
    read: AtomicU64,
}

/// Shadow of [`PAGE_BYTES`] bytes. All zero is the state of untouched memory.
pub struct Page {
    cells: [Cell; CELLS],
    written: [AtomicU8; CELLS],
}

impl Page {
    /// The shadow of untouched memory.
    pub fn untouched() -> Box<Self> {
        // SAFETY: a page is atomics throughout, for which zero is a value.
        unsafe { Box::<Self>::new_zeroed().assume_init() }
    }

    /// Checks and notes an access of the `bytes` of cell `index` by `block` of the actor's operation.
    #[inline]
    pub fn touch(
        &self,
        index: usize,
        bytes: u8,
        actor: &Actor<'_>,
        block: u32,
        access: Access,
    ) -> Result<(), Refusal> {
        let written = self.written[index].load(Ordering::Relaxed);
        if access != Access::Write && written & bytes != bytes {
            return Err(Refusal::Uninitialised);
        }
        if access == Access::Read {
            return self.cells[index].read(actor, block, bytes);
        }
        self.cells[index].write(actor, block, bytes, access)?;
        if written & bytes != bytes {
            self.set_written(index, bytes);
        }
        Ok(())
    }

    /// Notes a read without asking whether the bytes were written.
    pub fn touch_unwritten(
        &self,
        index: usize,
        bytes: u8,
        actor: &Actor<'_>,
        block: u32,
    ) -> Result<(), Refusal> {
        self.cells[index].read(actor, block, bytes)
    }

    /// Forgets that the bytes of cell `index` were written; who touched them stays.
    pub fn forget(&self, index: usize, bytes: u8) {
        let written = self.written(index);
        self.written[index].store(written & !bytes, Ordering::Relaxed);
    }

    /// Which bytes of cell `index` were written.
    pub fn written(&self, index: usize) -> u8 {
        self.written[index].load(Ordering::Relaxed)
    }

    /// The operation that wrote cell `index` last; zero if none did.
    pub fn writer(&self, index: usize) -> u32 {
        Mark(self.cells[index].write.load(Ordering::Relaxed)).operation()
    }

    #[inline]
    fn set_written(&self, index: usize, bytes: u8) {
        if bytes == u8::MAX {
            self.written[index].store(bytes, Ordering::Relaxed);
        } else {
            self.written[index].fetch_or(bytes, Ordering::Relaxed);
        }
    }
}

impl Cell {
    #[inline]
    fn read(&self, actor: &Actor<'_>, block: u32, bytes: u8) -> Result<(), Refusal> {
        let mut old = Mark(self.read.load(Ordering::Acquire));
        loop {
            let new = actor.after_read(old, block, bytes);
            if new == old {
                // Who published first looked at the writes; a later writer looks at this mark.
                if old.covers(bytes) {
                    return Ok(());
                }
                break;
            }
            match self.read.compare_exchange_weak(old.0, new.0, Ordering::SeqCst, Ordering::Acquire) {
                Ok(_) => break,
                Err(now) => old = Mark(now),
            }
        }
        actor.check_write(Mark(self.write.load(Ordering::SeqCst)), block, bytes, Access::Read)
    }

    #[inline]
    fn write(&self, actor: &Actor<'_>, block: u32, bytes: u8, access: Access) -> Result<(), Refusal> {
        let mut old = Mark(self.write.load(Ordering::Acquire));
        loop {
            actor.check_write(old, block, bytes, access)?;
            let new = actor.after_write(old, block, bytes, access);
            if new == old {
                if old.covers(bytes) {
                    return Ok(());
                }
                break;
            }
            match self.write.compare_exchange_weak(old.0, new.0, Ordering::SeqCst, Ordering::Acquire) {
                Ok(_) => break,
                Err(now) => old = Mark(now),
            }
        }
        actor.check_reads(Mark(self.read.load(Ordering::SeqCst)), block, bytes)
    }
}
