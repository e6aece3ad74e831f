//! Reading nodes from RLP.

use alloc::borrow::Cow;
use alloc::boxed::Box;

use alloy_primitives::B256;
use alloy_rlp::Header;

use super::nibbles;
use super::node::{Content, Kind, Node};
use crate::error::WitnessError;

const MALFORMED: WitnessError = WitnessError::MalformedNode;

/// A node with a shorter encoding stands in its parent as it is, instead of by its hash.
pub const HASH_LENGTH: usize = 32;

/// One item of a node's list.
#[derive(Clone, Copy)]
enum Item<'a> {
    String(&'a [u8]),
    /// The whole encoding of a node inside this one.
    List(&'a [u8]),
}

impl<'a> Node<'a> {
    /// Reads the node that takes up all of `bytes`; `hash` is their hash where they are long enough to be
    /// named by one.
    pub fn decode(bytes: &'a [u8], hash: Option<B256>) -> Result<Self, WitnessError> {
        let mut rest = bytes;
        let list = Header::decode_bytes(&mut rest, true).map_err(|_| MALFORMED)?;
        if !rest.is_empty() {
            return Err(MALFORMED);
        }
        let mut items = [Item::String(&[]); 17];
        let count = split(list, &mut items)?;
        let kind = match items.get(..count).ok_or(MALFORMED)? {
            [Item::String(path), value] => Self::decode_path(path, *value)?,
            [children @ .., Item::String([])] if count == 17 => {
                let mut nodes = [const { Node::Empty }; 16];
                for (node, item) in nodes.iter_mut().zip(children) {
                    *node = Self::decode_child(*item)?;
                }
                Kind::Branch(Box::new(nodes))
            }
            _ => return Err(MALFORMED),
        };
        Ok(Self::Read(Box::new(Content { hash, kind })))
    }

    fn decode_path(path: &[u8], value: Item<'a>) -> Result<Kind<'a>, WitnessError> {
        match (nibbles::decode(path)?, value) {
            ((path, true), Item::String(value)) if !value.is_empty() => {
                Ok(Kind::Leaf { path, value: Cow::Borrowed(value) })
            }
            // An empty path would let nodes nest without using up the key.
            ((path, false), child) if !path.is_empty() => match Self::decode_child(child)? {
                Node::Empty => Err(MALFORMED),
                child => Ok(Kind::Extension { path, child }),
            },
            _ => Err(MALFORMED),
        }
    }

    fn decode_child(item: Item<'a>) -> Result<Self, WitnessError> {
        match item {
            Item::String([]) => Ok(Node::Empty),
            Item::String(hash) => Ok(Node::Unread(hash.try_into().map_err(|_| MALFORMED)?)),
            Item::List(bytes) if bytes.len() < HASH_LENGTH => Self::decode(bytes, None),
            Item::List(_) => Err(MALFORMED),
        }
    }
}

/// Splits a list's payload. Returns how many items there are.
fn split<'a>(mut list: &'a [u8], items: &mut [Item<'a>; 17]) -> Result<usize, WitnessError> {
    let mut count = 0;
    while !list.is_empty() {
        let start = list;
        let header = Header::decode(&mut list).map_err(|_| MALFORMED)?;
        let (payload, rest) = list.split_at_checked(header.payload_length).ok_or(MALFORMED)?;
        let whole = start.get(..start.len() - rest.len()).ok_or(MALFORMED)?;
        *items.get_mut(count).ok_or(MALFORMED)? =
            if header.list { Item::List(whole) } else { Item::String(payload) };
        count += 1;
        list = rest;
    }
    Ok(count)
}
