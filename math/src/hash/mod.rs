//! BLAKE3 as the commitments use it: keyed by purpose, over rows of field elements and pairs of digests.
//!
//! Every hash is plain BLAKE3 in keyed mode; [`HashDomain`] gives each purpose its own key, so that a
//! row, a leaf, a node, an injected node and a grinding attempt can never be taken for one another.
//!
//! | hash | input | function |
//! |---|---|---|
//! | row | canonical little-endian words of the row's cells | [`hash_row`] |
//! | leaf | digests of the rows of several tables of one height | [`hash_leaf`] |
//! | node | left child, right child | [`hash_node`] |
//! | injection | node, leaf of the shorter height that joins there | [`hash_inject`] |
//! | grinding | seed, nonce | [`check_grinding`] |
//!
//! These functions are the definition, and all a verifier needs. With the `std` feature each has a batch
//! twin for the prover (`hash_rows`, `hash_leaves`, `hash_nodes`, `hash_injections`, `grind`): independent
//! inputs in the lanes of vector registers, up to 16 at a time, on every thread of the pool. The results
//! are equal bit for bit.

mod digest;
mod grinding;
mod keyed;

#[cfg(feature = "std")]
mod buffer;
#[cfg(feature = "std")]
mod compress;
#[cfg(feature = "std")]
mod grind;
#[cfg(feature = "std")]
mod lanes;
#[cfg(feature = "std")]
mod pairs;
#[cfg(feature = "std")]
mod rows;
#[cfg(feature = "std")]
mod tile;

pub use digest::{DIGEST_BYTES, Digest};
pub use grinding::{MAX_GRINDING_BITS, check_grinding};
pub use keyed::{HashDomain, hash_inject, hash_leaf, hash_node, hash_row};

#[cfg(feature = "std")]
pub use buffer::digest_buffer;
#[cfg(feature = "std")]
pub use grind::grind;
#[cfg(feature = "std")]
pub use pairs::{hash_injections, hash_nodes};
#[cfg(feature = "std")]
pub use rows::{hash_leaves, hash_rows};
