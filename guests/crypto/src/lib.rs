//! The cryptography that dominates an Ethereum block, in the versions that cost the machine least.
//!
//! Both functions are plain software and run anywhere. They are gathered here because a program's cost is
//! mostly theirs: whoever teaches the machine a faster way to hash or to recover a key changes this crate
//! alone. Nothing here handles secrets, so nothing is constant-time.

#![no_std]

extern crate alloc;

mod keccak;
mod recovery;

pub use keccak::keccak256;
pub use recovery::ecrecover;
