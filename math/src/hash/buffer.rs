//! Memory for digests about to be computed.

use super::{DIGEST_BYTES, Digest};
use crate::pages::advise_huge_pages;

/// `len` zero digests for a batch hash to overwrite.
///
/// The zeros come from the allocator, untouched: whichever thread writes a page first pays for it, not
/// this one for all.
pub fn digest_buffer(len: usize) -> Vec<Digest> {
    let (start, len, capacity) = vec![[0u8; DIGEST_BYTES]; len].into_raw_parts();
    // SAFETY: the parts are those of a vector given up just now; `Digest` is a transparent array of
    // `DIGEST_BYTES` bytes, so layout and validity are the same.
    let mut digests = unsafe { Vec::from_raw_parts(start.cast::<Digest>(), len, capacity) };
    advise_huge_pages(&mut digests);
    digests
}
