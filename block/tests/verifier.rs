//! `lambda-verify --block` reads block files and outputs without the validator's code: both have to say the
//! same.

use lambda_block::generate;
use lambda_verifier::command::ValidatedBlock;
use serde_json::json;
use stateless::{Input, validate};

/// What the validator writes, as the verifier reads it.
fn validated(input: &[u8]) -> ValidatedBlock {
    ValidatedBlock::from_output(&validate(input).unwrap().to_output()).unwrap()
}

#[test]
fn a_block_file_says_what_the_validator_writes() {
    let input = generate(3, 0).unwrap();
    assert_eq!(ValidatedBlock::expected(&input).unwrap(), validated(&input));
    let conclusion = validate(&input).unwrap();
    let expected = json!({
        "block_hash": conclusion.block_hash,
        "pre_state_root": conclusion.pre_state_root,
        "post_state_root": conclusion.post_state_root,
        "assumed_ancestors": conclusion.assumed_ancestors,
        "number": conclusion.number,
        "timestamp": conclusion.timestamp,
        "gas_used": conclusion.gas_used,
        "chain_id": conclusion.chain_id,
    });
    assert_eq!(validated(&input).json(), expected);
}

/// Without headers, the state root before the block and the ancestors' hashes are the input's to say.
#[test]
fn assumptions_are_compared_too() {
    let input = generate(1, 0).unwrap();
    let mut assuming = Input::decode(&input).unwrap();
    let parent = alloy_primitives::keccak256(assuming.headers.remove(0));
    assuming.pre_root = validate(&input).unwrap().pre_state_root;
    assuming.block_hashes = vec![[5; 32].into(), parent];
    let assuming = assuming.encode();
    let expected = ValidatedBlock::expected(&assuming).unwrap();
    assert_eq!(expected, validated(&assuming));
    let difference = validated(&input).difference(&expected).unwrap();
    assert_eq!(difference.field, "assumed ancestors");
}

#[test]
fn the_first_difference_is_named() {
    let input = generate(1, 0).unwrap();
    let expected = ValidatedBlock::expected(&input).unwrap();
    let fields = [
        "block hash",
        "pre-state root",
        "post-state root",
        "assumed ancestors",
        "number",
        "timestamp",
        "gas used",
        "chain id",
    ];
    let output = validate(&input).unwrap().to_output();
    let starts = [0, 32, 64, 96, 128, 136, 144, 152];
    for (field, start) in fields.into_iter().zip(starts) {
        let mut changed = output;
        changed[start] ^= 1;
        let changed = ValidatedBlock::from_output(&changed).unwrap();
        let difference = changed.difference(&expected).unwrap();
        assert_eq!(difference.field, field);
        assert_ne!(difference.got, difference.expected);
    }
    assert_eq!(expected.difference(&validated(&input)), None);
}

#[test]
fn other_files_and_outputs_are_none() {
    let input = generate(1, 0).unwrap();
    for length in 0..input.len() {
        assert!(ValidatedBlock::expected(&input[..length]).is_err(), "{length} bytes");
    }
    let mut orphan = Input::decode(&input).unwrap();
    let header = [orphan.headers[0], &[0]].concat();
    orphan.headers[0] = &header;
    assert!(ValidatedBlock::expected(&orphan.encode()).is_err());
    for length in [0, 159, 161] {
        assert_eq!(ValidatedBlock::from_output(&vec![0; length]), None);
    }
}

/// Damage that both notice, or neither: the verifier's reader must take nothing that the validator's refuses
/// as malformed.
#[test]
fn damaged_files_are_read_the_same_way() {
    let input = generate(1, 0).unwrap();
    for at in 0..input.len() {
        let mut damaged = input.clone();
        damaged[at] ^= 1 << (at % 8);
        if let Ok(conclusion) = validate(&damaged) {
            let expected = ValidatedBlock::from_output(&conclusion.to_output());
            assert_eq!(ValidatedBlock::expected(&damaged).ok(), expected, "byte {at}");
        }
    }
}
