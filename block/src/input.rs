//! A validator's input that owns its bytes.

use alloy_consensus::{Block, TxEnvelope};
use alloy_primitives::B256;
use alloy_rlp::Decodable;
use stateless::{Input, InputError, ValidationError, outcome, prune, validate};

use crate::error::BlockError;

/// Owns what an [`Input`] borrows; the fields are the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnedInput {
    /// Selects the rules.
    pub chain_id: u64,
    /// The block's RLP.
    pub block: Vec<u8>,
    /// The ancestors' RLP, parent first.
    pub headers: Vec<Vec<u8>>,
    /// State root that the block starts from. Zero where `headers` tell it.
    pub pre_root: B256,
    /// Hashes of the ancestors, parent last. Empty where `headers` tell them.
    pub block_hashes: Vec<B256>,
    /// RLP of trie nodes.
    pub nodes: Vec<Vec<u8>>,
    /// Contract codes.
    pub codes: Vec<Vec<u8>>,
}

impl OwnedInput {
    /// Reads an encoded input.
    ///
    /// # Errors
    /// As [`Input::decode`].
    pub fn decode(bytes: &[u8]) -> Result<Self, InputError> {
        let input = Input::decode(bytes)?;
        Ok(Self {
            chain_id: input.chain_id,
            block: input.block.to_vec(),
            headers: owned(&input.headers),
            pre_root: input.pre_root,
            nodes: owned(&input.nodes),
            codes: owned(&input.codes),
            block_hashes: input.block_hashes,
        })
    }

    /// The same, borrowed.
    pub fn as_input(&self) -> Input<'_> {
        Input {
            chain_id: self.chain_id,
            block: &self.block,
            headers: slices(&self.headers),
            pre_root: self.pre_root,
            block_hashes: self.block_hashes.clone(),
            nodes: slices(&self.nodes),
            codes: slices(&self.codes),
        }
    }

    /// The decoded block.
    ///
    /// # Errors
    /// Bytes that do not start with a block.
    pub fn decoded(&self) -> alloy_rlp::Result<Block<TxEnvelope>> {
        Block::decode(&mut self.block.as_slice())
    }

    /// The same with a changed block, which has to decode.
    ///
    /// # Errors
    /// As [`Self::decoded`].
    pub fn changed(&self, change: impl FnOnce(&mut Block<TxEnvelope>)) -> alloy_rlp::Result<Self> {
        let mut block = self.decoded()?;
        change(&mut block);
        Ok(Self { block: alloy_rlp::encode(block), ..self.clone() })
    }

    /// Writes into the block's header what executing it gives, and drops what the execution does not use.
    ///
    /// # Errors
    /// A block that cannot be valid whatever its header says about execution.
    pub fn seal(&mut self) -> Result<(), ValidationError> {
        let mut input = self.as_input();
        let outcome = outcome(&input)?;
        prune(&mut input)?;
        let (nodes, codes) = (owned(&input.nodes), owned(&input.codes));
        let sealed = self.changed(|Block { header, .. }| {
            header.gas_used = outcome.gas_used;
            header.blob_gas_used = header.blob_gas_used.map(|_| outcome.blob_gas_used);
            header.logs_bloom = outcome.logs_bloom;
            header.receipts_root = outcome.receipts_root;
            header.state_root = outcome.state_root;
            header.requests_hash = outcome.requests_hash;
        });
        *self = Self { nodes, codes, ..sealed.expect("a block that was executed decodes") };
        Ok(())
    }
}

fn owned(all: &[&[u8]]) -> Vec<Vec<u8>> {
    all.iter().map(|bytes| bytes.to_vec()).collect()
}

fn slices(all: &[Vec<u8>]) -> Vec<&[u8]> {
    all.iter().map(Vec::as_slice).collect()
}

/// The encoded input without what validation does not use, once the validator accepts it.
pub fn accepted(mut input: Input<'_>) -> Result<Vec<u8>, BlockError> {
    prune(&mut input)?;
    let bytes = input.encode();
    validate(&bytes)?;
    Ok(bytes)
}
