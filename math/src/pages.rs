//! Large pages for memory about to be written for the first time.

/// Size of a large page on the systems that have them.
#[cfg(target_os = "linux")]
const HUGE_PAGE_BYTES: usize = 1 << 21;

/// Size of an ordinary page; a smaller one than the system's makes the advice fail, which is harmless.
#[cfg(target_os = "linux")]
const SMALL_PAGE_BYTES: usize = 1 << 12;

/// Tells the system that `values` is best backed by large pages, where it can be told.
///
/// Advice only: contents never change. Without it the first write to each 4 KiB is a fault, which for a
/// table costs as much as half of its transforms.
pub(crate) fn advise_huge_pages<T>(values: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        const MADV_HUGEPAGE: i32 = 14;
        // SAFETY: the signature is that of madvise(2).
        unsafe extern "C" {
            fn madvise(address: *mut core::ffi::c_void, length: usize, advice: i32) -> i32;
        }
        // Whole 4 KiB pages, rounded outwards: a large allocation is a mapping of its own, which advice on
        // a part of it would split in two, and a split mapping cannot grow in place.
        let start = values.as_mut_ptr().cast::<u8>();
        let before = start.addr() % SMALL_PAGE_BYTES;
        let length = (before + size_of_val(values)).next_multiple_of(SMALL_PAGE_BYTES);
        if size_of_val(values) >= HUGE_PAGE_BYTES {
            // SAFETY: the advice keeps contents, of these values and of whatever shares their first and
            // last page; the call reads no memory through the pointer. A system without large pages
            // refuses, which is fine.
            let _refused = unsafe { madvise(start.wrapping_sub(before).cast(), length, MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = values;
}
