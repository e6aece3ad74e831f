//! Large pages for memory about to be written for the first time.

/// Size of a large page on the systems that have them.
#[cfg(target_os = "linux")]
const HUGE_PAGE_BYTES: usize = 1 << 21;

/// Tells the system that `values` is best backed by large pages, where it can be told.
///
/// Advice only: contents never change. Without it the first write to each 4 KiB is a fault, which for a
/// table costs as much as half of its transforms.
pub(crate) fn advise_huge_pages<T>(values: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        const MADV_HUGEPAGE: i32 = 14;
        unsafe extern "C" {
            fn madvise(address: *mut core::ffi::c_void, length: usize, advice: i32) -> i32;
        }
        let start = values.as_mut_ptr().cast::<u8>();
        let skipped = start.align_offset(HUGE_PAGE_BYTES);
        let length = size_of_val(values).saturating_sub(skipped) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
        if length > 0 {
            // SAFETY: the range is whole pages of an exclusive borrow, and this advice keeps contents. A
            // system without large pages refuses, which is fine.
            let _refused = unsafe { madvise(start.add(skipped).cast(), length, MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = values;
}
