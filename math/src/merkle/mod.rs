//! One binary Merkle tree over tables of several heights, with a cap for a root and pruned openings.
//!
//! # Shape
//! A tree is addressed by **positions** ([`crate::domain`]). Its layers are sets of leaves, one set a
//! height; the leaf at position `i` of a layer of `n` leaves stands for all rows at position `i` of the
//! tables with `n` LDE rows. From the tallest layer upwards, a level has half the nodes of the one below:
//!
//! ```text
//!     node[i] = H(below[2i], below[2i + 1])             H: hash_node
//!     node[i] = I(H(below[2i], below[2i + 1]), leaf[i])   where a layer of that many leaves joins
//! ```
//!
//! The level of `2^cap_log2` nodes, in position order, is the **cap**: it is committed to whole and saves
//! `cap_log2` levels of every path. No layer may be shorter than the cap.
//!
//! # Storage
//! A layer arrives, and each level is kept, in slab order: entry `σ·N' + j` of a level of `B·N'` nodes is
//! slab `σ`, entry `j`, at position `σ·N' + rev(j)`. The children of `(σ, j)` are then `(σ, j)` and
//! `(σ, j + N')` of the level below, two contiguous runs, and hashing needs no permutation. Only the cap
//! and the openings are in position order.
//!
//! # Opening
//! All positions share one proof: level by level from the leaves up, by ascending position, each sibling
//! that is not itself on an opened path. [`verify_multiproof`] accepts exactly that list.

mod error;
mod path;
mod verify;

#[cfg(feature = "std")]
mod tree;

pub use error::MerkleError;
pub use path::{for_each_sibling, sibling_count};
pub use verify::{OpenedLayer, verify_multiproof};

#[cfg(feature = "std")]
pub use tree::{MerkleTree, tree_bytes};

#[cfg(test)]
mod tests;

/// `log2` of the digests in a cap.
pub const CAP_LOG2: u32 = 4;
