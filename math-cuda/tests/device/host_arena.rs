//! An arena over plain memory of the host, with poison: the bookkeeping of the product's arena, and nothing
//! of a device.

use std::cell::RefCell;
use std::rc::Rc;

use lambda_math_cuda::arena::{Access, Allocation, Arena, Flaws, Freed, Lifetime};
use lambda_math_cuda::{DeviceError, POISON};

const WORD_BYTES: u64 = size_of::<u64>() as u64;

/// The arena. Clones are the same one.
#[derive(Clone)]
pub struct HostArena(Rc<RefCell<Inner>>);

struct Inner {
    arena: Arena,
    words: Vec<u64>,
}

/// A block of the arena: `len` words.
pub struct HostBuffer {
    home: HostArena,
    allocation: Allocation,
    len: usize,
}

impl HostArena {
    /// An arena of `budget_bytes` in which everything is poison.
    pub fn new(budget_bytes: u64, flaws: Flaws) -> Self {
        let arena = Arena::with_flaws(budget_bytes, flaws);
        let words = vec![POISON; (budget_bytes / WORD_BYTES) as usize];
        Self(Rc::new(RefCell::new(Inner { arena, words })))
    }

    /// A block that holds `words`.
    pub fn upload(
        &self,
        words: &[u64],
        label: &'static str,
        lifetime: Lifetime,
    ) -> Result<HostBuffer, DeviceError> {
        let bytes = words.len() as u64 * WORD_BYTES;
        let allocation = self.0.borrow_mut().arena.alloc(bytes, label, lifetime)?;
        let mut buffer = HostBuffer { home: self.clone(), allocation, len: words.len() };
        buffer.write(words)?;
        Ok(buffer)
    }

    /// Takes all transient blocks back.
    pub fn reset(&self) {
        let inner = &mut *self.0.borrow_mut();
        for allocation in inner.arena.reset() {
            inner.poison(&allocation);
        }
    }
}

impl Inner {
    fn poison(&mut self, allocation: &Allocation) {
        let start = (allocation.offset / WORD_BYTES) as usize;
        self.words[start..start + (allocation.bytes / WORD_BYTES) as usize].fill(POISON);
    }
}

impl HostBuffer {
    /// What it holds: an error when that is no longer its own, or poison.
    pub fn read(&self) -> Result<Vec<u64>, DeviceError> {
        let inner = self.home.0.borrow();
        inner.arena.waits(&self.allocation, Access::Read)?;
        let words = inner.words[self.start()..][..self.len].to_vec();
        match words.contains(&POISON) {
            true => Err(DeviceError::Poisoned { label: self.allocation.label }),
            false => Ok(words),
        }
    }

    /// Replaces what it holds.
    pub fn write(&mut self, words: &[u64]) -> Result<(), DeviceError> {
        assert_eq!(words.len(), self.len, "a buffer keeps its length");
        let inner = &mut *self.home.0.borrow_mut();
        inner.arena.waits(&self.allocation, Access::Write)?;
        inner.words[self.start()..][..words.len()].copy_from_slice(words);
        Ok(())
    }

    /// Bytes from the arena's start.
    pub fn offset(&self) -> u64 {
        self.allocation.offset
    }

    fn start(&self) -> usize {
        (self.allocation.offset / WORD_BYTES) as usize
    }
}

impl Drop for HostBuffer {
    fn drop(&mut self) {
        let inner = &mut *self.home.0.borrow_mut();
        if inner.arena.free(&self.allocation) == Freed::Returned {
            inner.poison(&self.allocation);
        }
    }
}
