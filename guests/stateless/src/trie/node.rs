//! Nodes, and reading a value through them.

use alloc::borrow::Cow;
use alloc::boxed::Box;

use alloy_primitives::B256;

use super::Nibbles;
use crate::error::WitnessError;
use crate::witness::Witness;

/// A node, or what stands for it. Two words: a branch has sixteen.
#[derive(Debug, Default)]
pub enum Node<'a> {
    /// No entries.
    #[default]
    Empty,
    /// Known by hash only. The hash lies in the parent's bytes.
    Unread(&'a [u8; 32]),
    Read(Box<Content<'a>>),
}

#[derive(Debug)]
pub struct Content<'a> {
    /// Hash of the encoding, while that is known. Never set where the encoding is shorter than a hash.
    pub hash: Option<B256>,
    pub kind: Kind<'a>,
}

#[derive(Debug)]
pub enum Kind<'a> {
    Leaf { path: Nibbles, value: Cow<'a, [u8]> },
    Extension { path: Nibbles, child: Node<'a> },
    Branch(Box<Children<'a>>),
}

/// A child for each next nibble.
pub type Children<'a> = [Node<'a>; 16];

impl<'a> Node<'a> {
    pub fn new(kind: Kind<'a>) -> Self {
        Self::Read(Box::new(Content { hash: None, kind }))
    }

    pub fn leaf(path: &[u8], value: Cow<'a, [u8]>) -> Self {
        Self::new(Kind::Leaf { path: path.to_vec(), value })
    }

    /// Takes the node from the witness where only its hash is known. `None` stands for no entries.
    pub fn read(&mut self, witness: &mut Witness<'a>) -> Result<Option<&mut Content<'a>>, WitnessError> {
        if let Self::Unread(hash) = *self {
            let hash = B256::from(hash);
            *self = Self::decode(witness.node(&hash)?, Some(hash))?;
        }
        match self {
            Self::Read(content) => Ok(Some(content)),
            Self::Empty | Self::Unread(_) => Ok(None),
        }
    }

    /// The value at `key` below this node.
    pub fn get(&mut self, key: &[u8], witness: &mut Witness<'a>) -> Result<Option<&[u8]>, WitnessError> {
        let Some(content) = self.read(witness)? else { return Ok(None) };
        match &mut content.kind {
            Kind::Leaf { path, value } => Ok((path == key).then_some(value)),
            Kind::Extension { path, child } => match key.strip_prefix(path.as_slice()) {
                Some(rest) => child.get(rest, witness),
                None => Ok(None),
            },
            Kind::Branch(children) => {
                let (child, rest) = step(children, key)?;
                child.get(rest, witness)
            }
        }
    }
}

/// The child that `key` leads to, and the rest of the key.
pub fn step<'n, 'k, 'a>(
    children: &'n mut Children<'a>,
    key: &'k [u8],
) -> Result<(&'n mut Node<'a>, &'k [u8]), WitnessError> {
    let (&nibble, rest) = key.split_first().ok_or(WitnessError::MalformedNode)?;
    let child = children.get_mut(usize::from(nibble)).ok_or(WitnessError::MalformedNode)?;
    Ok((child, rest))
}
