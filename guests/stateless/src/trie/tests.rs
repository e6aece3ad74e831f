//! The sparse trie against alloy's own computation of roots.

use alloc::collections::BTreeMap;
use alloc::vec;

use alloy_primitives::keccak256;
use alloy_trie::{HashBuilder, Nibbles as AlloyNibbles};
use proptest::prelude::*;

use super::*;
use crate::input::Input;

type Entries = BTreeMap<B256, Vec<u8>>;

/// The root as alloy computes it, from all entries in order.
fn reference_root(entries: &Entries) -> B256 {
    let mut builder = HashBuilder::default();
    for (key, value) in entries {
        builder.add_leaf(AlloyNibbles::unpack(key), value);
    }
    builder.root()
}

fn trie_of(entries: &Entries) -> Trie<'static> {
    let mut trie = Trie::empty();
    for (key, value) in entries {
        trie.insert(key, value.clone(), &mut Witness::default()).unwrap();
    }
    trie
}

fn witness(nodes: &[Vec<u8>]) -> Witness<'_> {
    Witness::new(&Input { nodes: nodes.iter().map(Vec::as_slice).collect(), ..Input::default() })
}

/// Few different nibbles, so that paths share starts, forks lie deep and nodes nest in their parents.
fn key() -> impl Strategy<Value = B256> {
    let byte = prop_oneof![8 => Just(0x00), 1 => Just(0x01), 1 => Just(0x10), 1 => any::<u8>()];
    prop::array::uniform32(byte).prop_map(B256::from)
}

/// Values short enough to nest in the parent, and longer ones.
fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        any::<u8>().prop_map(|byte| vec![byte]),
        prop::collection::vec(any::<u8>(), 1..4),
        prop::collection::vec(any::<u8>(), 30..80),
    ]
}

fn entries() -> impl Strategy<Value = Entries> {
    prop::collection::btree_map(key(), value(), 0..24)
}

proptest! {
    #[test]
    fn inserting_gives_the_reference_root(entries in entries()) {
        prop_assert_eq!(trie_of(&entries).root(), reference_root(&entries));
    }

    /// Edits on a trie that is read from its nodes as needed, root by root.
    #[test]
    fn editing_from_a_witness_gives_the_reference_root(
        mut entries in entries(),
        edits in prop::collection::vec((key(), prop::option::of(value())), 0..12),
        picks in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(value())), 0..12),
    ) {
        let nodes = trie_of(&entries).nodes();
        let mut witness = witness(&nodes);
        let mut trie = Trie::new(reference_root(&entries));
        let existing: Vec<B256> = entries.keys().copied().collect();
        let picked = picks.into_iter().filter(|_| !existing.is_empty());
        let picked = picked.map(|(index, value)| (*index.get(&existing), value));
        for (key, value) in edits.into_iter().chain(picked) {
            match value {
                Some(value) => {
                    trie.insert(&key, value.clone(), &mut witness).unwrap();
                    entries.insert(key, value);
                }
                None => {
                    trie.remove(&key, &mut witness).unwrap();
                    entries.remove(&key);
                }
            }
            prop_assert_eq!(trie.get(&key, &mut witness).unwrap(), entries.get(&key).map(Vec::as_slice));
            prop_assert_eq!(trie.root(), reference_root(&entries));
        }
    }

    #[test]
    fn reading_gives_each_entry_and_no_other(entries in entries(), other in key()) {
        let nodes = trie_of(&entries).nodes();
        let mut witness = witness(&nodes);
        let mut trie = Trie::new(reference_root(&entries));
        for key in entries.keys().chain([&other]) {
            prop_assert_eq!(trie.get(key, &mut witness).unwrap(), entries.get(key).map(Vec::as_slice));
        }
        prop_assert_eq!(trie.root(), reference_root(&entries), "reading changes nothing");
    }

    /// A node is what its hash says or it is missing: no other answer.
    #[test]
    fn without_a_node_reading_fails(entries in entries(), lost in any::<prop::sample::Index>()) {
        prop_assume!(!entries.is_empty());
        let mut nodes = trie_of(&entries).nodes();
        let hash = keccak256(nodes.remove(lost.index(nodes.len())));
        let mut witness = witness(&nodes);
        let mut trie = Trie::new(reference_root(&entries));
        let failed = entries.keys().any(|key| match trie.get(key, &mut witness) {
            Ok(value) => {
                assert_eq!(value, entries.get(key).map(Vec::as_slice));
                false
            }
            Err(error) => {
                assert_eq!(error, WitnessError::MissingNode { hash });
                true
            }
        });
        // Two subtries can be equal, so that one node serves both; then nothing is missing.
        prop_assert!(failed || nodes.iter().any(|node| keccak256(node) == hash));
    }

    /// Bytes from an adversary, reached by any key.
    #[test]
    fn any_bytes_as_a_node_are_read_or_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..90),
        key in key(),
    ) {
        let nodes = [bytes];
        let mut witness = witness(&nodes);
        let root = keccak256(&nodes[0]);
        let _ = Trie::new(root).get(&key, &mut witness);
        let _ = Trie::new(root).insert(&key, vec![1], &mut witness);
        let _ = Trie::new(root).remove(&key, &mut witness);
    }

    /// As above, but one byte away from a real node.
    #[test]
    fn a_damaged_node_is_read_or_refused(
        entries in entries(),
        at in any::<prop::sample::Index>(),
        byte: u8,
        key in key(),
    ) {
        prop_assume!(!entries.is_empty());
        let mut nodes = trie_of(&entries).nodes();
        let at = at.index(nodes[0].len());
        nodes[0][at] = byte;
        let mut witness = witness(&nodes);
        let root = keccak256(&nodes[0]);
        for key in entries.keys().chain([&key]) {
            let _ = Trie::new(root).get(key, &mut witness);
            let mut trie = Trie::new(root);
            if trie.insert(key, vec![1], &mut witness).is_ok() {
                trie.root();
            }
            let mut trie = Trie::new(root);
            if trie.remove(key, &mut witness).is_ok() {
                trie.root();
            }
        }
    }
}

#[test]
fn the_empty_trie_has_the_known_root() {
    assert_eq!(Trie::empty().root(), EMPTY_ROOT_HASH);
    assert_eq!(Trie::new(EMPTY_ROOT_HASH).get(&B256::ZERO, &mut Witness::default()), Ok(None));
}

/// An extension with an empty path leads to itself for ever, or to as many nodes as there are.
#[test]
fn nodes_that_use_up_no_key_are_refused() {
    let mut hash = B256::ZERO;
    let nodes: Vec<Vec<u8>> = (0..10_000)
        .map(|_| {
            let mut node = vec![0xe2, 0x00, 0xa0];
            node.extend_from_slice(hash.as_slice());
            hash = keccak256(&node);
            node
        })
        .collect();
    let result = Trie::new(hash).get(&B256::ZERO, &mut witness(&nodes)).map(|_| ());
    assert_eq!(result, Err(WitnessError::MalformedNode));
}
