//! A chain of Keccak-256: n (8 bytes little-endian, at least 1) and a message in, the digest out.
//!
//! The message is hashed once and its digest n - 1 times more, so that n = 1 is the plain hash and a large
//! n measures permutations.

#![no_std]
#![no_main]

use guest_crypto::keccak256;
use lambda_guest::{commit, entry, read_input};

entry!(main);

fn main() {
    let input = read_input();
    let (n, message) = input.split_first_chunk().expect("the input starts with n, 8 bytes");
    let n = u64::from_le_bytes(*n);
    assert!(n > 0, "n is at least 1");
    let mut digest = keccak256(message);
    for _ in 1..n {
        digest = keccak256(&digest);
    }
    commit(&digest);
}
