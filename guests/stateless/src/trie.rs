//! A Merkle-Patricia trie of which only the needed part is in memory.
//!
//! A subtrie stays a hash until something asks for what is in it; then its root node is taken from the
//! [`Witness`] and decoded, which leaves the node's children hashes. A node keeps the hash it was read by
//! until something below it changes, so that computing the root hashes only what changed.
//!
//! Keys are hashes, so all have 64 nibbles and none is a prefix of another. The encoding is that of the
//! Yellow Paper, appendix D. Every recursion is bounded by a key's length.

mod decode;
mod edit;
mod encode;
mod nibbles;
mod node;

use alloc::vec::Vec;

use alloy_primitives::B256;
use alloy_trie::EMPTY_ROOT_HASH;

use self::nibbles::Nibbles;
use self::node::Node;
use crate::error::WitnessError;
use crate::witness::Witness;

/// A trie from 32-byte keys to byte strings, partly in memory. Borrows from the witness's bytes.
#[derive(Debug)]
pub struct Trie<'a> {
    root: Root<'a>,
}

#[derive(Debug)]
enum Root<'a> {
    /// Nothing asked for anything yet.
    Unread(B256),
    Read(Node<'a>),
}

impl<'a> Trie<'a> {
    /// The trie with this root hash, none of it in memory.
    pub fn new(root: B256) -> Self {
        if root == EMPTY_ROOT_HASH { Self::empty() } else { Self { root: Root::Unread(root) } }
    }

    /// The trie without entries.
    pub fn empty() -> Self {
        Self { root: Root::Read(Node::Empty) }
    }

    /// The value at `key`.
    ///
    /// # Errors
    /// A node on the way is missing from the witness or malformed.
    pub fn get(&mut self, key: &B256, witness: &mut Witness<'a>) -> Result<Option<&[u8]>, WitnessError> {
        self.read_root(witness)?.get(&nibbles::of_key(key), witness)
    }

    /// Sets the value at `key`, which is not empty.
    ///
    /// # Errors
    /// A node on the way is missing from the witness or malformed.
    pub fn insert(
        &mut self,
        key: &B256,
        value: Vec<u8>,
        witness: &mut Witness<'a>,
    ) -> Result<(), WitnessError> {
        self.read_root(witness)?.insert(&nibbles::of_key(key), value, witness)
    }

    /// Removes the entry at `key`, if there is one.
    ///
    /// # Errors
    /// A node on the way, or beside the entry where the trie closes up, is missing from the witness or
    /// malformed.
    pub fn remove(&mut self, key: &B256, witness: &mut Witness<'a>) -> Result<(), WitnessError> {
        self.read_root(witness)?.remove(&nibbles::of_key(key), witness).map(|_| ())
    }

    /// The root hash.
    pub fn root(&mut self) -> B256 {
        match &mut self.root {
            Root::Unread(hash) => *hash,
            Root::Read(Node::Empty) => EMPTY_ROOT_HASH,
            Root::Read(node) => node.hash(),
        }
    }

    /// RLP of each node in memory that others name by hash: what a witness of this trie holds.
    pub fn nodes(&mut self) -> Vec<Vec<u8>> {
        let mut nodes = Vec::new();
        if let Root::Read(root) = &mut self.root {
            root.collect(true, &mut nodes);
        }
        nodes
    }

    fn read_root(&mut self, witness: &mut Witness<'a>) -> Result<&mut Node<'a>, WitnessError> {
        if let Root::Unread(hash) = self.root {
            self.root = Root::Read(Node::decode(witness.node(&hash)?, Some(hash))?);
        }
        match &mut self.root {
            Root::Read(node) => Ok(node),
            Root::Unread(hash) => Err(WitnessError::MissingNode { hash: *hash }),
        }
    }
}

#[cfg(test)]
mod tests;
