//! The blocks that the tests damage: four accounts, one withdrawal, and what a test puts into them.

use alloy_consensus::{Block, TxEip1559, TxEnvelope};
use alloy_eips::eip4895::Withdrawal;
use alloy_primitives::{Address, B256, Bytes, TxKind, U256};
use lambda_block::OwnedInput;
use lambda_block::maker::{Draft, Signer};
use stateless::DEV_CHAIN_ID;

/// Gas limit of the blocks.
pub const GAS_LIMIT: u64 = 30_000_000;

/// Account `number` of the four.
fn signer(number: u8) -> Signer {
    Signer::new(B256::repeat_byte(number + 1))
}

/// Signs a transaction as account `number`.
pub fn sign(number: u8, transaction: TxEip1559) -> TxEnvelope {
    signer(number).sign(transaction)
}

/// A transfer of 1 wei from account `from`.
pub fn transfer(from: u8, nonce: u64, to: Address) -> TxEip1559 {
    TxEip1559 {
        chain_id: DEV_CHAIN_ID,
        nonce,
        gas_limit: 21_000,
        max_fee_per_gas: 10_000_000_000,
        max_priority_fee_per_gas: 1_000_000_000 + u128::from(from),
        to: TxKind::Call(to),
        value: U256::from(1),
        ..Default::default()
    }
}

/// A block with these transactions, on a state that holds the four accounts and `contracts`.
pub fn draft(transactions: Vec<TxEnvelope>, contracts: &[(Address, Bytes)]) -> Draft {
    Draft {
        gas_limit: GAS_LIMIT,
        funded: (0..4).map(|number| signer(number).address()).collect(),
        contracts: contracts.to_vec(),
        transactions,
        withdrawals: vec![Withdrawal {
            index: 7,
            validator_index: 8,
            address: signer(3).address(),
            amount: 9,
        }],
    }
}

/// The valid block of [`draft`].
pub fn make(transactions: Vec<TxEnvelope>, contracts: &[(Address, Bytes)]) -> OwnedInput {
    draft(transactions, contracts).sealed().unwrap()
}

/// `made` with a changed block.
#[allow(dead_code, reason = "not every test changes blocks")]
pub fn changed(made: &OwnedInput, change: impl FnOnce(&mut Block<TxEnvelope>)) -> OwnedInput {
    made.changed(change).unwrap()
}
