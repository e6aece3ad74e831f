//! Trie nodes and codes by hash, and which of them were used.

use alloy_primitives::map::B256Map;
use alloy_primitives::{B256, keccak256};

use crate::error::WitnessError;
use crate::input::Input;

/// Trie nodes and codes by hash. Their bytes live in the input.
#[derive(Clone, Debug, Default)]
pub struct Witness<'a> {
    nodes: Items<'a>,
    codes: Items<'a>,
}

/// Byte strings by hash.
#[derive(Clone, Debug, Default)]
struct Items<'a> {
    by_hash: B256Map<Item<'a>>,
    used: usize,
    /// With repetitions.
    given: usize,
}

#[derive(Clone, Copy, Debug)]
struct Item<'a> {
    bytes: &'a [u8],
    is_used: bool,
}

impl<'a> Witness<'a> {
    /// Hashes the nodes and codes of an input.
    pub fn new(input: &Input<'a>) -> Self {
        Self { nodes: Items::new(&input.nodes), codes: Items::new(&input.codes) }
    }

    /// The node with this hash, which from now on counts as used.
    pub(crate) fn node(&mut self, hash: &B256) -> Result<&'a [u8], WitnessError> {
        self.nodes.take(hash).ok_or(WitnessError::MissingNode { hash: *hash })
    }

    /// The code with this hash, which from now on counts as used.
    pub(crate) fn code(&mut self, hash: &B256) -> Result<&'a [u8], WitnessError> {
        self.codes.take(hash).ok_or(WitnessError::MissingCode { hash: *hash })
    }

    /// Checks that nothing was given in vain.
    pub(crate) fn check_all_used(&self) -> Result<(), WitnessError> {
        match (self.nodes.unused(), self.codes.unused()) {
            (0, 0) => Ok(()),
            (0, count) => Err(WitnessError::UnusedCodes { count }),
            (count, _) => Err(WitnessError::UnusedNodes { count }),
        }
    }

    /// Drops from `input`, of which this is the witness, what was not used.
    pub(crate) fn prune(mut self, input: &mut Input<'a>) {
        input.nodes.retain(|node| self.nodes.remove_used(node));
        input.codes.retain(|code| self.codes.remove_used(code));
    }
}

impl<'a> Items<'a> {
    fn new(all: &[&'a [u8]]) -> Self {
        let mut by_hash = B256Map::with_capacity_and_hasher(all.len(), Default::default());
        for bytes in all {
            by_hash.insert(keccak256(bytes), Item { bytes, is_used: false });
        }
        Self { by_hash, used: 0, given: all.len() }
    }

    fn take(&mut self, hash: &B256) -> Option<&'a [u8]> {
        let item = self.by_hash.get_mut(hash)?;
        self.used += usize::from(!item.is_used);
        item.is_used = true;
        Some(item.bytes)
    }

    fn unused(&self) -> usize {
        self.given - self.used
    }

    /// Whether these bytes were used; once only, so that of two equal ones the second goes.
    fn remove_used(&mut self, bytes: &[u8]) -> bool {
        self.by_hash.remove(&keccak256(bytes)).is_some_and(|item| item.is_used)
    }
}
