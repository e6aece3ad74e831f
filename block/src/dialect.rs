//! The JSON that nodes answer with, in the forms of the known clients.
//!
//! | member | forms |
//! |---|---|
//! | the answer | a JSON-RPC response, or what its `result` holds |
//! | the raw block | hexadecimal digits, in JSON or bare |
//! | `state`, `codes` | a list of hexadecimal digits, or an object of them by hash |
//! | `headers` | the same, or a list of header objects as `eth_getBlockByNumber` has them |
//! | `keys` and all else | not read |
//!
//! Digits stand with or without `0x`. A missing or null `codes` is an empty list; `state` and `headers` have
//! to be there.

use alloy_consensus::Header;
use alloy_primitives::hex;
use serde_json::Value;

use crate::error::ImportError;

const RAW_BLOCK: &str = "raw block";
const WITNESS: &str = "witness";
const DIGITS: &str = "hexadecimal digits";

/// An execution witness as a node sends it.
#[derive(Debug, Default)]
pub struct NodeWitness {
    /// Trie nodes.
    pub state: Vec<Vec<u8>>,
    /// Contract codes.
    pub codes: Vec<Vec<u8>>,
    /// RLP of ancestors' headers, in any order.
    pub headers: Vec<Vec<u8>>,
}

/// The block's RLP in the answer to `debug_getRawBlock`.
pub fn raw_block(answer: &[u8]) -> Result<Vec<u8>, ImportError> {
    let bare = str::from_utf8(answer).ok().map(str::trim_ascii).filter(|text| !text.is_empty());
    if let Some(bytes) = bare.and_then(|text| hex::decode(text).ok()) {
        return Ok(bytes);
    }
    digits(RAW_BLOCK, || "result".to_owned(), &result(RAW_BLOCK, answer)?)
}

/// The witness in the answer to `debug_executionWitness`.
pub fn witness(answer: &[u8]) -> Result<NodeWitness, ImportError> {
    let result = result(WITNESS, answer)?;
    if !result.is_object() {
        return Err(form(WITNESS, "result".to_owned(), &result, "an object with state, codes and headers"));
    }
    let (state, codes, headers) = (&result["state"], &result["codes"], &result["headers"]);
    Ok(NodeWitness {
        state: each("state", state, |member, value| digits(WITNESS, member, value))?,
        codes: match codes {
            Value::Null => Vec::new(),
            codes => each("codes", codes, |member, value| digits(WITNESS, member, value))?,
        },
        headers: each("headers", headers, header)?,
    })
}

/// What the node answered.
fn result(document: &'static str, answer: &[u8]) -> Result<Value, ImportError> {
    let value = serde_json::from_slice(answer).map_err(|error| ImportError::Json { document, error })?;
    match value {
        Value::Object(mut response) if response.get("error").is_some_and(|error| !error.is_null()) => {
            Err(ImportError::Node { document, message: response["error"].take().to_string() })
        }
        Value::Object(mut response) => Ok(response.remove("result").unwrap_or(Value::Object(response))),
        value => Ok(value),
    }
}

/// The items of a list, or of an object that names each by its hash.
fn each(
    name: &str,
    items: &Value,
    read: impl Fn(&dyn Fn() -> String, &Value) -> Result<Vec<u8>, ImportError>,
) -> Result<Vec<Vec<u8>>, ImportError> {
    match items {
        Value::Array(items) => {
            let read = |(index, item)| read(&|| format!("{name}[{index}]"), item);
            items.iter().enumerate().map(read).collect()
        }
        Value::Object(items) => {
            let read = |(hash, item)| read(&|| format!("{name}[{hash}]"), item);
            items.iter().map(read).collect()
        }
        other => Err(form(WITNESS, name.to_owned(), other, "a list or an object by hash")),
    }
}

fn digits(
    document: &'static str,
    member: impl Fn() -> String,
    value: &Value,
) -> Result<Vec<u8>, ImportError> {
    value
        .as_str()
        .and_then(|text| hex::decode(text).ok())
        .ok_or_else(|| form(document, member(), value, DIGITS))
}

/// RLP of a header that is given as digits, or as an object of its fields.
fn header(member: &dyn Fn() -> String, value: &Value) -> Result<Vec<u8>, ImportError> {
    if !value.is_object() {
        return digits(WITNESS, member, value);
    }
    let header: Header = serde_json::from_value(value.clone())
        .map_err(|error| ImportError::Header { member: member(), error })?;
    Ok(alloy_rlp::encode(header))
}

fn form(document: &'static str, member: String, found: &Value, expected: &'static str) -> ImportError {
    let found = match found {
        Value::Null => "missing",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "another string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    ImportError::Form { document, member, found, expected }
}
