//! Nodes and injections of a whole tree level.

use rayon::prelude::*;

use super::compress::{BLOCK_BYTES, CHUNK_END, CHUNK_START, ROOT, compress, key_words};
use super::lanes::{Lanes, Widest};
use super::tile::join;
use super::{Digest, HashDomain, hash_inject, hash_node};

/// Pairs hashed by one task.
const TASK_PAIRS: usize = 1024;

/// `out[i]` = [`hash_node`] of `left[i], right[i]`.
///
/// # Panics
/// When the lengths differ.
pub fn hash_nodes(left: &[Digest], right: &[Digest], out: &mut [Digest]) {
    nodes_in_lanes::<Widest>(left, right, out);
}

/// Replaces `nodes[i]` by [`hash_inject`] of `nodes[i], leaves[i]`.
///
/// # Panics
/// When the lengths differ.
pub fn hash_injections(nodes: &mut [Digest], leaves: &[Digest]) {
    injections_in_lanes::<Widest>(nodes, leaves);
}

fn nodes_in_lanes<L: Lanes>(left: &[Digest], right: &[Digest], out: &mut [Digest]) {
    assert!(left.len() == out.len() && right.len() == out.len(), "a node has two children");
    let key = key_words::<L>(HashDomain::Node.key());
    let tasks =
        out.par_chunks_mut(TASK_PAIRS).zip(left.par_chunks(TASK_PAIRS)).zip(right.par_chunks(TASK_PAIRS));
    tasks.for_each(|((out, left), right)| {
        let (mut out, mut left, mut right) =
            (out.chunks_exact_mut(L::COUNT), left.chunks_exact(L::COUNT), right.chunks_exact(L::COUNT));
        for ((out, left), right) in out.by_ref().zip(left.by_ref()).zip(right.by_ref()) {
            L::store_digests(hash_pairs(&key, left, right), out);
        }
        for ((out, left), right) in
            out.into_remainder().iter_mut().zip(left.remainder()).zip(right.remainder())
        {
            *out = hash_node(left, right);
        }
    });
}

fn injections_in_lanes<L: Lanes>(nodes: &mut [Digest], leaves: &[Digest]) {
    assert_eq!(nodes.len(), leaves.len(), "one leaf joins each node");
    let key = key_words::<L>(HashDomain::Inject.key());
    let tasks = nodes.par_chunks_mut(TASK_PAIRS).zip(leaves.par_chunks(TASK_PAIRS));
    tasks.for_each(|(nodes, leaves)| {
        let (mut nodes, mut leaves) = (nodes.chunks_exact_mut(L::COUNT), leaves.chunks_exact(L::COUNT));
        for (nodes, leaves) in nodes.by_ref().zip(leaves.by_ref()) {
            L::store_digests(hash_pairs(&key, nodes, leaves), nodes);
        }
        for (node, leaf) in nodes.into_remainder().iter_mut().zip(leaves.remainder()) {
            *node = hash_inject(node, leaf);
        }
    });
}

/// Words of the hashes of `L::COUNT` pairs, each one block and so one compression.
fn hash_pairs<L: Lanes>(key: &[L; 8], first: &[Digest], second: &[Digest]) -> [L; 8] {
    let message = join(&L::load_digests(first), &L::load_digests(second));
    compress(key, &message, 0, BLOCK_BYTES, CHUNK_START | CHUNK_END | ROOT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::lanes::every_lane_count;

    fn digests(seed: &str, count: usize) -> Vec<Digest> {
        (0..count).map(|i| blake3::hash(format!("{seed} {i}").as_bytes()).into()).collect()
    }

    fn pairs_agree<L: Lanes>(count: usize) {
        let (left, right) = (digests("left", count), digests("right", count));
        let mut nodes = vec![Digest::default(); count];
        nodes_in_lanes::<L>(&left, &right, &mut nodes);
        let mut injected = left.clone();
        injections_in_lanes::<L>(&mut injected, &right);
        for i in 0..count {
            assert_eq!(nodes[i], hash_node(&left[i], &right[i]), "node {i} of {count}");
            assert_eq!(injected[i], hash_inject(&left[i], &right[i]), "injection {i} of {count}");
        }
    }

    /// Pairs left over from the lanes, and from the tasks.
    #[test]
    fn pairs_are_the_blake3_hashes() {
        for count in [0, 1, 3, 5, 8, 15, 16, 17, 47, TASK_PAIRS - 1, TASK_PAIRS + 1, 3 * TASK_PAIRS] {
            every_lane_count!(pairs_agree(count));
        }
    }

    /// Silently hashing the shorter prefix would leave nodes at their old value.
    #[test]
    #[should_panic(expected = "two children")]
    fn unequal_halves_are_refused() {
        hash_nodes(&digests("left", 4), &digests("right", 3), &mut [Digest::default(); 4]);
    }
}
