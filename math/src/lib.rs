//! Arithmetic that knows nothing of proofs: the field, column-major matrices, number-theoretic
//! transforms, hashing and Merkle trees.
//!
//! Everything is column-major. A committed table of trace height `N` and blowup `B` is stored as `B`
//! *slabs* per column; see [`domain`] for the order of points, which every other module relies on.
//!
//! Without the `std` feature only what a verifier needs is compiled (no threads, no transforms).
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod domain;
pub mod field;
pub mod hash;
pub mod merkle;
pub mod prefetch;

#[cfg(feature = "std")]
pub mod columns;
#[cfg(feature = "std")]
pub mod ntt;
#[cfg(feature = "std")]
mod pages;
#[cfg(feature = "std")]
mod recycle;
#[cfg(feature = "std")]
pub mod weighted;

#[cfg(feature = "std")]
pub use columns::Columns;
pub use field::{Ext3, Goldilocks};
pub use hash::Digest;
#[cfg(feature = "std")]
pub use merkle::MerkleTree;
#[cfg(feature = "std")]
pub use recycle::{kept_bytes, release_memory};
