//! The state before the block, as revm reads it: from tries that fill themselves from the witness.

use alloy_primitives::map::{AddressMap, HashMap};
use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use alloy_rlp::Decodable;
use alloy_trie::TrieAccount;
use revm::Database;
use revm::bytecode::Bytecode;
use revm::context::DBErrorMarker;
use revm::state::AccountInfo;

use crate::error::WitnessError;
use crate::trie::Trie;
use crate::witness::Witness;

/// The state before the block.
#[derive(Debug)]
pub struct WitnessDatabase<'a> {
    pub witness: Witness<'a>,
    /// Hashes of earlier blocks by number.
    pub block_hashes: HashMap<u64, B256>,
    pub accounts: Trie<'a>,
    /// Each account that was asked for.
    pub known: AddressMap<KnownAccount<'a>>,
    slot_keys: HashMap<U256, B256>,
    /// The first error. revm wraps errors and in places drops them; here they keep their type.
    pub fault: Option<WitnessError>,
}

/// What is remembered of an account.
#[derive(Debug)]
pub struct KnownAccount<'a> {
    /// Its key in the state's trie.
    pub key: B256,
    pub storage: Trie<'a>,
}

impl<'a> WitnessDatabase<'a> {
    pub fn new(witness: Witness<'a>, block_hashes: HashMap<u64, B256>, state_root: B256) -> Self {
        Self {
            witness,
            block_hashes,
            accounts: Trie::new(state_root),
            known: AddressMap::default(),
            slot_keys: HashMap::default(),
            fault: None,
        }
    }

    /// The key of a slot in any storage trie.
    pub fn slot_key(&mut self, slot: U256) -> B256 {
        *self.slot_keys.entry(slot).or_insert_with(|| keccak256(slot.to_be_bytes::<32>()))
    }

    fn account(&mut self, address: Address) -> Result<Option<AccountInfo>, WitnessError> {
        let key = keccak256(address);
        let account = match self.accounts.get(&key, &mut self.witness)? {
            Some(value) => Some(decode(value).ok_or(WitnessError::MalformedAccount { address })?),
            None => None,
        };
        let storage = match account {
            Some(TrieAccount { storage_root, .. }) => Trie::new(storage_root),
            None => Trie::empty(),
        };
        self.known.insert(address, KnownAccount { key, storage });
        Ok(account.map(|TrieAccount { nonce, balance, code_hash, .. }| AccountInfo {
            balance,
            nonce,
            code_hash,
            code: None,
            ..Default::default()
        }))
    }

    fn code(&mut self, hash: B256) -> Result<Bytecode, WitnessError> {
        let code = self.witness.code(&hash)?;
        Ok(Bytecode::new_raw(Bytes::copy_from_slice(code)))
    }

    fn slot(&mut self, address: Address, slot: U256) -> Result<U256, WitnessError> {
        if !self.known.contains_key(&address) {
            self.account(address)?;
        }
        let key = self.slot_key(slot);
        let Some(account) = self.known.get_mut(&address) else { return Ok(U256::ZERO) };
        match account.storage.get(&key, &mut self.witness)? {
            Some(value) => decode(value).ok_or(WitnessError::MalformedSlot { address, slot }),
            None => Ok(U256::ZERO),
        }
    }

    fn noting<T>(&mut self, result: Result<T, WitnessError>) -> Result<T, WitnessError> {
        if let Err(error) = result {
            self.fault.get_or_insert(error);
        }
        result
    }
}

/// Reads a value that takes up all of `bytes`.
fn decode<T: Decodable>(mut bytes: &[u8]) -> Option<T> {
    T::decode(&mut bytes).ok().filter(|_| bytes.is_empty())
}

impl DBErrorMarker for WitnessError {}

impl Database for WitnessDatabase<'_> {
    type Error = WitnessError;

    fn basic(&mut self, address: Address) -> Result<Option<AccountInfo>, WitnessError> {
        let account = self.account(address);
        self.noting(account)
    }

    fn code_by_hash(&mut self, hash: B256) -> Result<Bytecode, WitnessError> {
        let code = self.code(hash);
        self.noting(code)
    }

    fn storage(&mut self, address: Address, slot: U256) -> Result<U256, WitnessError> {
        let value = self.slot(address, slot);
        self.noting(value)
    }

    fn block_hash(&mut self, number: u64) -> Result<B256, WitnessError> {
        let hash = self.block_hashes.get(&number).copied().ok_or(WitnessError::MissingBlockHash { number });
        self.noting(hash)
    }
}
