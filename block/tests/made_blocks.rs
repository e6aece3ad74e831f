//! Blocks made here: valid ones are accepted, and each way to be invalid has its own refusal.

mod drafts;

use alloy_consensus::transaction::SignableTransaction;
use alloy_consensus::{Header, TxEip1559, TxEip4844, TxEip4844WithSidecar, TxEnvelope, proofs};
use alloy_eips::eip4844::{Blob, BlobTransactionSidecar};
use alloy_eips::eip7594::BlobTransactionSidecarVariant;
use alloy_primitives::{Address, B256, Bloom, Bytes, Signature, TxKind, U256, address, bytes, keccak256};
use alloy_rlp::Decodable;
use drafts::{GAS_LIMIT, changed, draft, make, sign, transfer};
use lambda_block::OwnedInput;
use stateless::{
    HeaderError, InputError, Validated, ValidationError, WitnessError, outcome, prune, validate,
};

const TO: Address = address!("0x00000000000000000000000000000000000000aa");
const CONTRACT: Address = address!("0x00000000000000000000000000000000000000cc");

fn one_transfer() -> OwnedInput {
    make(vec![sign(0, transfer(0, 0, TO))], &[])
}

/// A call of a contract with this code.
fn one_call(code: Bytes) -> OwnedInput {
    let call = TxEip1559 { gas_limit: 200_000, ..transfer(0, 0, CONTRACT) };
    make(vec![sign(0, call)], &[(CONTRACT, code)])
}

fn result(made: &OwnedInput) -> Result<Validated, ValidationError> {
    validate(&made.as_input().encode())
}

fn error(made: &OwnedInput) -> ValidationError {
    result(made).expect_err("the block is invalid")
}

#[test]
fn an_empty_block_is_valid() {
    let made = make(Vec::new(), &[]);
    let validated = result(&made).unwrap();
    let block = made.decoded().unwrap();
    let parent = Header::decode(&mut made.headers[0].as_slice()).unwrap();
    assert_eq!(validated.block_hash, block.header.hash_slow());
    assert_eq!(validated.pre_state_root, parent.state_root);
    assert_eq!(validated.post_state_root, block.header.state_root);
    assert_eq!(validated.assumed_ancestors, B256::ZERO);
    assert_eq!([validated.number, validated.gas_used, validated.chain_id], [42, 0, 1337]);
    assert_eq!(validated.timestamp, 1_700_000_012);
}

#[test]
fn transfers_are_valid() {
    let transfers = (0..6).map(|i| sign(i % 4, transfer(i % 4, u64::from(i / 4), TO))).collect();
    assert_eq!(result(&make(transfers, &[])).unwrap().gas_used, 6 * 21_000);
}

/// `PUSH1 1, PUSH1 2, SSTORE` sets a slot; a log makes a bloom; `BLOCKHASH` of the parent is stored.
#[test]
fn storage_logs_and_block_hashes_are_valid() {
    let made = one_call(bytes!("60016002555f5fa0602940600355"));
    assert!(result(&made).unwrap().gas_used > 60_000);
    assert_ne!(made.decoded().unwrap().header.logs_bloom, Bloom::ZERO);
}

/// The code `ff` destroys its account: since Cancun it only sends its balance.
#[test]
fn creating_and_destroying_is_valid() {
    let create =
        TxEip1559 { gas_limit: 200_000, to: TxKind::Create, input: bytes!("33ff"), ..transfer(0, 0, TO) };
    assert!(result(&make(vec![sign(0, create)], &[])).is_ok());
}

#[test]
fn what_execution_gave_is_compared_with_the_header() {
    type Change = fn(&mut Header);
    type Check = fn(&ValidationError) -> bool;
    let made = one_transfer();
    let cases: [(Change, Check); 6] = [
        (|h| h.gas_used += 1, |e| matches!(e, ValidationError::GasUsed { got: 21_000, .. })),
        (|h| h.blob_gas_used = Some(1 << 17), |e| matches!(e, ValidationError::BlobGasUsed { got: 0, .. })),
        (|h| h.logs_bloom.0[3] = 1, |e| matches!(e, ValidationError::LogsBloom { .. })),
        (|h| h.receipts_root.0[0] ^= 1, |e| matches!(e, ValidationError::ReceiptsRoot { .. })),
        (|h| h.state_root.0[0] ^= 1, |e| matches!(e, ValidationError::StateRoot { .. })),
        (|h| h.requests_hash = Some(B256::ZERO), |e| matches!(e, ValidationError::RequestsHash { .. })),
    ];
    for (index, (change, is_expected)) in cases.into_iter().enumerate() {
        let error = error(&changed(&made, |block| change(&mut block.header)));
        assert!(is_expected(&error), "case {index}: {error}");
    }
}

#[test]
fn the_body_is_compared_with_the_header() {
    let made = one_transfer();
    let no_transactions = changed(&made, |block| block.body.transactions.clear());
    assert!(matches!(error(&no_transactions), ValidationError::TransactionsRoot { .. }));
    let no_withdrawals = changed(&made, |block| block.body.withdrawals = None);
    assert!(matches!(error(&no_withdrawals), ValidationError::WithdrawalsRoot { got: None, .. }));
    let other = changed(&made, |block| block.body.withdrawals.as_mut().unwrap()[0].amount += 1);
    assert!(matches!(error(&other), ValidationError::WithdrawalsRoot { got: Some(_), .. }));
    let ommers = changed(&made, |block| block.body.ommers.push(Header::default()));
    assert_eq!(error(&ommers), ValidationError::Ommers { count: 1 });
}

/// A header rule that is only wired up, not exercised, by the tests of the rules themselves.
#[test]
fn header_rules_are_applied() {
    let made = one_transfer();
    let alone = error(&changed(&made, |block| block.header.difficulty = U256::from(1)));
    assert_eq!(alone, HeaderError::Difficulty { got: U256::from(1) }.into());
    let against_parent = error(&changed(&made, |block| block.header.base_fee_per_gas = Some(1)));
    assert!(matches!(against_parent, ValidationError::Header(HeaderError::BaseFee { got: 1, .. })));
}

fn with_transaction(transaction: TxEnvelope) -> ValidationError {
    let changed = changed(&one_transfer(), |block| {
        block.body.transactions = vec![transaction];
        block.header.transactions_root = proofs::calculate_transaction_root(&block.body.transactions);
    });
    error(&changed)
}

#[test]
fn transactions_that_may_not_be_there_are_refused() {
    let base = || transfer(0, 0, TO);
    let cases = [
        ("another chain's", TxEip1559 { chain_id: 1, ..base() }),
        ("a later nonce", TxEip1559 { nonce: 1, ..base() }),
        ("more than there is", TxEip1559 { value: U256::MAX, ..base() }),
        ("less gas than it takes", TxEip1559 { gas_limit: 20_999, ..base() }),
        ("more gas than the block has", TxEip1559 { gas_limit: GAS_LIMIT + 1, ..base() }),
        ("below the base fee", TxEip1559 { max_fee_per_gas: 1, ..base() }),
    ];
    for (name, transaction) in cases {
        let error = with_transaction(sign(0, transaction));
        assert!(matches!(error, ValidationError::Transaction { transaction: 0, .. }), "{name}: {error}");
    }
}

#[test]
fn signatures_are_checked() {
    let TxEnvelope::Eip1559(signed) = sign(0, transfer(0, 0, TO)) else { unreachable!() };
    let (transaction, signature, _) = signed.into_parts();
    let n = U256::from_be_bytes(secp256k1::constants::CURVE_ORDER);
    // The mirror image verifies as well, but EIP-2 allows one of the two only.
    let high = Signature::new(signature.r(), n - signature.s(), !signature.v());
    let nonsense = Signature::new(U256::MAX, signature.s(), false);
    for signature in [high, nonsense] {
        let error = with_transaction(transaction.clone().into_signed(signature).into());
        assert_eq!(error, ValidationError::Signature { transaction: 0 });
    }
}

#[test]
fn blobs_do_not_travel_in_blocks() {
    let transaction = TxEip4844 { chain_id: 1337, ..Default::default() };
    let sidecar =
        BlobTransactionSidecar::new(vec![Blob::ZERO], vec![Default::default()], vec![Default::default()]);
    let carried: TxEip4844WithSidecar<BlobTransactionSidecarVariant> =
        TxEip4844WithSidecar { tx: transaction, sidecar: sidecar.into() };
    let signed = carried.into_signed(Signature::test_signature());
    let changed = changed(&one_transfer(), |block| block.body.transactions = vec![signed.into()]);
    assert_eq!(error(&changed), ValidationError::BlobSidecar { transaction: 0 });
}

#[test]
fn chains_are_known_or_refused() {
    let made = OwnedInput { chain_id: 1338, ..one_transfer() };
    assert_eq!(error(&made), ValidationError::UnknownChain { chain_id: 1338 });
    let mut made = changed(&one_transfer(), |block| block.header.timestamp = 1_438_269_988);
    made.chain_id = 1;
    let expected = ValidationError::UnsupportedFork { number: 42, timestamp: 1_438_269_988 };
    assert_eq!(error(&made), expected, "mainnet in 2015");
}

#[test]
fn the_witness_is_exact() {
    let made = one_transfer();
    let mut more = made.clone();
    more.nodes.push(vec![0xc1, 0x80]);
    assert_eq!(error(&more), WitnessError::UnusedNodes { count: 1 }.into());
    let mut twice = made.clone();
    twice.nodes.push(twice.nodes[0].clone());
    assert_eq!(error(&twice), WitnessError::UnusedNodes { count: 1 }.into());
    let mut code = made.clone();
    code.codes.extend([vec![0x00], vec![0x01]]);
    assert_eq!(error(&code), WitnessError::UnusedCodes { count: 2 }.into());

    for mut padded in [more, twice, code] {
        let mut input = padded.as_input();
        prune(&mut input).unwrap();
        assert_eq!(input, made.as_input());
        assert_eq!(outcome(&padded.as_input()), outcome(&made.as_input()));
        padded.seal().unwrap();
        assert!(result(&padded).is_ok());
    }
}

/// Every node and code is needed, and says so by its hash when it is missing.
#[test]
fn nothing_in_the_witness_can_be_missing() {
    let made = one_transfer();
    for index in 0..made.nodes.len() {
        let mut less = made.clone();
        let hash = keccak256(less.nodes.remove(index));
        assert_eq!(error(&less), WitnessError::MissingNode { hash }.into());
    }
    for index in 0..made.codes.len() {
        let mut less = made.clone();
        let hash = keccak256(less.codes.remove(index));
        assert_eq!(error(&less), WitnessError::MissingCode { hash }.into());
    }
}

/// `BLOCKHASH` of block 40, the parent's parent, whose header is not there.
#[test]
fn a_block_hash_beyond_the_headers_is_missing() {
    let call = TxEip1559 { gas_limit: 200_000, ..transfer(0, 0, CONTRACT) };
    let made = draft(vec![sign(0, call)], &[(CONTRACT, bytes!("602840600355"))]).unsealed();
    assert_eq!(outcome(&made.as_input()), Err(WitnessError::MissingBlockHash { number: 40 }.into()));
}

#[test]
fn ancestors_form_a_chain() {
    let made = one_transfer();
    let mut parent = Header::decode(&mut made.headers[0].as_slice()).unwrap();

    let mut other = made.clone();
    parent.extra_data = bytes!("01");
    other.headers = vec![alloy_rlp::encode(&parent)];
    assert!(matches!(error(&other), ValidationError::BrokenChain { index: 0, .. }));

    let mut unrelated = made.clone();
    unrelated.headers.push(alloy_rlp::encode(Header::default()));
    assert!(matches!(error(&unrelated), ValidationError::BrokenChain { index: 1, .. }));

    let mut many = made.clone();
    many.headers = vec![made.headers[0].clone(); 43];
    assert_eq!(error(&many), ValidationError::TooManyAncestors { got: 43, limit: 42 });

    let longer = [made.headers[0].as_slice(), &[0]].concat();
    let mut trailing = changed(&made, |block| block.header.parent_hash = keccak256(&longer));
    trailing.headers = vec![longer];
    let expected = InputError::TrailingBytes { what: "ancestor header", count: 1 };
    assert_eq!(error(&trailing), expected.into());
}

#[test]
fn what_is_assumed_is_said() {
    let made = one_transfer();
    let parent = Header::decode(&mut made.headers[0].as_slice()).unwrap();
    let hashes = vec![B256::repeat_byte(5), parent.hash_slow()];
    let assuming = OwnedInput {
        headers: Vec::new(),
        pre_root: parent.state_root,
        block_hashes: hashes.clone(),
        ..made.clone()
    };
    let validated = result(&assuming).unwrap();
    assert_eq!(validated.assumed_ancestors, keccak256(hashes.concat()));
    assert_eq!(Validated { assumed_ancestors: B256::ZERO, ..validated }, result(&made).unwrap());

    let both = OwnedInput { headers: made.headers.clone(), ..assuming.clone() };
    assert_eq!(error(&both), ValidationError::NeedlessAssumption);
    let root_too = OwnedInput { pre_root: parent.state_root, ..made.clone() };
    assert_eq!(error(&root_too), ValidationError::NeedlessAssumption);
    let nothing = OwnedInput { block_hashes: Vec::new(), ..assuming.clone() };
    assert_eq!(error(&nothing), ValidationError::NoParent);
    let another = OwnedInput { block_hashes: hashes.into_iter().rev().collect(), ..assuming };
    assert_eq!(error(&another), ValidationError::NoParent);
}

#[test]
fn nothing_stands_behind_a_block() {
    let mut trailing = one_transfer();
    trailing.block.push(0);
    assert_eq!(error(&trailing), InputError::TrailingBytes { what: "block", count: 1 }.into());
}
