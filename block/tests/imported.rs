//! What nodes answer, in each client's form, becomes the block that it was made of; anything else is refused
//! with the name of what is wrong.

use alloy_consensus::Header;
use alloy_primitives::{hex, keccak256};
use alloy_rlp::Decodable;
use lambda_block::{OwnedInput, generate, import, prune};
use serde_json::{Value, json};
use stateless::Input;

/// A generated block, and what a node would answer about it.
struct Answers {
    input: Vec<u8>,
    block: OwnedInput,
    /// Of `debug_getRawBlock`.
    raw: Value,
    /// Of `debug_executionWitness`, with hexadecimal digits in lists.
    witness: Value,
}

fn answers(transfers: usize) -> Answers {
    let input = generate(transfers, 0).unwrap();
    let block = OwnedInput::decode(&input).unwrap();
    let raw = json!({"jsonrpc": "2.0", "id": 1, "result": digits(&block.block)});
    let witness = json!({"jsonrpc": "2.0", "id": 1, "result": {
        "state": list(&block.nodes),
        "codes": list(&block.codes),
        "keys": [],
        "headers": list(&block.headers),
    }});
    Answers { input, block, raw, witness }
}

fn digits(bytes: &Vec<u8>) -> Value {
    hex::encode_prefixed(bytes).into()
}

fn list(all: &[Vec<u8>]) -> Value {
    all.iter().map(digits).collect()
}

fn by_hash(all: &[Vec<u8>]) -> Value {
    let entry = |bytes: &Vec<u8>| (keccak256(bytes).to_string(), digits(bytes));
    Value::Object(all.iter().map(entry).collect())
}

impl Answers {
    /// The answers again, with the witness's members changed.
    fn import(&self, change: impl FnOnce(&mut Value)) -> Result<Vec<u8>, String> {
        let mut witness = self.witness.clone();
        change(&mut witness["result"]);
        import(self.raw.to_string().as_bytes(), witness.to_string().as_bytes(), None)
            .map_err(|error| error.to_string())
    }

    /// Asserts that the change is refused with a message that has all of `words`.
    #[track_caller]
    fn assert_refused(&self, change: impl FnOnce(&mut Value), words: &[&str]) {
        let message = self.import(change).unwrap_err();
        for word in words {
            assert!(message.contains(word), "{word:?} is not in {message:?}");
        }
    }
}

/// Nodes and codes in the order of `input`: an object by hash loses it.
fn sorted(input: &[u8]) -> Input<'_> {
    let mut input = Input::decode(input).unwrap();
    input.nodes.sort();
    input.codes.sort();
    input
}

#[test]
fn each_client_s_form_is_understood() {
    let answers = answers(3);
    assert_eq!(answers.import(|_| {}).unwrap(), answers.input);

    let maps = answers.import(|witness| {
        witness["state"] = by_hash(&answers.block.nodes);
        witness["codes"] = by_hash(&answers.block.codes);
        witness["headers"] = by_hash(&answers.block.headers);
        witness["keys"] = json!({"0x00": "0x"});
    });
    assert_eq!(sorted(&maps.unwrap()), sorted(&answers.input));

    let headers: Vec<Header> =
        answers.block.headers.iter().map(|header| Header::decode(&mut header.as_slice()).unwrap()).collect();
    let mut objects = json!(headers);
    // Clients add it; it is not part of the header.
    objects[0]["hash"] = json!(headers[0].hash_slow());
    let objects = answers.import(|witness| witness["headers"] = objects);
    assert_eq!(objects.unwrap(), answers.input);
}

#[test]
fn the_result_may_stand_alone() {
    let Answers { input, block, raw, witness } = answers(1);
    let witness = witness["result"].to_string();
    let bare = hex::encode(&block.block);
    for raw in [raw["result"].to_string(), bare.clone(), format!("0x{bare}\n")] {
        assert_eq!(import(raw.as_bytes(), witness.as_bytes(), Some(1337)).unwrap(), input);
    }
}

#[test]
fn what_is_not_needed_is_dropped() {
    let answers = answers(1);
    let more = answers.import(|witness| {
        for member in ["state", "codes", "headers"] {
            let all = witness[member].as_array_mut().unwrap();
            all.insert(0, json!("0xc20102"));
            all.push(all[1].clone());
        }
    });
    assert_eq!(more.unwrap(), answers.input);

    let mut padded = Input::decode(&answers.input).unwrap();
    padded.nodes.push(&[0xc1, 0x80]);
    assert_eq!(prune(&padded.encode()).unwrap(), answers.input);
}

#[test]
fn other_forms_are_refused_by_name() {
    let answers = answers(1);
    answers.assert_refused(|witness| witness["state"] = Value::Null, &["witness's state", "missing"]);
    answers.assert_refused(|witness| witness["headers"] = json!("0x"), &["witness's headers", "string"]);
    answers.assert_refused(|witness| witness["codes"][1] = json!(5), &["witness's codes[1]", "a number"]);
    answers.assert_refused(|witness| witness["state"][0] = json!("0x123"), &["witness's state[0]"]);
    answers.assert_refused(|witness| witness["headers"][0] = json!({}), &["witness's headers[0]", "field"]);
    answers.assert_refused(|witness| *witness = json!([1]), &["witness's result", "a list"]);
    answers.assert_refused(|witness| witness["headers"] = json!([]), &["none of the 0 headers", "parent"]);
    // It is the code of a system contract, which every block runs.
    answers.assert_refused(|witness| witness["codes"] = Value::Null, &["refuses", "code"]);

    let witness = answers.witness.to_string();
    let message = |raw: &str| import(raw.as_bytes(), witness.as_bytes(), None).unwrap_err().to_string();
    assert!(message("{").contains("raw block is not JSON"));
    let refusal = r#"{"id":1,"error":{"code":-32000,"message":"block not found"}}"#;
    assert!(message(refusal).contains("block not found"), "{}", message(refusal));
    assert!(message(r#"{"result":null}"#).contains("raw block's result is missing"));
    assert!(message("0xc0").contains("is no block"));
}

#[test]
fn a_block_without_transactions_does_not_name_its_chain() {
    let answers = answers(0);
    let (raw, witness) = (answers.raw.to_string(), answers.witness.to_string());
    let import = |chain_id| import(raw.as_bytes(), witness.as_bytes(), chain_id);
    assert!(import(None).unwrap_err().to_string().contains("chain id"));
    assert_eq!(import(Some(1337)).unwrap(), answers.input);
}
