//! Makes valid blocks on the development chain, for tests to damage.

use std::collections::BTreeMap;

use alloy_consensus::constants::KECCAK_EMPTY;
use alloy_consensus::transaction::SignableTransaction;
use alloy_consensus::{Block, BlockBody, EMPTY_OMMER_ROOT_HASH, Header, TxEip1559, TxEnvelope, proofs};
use alloy_eips::eip2935::{HISTORY_STORAGE_ADDRESS, HISTORY_STORAGE_CODE};
use alloy_eips::eip4788::{BEACON_ROOTS_ADDRESS, BEACON_ROOTS_CODE};
use alloy_eips::eip4895::{Withdrawal, Withdrawals};
use alloy_eips::eip7002::{WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS, WITHDRAWAL_REQUEST_PREDEPLOY_CODE};
use alloy_eips::eip7251::{CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS, CONSOLIDATION_REQUEST_PREDEPLOY_CODE};
use alloy_eips::eip7840::BlobParams;
use alloy_primitives::{Address, B256, Bytes, Signature, TxKind, U256, keccak256};
use alloy_rlp::Decodable;
use alloy_trie::{EMPTY_ROOT_HASH, TrieAccount};
use secp256k1::{Message, PublicKey, Secp256k1, SecretKey};
use stateless::{DEV_CHAIN_ID, Input, Trie, Witness, next_base_fee, next_excess_blob_gas, outcome, prune};

pub const ETHER: u64 = 1_000_000_000_000_000_000;

/// Owns what an [`Input`] borrows.
#[derive(Clone, Debug)]
pub struct MadeBlock {
    pub chain_id: u64,
    pub block: Vec<u8>,
    pub headers: Vec<Vec<u8>>,
    pub pre_root: B256,
    pub block_hashes: Vec<B256>,
    pub nodes: Vec<Vec<u8>>,
    pub codes: Vec<Vec<u8>>,
}

impl MadeBlock {
    pub fn input(&self) -> Input<'_> {
        Input {
            chain_id: self.chain_id,
            block: &self.block,
            headers: self.headers.iter().map(Vec::as_slice).collect(),
            pre_root: self.pre_root,
            block_hashes: self.block_hashes.clone(),
            nodes: self.nodes.iter().map(Vec::as_slice).collect(),
            codes: self.codes.iter().map(Vec::as_slice).collect(),
        }
    }

    pub fn decoded(&self) -> Block<TxEnvelope> {
        Block::decode(&mut self.block.as_slice()).unwrap()
    }

    /// The same with a changed block.
    pub fn changed(&self, change: impl FnOnce(&mut Block<TxEnvelope>)) -> Self {
        let mut block = self.decoded();
        change(&mut block);
        Self { block: alloy_rlp::encode(block), ..self.clone() }
    }
}

/// A key pair from a number.
pub fn signer(number: u8) -> (SecretKey, Address) {
    let key = SecretKey::from_byte_array([number + 1; 32]).unwrap();
    let public = PublicKey::from_secret_key(&Secp256k1::signing_only(), &key);
    (key, Address::from_raw_public_key(&public.serialize_uncompressed()[1..]))
}

/// Signs a transaction as account `number`.
pub fn sign(number: u8, tx: TxEip1559) -> TxEnvelope {
    let message = Message::from_digest(tx.signature_hash().0);
    let signature = Secp256k1::signing_only().sign_ecdsa_recoverable(message, &signer(number).0);
    let (recovery_id, bytes) = signature.serialize_compact();
    let parity = i32::from(recovery_id) == 1;
    tx.into_signed(Signature::from_bytes_and_parity(&bytes, parity)).into()
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

/// A valid block with these transactions, on a state that holds the system contracts, four rich accounts and
/// `contracts`.
pub fn make(transactions: Vec<TxEnvelope>, contracts: &[(Address, Bytes)]) -> MadeBlock {
    let mut made = make_unsealed(transactions, contracts);
    seal(&mut made);
    made
}

/// As [`make`], but the header says nothing about execution yet, and the witness is the whole state.
pub fn make_unsealed(transactions: Vec<TxEnvelope>, contracts: &[(Address, Bytes)]) -> MadeBlock {
    let mut codes: BTreeMap<Address, Bytes> = contracts.iter().cloned().collect();
    codes.insert(HISTORY_STORAGE_ADDRESS, HISTORY_STORAGE_CODE.clone());
    codes.insert(BEACON_ROOTS_ADDRESS, BEACON_ROOTS_CODE.clone());
    codes.insert(WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS, WITHDRAWAL_REQUEST_PREDEPLOY_CODE.clone());
    codes.insert(CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS, CONSOLIDATION_REQUEST_PREDEPLOY_CODE.clone());

    let mut accounts: Vec<(Address, TrieAccount)> =
        (0..4).map(|number| (signer(number).1, account(0, U256::from(ETHER), KECCAK_EMPTY))).collect();
    accounts.extend(codes.iter().map(|(address, code)| (*address, account(1, U256::ZERO, keccak256(code)))));
    let mut state = Trie::empty();
    for (address, account) in accounts {
        state.insert(&keccak256(address), alloy_rlp::encode(account), &mut Witness::default()).unwrap();
    }

    let parent = parent(state.root());
    let header = child(&parent, &transactions);
    let body = BlockBody { transactions, ommers: Vec::new(), withdrawals: Some(withdrawals()) };
    MadeBlock {
        chain_id: DEV_CHAIN_ID,
        block: alloy_rlp::encode(Block { header, body }),
        headers: vec![alloy_rlp::encode(&parent)],
        pre_root: B256::ZERO,
        block_hashes: Vec::new(),
        nodes: state.nodes(),
        codes: codes.into_values().map(|code| code.to_vec()).collect(),
    }
}

/// Writes what came of executing the block into its header, and drops what was not used.
pub fn seal(made: &mut MadeBlock) {
    let outcome = outcome(&made.input()).unwrap();
    let mut input = made.input();
    prune(&mut input).unwrap();
    let nodes = input.nodes.iter().map(|node| node.to_vec()).collect();
    let codes = input.codes.iter().map(|code| code.to_vec()).collect();
    *made = made.changed(|block| {
        block.header.gas_used = outcome.gas_used;
        block.header.blob_gas_used = Some(outcome.blob_gas_used);
        block.header.logs_bloom = outcome.logs_bloom;
        block.header.receipts_root = outcome.receipts_root;
        block.header.state_root = outcome.state_root;
        block.header.requests_hash = outcome.requests_hash;
    });
    (made.nodes, made.codes) = (nodes, codes);
}

fn account(nonce: u64, balance: U256, code_hash: B256) -> TrieAccount {
    TrieAccount { nonce, balance, storage_root: EMPTY_ROOT_HASH, code_hash }
}

fn withdrawals() -> Withdrawals {
    Withdrawals::new(vec![Withdrawal { index: 7, validator_index: 8, address: signer(3).1, amount: 9 }])
}

fn parent(state_root: B256) -> Header {
    Header {
        ommers_hash: EMPTY_OMMER_ROOT_HASH,
        state_root,
        number: 41,
        gas_limit: 30_000_000,
        gas_used: 20_000_000,
        timestamp: 1_700_000_000,
        base_fee_per_gas: Some(1_000_000_000),
        withdrawals_root: Some(EMPTY_ROOT_HASH),
        blob_gas_used: Some(9 << 17),
        excess_blob_gas: Some(10 << 17),
        parent_beacon_block_root: Some(B256::ZERO),
        requests_hash: Some(B256::ZERO),
        ..Default::default()
    }
}

fn child(parent: &Header, transactions: &[TxEnvelope]) -> Header {
    let base_fee = parent.base_fee_per_gas.unwrap();
    Header {
        parent_hash: parent.hash_slow(),
        ommers_hash: EMPTY_OMMER_ROOT_HASH,
        beneficiary: Address::repeat_byte(0xbe),
        transactions_root: proofs::calculate_transaction_root(transactions),
        number: parent.number + 1,
        gas_limit: parent.gas_limit + 1,
        timestamp: parent.timestamp + 12,
        extra_data: Bytes::from_static(b"made for a test"),
        mix_hash: B256::repeat_byte(9),
        base_fee_per_gas: next_base_fee(parent.gas_limit, parent.gas_used, base_fee),
        withdrawals_root: Some(proofs::calculate_withdrawals_root(&withdrawals())),
        blob_gas_used: Some(0),
        excess_blob_gas: next_excess_blob_gas(&BlobParams::prague(), 10 << 17, 9 << 17, base_fee),
        parent_beacon_block_root: Some(B256::repeat_byte(7)),
        requests_hash: Some(B256::ZERO),
        ..Default::default()
    }
}
