//! Decoding allocates in proportion to the input, whatever lengths the input claims.
//!
//! The allocator counts for the whole process, so this file has a single test.

use lambda_verifier::wire::{ALLOCATION_FACTOR, Reader, Wire};
use lambda_verifier::{Proof, Statement};
use peak_alloc::PeakAlloc;

mod support;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Bytes beyond those in proportion to the input: nothing that decoding needs is of a fixed size.
const SLACK: usize = 4096;

/// Most bytes in use at a time while `bytes` are decoded, over those in use before.
fn peak_bytes<T: Wire>(bytes: &[u8]) -> usize {
    let before = PeakAlloc.current_usage();
    PeakAlloc.reset_peak_usage();
    let value = T::decode(&mut Reader::new(bytes));
    let peak = PeakAlloc.peak_usage().saturating_sub(before);
    drop(value);
    peak
}

fn assert_bounded<T: Wire>(bytes: &[u8], what: &str) -> usize {
    let peak = peak_bytes::<T>(bytes);
    assert!(peak <= ALLOCATION_FACTOR * bytes.len() + SLACK, "{what}: {peak} for {} bytes", bytes.len());
    peak
}

#[test]
fn decoding_allocates_no_more_than_promised() {
    // Every word of a valid body, as if it were a length.
    let body = support::golden_body();
    for at in (0..body.len() - 8).step_by(8) {
        for length in [1u64 << 10, 1 << 16, 1 << 32, 1 << 40, 1 << 61, 1 << 63, u64::MAX] {
            let mut patched = body.to_vec();
            patched[at..at + 8].copy_from_slice(&length.to_le_bytes());
            let mut reader = Reader::new(&patched);
            if Statement::decode(&mut reader).is_ok() {
                let rest = &patched[patched.len() - reader.remaining()..];
                assert_bounded::<Proof>(rest, "patched body");
            } else {
                assert_bounded::<Statement>(&patched, "patched body");
            }
        }
    }
    // A megabyte of empty lists, and one whose first list claims all that is left: the worst there is.
    let mut lists = vec![0u8; 1 << 20];
    let count = (lists.len() as u64 - 8) / 8;
    lists[..8].copy_from_slice(&count.to_le_bytes());
    let peak = assert_bounded::<Vec<Vec<u64>>>(&lists, "empty lists");
    assert!(peak >= lists.len(), "the allocator does not count");
    lists[8..16].copy_from_slice(&(count - 1).to_le_bytes());
    assert_bounded::<Vec<Vec<u64>>>(&lists, "a list that claims the rest");
    // Sixteen bytes that claim 2^40 digests.
    let mut claim = (1u64 << 40).to_le_bytes().to_vec();
    claim.extend([0; 8]);
    assert!(peak_bytes::<Vec<lambda_math::Digest>>(&claim) < 1024);
}
