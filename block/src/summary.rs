//! What an input is about.

use alloy_consensus::{Block, TxEnvelope};
use alloy_primitives::{B256, Sealed};
use stateless::Input;

/// What an encoded input says about itself. Nothing of it has been validated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The chain.
    pub chain_id: u64,
    /// The block's number.
    pub number: u64,
    /// The block's hash.
    pub hash: B256,
    /// Its parent's hash.
    pub parent_hash: B256,
    /// When it was made, seconds.
    pub timestamp: u64,
    /// Transactions.
    pub transactions: usize,
    /// Gas that its header says they used.
    pub gas_used: u64,
    /// Gas that it has.
    pub gas_limit: u64,
    /// State root after the block, as its header says.
    pub state_root: B256,
    /// Bytes of the block.
    pub block_bytes: usize,
    /// Headers of ancestors.
    pub headers: usize,
    /// Trie nodes.
    pub nodes: usize,
    /// Contract codes.
    pub codes: usize,
    /// Bytes of the ancestors' headers, the nodes and the codes.
    pub witness_bytes: usize,
}

impl Summary {
    /// What the encoded input says about itself; `None` where it is no input with a block in it.
    pub fn new(input: &[u8]) -> Option<Self> {
        let input = Input::decode(input).ok()?;
        let block: Sealed<Block<TxEnvelope>> = Block::decode_sealed(&mut &*input.block).ok()?;
        let header = &block.header;
        let bytes = |all: &[&[u8]]| all.iter().map(|bytes| bytes.len()).sum::<usize>();
        Some(Self {
            chain_id: input.chain_id,
            number: header.number,
            hash: block.hash(),
            parent_hash: header.parent_hash,
            timestamp: header.timestamp,
            transactions: block.body.transactions.len(),
            gas_used: header.gas_used,
            gas_limit: header.gas_limit,
            state_root: header.state_root,
            block_bytes: input.block.len(),
            headers: input.headers.len(),
            nodes: input.nodes.len(),
            codes: input.codes.len(),
            witness_bytes: bytes(&input.headers) + bytes(&input.nodes) + bytes(&input.codes),
        })
    }
}
