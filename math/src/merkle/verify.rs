//! The verifier's half: from opened leaves and siblings to the cap.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

use alloc::vec::Vec;
use core::slice;

use super::{MerkleError, sibling_count};
use crate::hash::{Digest, hash_inject, hash_node};

/// The opened leaves of one height.
#[derive(Clone, Copy, Debug)]
pub struct OpenedLayer<'a> {
    /// `log2` of the layer's leaves, opened or not.
    pub leaf_count_log2: u32,
    /// One leaf for each distinct position at this height, ascending.
    pub leaves: &'a [Digest],
}

/// A node on the way up and its position in its level.
type PlacedNode = (u64, Digest);

/// Checks that `layers` hold the leaves committed to by `cap` at `positions`.
///
/// `layers` come from tall to short. `positions` are those opened in the tallest layer, strictly
/// ascending; a layer with `2^s` times fewer leaves opens the distinct values of `positions >> s`.
/// `siblings` is the proof in the order of the module docs. The caller fixes the length of `cap` and the
/// heights; no position at all opens nothing and is accepted with no leaf and no sibling.
///
/// # Errors
/// See [`MerkleError`]; every input that is not the one valid opening is rejected.
pub fn verify_multiproof(
    cap: &[Digest],
    layers: &[OpenedLayer<'_>],
    positions: &[u64],
    siblings: &[Digest],
) -> Result<(), MerkleError> {
    let (tallest, shorter) = layers.split_first().ok_or(MerkleError::NoLayer)?;
    let tallest_log2 = tallest.leaf_count_log2;
    let cap_log2 = check_heights(cap, layers, tallest_log2)?;
    check_positions(positions, tallest_log2)?;
    check_leaf_count(0, tallest, positions.len())?;
    let sibling_error = MerkleError::SiblingCount {
        expected: sibling_count(positions, tallest_log2, cap_log2),
        got: siblings.len(),
    };

    let mut nodes: Vec<PlacedNode> = positions.iter().copied().zip(tallest.leaves.iter().copied()).collect();
    let mut siblings = siblings.iter();
    let mut joining = (1..).zip(shorter).peekable();
    for level_log2 in (cap_log2..tallest_log2).rev() {
        nodes = parents(nodes, &mut siblings).ok_or(sibling_error)?;
        if let Some((layer, opened)) = joining.next_if(|(_, opened)| opened.leaf_count_log2 == level_log2) {
            check_leaf_count(layer, opened, nodes.len())?;
            for ((_, node), leaf) in nodes.iter_mut().zip(opened.leaves) {
                *node = hash_inject(node, leaf);
            }
        }
    }
    if !siblings.as_slice().is_empty() {
        return Err(sibling_error);
    }
    match nodes.into_iter().find(|(position, node)| entry(cap, *position) != Some(node)) {
        Some((index, _)) => Err(MerkleError::CapMismatch { index }),
        None => Ok(()),
    }
}

/// Checks the order of the heights and the size of the cap, and returns the cap's `log2`.
fn check_heights(cap: &[Digest], layers: &[OpenedLayer<'_>], tallest_log2: u32) -> Result<u32, MerkleError> {
    if tallest_log2 >= u64::BITS {
        return Err(MerkleError::TooTall { leaf_count_log2: tallest_log2 });
    }
    let cap_log2 = cap.len().trailing_zeros();
    if !cap.len().is_power_of_two() || cap_log2 > tallest_log2 {
        return Err(MerkleError::CapSize { got: cap.len(), leaf_count_log2: tallest_log2 });
    }
    let mut previous_log2 = u64::BITS;
    for (layer, &OpenedLayer { leaf_count_log2, .. }) in layers.iter().enumerate() {
        if leaf_count_log2 >= previous_log2 {
            return Err(MerkleError::HeightOrder { layer, leaf_count_log2, previous_log2 });
        }
        if leaf_count_log2 < cap_log2 {
            return Err(MerkleError::BelowCap { layer, leaf_count_log2, cap_log2 });
        }
        previous_log2 = leaf_count_log2;
    }
    Ok(cap_log2)
}

/// Checks that the positions ascend strictly below `2^leaf_count_log2`.
fn check_positions(positions: &[u64], leaf_count_log2: u32) -> Result<(), MerkleError> {
    let mut previous = None;
    for (index, &position) in positions.iter().enumerate() {
        if previous >= Some(position) {
            return Err(MerkleError::PositionOrder { index });
        }
        if position.checked_shr(leaf_count_log2) != Some(0) {
            return Err(MerkleError::PositionRange { index, position, leaf_count_log2 });
        }
        previous = Some(position);
    }
    Ok(())
}

fn check_leaf_count(layer: usize, opened: &OpenedLayer<'_>, expected: usize) -> Result<(), MerkleError> {
    let got = opened.leaves.len();
    if got == expected { Ok(()) } else { Err(MerkleError::LeafCount { layer, expected, got }) }
}

/// The level above `nodes`, taking each node's sibling from `nodes` or else from `siblings`; `None` when
/// the latter run out.
fn parents(nodes: Vec<PlacedNode>, siblings: &mut slice::Iter<'_, Digest>) -> Option<Vec<PlacedNode>> {
    let mut above = Vec::with_capacity(nodes.len());
    let mut nodes = nodes.into_iter().peekable();
    while let Some((position, node)) = nodes.next() {
        let parent = if position & 1 == 1 {
            hash_node(siblings.next()?, &node)
        } else if let Some((_, right)) = nodes.next_if(|(other, _)| *other == position | 1) {
            hash_node(&node, &right)
        } else {
            hash_node(&node, siblings.next()?)
        };
        above.push((position >> 1, parent));
    }
    Some(above)
}

fn entry(cap: &[Digest], position: u64) -> Option<&Digest> {
    cap.get(usize::try_from(position).ok()?)
}
