//! The operation that touches memory: what is ordered before it, and what its accesses conflict with.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

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
    /// The readers met last, as [`Mark::who`] names them, and the set that this operation makes of them.
    joined: AtomicU64,
}

impl<'a> Actor<'a> {
    /// `operation` of `history`, with what `clock` orders before it.
    pub fn new(
        operation: OperationId,
        clock: &'a Clock,
        history: &'a History,
        readers: &'a ReaderSets,
    ) -> Self {
        Self { operation, clock, history, readers, own_set: AtomicU32::new(0), joined: AtomicU64::new(0) }
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
        let alone = Mark::new(self.operation, false, block, bytes);
        if old.is_none() {
            return alone;
        }
        let common = old.bytes() & bytes;
        if !old.flag() {
            if old.operation() == self.operation {
                return match common {
                    _ if old.block() == block => Mark::new(self.operation, false, block, old.bytes() | bytes),
                    _ if old.block() == MANY_BLOCKS => old,
                    0 => alone,
                    common => Mark::new(self.operation, false, MANY_BLOCKS, common),
                };
            }
            if self.knows(old.operation()) {
                return alone;
            }
        } else if self.is_own_set(old) {
            return match common {
                0 => old,
                _ if old.block() == block || old.block() == MANY_BLOCKS => old,
                common => Mark::new(old.operation(), true, MANY_BLOCKS, common),
            };
        }
        if common == 0 {
            return alone;
        }
        self.set_after(old).map_or(alone, |set| Mark::new(set, true, block, common))
    }

    /// The write mark after this operation has written. The old one was checked.
    #[inline]
    pub(super) fn after_write(&self, old: Mark, block: u32, bytes: u8, access: Access) -> Mark {
        let atomic = access == Access::Atomic;
        if old.operation() != self.operation {
            return Mark::new(self.operation, atomic, block, bytes);
        }
        if old.block() == block {
            return match (old.flag(), atomic) {
                (was_atomic, is_atomic) if was_atomic == is_atomic => {
                    Mark::new(self.operation, atomic, block, old.bytes() | bytes)
                }
                // A plain store conflicts with more than an atomic access of the same bytes.
                (false, true) if old.bytes() & bytes != 0 => old,
                _ => Mark::new(self.operation, atomic, block, bytes),
            };
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
    fn knows(&self, operation: OperationId) -> bool {
        self.history.is_known(operation, self.clock)
    }

    /// Whether a mark of several readers has this operation among them: always as the newest.
    fn is_own_set(&self, read: Mark) -> bool {
        if self.own_set.load(Ordering::Relaxed) == read.operation() {
            return true;
        }
        // What was joined already is the set of earlier readers.
        if self.joined.load(Ordering::Relaxed) >> 32 == u64::from(read.who()) {
            return false;
        }
        let own = self.readers.members(read.operation()).last() == Some(&self.operation);
        if own {
            self.own_set.store(read.operation(), Ordering::Relaxed);
        }
        own
    }

    /// The set of this operation and those of the mark's readers that nothing orders before it; none if there
    /// are none.
    fn set_after(&self, read: Mark) -> Option<u32> {
        let joined = self.joined.load(Ordering::Relaxed);
        let set = if joined >> 32 == u64::from(read.who()) { joined as u32 } else { self.join(read) };
        (set != 0).then_some(set)
    }

    #[cold]
    fn join(&self, read: Mark) -> u32 {
        let mut members = match read.flag() {
            true => self.readers.members(read.operation()).to_vec(),
            false => vec![read.operation()],
        };
        members.retain(|&member| !self.knows(member));
        let set = if members.is_empty() {
            0
        } else {
            members.push(self.operation);
            self.readers.intern(members)
        };
        self.joined.store(u64::from(read.who()) << 32 | u64::from(set), Ordering::Relaxed);
        set
    }
}
