//! The tree against its recursive definition, openings against every single change of them.

use std::collections::BTreeSet;

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::Index;

use super::{MerkleError, MerkleTree, OpenedLayer, sibling_count, tree_bytes, verify_multiproof};
use crate::domain::position_of;
use crate::hash::{Digest, hash_inject, hash_node};

/// Heights of a tree: `log2` of each layer's leaves, tallest first, and the two parameters.
#[derive(Clone, Debug)]
struct Shape {
    heights: Vec<u32>,
    blowup_log2: u32,
    cap_log2: u32,
}

impl Shape {
    fn tallest(&self) -> u32 {
        self.heights[0]
    }

    fn build(&self) -> MerkleTree {
        // Shortest first: the builder sorts.
        let layers = self.heights.iter().rev().map(|&log2| (log2, self.stored_layer(log2))).collect();
        MerkleTree::build(layers, self.blowup_log2, self.cap_log2)
    }

    fn stored_layer(&self, leaf_count_log2: u32) -> Vec<Digest> {
        let height_log2 = leaf_count_log2 - self.blowup_log2;
        (0..1 << leaf_count_log2)
            .map(|s| {
                leaf(leaf_count_log2, position_of(s >> height_log2, s % (1 << height_log2), height_log2))
            })
            .collect()
    }

    /// The definition in the module docs, by recursion from the top.
    fn node(&self, level_log2: u32, position: usize) -> Digest {
        if level_log2 == self.tallest() {
            return leaf(level_log2, position);
        }
        let left = self.node(level_log2 + 1, 2 * position);
        let right = self.node(level_log2 + 1, 2 * position + 1);
        let node = hash_node(&left, &right);
        if self.heights.contains(&level_log2) {
            hash_inject(&node, &leaf(level_log2, position))
        } else {
            node
        }
    }

    fn opening(&self, positions: &[usize]) -> Opening {
        let tree = self.build();
        let layers = self.heights.iter().map(|&log2| {
            let at_height: BTreeSet<_> = positions.iter().map(|&p| p >> (self.tallest() - log2)).collect();
            (log2, at_height.into_iter().map(|p| leaf(log2, p)).collect())
        });
        Opening {
            cap: tree.cap().to_vec(),
            layers: layers.collect(),
            positions: positions.iter().map(|&p| p as u64).collect(),
            siblings: tree.open(positions),
        }
    }
}

/// The leaf at `position` of the layer of `2^leaf_count_log2` leaves.
fn leaf(leaf_count_log2: u32, position: usize) -> Digest {
    blake3::hash(format!("leaf {leaf_count_log2} {position}").as_bytes()).into()
}

/// Everything [`verify_multiproof`] is given.
#[derive(Clone, Debug)]
struct Opening {
    cap: Vec<Digest>,
    layers: Vec<(u32, Vec<Digest>)>,
    positions: Vec<u64>,
    siblings: Vec<Digest>,
}

impl Opening {
    fn verify(&self) -> Result<(), MerkleError> {
        let layers: Vec<_> =
            self.layers.iter().map(|(log2, leaves)| OpenedLayer { leaf_count_log2: *log2, leaves }).collect();
        verify_multiproof(&self.cap, &layers, &self.positions, &self.siblings)
    }

    fn changed(&self, change: impl FnOnce(&mut Self)) -> Result<(), MerkleError> {
        let mut copy = self.clone();
        change(&mut copy);
        copy.verify()
    }
}

fn is_cap_mismatch(result: Result<(), MerkleError>) -> bool {
    matches!(result, Err(MerkleError::CapMismatch { .. }))
}

fn flip(digest: &mut Digest, bit: usize) {
    let mut bytes = *digest.as_bytes();
    bytes[bit / 8] ^= 1 << (bit % 8);
    *digest = Digest::from_bytes(bytes);
}

fn shapes() -> impl Strategy<Value = Shape> {
    (0u32..=4, 0u32..=3, 0u32..=5).prop_flat_map(|(blowup_log2, cap_above_blowup, levels)| {
        let cap_log2 = blowup_log2 + cap_above_blowup;
        let tallest = cap_log2 + levels;
        btree_set(cap_log2..=tallest, 0..4).prop_map(move |mut heights| {
            heights.insert(tallest);
            Shape { heights: heights.into_iter().rev().collect(), blowup_log2, cap_log2 }
        })
    })
}

fn openings() -> impl Strategy<Value = Opening> {
    (shapes(), vec(any::<Index>(), 1..12)).prop_map(|(shape, indices)| {
        let positions: BTreeSet<_> = indices.iter().map(|i| i.index(1 << shape.tallest())).collect();
        shape.opening(&Vec::from_iter(positions))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn cap_is_the_recursive_definition(shape in shapes()) {
        let tree = shape.build();
        let expected: Vec<_> = (0..1 << shape.cap_log2).map(|p| shape.node(shape.cap_log2, p)).collect();
        prop_assert_eq!(tree.cap(), expected);
        prop_assert_eq!(tree.bytes(), tree_bytes(shape.tallest(), shape.cap_log2));
    }

    #[test]
    fn honest_openings_verify(opening in openings()) {
        prop_assert_eq!(opening.verify(), Ok(()));
        let cap_log2 = opening.cap.len().ilog2();
        let expected = sibling_count(&opening.positions, opening.layers[0].0, cap_log2);
        prop_assert_eq!(opening.siblings.len(), expected);
    }

    #[test]
    fn every_change_of_a_sibling_is_rejected(opening in openings(), bit in 0usize..256) {
        let expected = opening.siblings.len();
        for index in 0..expected {
            let flipped = opening.changed(|o| flip(&mut o.siblings[index], bit));
            prop_assert!(is_cap_mismatch(flipped));
            let removed = opening.changed(|o| _ = o.siblings.remove(index));
            prop_assert_eq!(removed, Err(MerkleError::SiblingCount { expected, got: expected - 1 }));
            let doubled = opening.changed(|o| o.siblings.insert(index, o.siblings[index]));
            prop_assert_eq!(doubled, Err(MerkleError::SiblingCount { expected, got: expected + 1 }));
            for other in 0..index {
                let swapped = opening.changed(|o| o.siblings.swap(index, other));
                prop_assert!(is_cap_mismatch(swapped));
            }
        }
        let spare = opening.changed(|o| o.siblings.push(Digest::default()));
        prop_assert_eq!(spare, Err(MerkleError::SiblingCount { expected, got: expected + 1 }));
    }

    #[test]
    fn every_change_of_a_leaf_is_rejected(opening in openings(), bit in 0usize..256) {
        for layer in 0..opening.layers.len() {
            let expected = opening.layers[layer].1.len();
            for index in 0..expected {
                let flipped = opening.changed(|o| flip(&mut o.layers[layer].1[index], bit));
                prop_assert!(is_cap_mismatch(flipped));
                let removed = opening.changed(|o| _ = o.layers[layer].1.remove(index));
                prop_assert_eq!(removed, Err(MerkleError::LeafCount { layer, expected, got: expected - 1 }));
                for other in 0..index {
                    let swapped = opening.changed(|o| o.layers[layer].1.swap(index, other));
                    prop_assert!(is_cap_mismatch(swapped));
                }
            }
            let spare = opening.changed(|o| o.layers[layer].1.push(Digest::default()));
            prop_assert_eq!(spare, Err(MerkleError::LeafCount { layer, expected, got: expected + 1 }));
        }
    }

    #[test]
    fn every_change_of_a_position_is_rejected(opening in openings(), to in any::<u64>()) {
        let leaf_count = 1u64 << opening.layers[0].0;
        for index in 0..opening.positions.len() {
            let position = opening.positions[index];
            let (above, below) = (position.wrapping_add(1), position.wrapping_sub(1));
            for changed in [position ^ 1, above, below, to, to % leaf_count] {
                if changed != position {
                    prop_assert!(opening.changed(|o| o.positions[index] = changed).is_err());
                }
            }
            let beyond = opening.changed(|o| {
                o.positions.truncate(index);
                o.positions.push(leaf_count + position);
            });
            let leaf_count_log2 = opening.layers[0].0;
            let position = leaf_count + position;
            prop_assert_eq!(beyond, Err(MerkleError::PositionRange { index, position, leaf_count_log2 }));
            let doubled = opening.changed(|o| o.positions.insert(index, o.positions[index]));
            prop_assert_eq!(doubled, Err(MerkleError::PositionOrder { index: index + 1 }));
            prop_assert!(opening.changed(|o| _ = o.positions.remove(index)).is_err());
            for other in 0..index {
                let swapped = opening.changed(|o| o.positions.swap(index, other));
                prop_assert_eq!(swapped, Err(MerkleError::PositionOrder { index: other + 1 }));
            }
        }
    }

    /// Entries above no opened position do not matter; every other does.
    #[test]
    fn every_change_of_the_cap_is_rejected(opening in openings(), bit in 0usize..256) {
        let levels = opening.layers[0].0 - opening.cap.len().ilog2();
        let touched: BTreeSet<_> = opening.positions.iter().map(|p| p >> levels).collect();
        for index in 0..opening.cap.len() {
            let expected = match touched.contains(&(index as u64)) {
                true => Err(MerkleError::CapMismatch { index: index as u64 }),
                false => Ok(()),
            };
            prop_assert_eq!(opening.changed(|o| flip(&mut o.cap[index], bit)), expected);
        }
        let leaf_count_log2 = opening.layers[0].0;
        for got in [0, 3, 2 << leaf_count_log2] {
            let resized = opening.changed(|o| o.cap.resize(got, Digest::default()));
            prop_assert_eq!(resized, Err(MerkleError::CapSize { got, leaf_count_log2 }));
        }
        prop_assert!(opening.changed(|o| o.cap.extend(o.cap.clone())).is_err());
    }

    #[test]
    fn every_change_of_the_heights_is_rejected(opening in openings(), to in any::<u32>()) {
        for layer in 0..opening.layers.len() {
            let log2 = opening.layers[layer].0;
            for changed in [0, log2.wrapping_sub(1), log2 + 1, 63, 64, u32::MAX, to] {
                if changed != log2 {
                    prop_assert!(opening.changed(|o| o.layers[layer].0 = changed).is_err());
                }
            }
            prop_assert!(opening.changed(|o| drop(o.layers.remove(layer))).is_err());
            prop_assert!(opening.changed(|o| o.layers.insert(layer, o.layers[layer].clone())).is_err());
        }
    }

    /// No input, however absurd, panics or is accepted.
    #[test]
    fn arbitrary_input_is_rejected(
        cap in vec(any::<[u8; 32]>(), 0..5),
        layers in vec((0u32..70, vec(any::<[u8; 32]>(), 0..4)), 0..4),
        positions in vec(prop_oneof![0u64..8, any::<u64>()], 1..4),
        siblings in vec(any::<[u8; 32]>(), 0..8),
    ) {
        let digests = |bytes: Vec<[u8; 32]>| bytes.into_iter().map(Digest::from).collect::<Vec<_>>();
        let layers = layers.into_iter().map(|(log2, leaves)| (log2, digests(leaves))).collect();
        let opening = Opening { cap: digests(cap), layers, positions, siblings: digests(siblings) };
        prop_assert!(opening.verify().is_err());
    }
}

/// Every blowup and every cap down to the leaves themselves, with joins at, above and between them.
#[test]
fn fixed_shapes_have_the_defined_cap() {
    for blowup_log2 in 0..=4 {
        for heights in [&[blowup_log2 + 4][..], &[9, 8], &[9, 7, 4], &[8, 6, 5, 4]] {
            let shape = Shape { heights: heights.to_vec(), blowup_log2, cap_log2: 4 };
            let expected: Vec<_> = (0..16).map(|p| shape.node(4, p)).collect();
            assert_eq!(shape.build().cap(), expected, "{shape:?}");
        }
    }
}

#[test]
fn cap_is_clamped_to_the_tallest_layer() {
    let shape = Shape { heights: vec![2], blowup_log2: 1, cap_log2: 4 };
    let tree = shape.build();
    assert_eq!(tree.cap(), [leaf(2, 0), leaf(2, 1), leaf(2, 2), leaf(2, 3)]);
    assert_eq!(tree.bytes(), tree_bytes(2, 4));
    assert_eq!(shape.opening(&[1, 2]).verify(), Ok(()));
    assert!(tree.open(&[1, 2]).is_empty());
}

#[test]
fn whole_tree_opens_without_siblings() {
    let shape = Shape { heights: vec![7, 5], blowup_log2: 1, cap_log2: 4 };
    let opening = shape.opening(&Vec::from_iter(0..128));
    assert!(opening.siblings.is_empty());
    assert_eq!(opening.verify(), Ok(()));
}

#[test]
fn shape_errors_are_told_apart() {
    let opening = Shape { heights: vec![7, 5], blowup_log2: 1, cap_log2: 4 }.opening(&[3, 90]);
    assert_eq!(opening.changed(|o| o.layers.clear()), Err(MerkleError::NoLayer));
    assert_eq!(opening.changed(|o| o.layers[0].0 = 64), Err(MerkleError::TooTall { leaf_count_log2: 64 }));
    assert_eq!(
        opening.changed(|o| o.layers[1].0 = 7),
        Err(MerkleError::HeightOrder { layer: 1, leaf_count_log2: 7, previous_log2: 7 })
    );
    assert_eq!(
        opening.changed(|o| o.layers[1].0 = 3),
        Err(MerkleError::BelowCap { layer: 1, leaf_count_log2: 3, cap_log2: 4 })
    );
}

#[test]
#[should_panic(expected = "each slab must reach the cap")]
fn more_slabs_than_cap_entries_are_refused() {
    MerkleTree::build(vec![(6, vec![Digest::default(); 64])], 5, 4);
}

#[test]
#[should_panic(expected = "cannot join below a cap")]
fn layers_below_the_cap_are_refused() {
    let layers = vec![(6, vec![Digest::default(); 64]), (3, vec![Digest::default(); 8])];
    MerkleTree::build(layers, 1, 4);
}
