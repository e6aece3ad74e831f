//! Accesses to host memory that stands for device memory. Blocks run concurrently, so all of them are atomic.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A relaxed load of 1, 2, 4 or 8 bytes.
///
/// # Safety
/// `pointer` is valid for reads of `bytes` and aligned to them; other threads access it only atomically.
#[inline(always)]
pub(super) unsafe fn load(pointer: *mut u8, bytes: u32) -> u64 {
    // SAFETY: as the caller promises.
    unsafe {
        match bytes {
            1 => u64::from(AtomicU8::from_ptr(pointer).load(Ordering::Relaxed)),
            2 => u64::from(AtomicU16::from_ptr(pointer.cast()).load(Ordering::Relaxed)),
            4 => u64::from(AtomicU32::from_ptr(pointer.cast()).load(Ordering::Relaxed)),
            _ => AtomicU64::from_ptr(pointer.cast()).load(Ordering::Relaxed),
        }
    }
}

/// A relaxed store of 1, 2, 4 or 8 bytes.
///
/// # Safety
/// `pointer` is valid for writes of `bytes` and aligned to them; other threads access it only atomically.
#[inline(always)]
pub(super) unsafe fn store(pointer: *mut u8, bytes: u32, value: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        match bytes {
            1 => AtomicU8::from_ptr(pointer).store(value as u8, Ordering::Relaxed),
            2 => AtomicU16::from_ptr(pointer.cast()).store(value as u16, Ordering::Relaxed),
            4 => AtomicU32::from_ptr(pointer.cast()).store(value as u32, Ordering::Relaxed),
            _ => AtomicU64::from_ptr(pointer.cast()).store(value, Ordering::Relaxed),
        }
    }
}

/// Replaces a word of 4 or 8 bytes by a function of it; returns the old one.
///
/// # Safety
/// `pointer` is valid for reads and writes of `bytes` and aligned to them; other threads access it only
/// atomically.
pub(super) unsafe fn exchange(pointer: *mut u8, bytes: u32, update: impl Fn(u64) -> u64) -> u64 {
    let always = "the update always gives a value";
    // SAFETY: as the caller promises.
    unsafe {
        if bytes == 4 {
            let word = AtomicU32::from_ptr(pointer.cast());
            let update = |old| Some(update(u64::from(old)) as u32);
            u64::from(word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update).expect(always))
        } else {
            let word = AtomicU64::from_ptr(pointer.cast());
            word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| Some(update(old))).expect(always)
        }
    }
}
