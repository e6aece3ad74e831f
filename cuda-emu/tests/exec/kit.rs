//! Memory, launches and comparisons for the tests of this binary.

use std::sync::atomic::{AtomicU64, Ordering};

use lambda_cuda_emu::exec::{KernelFault, LaunchOptions, LaunchShape, LaunchStats, launch};
use lambda_cuda_emu::memory::{Access, AccessFault, GlobalMemory, Place};
use lambda_cuda_emu::ptx::Module;

/// Address of the first buffer.
const BASE: u64 = 0x7000_0000_0000;
/// Distance between buffers: an overrun does not reach the next one.
const STRIDE: u64 = 1 << 32;

/// Buffers that a launch may access, checked for bounds and alignment.
#[derive(Default)]
pub struct Memory {
    buffers: Vec<Vec<AtomicU64>>,
}

impl Memory {
    /// Adds a buffer; returns its address.
    pub fn add(&mut self, words: &[u64]) -> u64 {
        // Sixteen-byte accesses need storage aligned to sixteen: one word more, and the odd one skipped.
        self.buffers.push(words.iter().map(|&word| AtomicU64::new(word)).collect());
        BASE + (self.buffers.len() as u64 - 1) * STRIDE
    }

    /// The contents of buffer `index`.
    pub fn words(&self, index: usize) -> Vec<u64> {
        self.buffers[index].iter().map(|word| word.load(Ordering::Relaxed)).collect()
    }
}

impl GlobalMemory for Memory {
    fn access(&self, _: u32, address: u64, bytes: u32, access: Access) -> Result<*mut u8, AccessFault> {
        if address % u64::from(bytes) != 0 {
            return Err(AccessFault::Misaligned { access, address, bytes: bytes.into() });
        }
        let index = (address.wrapping_sub(BASE) / STRIDE) as usize;
        let offset = address.wrapping_sub(BASE) % STRIDE;
        let len = self.buffers.get(index).map_or(0, |buffer| buffer.len() as u64 * 8);
        if offset + u64::from(bytes) > len {
            let nearest = Place { label: format!("buffer {index}"), bytes: len, offset: offset as i64 };
            return Err(AccessFault::OutOfBounds {
                access,
                address,
                bytes: bytes.into(),
                nearest: Some(nearest),
            });
        }
        Ok(self.buffers[index].as_ptr().cast::<u8>().cast_mut().wrapping_add(offset as usize))
    }
}
