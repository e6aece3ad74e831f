//! One block of device memory: address space of the host with shadow pages beside it.
//!
//! A device address is the address of the host memory behind it. The address space of a block is never given
//! back, so a stale device pointer cannot hit a newer block. Memory and shadow take host memory only where
//! they were touched: the first touch of a page fills it with junk.

use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Access;
use super::actor::Actor;
use super::shadow::{CELL_BYTES, DISTINCT_BLOCKS, NO_BLOCK, PAGE_BYTES, Page, Refusal};

/// One block, as `cuMemAlloc` returns it.
pub struct Block {
    base: NonNull<u8>,
    bytes: usize,
    /// Length of the reservation: `bytes` in whole pages.
    reserved: usize,
    junk: u64,
    pages: Box<[OnceLock<Box<Page>>]>,
}

// SAFETY: `base` is memory of this block alone. Threads that execute the blocks of one launch access it
// through atomics; everything else runs one operation at a time.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

/// A refused access inside a range.
#[derive(Clone, Copy, Debug)]
pub struct RefusedAt {
    /// First address of the refused bytes.
    pub address: u64,
    /// Why.
    pub refusal: Refusal,
}

impl Block {
    /// Reserves `bytes` of memory filled with `junk`; none if the host has no address space left.
    pub fn reserve(bytes: usize, junk: u64) -> Option<Self> {
        let pages = bytes.div_ceil(PAGE_BYTES);
        let reserved = pages * PAGE_BYTES;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new anonymous mapping at an address of the system's choice touches no existing memory.
        let base = unsafe {
            libc::mmap(std::ptr::null_mut(), reserved, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        if base == libc::MAP_FAILED {
            return None;
        }
        let base = NonNull::new(base.cast::<u8>())?;
        Some(Self { base, bytes, reserved, junk, pages: (0..pages).map(|_| OnceLock::new()).collect() })
    }

    /// First device address.
    pub fn base(&self) -> u64 {
        self.base.as_ptr() as u64
    }

    /// Length in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes as u64
    }

    /// The host pointer of a device address inside the block.
    #[inline]
    pub fn pointer(&self, address: u64) -> *mut u8 {
        let offset = (address - self.base()) as usize;
        debug_assert!(offset <= self.bytes, "{address:#x} lies outside its block");
        // SAFETY: `offset` lies inside the reservation, as regions of the block do.
        unsafe { self.base.as_ptr().add(offset) }
    }

    /// Checks and notes an aligned access of at most 16 bytes inside the block.
    #[inline]
    pub fn touch(
        &self,
        address: u64,
        bytes: u32,
        actor: &Actor<'_>,
        block: u32,
        access: Access,
    ) -> Result<(), Refusal> {
        let block = block % DISTINCT_BLOCKS;
        let offset = (address - self.base()) as usize;
        let page = self.page(offset / PAGE_BYTES);
        let cell = offset % PAGE_BYTES / CELL_BYTES;
        if bytes <= 8 {
            let mask = (u8::MAX >> (8 - bytes)) << (offset % CELL_BYTES);
            return page.touch(cell, mask, actor, block, access);
        }
        page.touch(cell, u8::MAX, actor, block, access)?;
        page.touch(cell + 1, u8::MAX, actor, block, access)
    }

    /// Checks and notes an access of a whole range inside the block by an operation without blocks.
    pub fn touch_range(
        &self,
        address: u64,
        bytes: u64,
        actor: &Actor<'_>,
        access: Access,
    ) -> Result<(), RefusedAt> {
        self.each_cell(address, bytes, |at, page, cell, mask| {
            page.touch(cell, mask, actor, NO_BLOCK, access)
                .map_err(|refusal| RefusedAt { address: at, refusal })
        })
    }

    /// Checks and notes a read of a range that need not have been written.
    pub fn touch_unwritten(&self, address: u64, bytes: u64, actor: &Actor<'_>) -> Result<(), RefusedAt> {
        self.each_cell(address, bytes, |at, page, cell, mask| {
            page.touch_unwritten(cell, mask, actor, NO_BLOCK)
                .map_err(|refusal| RefusedAt { address: at, refusal })
        })
    }

    /// Fills a range with junk and forgets that it was ever written. Who touched it last is kept: memory that
    /// changes hands while another stream still uses it is a race.
    pub fn forget(&self, address: u64, bytes: u64) {
        let start = (address - self.base()) as usize;
        let end = start + bytes as usize;
        for (number, page) in self.pages.iter().enumerate().take(end.div_ceil(PAGE_BYTES)) {
            let (first, last) = (start.max(number * PAGE_BYTES), end.min((number + 1) * PAGE_BYTES));
            // An untouched page gets its junk when it is touched.
            if first < last && page.get().is_some() {
                let infallible =
                    self.each_cell(self.base() + first as u64, (last - first) as u64, forget_cell);
                assert!(infallible.is_ok(), "forgetting cannot be refused");
                self.fill_with_junk(first, last);
            }
        }
    }

    /// Calls `visit` with the address and the written bytes of each cell of a range.
    pub fn each_written(&self, address: u64, bytes: u64, mut visit: impl FnMut(u64, u8, u32)) {
        let infallible = self.each_cell(address, bytes, |at, page, cell, mask| {
            visit(at, page.written(cell) & mask, page.writer(cell));
            Ok::<(), RefusedAt>(())
        });
        assert!(infallible.is_ok(), "looking cannot be refused");
    }

    /// The contents of a range.
    pub fn contents(&self, address: u64, bytes: u64) -> Vec<u8> {
        self.materialise(address, bytes);
        let mut contents = vec![0; bytes as usize];
        // SAFETY: the range lies inside the block, and no launch runs meanwhile.
        unsafe {
            std::ptr::copy_nonoverlapping(self.pointer(address), contents.as_mut_ptr(), contents.len())
        };
        contents
    }

    /// Gives every untouched page of a range its junk, for code that goes around [`Self::touch`].
    pub fn materialise(&self, address: u64, bytes: u64) {
        let offset = (address - self.base()) as usize;
        (offset / PAGE_BYTES..(offset + bytes as usize).div_ceil(PAGE_BYTES)).for_each(|page| {
            self.page(page);
        });
    }

    /// `visit(address, page, cell, byte mask)` for each cell that the range meets.
    fn each_cell<E>(
        &self,
        address: u64,
        bytes: u64,
        mut visit: impl FnMut(u64, &Page, usize, u8) -> Result<(), E>,
    ) -> Result<(), E> {
        let start = (address - self.base()) as usize;
        let end = start + bytes as usize;
        let mut offset = start;
        while offset < end {
            let page = self.page(offset / PAGE_BYTES);
            let page_end = end.min((offset / PAGE_BYTES + 1) * PAGE_BYTES);
            while offset < page_end {
                let first = offset % CELL_BYTES;
                let count = (CELL_BYTES - first).min(page_end - offset);
                let mask = (u8::MAX >> (CELL_BYTES - count)) << first;
                visit(self.base() + offset as u64, page, offset % PAGE_BYTES / CELL_BYTES, mask)?;
                offset += count;
            }
        }
        Ok(())
    }

    #[inline]
    fn page(&self, number: usize) -> &Page {
        self.pages[number].get_or_init(|| {
            self.fill_with_junk(number * PAGE_BYTES, (number + 1) * PAGE_BYTES);
            Page::untouched()
        })
    }

    /// Fills bytes `start..end` of the reservation: byte `i` of the block is byte `i mod 8` of the junk word.
    fn fill_with_junk(&self, start: usize, end: usize) {
        assert!(end <= self.reserved, "junk stays inside the block");
        let junk = self.junk.to_le_bytes();
        let words = start.next_multiple_of(8)..(end / 8 * 8).max(start.next_multiple_of(8));
        // SAFETY: `start..end` lies inside the reservation, and whole words are aligned because the base is.
        unsafe {
            let base = self.base.as_ptr();
            for offset in (start..end.min(words.start)).chain(words.end..end) {
                base.add(offset).write(junk[offset % 8]);
            }
            for offset in words.step_by(8).take_while(|&offset| offset < end) {
                AtomicU64::from_ptr(base.add(offset).cast()).store(self.junk.to_le(), Ordering::Relaxed);
            }
        }
    }
}

fn forget_cell(_: u64, page: &Page, cell: usize, mask: u8) -> Result<(), RefusedAt> {
    page.forget(cell, mask);
    Ok(())
}

impl Drop for Block {
    fn drop(&mut self) {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
        // SAFETY: the mapping replaces this block's own, which nothing refers to any more. A failure leaves
        // the old mapping in place, which is as good an end.
        unsafe {
            libc::mmap(self.base.as_ptr().cast(), self.reserved, libc::PROT_NONE, flags, -1, 0);
        }
    }
}
