//! Writing nodes as RLP, and hashing them.

use alloc::vec::Vec;

use alloy_primitives::{B256, keccak256};
use alloy_rlp::{EMPTY_STRING_CODE, Encodable, Header};

use super::decode::HASH_LENGTH;
use super::nibbles;
use super::node::{Content, Kind, Node};

/// RLP's first byte of a string as long as a hash.
const HASH_CODE: u8 = EMPTY_STRING_CODE + HASH_LENGTH as u8;
/// A branch of sixteen hashes.
const LONGEST_BRANCH: usize = 16 * (1 + HASH_LENGTH) + 1;

impl Node<'_> {
    /// Hash of the encoding, however short that is.
    pub fn hash(&mut self) -> B256 {
        match self {
            Self::Empty => alloy_trie::EMPTY_ROOT_HASH,
            Self::Unread(hash) => B256::from(*hash),
            Self::Read(content) => content.hash.unwrap_or_else(|| {
                let encoded = content.encode();
                let hash = keccak256(&encoded);
                if encoded.len() >= HASH_LENGTH {
                    content.hash = Some(hash);
                }
                hash
            }),
        }
    }

    /// Appends what the parent holds for this node: its hash, or itself where it is shorter than one.
    fn encode_into(&mut self, parent: &mut Vec<u8>) {
        match self {
            Self::Empty => parent.push(EMPTY_STRING_CODE),
            Self::Unread(hash) => push_hash(hash, parent),
            Self::Read(content) => {
                if content.hash.is_none() {
                    let encoded = content.encode();
                    if encoded.len() < HASH_LENGTH {
                        parent.extend_from_slice(&encoded);
                        return;
                    }
                    content.hash = Some(keccak256(&encoded));
                }
                if let Some(hash) = &content.hash {
                    push_hash(hash, parent);
                }
            }
        }
    }

    /// Appends the encoding of each node from here down that is in memory and named by hash.
    pub fn collect(&mut self, is_root: bool, nodes: &mut Vec<Vec<u8>>) {
        let Self::Read(content) = self else { return };
        let encoded = content.encode();
        if is_root || encoded.len() >= HASH_LENGTH {
            nodes.push(encoded);
        }
        match &mut content.kind {
            Kind::Leaf { .. } => {}
            Kind::Extension { child, .. } => child.collect(false, nodes),
            Kind::Branch(children) => children.iter_mut().for_each(|child| child.collect(false, nodes)),
        }
    }
}

impl Content<'_> {
    fn encode(&mut self) -> Vec<u8> {
        match &mut self.kind {
            Kind::Leaf { path, value } => {
                let path = nibbles::encode(path, true);
                let value: &[u8] = value;
                let mut payload = Vec::with_capacity(path.len() + value.len() + 8);
                path.as_slice().encode(&mut payload);
                value.encode(&mut payload);
                list(&payload)
            }
            Kind::Extension { path, child } => {
                let path = nibbles::encode(path, false);
                let mut payload = Vec::with_capacity(path.len() + 2 + HASH_LENGTH);
                path.as_slice().encode(&mut payload);
                child.encode_into(&mut payload);
                list(&payload)
            }
            Kind::Branch(children) => {
                let mut payload = Vec::with_capacity(LONGEST_BRANCH);
                children.iter_mut().for_each(|child| child.encode_into(&mut payload));
                payload.push(EMPTY_STRING_CODE);
                list(&payload)
            }
        }
    }
}

fn push_hash(hash: &[u8; 32], out: &mut Vec<u8>) {
    out.push(HASH_CODE);
    out.extend_from_slice(hash);
}

fn list(payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(payload.len() + 9);
    Header { list: true, payload_length: payload.len() }.encode(&mut bytes);
    bytes.extend_from_slice(payload);
    bytes
}
