//! The prover's half: a whole tree, kept for opening.

use super::path::for_each_sibling;
use crate::domain::{position_of, slab_and_entry};
use crate::hash::{DIGEST_BYTES, Digest, digest_buffer, hash_injections, hash_nodes};

/// All levels of a mixed-height tree.
#[derive(Clone, Debug)]
pub struct MerkleTree {
    /// The levels below the cap, tallest first, each in slab order.
    levels: Vec<Vec<Digest>>,
    /// In position order.
    cap: Vec<Digest>,
    leaf_count_log2: u32,
    blowup_log2: u32,
}

impl MerkleTree {
    /// Builds the tree over `layers`: for each height `log2 n`, with `n = B·N` LDE rows, and its `n`
    /// leaves in slab order. Heights are distinct and come in any order.
    ///
    /// The cap has `2^cap_log2` digests, or as many as the tallest layer if that is fewer.
    ///
    /// # Panics
    /// When there is no layer, heights repeat, a layer's length is not `2^log2 n`, or a layer or the cap
    /// has fewer entries than there are slabs or than the cap.
    pub fn build(mut layers: Vec<(u32, Vec<Digest>)>, blowup_log2: u32, cap_log2: u32) -> Self {
        layers.sort_unstable_by_key(|&(log2, _)| core::cmp::Reverse(log2));
        let leaf_count_log2 = layers.first().expect("a tree has at least one layer of leaves").0;
        let cap_log2 = cap_log2.min(leaf_count_log2);
        assert!(
            blowup_log2 <= cap_log2,
            "each slab must reach the cap: 2^{blowup_log2} slabs, 2^{cap_log2} digests"
        );
        for (log2, leaves) in &layers {
            assert_eq!(leaves.len(), 1 << log2, "a layer has one leaf for each LDE row");
            assert!(*log2 >= cap_log2, "a layer of 2^{log2} leaves cannot join below a cap of 2^{cap_log2}");
        }
        assert!(layers.is_sorted_by(|a, b| a.0 > b.0), "one layer for each height");

        let mut layers = layers.into_iter().peekable();
        let mut level = layers.next().map(|(_, leaves)| leaves).unwrap_or_default();
        let mut levels = Vec::new();
        for level_log2 in (cap_log2..leaf_count_log2).rev() {
            let mut above = parents(&level, 1 << blowup_log2);
            if let Some((_, leaves)) = layers.next_if(|&(log2, _)| log2 == level_log2) {
                hash_injections(&mut above, &leaves);
            }
            levels.push(core::mem::replace(&mut level, above));
        }
        let cap = in_position_order(&level, cap_log2 - blowup_log2);
        Self { levels, cap, leaf_count_log2, blowup_log2 }
    }

    /// A tree whose levels were computed elsewhere: those below the cap, tallest first, each in slab order;
    /// and the cap, in position order.
    ///
    /// # Panics
    /// When a level has not half as many digests as the one before it.
    pub fn from_levels(levels: Vec<Vec<Digest>>, cap: Vec<Digest>, blowup_log2: u32) -> Self {
        let counts: Vec<usize> = levels.iter().chain([&cap]).map(Vec::len).collect();
        assert!(counts.windows(2).all(|pair| pair[0] == 2 * pair[1]), "each level halves the one below");
        let leaf_count_log2 = counts[0].trailing_zeros();
        Self { levels, cap, leaf_count_log2, blowup_log2 }
    }

    /// The cap, in position order.
    pub fn cap(&self) -> &[Digest] {
        &self.cap
    }

    /// The siblings that open `positions` of the tallest layer, strictly ascending (module docs).
    ///
    /// # Panics
    /// When a position is out of range or out of order.
    pub fn open(&self, positions: &[usize]) -> Vec<Digest> {
        assert!(positions.is_sorted_by(|a, b| a < b), "positions ascend strictly");
        assert!(positions.iter().all(|&p| p >> self.leaf_count_log2 == 0), "positions are those of leaves");
        let positions: Vec<u64> = positions.iter().map(|&position| position as u64).collect();
        let mut siblings = Vec::new();
        for_each_sibling(&positions, self.levels.len() as u32, |level, position| {
            let height_log2 = self.leaf_count_log2 - level - self.blowup_log2;
            let (slab, entry) = slab_and_entry(position as usize, height_log2);
            siblings.push(self.levels[level as usize][(slab << height_log2) | entry]);
        });
        siblings
    }

    /// Size of the digests kept; equal to [`tree_bytes`].
    pub fn bytes(&self) -> usize {
        let digests = self.levels.iter().map(Vec::len).sum::<usize>() + self.cap.len();
        digests * DIGEST_BYTES
    }
}

/// Size of the digests of a tree of `2^leaf_count_log2` tallest leaves under a cap of at most
/// `2^cap_log2`: `32·(2^(leaf_count_log2 + 1) - 2^cap_log2)` bytes. Shorter layers add nothing.
pub const fn tree_bytes(leaf_count_log2: u32, cap_log2: u32) -> usize {
    let cap_log2 = if cap_log2 < leaf_count_log2 { cap_log2 } else { leaf_count_log2 };
    ((2 << leaf_count_log2) - (1 << cap_log2)) * DIGEST_BYTES
}

/// The level above `level`, slab by slab.
fn parents(level: &[Digest], slabs: usize) -> Vec<Digest> {
    let mut above = digest_buffer(level.len() / 2);
    let height = above.len() / slabs;
    for (children, nodes) in level.chunks_exact(2 * height).zip(above.chunks_exact_mut(height)) {
        let (left, right) = children.split_at(height);
        hash_nodes(left, right, nodes);
    }
    above
}

/// A level of slabs of `2^height_log2` nodes, reordered by position.
fn in_position_order(level: &[Digest], height_log2: u32) -> Vec<Digest> {
    let mut ordered = vec![Digest::default(); level.len()];
    for (slab, nodes) in level.chunks_exact(1 << height_log2).enumerate() {
        for (entry, node) in nodes.iter().enumerate() {
            ordered[position_of(slab, entry, height_log2)] = *node;
        }
    }
    ordered
}
