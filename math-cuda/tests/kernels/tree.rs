//! Trees and joined leaves against `lambda_math::merkle` and `lambda_math::hash`.

use std::sync::Arc;

use lambda_math::hash::hash_leaf;
use lambda_math::{Digest, MerkleTree};
use lambda_math_cuda::kernels::tree::{DeviceTree, join_leaves};

use crate::kit;

fn digests(count: usize, seed: u64) -> Vec<Digest> {
    let mut state = seed;
    let word = |state: &mut u64| kit::random(state).to_le_bytes();
    (0..count)
        .map(|_| {
            let words = [0; 4].map(|_: u64| word(&mut state));
            Digest::from_bytes(*words.as_flattened().first_chunk().unwrap())
        })
        .collect()
}

/// `log2` of each layer's leaves, and of blowup and cap.
type Shape = (&'static [u32], u32, u32);

// One level up to several launches of many, slabs of one node, a height that joins at the first level, the
// last, and in between, at the cap, and a tree that is all cap.
const SHAPES: [Shape; 12] = [
    (&[0], 0, 0),
    (&[4], 1, 4),
    (&[5], 1, 4),
    (&[5, 4], 4, 4),
    (&[9], 3, 4),
    (&[11, 10, 9], 1, 4),
    (&[12], 0, 0),
    (&[13, 6], 1, 4),
    (&[14, 13, 5], 2, 4),
    (&[3], 1, 4),
    (&[12, 4], 1, 4),
    (&[10], 0, 3),
];

// A node of the wrong children, a level stored where another belongs, a layer joined at the wrong level or
// twice, a cap in slab order.
#[test]
fn trees_are_built_like_on_the_host() {
    kit::each_device(|_, stream| {
        for (heights, blowup_log2, cap_log2) in SHAPES {
            let layers: Vec<_> =
                heights.iter().map(|&log2| (log2, digests(1 << log2, log2.into()))).collect();
            let on_device = layers
                .iter()
                .rev()
                .map(|(log2, layer)| (*log2, Arc::new(stream.upload(layer, "layer").unwrap())));
            let tree = DeviceTree::build(stream, on_device.collect(), blowup_log2, cap_log2).unwrap();
            let leaf_count_log2 = heights[0];
            let expected = MerkleTree::build(layers, blowup_log2, cap_log2);
            let shape = format!("layers {heights:?}, blowup 2^{blowup_log2}, cap 2^{cap_log2}");
            assert_eq!(tree.cap(stream).unwrap(), expected.cap(), "{shape}");
            assert_eq!(tree.bytes(), expected.bytes() as u64, "{shape}");

            // A position alone is opened by its sibling at each level.
            let levels = leaf_count_log2 - cap_log2.min(leaf_count_log2);
            let positions: Vec<usize> =
                (0..1 << leaf_count_log2).step_by(1 + (heights.len() + 37) % 41).collect();
            let path =
                |&position: &usize| (0..levels).map(move |level| (level, (position as u64 >> level) ^ 1));
            let places: Vec<(u32, u64)> = positions.iter().flat_map(path).collect();
            let siblings = positions.iter().flat_map(|&position| expected.open(&[position]));
            let opened = tree.digests(stream, &places).unwrap();
            assert_eq!(opened, siblings.collect::<Vec<_>>(), "{shape}");
        }
    });
}

// A block of one digest, chunks of 32 short, whole and one over, subtrees of chunks.
#[test]
fn leaves_of_several_tables_are_hashed_like_on_the_host() {
    kit::each_device(|_, stream| {
        for (tables, count) in
            [(1, 5), (2, 130), (3, 7), (4, 128), (31, 2), (32, 2), (33, 3), (65, 2), (130, 2)]
        {
            let tables: Vec<Vec<Digest>> = (0..tables).map(|table| digests(count, table)).collect();
            let on_device: Vec<_> =
                tables.iter().map(|table| Arc::new(stream.upload(table, "table").unwrap())).collect();
            let leaves = join_leaves(stream, &on_device).unwrap();
            let leaf = |i: usize| hash_leaf(&tables.iter().map(|table| table[i]).collect::<Vec<_>>());
            assert_eq!(
                stream.download(&*leaves).unwrap(),
                (0..count).map(leaf).collect::<Vec<_>>(),
                "{} tables",
                tables.len()
            );
        }
    });
}

// A layer without a place would be dropped silently.
#[test]
#[should_panic(expected = "cannot join below a cap")]
fn layers_below_the_cap_are_refused() {
    kit::each_device(|_, stream| {
        let layer = |log2: u32| (log2, Arc::new(stream.upload(&digests(1 << log2, 1), "layer").unwrap()));
        let _ = DeviceTree::build(stream, vec![layer(6), layer(3)], 1, 4);
    });
}
