//! The state after the block: what execution changed, applied to the tries.

use alloc::vec::Vec;

use alloy_primitives::{Address, B256};
use alloy_rlp::Encodable;
use alloy_trie::TrieAccount;
use revm::Database;
use revm::database::{BundleAccount, BundleState};
use revm::state::AccountInfo;

use crate::database::{KnownAccount, WitnessDatabase};
use crate::error::WitnessError;
use crate::trie::Trie;

/// Applies all changes and returns the state's new root.
///
/// In each trie, entries are set before others are removed. Removing can need the node beside an entry, to
/// close up a branch that is left with one child, and a branch that gains a child stays a branch.
pub fn apply(changes: &BundleState, database: &mut WitnessDatabase<'_>) -> Result<B256, WitnessError> {
    let mut gone = Vec::new();
    for (address, change) in &changes.state {
        match &change.info {
            None => gone.push(*address),
            Some(info) if change.is_info_changed() || !change.storage.is_empty() => {
                set_account(*address, info, change, database)?;
            }
            Some(_) => {}
        }
    }
    for address in gone {
        let key = known(address, database)?.key;
        database.accounts.remove(&key, &mut database.witness)?;
    }
    Ok(database.accounts.root())
}

fn set_account(
    address: Address,
    info: &AccountInfo,
    change: &BundleAccount,
    database: &mut WitnessDatabase<'_>,
) -> Result<(), WitnessError> {
    let mut set = Vec::new();
    let mut cleared = Vec::new();
    for (slot, value) in &change.storage {
        if value.is_changed() {
            let key = database.slot_key(*slot);
            if value.present_value.is_zero() {
                cleared.push(key);
            } else {
                set.push((key, value.present_value));
            }
        }
    }
    let KnownAccount { key, storage } = known(address, database)?;
    let (key, mut storage) = (*key, core::mem::replace(storage, Trie::empty()));
    if change.was_destroyed() {
        storage = Trie::empty();
    }
    for (key, value) in set {
        storage.insert(&key, alloy_rlp::encode(value), &mut database.witness)?;
    }
    for key in cleared {
        storage.remove(&key, &mut database.witness)?;
    }
    let account = TrieAccount {
        nonce: info.nonce,
        balance: info.balance,
        storage_root: storage.root(),
        code_hash: info.code_hash,
    };
    let mut value = Vec::with_capacity(account.length());
    account.encode(&mut value);
    database.accounts.insert(&key, value, &mut database.witness)
}

/// The account, which execution cannot have changed without asking for it.
fn known<'d, 'a>(
    address: Address,
    database: &'d mut WitnessDatabase<'a>,
) -> Result<&'d mut KnownAccount<'a>, WitnessError> {
    if !database.known.contains_key(&address) {
        database.basic(address)?;
    }
    database.known.get_mut(&address).ok_or(WitnessError::MalformedAccount { address })
}
