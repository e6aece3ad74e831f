//! The heap: a pointer that only rises.
//!
//! Nothing is ever freed. A run is short, and an address used once costs the proof less than an allocator's
//! bookkeeping. It follows that fresh memory is always zero, and that the last block grows in place.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr;

/// Alignment of every block: whole cells move in one load or store.
pub const ALIGNMENT: usize = 8;

// SAFETY: the linker script defines both symbols.
unsafe extern "C" {
    // Only their addresses mean anything.
    static _heap_start: u8;
    static _heap_end: u8;
}

struct Heap {
    /// Where the next block may start; 0 before the first.
    next: UnsafeCell<usize>,
}

// SAFETY: the machine has one hart and no interrupts.
unsafe impl Sync for Heap {}

#[global_allocator]
static HEAP: Heap = Heap { next: UnsafeCell::new(0) };

// SAFETY: blocks lie between `_heap_start` and `_heap_end`, which nothing else uses, and never overlap,
// since each starts at or after the end of the one before.
unsafe impl GlobalAlloc for Heap {
    // SAFETY: no promise is asked for beyond the trait's.
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let align = layout.align().max(ALIGNMENT);
        // SAFETY: one hart, and no reference to the cell outlives a line.
        let next = unsafe { *self.next.get() };
        let next = if next == 0 { &raw const _heap_start as usize } else { next };
        // No overflow: the heap ends below 2^32 and a layout's size is below 2^63.
        let start = (next + align - 1) & !(align - 1);
        let end = start + layout.size();
        if end > &raw const _heap_end as usize {
            return ptr::null_mut();
        }
        // SAFETY: as above.
        unsafe { *self.next.get() = end };
        start as *mut u8
    }

    // SAFETY: as above.
    #[inline]
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}

    // SAFETY: as above.
    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the same. No address is handed out twice, and the heap starts as
        // zero by the ELF's definition of memory beyond the file's bytes.
        unsafe { self.alloc(layout) }
    }

    // SAFETY: as above.
    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if new_size <= layout.size() {
            return block;
        }
        // SAFETY: one hart, and no reference to the cell outlives a line.
        let is_last = unsafe { *self.next.get() } == block as usize + layout.size();
        let end = block as usize + new_size;
        if is_last && end <= &raw const _heap_end as usize {
            // SAFETY: as above.
            unsafe { *self.next.get() = end };
            return block;
        }
        // SAFETY: the caller's promise about `new_size` is that of a layout.
        let new_layout = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        // SAFETY: `new_size` is greater than the old size, hence not zero.
        let to = unsafe { self.alloc(new_layout) };
        if !to.is_null() {
            // SAFETY: both blocks are ours, do not overlap, and hold at least the old size.
            unsafe { ptr::copy_nonoverlapping(block, to, layout.size()) };
        }
        to
    }
}
