//! The rules that a header keeps by itself, and those that tie it to its parent.

use alloy_consensus::{EMPTY_OMMER_ROOT_HASH, Header};
use alloy_eips::eip4844::DATA_GAS_PER_BLOB;
use revm::primitives::hardfork::SpecId;

use crate::chain::Rules;
use crate::error::HeaderError;
use crate::fees::{blob_base_fee, next_base_fee, next_excess_blob_gas};

const MAX_EXTRA_DATA: usize = 32;
const MIN_GAS_LIMIT: u64 = 5_000;
const MAX_GAS_LIMIT: u64 = u64::MAX >> 1;
/// The gas limit moves by less than one part in this many.
const GAS_LIMIT_STEP: u64 = 1_024;

/// Checks what can be said about a header without its parent.
pub fn check_alone(header: &Header, rules: &Rules) -> Result<(), HeaderError> {
    if !header.difficulty.is_zero() {
        return Err(HeaderError::Difficulty { got: header.difficulty });
    }
    if !header.nonce.is_zero() {
        return Err(HeaderError::Nonce);
    }
    if header.ommers_hash != EMPTY_OMMER_ROOT_HASH {
        return Err(HeaderError::OmmersHash { got: header.ommers_hash });
    }
    if header.extra_data.len() > MAX_EXTRA_DATA {
        return Err(HeaderError::ExtraData { got: header.extra_data.len() });
    }
    if !(MIN_GAS_LIMIT..=MAX_GAS_LIMIT).contains(&header.gas_limit) {
        return Err(HeaderError::GasLimit { got: header.gas_limit });
    }
    if header.gas_used > header.gas_limit {
        return Err(HeaderError::GasUsed { used: header.gas_used, limit: header.gas_limit });
    }
    check_presence(header, rules)?;
    check_blobs(header, rules)
}

/// Fields came with forks, and none came with Osaka.
fn check_presence(header: &Header, rules: &Rules) -> Result<(), HeaderError> {
    let since = |fork| rules.spec >= fork;
    for (field, is_there, expected) in [
        ("base fee", header.base_fee_per_gas.is_some(), since(SpecId::LONDON)),
        ("withdrawals root", header.withdrawals_root.is_some(), since(SpecId::SHANGHAI)),
        ("blob gas used", header.blob_gas_used.is_some(), since(SpecId::CANCUN)),
        ("excess blob gas", header.excess_blob_gas.is_some(), since(SpecId::CANCUN)),
        ("parent beacon block root", header.parent_beacon_block_root.is_some(), since(SpecId::CANCUN)),
        ("requests hash", header.requests_hash.is_some(), since(SpecId::PRAGUE)),
        ("block access list hash", header.block_access_list_hash.is_some(), since(SpecId::AMSTERDAM)),
        ("slot number", header.slot_number.is_some(), since(SpecId::AMSTERDAM)),
    ] {
        if is_there != expected {
            return Err(HeaderError::Presence { field, expected });
        }
    }
    Ok(())
}

fn check_blobs(header: &Header, rules: &Rules) -> Result<(), HeaderError> {
    let (Some(params), Some(used), Some(excess)) =
        (&rules.blobs, header.blob_gas_used, header.excess_blob_gas)
    else {
        return Ok(());
    };
    let limit = params.max_blob_gas_per_block();
    if used > limit || used % DATA_GAS_PER_BLOB != 0 {
        return Err(HeaderError::BlobGasUsed { got: used, limit });
    }
    // Whoever executes the block may then compute the price without fear of overflow.
    if blob_base_fee(params, excess).is_none() {
        return Err(HeaderError::ExcessBlobGasRange { got: excess });
    }
    Ok(())
}

/// Checks what ties a header to its parent, whose hash the caller has compared. `rules` are the child's.
pub fn check_against_parent(header: &Header, parent: &Header, rules: &Rules) -> Result<(), HeaderError> {
    if parent.number.checked_add(1) != Some(header.number) {
        return Err(HeaderError::Number { parent: parent.number, got: header.number });
    }
    if header.timestamp <= parent.timestamp {
        return Err(HeaderError::Timestamp { parent: parent.timestamp, got: header.timestamp });
    }
    if header.gas_limit.abs_diff(parent.gas_limit) >= parent.gas_limit / GAS_LIMIT_STEP {
        return Err(HeaderError::GasLimitStep { parent: parent.gas_limit, got: header.gas_limit });
    }
    let got = header.base_fee_per_gas.unwrap_or_default();
    let expected =
        parent.base_fee_per_gas.and_then(|fee| next_base_fee(parent.gas_limit, parent.gas_used, fee));
    if expected != Some(got) {
        return Err(HeaderError::BaseFee { expected, got });
    }
    if let (Some(params), Some(got)) = (&rules.blobs, header.excess_blob_gas) {
        // The first block with blobs has a parent without.
        let excess = parent.excess_blob_gas.unwrap_or_default();
        let used = parent.blob_gas_used.unwrap_or_default();
        let base_fee = parent.base_fee_per_gas.unwrap_or_default();
        let expected = next_excess_blob_gas(params, excess, used, base_fee);
        if expected != Some(got) {
            return Err(HeaderError::ExcessBlobGas { expected, got });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use alloy_eips::eip7840::BlobParams;
    use alloy_primitives::{B64, B256, Bytes, U256};

    use super::*;

    type Change = fn(&mut Header);

    const OSAKA: Rules = Rules { spec: SpecId::OSAKA, blobs: Some(BlobParams::osaka()) };
    const MERGE: Rules = Rules { spec: SpecId::MERGE, blobs: None };

    fn parent() -> Header {
        Header {
            ommers_hash: EMPTY_OMMER_ROOT_HASH,
            number: 99,
            gas_limit: 10_240_000,
            gas_used: 5_120_000,
            timestamp: 1_000,
            base_fee_per_gas: Some(7),
            withdrawals_root: Some(B256::ZERO),
            blob_gas_used: Some(7 * DATA_GAS_PER_BLOB),
            excess_blob_gas: Some(0),
            parent_beacon_block_root: Some(B256::ZERO),
            requests_hash: Some(B256::ZERO),
            ..Default::default()
        }
    }

    fn child() -> Header {
        let excess_blob_gas = Some(DATA_GAS_PER_BLOB);
        Header { number: 100, timestamp: 1_001, excess_blob_gas, ..parent() }
    }

    /// A header of the Merge, without the fields that came later.
    fn old() -> Header {
        Header {
            withdrawals_root: None,
            blob_gas_used: None,
            excess_blob_gas: None,
            parent_beacon_block_root: None,
            requests_hash: None,
            ..child()
        }
    }

    #[test]
    fn good_headers_pass() {
        assert_eq!(check_alone(&child(), &OSAKA), Ok(()));
        assert_eq!(check_against_parent(&child(), &parent(), &OSAKA), Ok(()));
        assert_eq!(check_alone(&old(), &MERGE), Ok(()));
        let old_parent = Header { number: 99, timestamp: 0, ..old() };
        assert_eq!(check_against_parent(&old(), &old_parent, &MERGE), Ok(()));
    }

    fn alone(change: impl FnOnce(&mut Header)) -> Result<(), HeaderError> {
        let mut header = child();
        change(&mut header);
        check_alone(&header, &OSAKA)
    }

    #[test]
    fn what_the_merge_ended_is_refused() {
        let got = U256::from(1);
        assert_eq!(alone(|h| h.difficulty = got), Err(HeaderError::Difficulty { got }));
        assert_eq!(alone(|h| h.nonce = B64::repeat_byte(1)), Err(HeaderError::Nonce));
        assert_eq!(alone(|h| h.ommers_hash = B256::ZERO), Err(HeaderError::OmmersHash { got: B256::ZERO }));
    }

    #[test]
    fn limits_are_exact() {
        assert_eq!(alone(|h| h.extra_data = Bytes::from([0; 32])), Ok(()));
        assert_eq!(alone(|h| h.extra_data = Bytes::from([0; 33])), Err(HeaderError::ExtraData { got: 33 }));

        let gas = |limit, used| alone(|h| (h.gas_limit, h.gas_used) = (limit, used));
        assert_eq!(gas(5_000, 5_000), Ok(()));
        assert_eq!(gas(4_999, 0), Err(HeaderError::GasLimit { got: 4_999 }));
        assert_eq!(gas(u64::MAX >> 1, 0), Ok(()));
        assert_eq!(gas(1 << 63, 0), Err(HeaderError::GasLimit { got: 1 << 63 }));
        assert_eq!(gas(5_000, 5_001), Err(HeaderError::GasUsed { used: 5_001, limit: 5_000 }));

        let limit = 9 * DATA_GAS_PER_BLOB;
        let blobs = |used| alone(|h| h.blob_gas_used = Some(used));
        assert_eq!(blobs(limit), Ok(()));
        for got in [limit + DATA_GAS_PER_BLOB, 1, DATA_GAS_PER_BLOB - 1] {
            assert_eq!(blobs(got), Err(HeaderError::BlobGasUsed { got, limit }));
        }
        let got = u64::MAX;
        assert_eq!(alone(|h| h.excess_blob_gas = Some(got)), Err(HeaderError::ExcessBlobGasRange { got }));
    }

    #[test]
    fn each_field_is_there_from_its_fork_on() {
        let missing: [(&str, Change); 6] = [
            ("base fee", |h| h.base_fee_per_gas = None),
            ("withdrawals root", |h| h.withdrawals_root = None),
            ("blob gas used", |h| h.blob_gas_used = None),
            ("excess blob gas", |h| h.excess_blob_gas = None),
            ("parent beacon block root", |h| h.parent_beacon_block_root = None),
            ("requests hash", |h| h.requests_hash = None),
        ];
        for (field, change) in missing {
            assert_eq!(alone(change), Err(HeaderError::Presence { field, expected: true }));
        }
        let early: [(&str, Change); 5] = [
            ("withdrawals root", |h| h.withdrawals_root = Some(B256::ZERO)),
            ("blob gas used", |h| h.blob_gas_used = Some(0)),
            ("excess blob gas", |h| h.excess_blob_gas = Some(0)),
            ("parent beacon block root", |h| h.parent_beacon_block_root = Some(B256::ZERO)),
            ("requests hash", |h| h.requests_hash = Some(B256::ZERO)),
        ];
        for (field, change) in early {
            let mut header = old();
            change(&mut header);
            assert_eq!(check_alone(&header, &MERGE), Err(HeaderError::Presence { field, expected: false }));
        }
        let future: [(&str, Change); 2] = [
            ("block access list hash", |h| h.block_access_list_hash = Some(B256::ZERO)),
            ("slot number", |h| h.slot_number = Some(1)),
        ];
        for (field, change) in future {
            assert_eq!(alone(change), Err(HeaderError::Presence { field, expected: false }));
        }
    }

    fn against_parent(change: impl FnOnce(&mut Header, &mut Header)) -> Result<(), HeaderError> {
        let (mut header, mut parent) = (child(), parent());
        change(&mut header, &mut parent);
        check_against_parent(&header, &parent, &OSAKA)
    }

    #[test]
    fn numbers_and_times_go_up() {
        for got in [0, 99, 101] {
            let result = against_parent(|h, _| h.number = got);
            assert_eq!(result, Err(HeaderError::Number { parent: 99, got }));
        }
        let last = against_parent(|h, p| (h.number, p.number) = (0, u64::MAX));
        assert_eq!(last, Err(HeaderError::Number { parent: u64::MAX, got: 0 }));
        for got in [0, 1_000] {
            let result = against_parent(|h, _| h.timestamp = got);
            assert_eq!(result, Err(HeaderError::Timestamp { parent: 1_000, got }));
        }
    }

    #[test]
    fn the_gas_limit_moves_by_less_than_a_1024th() {
        let parent = 10_240_000;
        for got in [parent - 9_999, parent + 9_999] {
            assert_eq!(against_parent(|h, _| h.gas_limit = got), Ok(()));
        }
        for got in [parent - 10_000, parent + 10_000, u64::MAX, 0] {
            let result = against_parent(|h, _| h.gas_limit = got);
            assert_eq!(result, Err(HeaderError::GasLimitStep { parent, got }));
        }
    }

    #[test]
    fn fees_follow_from_the_parent() {
        for got in [6, 8] {
            let result = against_parent(|h, _| h.base_fee_per_gas = Some(got));
            assert_eq!(result, Err(HeaderError::BaseFee { expected: Some(7), got }));
        }
        let result = against_parent(|_, p| p.gas_used = p.gas_limit);
        assert_eq!(result, Err(HeaderError::BaseFee { expected: Some(8), got: 7 }));
        let result = against_parent(|_, p| p.base_fee_per_gas = None);
        assert_eq!(result, Err(HeaderError::BaseFee { expected: None, got: 7 }));
        let result = against_parent(|h, _| h.excess_blob_gas = Some(0));
        let expected = Some(DATA_GAS_PER_BLOB);
        assert_eq!(result, Err(HeaderError::ExcessBlobGas { expected, got: 0 }));
        let result = against_parent(|_, p| p.excess_blob_gas = Some(u64::MAX));
        assert_eq!(result, Err(HeaderError::ExcessBlobGas { expected: None, got: DATA_GAS_PER_BLOB }));
    }
}
