//! The operation that touches memory: what is ordered before it, and what its accesses conflict with.

use std::sync::atomic::{AtomicU32, Ordering};

use super::Access;
use super::readers::ReaderSets;
use super::shadow::{MANY_BLOCKS, Mark, NO_BLOCK, Refusal};
use crate::schedule::{Clock, History, OperationId};

/// One operation during its execution. Shared by the threads that execute its blocks.
pub struct Actor<'a> {
    operation: OperationId,
    clock: &'a Clock,
    history: &'a History,
    readers: &'a ReaderSets,
    /// A reader set whose newest member is this operation; zero is none.
    own_set: AtomicU32,
}

impl<'a> Actor<'a> {
    /// `operation` of `history`, with what `clock` orders before it.
    pub fn new(
        operation: OperationId,
        clock: &'a Clock,
        history: &'a History,
        readers: &'a ReaderSets,
    ) -> Self {
        Self { operation, clock, history, readers, own_set: AtomicU32::new(0) }
    }

    /// The operation's number.
    pub fn operation(&self) -> OperationId {
        self.operation
    }

    /// `block` of another operation, or of this one, in words.
    pub fn describe(&self, operation: OperationId, block: u32) -> String {
        let operation = if operation == self.operation {
            "the same launch".to_owned()
        } else {
            self.history.describe(operation)
        };
        match block {
            NO_BLOCK => operation,
            MANY_BLOCKS => format!("several blocks of {operation}"),
            block => format!("block {block} of {operation}"),
        }
    }

    /// The read mark after this operation has read.
    #[inline]
    pub(super) fn after_read(&self, old: Mark, block: u32, bytes: u8) -> Mark {
        if old.is_none() {
            return self.read_mark(block, bytes);
        }
        if old.flag() {
            return self.after_shared_read(old, block, bytes);
        }
        if old.operation() == self.operation {
            if old.block() == block {
                return self.read_mark(block, old.bytes() | bytes);
            }
            return match old.bytes() & bytes {
                _ if old.block() == MANY_BLOCKS => old,
                0 => self.read_mark(block, bytes),
                common => self.read_mark(MANY_BLOCKS, common),
            };
        }
        if self.knows(old.operation()) {
            return self.read_mark(block, bytes);
        }
        match old.bytes() & bytes {
            0 => self.read_mark(block, bytes),
            common => Mark::new(self.intern(vec![old.operation()]), true, block, common),
        }
    }

    #[cold]
    fn after_shared_read(&self, old: Mark, block: u32, bytes: u8) -> Mark {
        let set = old.operation();
        let common = old.bytes() & bytes;
        if self.is_own_set(set) {
            return match common {
                0 => old,
                _ if old.block() == block || old.block() == MANY_BLOCKS => old,
                _ => Mark::new(set, true, MANY_BLOCKS, common),
            };
        }
        let mut members = self.readers.members(set).to_vec();
        members.retain(|&member| !self.knows(member));
        if members.is_empty() || common == 0 {
            return self.read_mark(block, bytes);
        }
        Mark::new(self.intern(members), true, block, common)
    }

    /// The write mark after this operation has written. The old one was checked.
    #[inline]
    pub(super) fn after_write(&self, old: Mark, block: u32, bytes: u8, access: Access) -> Mark {
        let atomic = access == Access::Atomic;
        if old.operation() != self.operation {
            return Mark::new(self.operation, atomic, block, bytes);
        }
        if old.block() == block {
            return Mark::new(self.operation, atomic && old.flag(), block, old.bytes() | bytes);
        }
        match old.bytes() & bytes {
            0 => Mark::new(self.operation, atomic, block, bytes),
            common => Mark::new(self.operation, true, MANY_BLOCKS, common),
        }
    }

    /// Whether an access conflicts with the last write.
    #[inline]
    pub(super) fn check_write(
        &self,
        write: Mark,
        block: u32,
        bytes: u8,
        access: Access,
    ) -> Result<(), Refusal> {
        if write.bytes() & bytes == 0 {
            return Ok(());
        }
        let ordered = if write.operation() == self.operation {
            write.block() == block || (write.flag() && access == Access::Atomic)
        } else {
            self.knows(write.operation())
        };
        if ordered {
            return Ok(());
        }
        let other = if write.flag() { Access::Atomic } else { Access::Write };
        Err(Refusal::Conflict { operation: write.operation(), block: write.block(), access: other })
    }

    /// Whether a write conflicts with the last reads.
    #[inline]
    pub(super) fn check_reads(&self, read: Mark, block: u32, bytes: u8) -> Result<(), Refusal> {
        if read.bytes() & bytes == 0 {
            return Ok(());
        }
        if read.flag() {
            return self.check_shared_reads(read, block);
        }
        self.check_read(read.operation(), read.block(), block)
    }

    #[cold]
    fn check_shared_reads(&self, read: Mark, block: u32) -> Result<(), Refusal> {
        let members = self.readers.members(read.operation());
        members.iter().try_for_each(|&member| self.check_read(member, read.block(), block))
    }

    #[inline]
    fn check_read(&self, operation: OperationId, reader: u32, block: u32) -> Result<(), Refusal> {
        let ordered = if operation == self.operation { reader == block } else { self.knows(operation) };
        if ordered {
            return Ok(());
        }
        Err(Refusal::Conflict { operation, block: reader, access: Access::Read })
    }

    #[inline]
    fn read_mark(&self, block: u32, bytes: u8) -> Mark {
        Mark::new(self.operation, false, block, bytes)
    }

    #[inline]
    fn knows(&self, operation: OperationId) -> bool {
        self.history.is_known(operation, self.clock)
    }

    fn is_own_set(&self, set: u32) -> bool {
        if self.own_set.load(Ordering::Relaxed) == set {
            return true;
        }
        let own = self.readers.members(set).last() == Some(&self.operation);
        if own {
            self.own_set.store(set, Ordering::Relaxed);
        }
        own
    }

    /// The set of `others` and this operation.
    #[cold]
    fn intern(&self, mut others: Vec<OperationId>) -> u32 {
        others.push(self.operation);
        self.readers.intern(others)
    }
}
