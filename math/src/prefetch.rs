//! Cache hints.
//!
//! The columns of a block lie far apart: to the hardware each is the start of a new stream, and it waits for
//! memory every time.

/// Starts to bring the cache line at `value` into the first-level cache. Does nothing where Rust offers no
/// such instruction.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch does not fault, and every x86-64 processor has SSE.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(value).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// [`prefetch`] for every cache line of `values`.
#[inline(always)]
pub fn prefetch_slice<T>(values: &[T]) {
    const LINE_BYTES: usize = 64;
    values.iter().step_by((LINE_BYTES / size_of::<T>().clamp(1, LINE_BYTES)).max(1)).for_each(prefetch);
}
