//! Changing entries.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;

use super::nibbles::shared;
use super::node::{Children, Kind, Node, step};
use crate::error::WitnessError;
use crate::witness::Witness;

impl<'a> Node<'a> {
    /// Sets the value at `key` below this node.
    pub fn insert(
        &mut self,
        key: &[u8],
        value: Vec<u8>,
        witness: &mut Witness<'a>,
    ) -> Result<(), WitnessError> {
        let Some(content) = self.read(witness)? else {
            *self = Self::leaf(key, Cow::Owned(value));
            return Ok(());
        };
        content.hash = None;
        match &mut content.kind {
            Kind::Leaf { path, value: old } => {
                if path == key {
                    *old = Cow::Owned(value);
                    return Ok(());
                }
                let at = shared(path, key);
                let (was, below) = turn(path, at)?;
                let was = (was, Self::leaf(below, mem::take(old)));
                *self = Self::fork(key, at, was, value)?;
                Ok(())
            }
            Kind::Extension { path, child } => {
                if let Some(rest) = key.strip_prefix(path.as_slice()) {
                    return child.insert(rest, value, witness);
                }
                let at = shared(path, key);
                let (was, below) = turn(path, at)?;
                let was = (was, mem::take(child).below(below));
                *self = Self::fork(key, at, was, value)?;
                Ok(())
            }
            Kind::Branch(children) => {
                let (child, rest) = step(children, key)?;
                child.insert(rest, value, witness)
            }
        }
    }

    /// A branch, `at` nibbles down the key, between what was there and a new leaf.
    fn fork(key: &[u8], at: usize, was: (u8, Self), value: Vec<u8>) -> Result<Self, WitnessError> {
        let (nibble, rest) = turn(key, at)?;
        let mut children: Box<Children<'a>> = Box::default();
        *step(&mut children, &[was.0])?.0 = was.1;
        *step(&mut children, &[nibble])?.0 = Self::leaf(rest, Cow::Owned(value));
        let path = key.get(..at).ok_or(WitnessError::MalformedNode)?;
        Ok(Self::new(Kind::Branch(children)).below(path))
    }

    /// Removes the entry at `key` below this node. Returns whether there was one.
    pub fn remove(&mut self, key: &[u8], witness: &mut Witness<'a>) -> Result<bool, WitnessError> {
        let Some(content) = self.read(witness)? else { return Ok(false) };
        match &mut content.kind {
            Kind::Leaf { path, .. } => {
                if path != key {
                    return Ok(false);
                }
                *self = Self::Empty;
            }
            Kind::Extension { path, child } => {
                let Some(rest) = key.strip_prefix(path.as_slice()) else { return Ok(false) };
                if !child.remove(rest, witness)? {
                    return Ok(false);
                }
                *self = mem::take(child).below(path);
            }
            Kind::Branch(children) => {
                let (child, rest) = step(children, key)?;
                if !child.remove(rest, witness)? {
                    return Ok(false);
                }
                content.hash = None;
                let mut left =
                    (0..).zip(children.iter_mut()).filter(|(_, child)| !matches!(child, Self::Empty));
                // With one child left, the branch gives way to it; what it is decides how.
                if let (Some((nibble, child)), None) = (left.next(), left.next()) {
                    child.read(witness)?;
                    *self = mem::take(child).below(&[nibble]);
                }
            }
        }
        Ok(true)
    }

    /// This node, reached by a path: paths in a row become one.
    fn below(mut self, prefix: &[u8]) -> Self {
        if prefix.is_empty() {
            return self;
        }
        match &mut self {
            Self::Empty => return self,
            Self::Read(content) => {
                if let Kind::Leaf { path, .. } | Kind::Extension { path, .. } = &mut content.kind {
                    path.splice(..0, prefix.iter().copied());
                    content.hash = None;
                    return self;
                }
            }
            Self::Unread(_) => {}
        }
        Self::new(Kind::Extension { path: prefix.to_vec(), child: self })
    }
}

/// Splits a path `at` nibbles down: the nibble there, and what follows.
fn turn(path: &[u8], at: usize) -> Result<(u8, &[u8]), WitnessError> {
    let (&nibble, rest) = path.get(at..).and_then(<[u8]>::split_first).ok_or(WitnessError::MalformedNode)?;
    Ok((nibble, rest))
}
