//! Memory for digests about to be computed.

use super::{DIGEST_BYTES, Digest};
use crate::pages::advise_huge_pages;

/// `len` zero digests for a batch hash to overwrite.
///
/// The zeros come from the allocator, untouched: whichever thread writes a page first pays for it, not
/// this one for all.
pub fn digest_buffer(len: usize) -> Vec<Digest> {
    // Bytes, not arrays: the standard library fills a vector of long arrays itself, one page fault at a time.
    let bytes = vec![0u8; len * DIGEST_BYTES].into_boxed_slice();
    let start = Box::into_raw(bytes).cast::<Digest>();
    // SAFETY: the allocation holds `len` digests to the byte, and is given up by the box; `Digest` is a
    // transparent array of `DIGEST_BYTES` bytes with their alignment, for which zeros are valid.
    let mut digests = unsafe { Vec::from_raw_parts(start, len, len) };
    advise_huge_pages(&mut digests);
    digests
}
