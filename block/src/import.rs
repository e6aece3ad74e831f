//! From what others hold to what the validator reads.

use alloy_consensus::{Block, Transaction, TxEnvelope};
use alloy_primitives::map::B256Map;
use alloy_primitives::{B256, keccak256};
use alloy_rlp::Decodable;
use stateless::Input;

use crate::dialect;
use crate::error::{BlockError, ImportError};
use crate::input::{OwnedInput, accepted};

/// Makes an encoded input of what a node answers to `debug_getRawBlock` and `debug_executionWitness`,
/// without what validation does not use.
///
/// Understood are the forms of the known clients: see the table in `block/src/dialect.rs`. Without
/// `chain_id`, it is the one that the block's transactions are signed for.
///
/// # Errors
/// Documents of another form, a witness without the parent's header, or a block that the validator refuses.
pub fn import(raw_block: &[u8], witness: &[u8], chain_id: Option<u64>) -> Result<Vec<u8>, BlockError> {
    let raw = dialect::raw_block(raw_block)?;
    let witness = dialect::witness(witness)?;
    let block: Block<TxEnvelope> = Block::decode(&mut raw.as_slice()).map_err(ImportError::Block)?;
    let named = || block.body.transactions.iter().find_map(Transaction::chain_id);
    let input = OwnedInput {
        chain_id: chain_id.or_else(named).ok_or(ImportError::NoChainId)?,
        headers: ancestors(block.header.parent_hash, witness.headers)?,
        nodes: witness.state,
        codes: witness.codes,
        block: raw,
        ..OwnedInput::default()
    };
    accepted(input.as_input())
}

/// An encoded input without what validation does not use.
///
/// # Errors
/// Bytes that are no input, or a block that the validator refuses.
pub fn prune(input: &[u8]) -> Result<Vec<u8>, BlockError> {
    accepted(Input::decode(input)?)
}

/// The `headers` that lead back from the block with this parent, parent first.
fn ancestors(parent_hash: B256, headers: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, ImportError> {
    let count = headers.len();
    let mut by_hash: B256Map<Vec<u8>> =
        headers.into_iter().map(|header| (keccak256(&header), header)).collect();
    let mut chain = Vec::new();
    let mut next = parent_hash;
    while let Some(header) = by_hash.remove(&next) {
        let decoded = alloy_consensus::Header::decode(&mut header.as_slice());
        chain.push(header);
        match decoded {
            Ok(header) => next = header.parent_hash,
            // The validator says what is wrong with it.
            Err(_) => break,
        }
    }
    if chain.is_empty() {
        return Err(ImportError::NoParent { headers: count, parent_hash });
    }
    Ok(chain)
}
