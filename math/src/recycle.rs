//! Memory of dropped matrices, kept for new ones.
//!
//! The first write to a fresh page costs several times as much as any later one, and a proof writes tables as
//! large as those that the step before, or the proof before, has just dropped. What is kept never raises the
//! peak: matrices in use and memory kept are together at most what was in use at once so far.

use std::sync::{Mutex, MutexGuard, PoisonError};

use p3_field::PrimeCharacteristicRing;

use crate::field::Goldilocks;

/// Smaller buffers are left to the allocator.
const MIN_CELLS: usize = 1 << 17;

static KEPT: Mutex<Kept> = Mutex::new(Kept::new());

/// A buffer of `len` cells that hold whatever they held before, if one is kept that is not much larger.
///
/// It counts as in use.
pub fn take(len: usize) -> Option<Vec<Goldilocks>> {
    if len < MIN_CELLS { None } else { lock().take(len) }
}

/// Counts a buffer with this capacity as in use; memory that would raise the peak is given up.
pub fn count(capacity: usize) {
    if capacity >= MIN_CELLS {
        let given_up = lock().count(capacity);
        drop(given_up);
    }
}

/// Counts a buffer of which the memory goes elsewhere as no longer in use.
pub fn uncount(capacity: usize) {
    if capacity >= MIN_CELLS {
        lock().in_use -= capacity;
    }
}

/// Keeps the memory of a buffer that was counted.
pub fn keep(mut buffer: Vec<Goldilocks>) {
    let capacity = buffer.capacity();
    if capacity >= MIN_CELLS {
        // What `take` cut off.
        buffer.resize(capacity, Goldilocks::ZERO);
        let given_up = lock().keep(buffer);
        drop(given_up);
    }
}

/// Gives all kept memory back to the system.
pub fn release_memory() {
    let given_up = lock().release();
    drop(given_up);
}

/// Bytes of memory that is kept.
pub fn kept_bytes() -> usize {
    lock().kept * size_of::<Goldilocks>()
}

fn lock() -> MutexGuard<'static, Kept> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The buffers, of full length, and how many cells they and those in use have.
#[derive(Debug)]
struct Kept {
    buffers: Vec<Vec<Goldilocks>>,
    kept: usize,
    in_use: usize,
    peak: usize,
}

impl Kept {
    const fn new() -> Self {
        Self { buffers: Vec::new(), kept: 0, in_use: 0, peak: 0 }
    }

    fn take(&mut self, len: usize) -> Option<Vec<Goldilocks>> {
        let fits = |(_, buffer): &(usize, &Vec<Goldilocks>)| (len..=len + len / 4).contains(&buffer.len());
        let fitting = self.buffers.iter().enumerate().filter(fits);
        let (index, _) = fitting.min_by_key(|(_, buffer)| buffer.len())?;
        let mut buffer = self.buffers.swap_remove(index);
        self.kept -= buffer.len();
        self.in_use += buffer.len();
        self.peak = self.peak.max(self.in_use);
        buffer.truncate(len);
        Some(buffer)
    }

    fn count(&mut self, capacity: usize) -> Vec<Vec<Goldilocks>> {
        self.in_use += capacity;
        self.peak = self.peak.max(self.in_use);
        self.shrink()
    }

    fn keep(&mut self, buffer: Vec<Goldilocks>) -> Vec<Vec<Goldilocks>> {
        self.in_use -= buffer.len();
        self.kept += buffer.len();
        self.buffers.push(buffer);
        self.shrink()
    }

    fn release(&mut self) -> Vec<Vec<Goldilocks>> {
        (self.kept, self.peak) = (0, self.in_use);
        std::mem::take(&mut self.buffers)
    }

    /// Takes out buffers, largest first, until the rest does not raise the peak.
    fn shrink(&mut self) -> Vec<Vec<Goldilocks>> {
        let mut given_up = Vec::new();
        while self.in_use + self.kept > self.peak {
            let largest = self.buffers.iter().enumerate().max_by_key(|(_, buffer)| buffer.len());
            let Some((index, _)) = largest else { break };
            let buffer = self.buffers.swap_remove(index);
            self.kept -= buffer.len();
            given_up.push(buffer);
        }
        given_up
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Allocates as `Columns` does, and says whether the memory was used before.
    fn allocate(kept: &mut Kept, len: usize) -> (Vec<Goldilocks>, bool) {
        let taken = kept.take(len);
        let reused = taken.is_some();
        let buffer = taken.unwrap_or_else(|| {
            kept.count(len);
            Goldilocks::zero_vec(len)
        });
        assert_eq!(buffer.len(), len);
        (buffer, reused)
    }

    fn give_back(kept: &mut Kept, mut buffer: Vec<Goldilocks>) {
        buffer.resize(buffer.capacity(), Goldilocks::ZERO);
        kept.keep(buffer);
    }

    /// The bug: memory that is handed out twice, lost, or kept beyond the peak.
    #[test]
    fn memory_is_reused_and_never_raises_the_peak() {
        let kept = &mut Kept::new();
        let (first, _) = allocate(kept, 100);
        give_back(kept, first);
        let (second, reused) = allocate(kept, 90);
        assert!(reused);
        let (third, reused) = allocate(kept, 100);
        assert!(!reused, "the only buffer is in use");
        give_back(kept, second);
        give_back(kept, third);
        assert_eq!((kept.in_use, kept.kept, kept.peak), (0, 200, 200));

        let (small, reused) = allocate(kept, 50);
        assert!(!reused, "a buffer twice as large would be wasted on it");
        assert_eq!((kept.in_use, kept.kept), (50, 100), "one had to go");
        let (large, _) = allocate(kept, 300);
        assert_eq!((kept.in_use, kept.kept, kept.peak), (350, 0, 350));
        give_back(kept, small);
        give_back(kept, large);
        kept.release();
        assert_eq!((kept.in_use, kept.kept, kept.peak, kept.buffers.len()), (0, 0, 0, 0));
    }
}
