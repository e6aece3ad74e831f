//! Turns transactions into a valid block on the development chain.
//!
//! The state before the block is built from what a [`Draft`] says, the header from its parent's; what the
//! header has to say about execution comes from the validator itself. That blocks made here are valid is
//! therefore shown by someone else: the executable specification (`block/tests/eels.rs`).

use std::collections::BTreeMap;

use alloy_consensus::constants::KECCAK_EMPTY;
use alloy_consensus::transaction::SignableTransaction;
use alloy_consensus::{Block, BlockBody, EMPTY_OMMER_ROOT_HASH, Header, TxEip1559, TxEnvelope, proofs};
use alloy_eips::eip2935::{HISTORY_STORAGE_ADDRESS, HISTORY_STORAGE_CODE};
use alloy_eips::eip4788::{BEACON_ROOTS_ADDRESS, BEACON_ROOTS_CODE};
use alloy_eips::eip4844::DATA_GAS_PER_BLOB;
use alloy_eips::eip4895::{Withdrawal, Withdrawals};
use alloy_eips::eip7002::{WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS, WITHDRAWAL_REQUEST_PREDEPLOY_CODE};
use alloy_eips::eip7251::{CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS, CONSOLIDATION_REQUEST_PREDEPLOY_CODE};
use alloy_eips::eip7840::BlobParams;
use alloy_primitives::{Address, B256, Bytes, Signature, U256, keccak256};
use alloy_trie::{EMPTY_ROOT_HASH, TrieAccount};
use secp256k1::{Message, PublicKey, Secp256k1, SecretKey};
use stateless::{DEV_CHAIN_ID, Trie, ValidationError, Witness, next_base_fee, next_excess_blob_gas};

use crate::input::OwnedInput;

/// Wei that each funded account has before the block.
pub const BALANCE: u64 = 1_000_000_000_000_000_000;
/// Number of the blocks made here.
pub const NUMBER: u64 = 42;
/// Timestamp of the blocks made here, seconds.
pub const TIMESTAMP: u64 = 1_700_000_012;
/// Extra data of the blocks made here.
pub const EXTRA_DATA: &[u8] = b"lambda-block";

/// A block to be made, and the state before it.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Gas limit of the block and of its parent.
    pub gas_limit: u64,
    /// Accounts that own [`BALANCE`].
    pub funded: Vec<Address>,
    /// Contracts besides the system's, with their code.
    pub contracts: Vec<(Address, Bytes)>,
    /// The block's transactions.
    pub transactions: Vec<TxEnvelope>,
    /// The block's withdrawals.
    pub withdrawals: Vec<Withdrawal>,
}

impl Draft {
    /// The valid block, with exactly the witness it needs.
    ///
    /// # Errors
    /// Transactions that may not be in this block.
    pub fn sealed(self) -> Result<OwnedInput, ValidationError> {
        let mut made = self.unsealed();
        made.seal()?;
        Ok(made)
    }

    /// As [`Self::sealed`], but the header says nothing about execution yet, and the witness is the whole
    /// state.
    pub fn unsealed(self) -> OwnedInput {
        let Self { gas_limit, funded, contracts, transactions, withdrawals } = self;
        let codes: BTreeMap<Address, Bytes> = system_contracts().into_iter().chain(contracts).collect();
        let funded = funded.into_iter().map(|address| (address, account(0, BALANCE, KECCAK_EMPTY)));
        let contracts = codes.iter().map(|(address, code)| (*address, account(1, 0, keccak256(code))));
        let mut state = Trie::empty();
        for (address, account) in funded.chain(contracts) {
            let value = alloy_rlp::encode(account);
            let inserted = state.insert(&keccak256(address), value, &mut Witness::default());
            inserted.expect("a trie that started empty is all in memory");
        }

        let withdrawals = Withdrawals::new(withdrawals);
        let parent = parent(state.root(), gas_limit);
        let header = Header {
            transactions_root: proofs::calculate_transaction_root(&transactions),
            withdrawals_root: Some(proofs::calculate_withdrawals_root(&withdrawals)),
            ..child(&parent)
        };
        let body = BlockBody { transactions, ommers: Vec::new(), withdrawals: Some(withdrawals) };
        OwnedInput {
            chain_id: DEV_CHAIN_ID,
            block: alloy_rlp::encode(Block { header, body }),
            headers: vec![alloy_rlp::encode(&parent)],
            nodes: state.nodes(),
            codes: codes.into_values().map(|code| code.to_vec()).collect(),
            ..OwnedInput::default()
        }
    }
}

/// Who signs transactions.
#[derive(Clone, Debug)]
pub struct Signer {
    key: SecretKey,
    address: Address,
}

impl Signer {
    /// The signer with this private key, which must be below the curve's order and not zero: all but one of
    /// 2^127 are.
    pub fn new(key: B256) -> Self {
        let key = SecretKey::from_byte_array(key.0).expect("the key is below the curve's order and not zero");
        let public = PublicKey::from_secret_key(&Secp256k1::signing_only(), &key);
        let [_, point @ ..] = public.serialize_uncompressed();
        Self { key, address: Address::from_raw_public_key(&point) }
    }

    /// The signer's account.
    pub fn address(&self) -> Address {
        self.address
    }

    /// The signed transaction.
    pub fn sign(&self, transaction: TxEip1559) -> TxEnvelope {
        let message = Message::from_digest(transaction.signature_hash().0);
        let signature = Secp256k1::signing_only().sign_ecdsa_recoverable(message, &self.key);
        let (recovery_id, bytes) = signature.serialize_compact();
        let is_odd = i32::from(recovery_id) & 1 == 1;
        transaction.into_signed(Signature::from_bytes_and_parity(&bytes, is_odd)).into()
    }
}

/// The contracts that blocks call by themselves since Prague.
fn system_contracts() -> [(Address, Bytes); 4] {
    [
        (HISTORY_STORAGE_ADDRESS, HISTORY_STORAGE_CODE.clone()),
        (BEACON_ROOTS_ADDRESS, BEACON_ROOTS_CODE.clone()),
        (WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS, WITHDRAWAL_REQUEST_PREDEPLOY_CODE.clone()),
        (CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS, CONSOLIDATION_REQUEST_PREDEPLOY_CODE.clone()),
    ]
}

fn account(nonce: u64, balance: u64, code_hash: B256) -> TrieAccount {
    TrieAccount { nonce, balance: U256::from(balance), storage_root: EMPTY_ROOT_HASH, code_hash }
}

/// The parent: two thirds full and with more blobs than the target, so that both fees move.
fn parent(state_root: B256, gas_limit: u64) -> Header {
    Header {
        ommers_hash: EMPTY_OMMER_ROOT_HASH,
        state_root,
        number: NUMBER - 1,
        gas_limit,
        gas_used: gas_limit / 3 * 2,
        timestamp: TIMESTAMP - 12,
        base_fee_per_gas: Some(1_000_000_000),
        withdrawals_root: Some(EMPTY_ROOT_HASH),
        blob_gas_used: Some(9 * DATA_GAS_PER_BLOB),
        excess_blob_gas: Some(10 * DATA_GAS_PER_BLOB),
        parent_beacon_block_root: Some(B256::ZERO),
        requests_hash: Some(B256::ZERO),
        ..Header::default()
    }
}

/// The header on top of `parent`, without what depends on the body.
fn child(parent: &Header) -> Header {
    let base_fee = parent.base_fee_per_gas.unwrap_or_default();
    let excess = parent.excess_blob_gas.unwrap_or_default();
    let blob_gas_used = parent.blob_gas_used.unwrap_or_default();
    Header {
        parent_hash: parent.hash_slow(),
        ommers_hash: EMPTY_OMMER_ROOT_HASH,
        beneficiary: Address::repeat_byte(0xbe),
        number: NUMBER,
        gas_limit: parent.gas_limit,
        timestamp: TIMESTAMP,
        extra_data: Bytes::from_static(EXTRA_DATA),
        mix_hash: B256::repeat_byte(9),
        base_fee_per_gas: next_base_fee(parent.gas_limit, parent.gas_used, base_fee),
        blob_gas_used: Some(0),
        excess_blob_gas: next_excess_blob_gas(&BlobParams::prague(), excess, blob_gas_used, base_fee),
        parent_beacon_block_root: Some(B256::repeat_byte(7)),
        requests_hash: Some(B256::ZERO),
        ..Header::default()
    }
}
