//! Cache hints.
//!
//! The columns of a block lie far apart: to the hardware each is the start of a new stream, and it waits for
//! memory every time.

use super::sum::Vector;

/// Columns between the one in use and the one to fetch.
pub(super) const COLUMNS_AHEAD: usize = 4;

/// Starts to bring the line at `vector` into the cache. Does nothing where Rust offers no such instruction.
#[inline(always)]
pub(super) fn prefetch(vector: &Vector) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch does not fault, and every x86-64 processor has SSE.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(vector).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = vector;
}
