//! Blocks that are generated here: valid, the same each time, and refused when there are too many transfers.

use alloy_consensus::Transaction;
use alloy_consensus::transaction::SignerRecoverable;
use alloy_primitives::B256;
use lambda_block::{BlockError, MAX_TRANSFERS, OwnedInput, Summary, generate, prune};
use stateless::validate;

#[test]
fn generated_blocks_are_valid() {
    for transfers in [0, 1, 3, 50] {
        let input = generate(transfers, 0).unwrap();
        let validated = validate(&input).unwrap();
        assert_eq!(validated.gas_used, 21_000 * transfers as u64, "{transfers}");
        assert_eq!(validated.chain_id, stateless::DEV_CHAIN_ID);
        assert_eq!(validated.assumed_ancestors, B256::ZERO);
        assert_eq!(prune(&input).unwrap(), input, "{transfers}: something is not needed");
    }
}

#[test]
fn the_seed_alone_decides() {
    let input = generate(3, 7).unwrap();
    assert_eq!(generate(3, 7).unwrap(), input);
    assert_ne!(generate(3, 8).unwrap(), input);
}

/// New accounts and old ones: both ways in which a transfer changes the trie.
#[test]
fn every_other_transfer_goes_to_the_sender_before() {
    let input = generate(4, 0).unwrap();
    let block = OwnedInput::decode(&input).unwrap().decoded().unwrap();
    let sender = |index: usize| block.body.transactions[index].recover_signer().unwrap();
    let recipient = |index: usize| block.body.transactions[index].to().unwrap();
    assert_eq!([recipient(1), recipient(3)], [sender(0), sender(2)]);
    assert!((0..4).all(|index| ![recipient(0), recipient(2)].contains(&sender(index))));
}

#[test]
fn a_block_has_gas_for_so_many_transfers_only() {
    let transfers = MAX_TRANSFERS + 1;
    let error = generate(transfers, 0).unwrap_err();
    assert!(matches!(error, BlockError::TooManyTransfers { transfers: 10_001 }), "{error}");
}

#[test]
fn the_summary_says_what_the_validator_finds() {
    let input = generate(3, 0).unwrap();
    let (summary, validated) = (Summary::new(&input).unwrap(), validate(&input).unwrap());
    assert_eq!(summary.hash, validated.block_hash);
    assert_eq!(summary.state_root, validated.post_state_root);
    assert_eq!(
        [summary.number, summary.timestamp, summary.gas_used, summary.chain_id],
        [validated.number, validated.timestamp, validated.gas_used, validated.chain_id]
    );
    assert_eq!((summary.transactions, summary.headers, summary.codes), (3, 1, 4));
    assert!(summary.block_bytes + summary.witness_bytes < input.len());
    assert_eq!(Summary::new(&input[1..]), None);
}
