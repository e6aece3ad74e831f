//! Blocks of plain transfers.

use alloy_consensus::{TxEip1559, TxEnvelope};
use alloy_primitives::{Address, B256, TxKind, U256, keccak256};
use stateless::DEV_CHAIN_ID;

use crate::error::BlockError;
use crate::input::accepted;
use crate::maker::{Draft, Signer};

/// Gas of a plain transfer.
const TRANSFER_GAS: u64 = 21_000;
/// Most transfers in a block.
pub const MAX_TRANSFERS: usize = 10_000;
/// Gas that the blocks have.
const GAS_LIMIT: u64 = MAX_TRANSFERS as u64 * TRANSFER_GAS;

/// A valid block on the development chain with so many transfers, and its witness: an encoded
/// [`stateless::Input`].
///
/// Each transfer has a sender of its own. The first, third and so on go to accounts that do not exist yet,
/// the others to the sender of the one before. `seed` decides who they are; the same arguments give the same
/// bytes. The state before the block holds the senders and the four system contracts.
///
/// # Errors
/// [`BlockError::TooManyTransfers`].
pub fn generate(transfers: usize, seed: u64) -> Result<Vec<u8>, BlockError> {
    if transfers > MAX_TRANSFERS {
        return Err(BlockError::TooManyTransfers { transfers });
    }
    let senders: Vec<Signer> =
        (0..transfers).map(|index| Signer::new(derived("sender", seed, index))).collect();
    let recipient = |index: usize| match index % 2 {
        0 => Address::from_word(derived("recipient", seed, index)),
        _ => senders[index - 1].address(),
    };
    let transactions: Vec<TxEnvelope> = senders
        .iter()
        .enumerate()
        .map(|(index, sender)| sender.sign(transfer(recipient(index), index as u64)))
        .collect();
    let draft = Draft {
        gas_limit: GAS_LIMIT,
        funded: senders.iter().map(Signer::address).collect(),
        transactions,
        ..Draft::default()
    };
    accepted(draft.sealed()?.as_input())
}

/// What stands for `index` in the block with this seed.
fn derived(what: &str, seed: u64, index: usize) -> B256 {
    keccak256(format!("lambda-block {what} {index} of seed {seed}"))
}

/// A sender's first transaction. Amounts and tips differ, so that no two transfers can be confused.
fn transfer(to: Address, index: u64) -> TxEip1559 {
    TxEip1559 {
        chain_id: DEV_CHAIN_ID,
        gas_limit: TRANSFER_GAS,
        max_fee_per_gas: 10_000_000_000,
        max_priority_fee_per_gas: 1_000_000_000 + u128::from(index),
        to: TxKind::Call(to),
        value: U256::from(1 + index),
        ..Default::default()
    }
}
