//! Which siblings an opening consists of.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

use alloc::vec::Vec;

/// Calls `visit(level, position)` for every node that must be supplied to recompute the cap from the
/// leaves at `positions`, in the order of the proof. Level 0 is the tallest layer; `levels` of them lie
/// below the cap.
///
/// `positions` ascend strictly and are below `2^64`; each level keeps that order.
pub fn for_each_sibling(positions: &[u64], levels: u32, mut visit: impl FnMut(u32, u64)) {
    let mut level_positions = positions.to_vec();
    for level in 0..levels {
        let mut parents = Vec::with_capacity(level_positions.len());
        let mut nodes = level_positions.into_iter().peekable();
        while let Some(position) = nodes.next() {
            let sibling = position ^ 1;
            let sibling_is_opened = position < sibling && nodes.next_if_eq(&sibling).is_some();
            if !sibling_is_opened {
                visit(level, sibling);
            }
            parents.push(position >> 1);
        }
        level_positions = parents;
    }
}

/// Siblings in the opening of `positions`, strictly ascending, in a tree of `2^leaf_count_log2` leaves
/// under a cap of `2^cap_log2` digests.
pub fn sibling_count(positions: &[u64], leaf_count_log2: u32, cap_log2: u32) -> usize {
    let mut count: usize = 0;
    for_each_sibling(positions, leaf_count_log2.saturating_sub(cap_log2), |_, _| {
        count = count.saturating_add(1);
    });
    count
}
