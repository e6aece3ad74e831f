//! Why an opening was rejected.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

use thiserror::Error;

/// Rejection of a Merkle opening. Layers are numbered from the tallest, 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MerkleError {
    /// Nothing to verify against: a tree has at least one layer.
    #[error("no layer of leaves")]
    NoLayer,
    /// Positions of a layer this tall do not fit 64 bits.
    #[error("tallest layer of 2^{leaf_count_log2} leaves")]
    TooTall {
        /// `log2` of the tallest layer's leaves.
        leaf_count_log2: u32,
    },
    /// The cap is not a power of two, or larger than the tallest layer.
    #[error("cap of {got} digests over at most 2^{leaf_count_log2} leaves")]
    CapSize {
        /// Digests in the cap.
        got: usize,
        /// `log2` of the tallest layer's leaves.
        leaf_count_log2: u32,
    },
    /// Layers must come strictly from tall to short.
    #[error("layer {layer} of 2^{leaf_count_log2} leaves after one of 2^{previous_log2}")]
    HeightOrder {
        /// The offending layer.
        layer: usize,
        /// `log2` of its leaves.
        leaf_count_log2: u32,
        /// `log2` of the leaves of the layer before it.
        previous_log2: u32,
    },
    /// A layer has fewer leaves than the cap has digests.
    #[error("layer {layer} of 2^{leaf_count_log2} leaves under a cap of 2^{cap_log2}")]
    BelowCap {
        /// The offending layer.
        layer: usize,
        /// `log2` of its leaves.
        leaf_count_log2: u32,
        /// `log2` of the cap's digests.
        cap_log2: u32,
    },
    /// Positions must ascend strictly.
    #[error("position {index} is not above the one before it")]
    PositionOrder {
        /// Index of the offending position.
        index: usize,
    },
    /// A position beyond the tallest layer.
    #[error("position {index} is {position}, beyond 2^{leaf_count_log2} leaves")]
    PositionRange {
        /// Index of the offending position.
        index: usize,
        /// Its value.
        position: u64,
        /// `log2` of the tallest layer's leaves.
        leaf_count_log2: u32,
    },
    /// A layer must open one leaf for each distinct position at its height.
    #[error("layer {layer} opens {got} leaves, expected {expected}")]
    LeafCount {
        /// The offending layer.
        layer: usize,
        /// Distinct positions at its height.
        expected: usize,
        /// Leaves given.
        got: usize,
    },
    /// Too few siblings, or some left over.
    #[error("{got} siblings, expected {expected}")]
    SiblingCount {
        /// Siblings that the positions call for.
        expected: usize,
        /// Siblings given.
        got: usize,
    },
    /// The opened leaves are not the committed ones.
    #[error("recomputed node differs from cap entry {index}")]
    CapMismatch {
        /// Position in the cap.
        index: u64,
    },
}
