//! The Ethereum block that a proof should be about, and what the block validator writes.
//!
//! The validator (`guests/block`) writes 160 bytes about the block in its input. What they have to be follows
//! from the input's headers alone; whether the block is valid is what the proof says. Both layouts are those
//! of `guests/README.md`, read here without the validator's libraries.

use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use serde_json::{Map, Value};
use tiny_keccak::{Hasher, Keccak};

use super::hex;
use super::rlp::{List, Malformed, Reader};

/// Bytes that the validator writes.
pub const OUTPUT_BYTES: usize = 160;
/// Fields of its output: hashes, then numbers.
const HASHES: [&str; 4] = ["block hash", "pre-state root", "post-state root", "assumed ancestors"];
const NUMBERS: [&str; 4] = ["number", "timestamp", "gas used", "chain id"];

/// What the validator writes about a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidatedBlock {
    hashes: [[u8; 32]; 4],
    numbers: [u64; 4],
}

/// Why a file is no block file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockFileError {
    /// Something is missing or malformed.
    #[error("not a block file: {0}")]
    Malformed(#[from] Malformed),
    /// The first header is not the parent's.
    #[error("not a block file: the first header's hash is not the one that the block names as its parent's")]
    Parent,
}

/// A field in which two blocks differ, its values as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The field's name.
    pub field: &'static str,
    /// Its value in one.
    pub expected: String,
    /// Its value in the other.
    pub got: String,
}

impl ValidatedBlock {
    /// What the validator wrote; `None` where `output` has another length than it writes.
    pub fn from_output(output: &[u8]) -> Option<Self> {
        let (hashes, numbers) = output.split_at_checked(128)?;
        let ([], (numbers, [])) = (hashes.as_chunks::<32>().1, numbers.as_chunks::<8>()) else { return None };
        let numbers: [[u8; 8]; 4] = numbers.try_into().ok()?;
        let hashes = hashes.as_chunks().0.try_into().ok()?;
        Some(Self { hashes, numbers: numbers.map(u64::from_be_bytes) })
    }

    /// What the validator writes about the block in a block file, if the block is valid.
    ///
    /// # Errors
    /// A file without such a block. That the block is valid is not checked.
    pub fn expected(file: &[u8]) -> Result<Self, BlockFileError> {
        let mut input = only_list(file, "list of fields")?.items;
        let chain_id = input.number("chain id")?;
        let mut block = only_list(input.string("block")?, "block")?.items;
        let mut headers = input.list("list of headers")?.items;
        let pre_root = input.hash("pre-state root")?;
        let mut assumed = input.list("list of block hashes")?.items;
        input.list("list of trie nodes")?;
        input.list("list of codes")?;
        input.end("list of fields")?;

        let header = Header::new(block.list("block header")?)?;
        let (pre_root, assumed) = if headers.is_empty() {
            let mut hashes = Vec::new();
            while !assumed.is_empty() {
                hashes.extend(assumed.hash("block hash")?);
            }
            (pre_root, keccak256(&hashes))
        } else {
            let parent = Header::new(only_list(headers.string("parent header")?, "parent header")?)?;
            if parent.hash != header.parent_hash {
                return Err(BlockFileError::Parent);
            }
            (parent.state_root, [0; 32])
        };
        Ok(Self {
            hashes: [header.hash, pre_root, header.state_root, assumed],
            numbers: [header.number, header.timestamp, header.gas_used, chain_id],
        })
    }

    /// The first field in which this block is not the `expected` one.
    pub fn difference(&self, expected: &Self) -> Option<Difference> {
        self.fields().into_iter().zip(expected.fields()).find_map(|((field, got), (_, expected))| {
            (got != expected).then(|| Difference { field, expected: text(&expected), got: text(&got) })
        })
    }

    /// Lines for people.
    pub fn text(&self) -> String {
        let [block_hash, pre_root, post_root, assumed] = self.hashes.map(|hash| hex(&hash));
        let [number, _, gas_used, chain_id] = self.numbers;
        let mut text = format!(
            "block      {number} 0x{block_hash}\npre-state  0x{pre_root}\npost-state 0x{post_root}\n"
        );
        if self.hashes.last() != Some(&[0; 32]) {
            // Not all of it follows from the block's hash then.
            text.push_str(&format!("assumed    0x{assumed}\n"));
        }
        text.push_str(&format!("gas used   {gas_used}\nchain id   {chain_id}\n"));
        text
    }

    /// An object for programs.
    pub fn json(&self) -> Value {
        let members = self.fields().into_iter().map(|(name, value)| (name.replace([' ', '-'], "_"), value));
        Value::Object(members.collect::<Map<String, Value>>())
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        let hashes = HASHES.into_iter().zip(self.hashes.iter().map(hash));
        hashes.chain(NUMBERS.into_iter().zip(self.numbers.map(Value::from))).collect()
    }
}

fn hash(hash: &[u8; 32]) -> Value {
    format!("0x{}", hex(hash)).into()
}

/// Without the quotes that JSON puts around a string.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}

/// What a block's header says.
struct Header {
    hash: [u8; 32],
    parent_hash: [u8; 32],
    state_root: [u8; 32],
    number: u64,
    gas_used: u64,
    timestamp: u64,
}

impl Header {
    fn new(header: List<'_>) -> Result<Self, Malformed> {
        let mut fields = header.items;
        let parent_hash = fields.hash("parent hash")?;
        fields.skip(2, "ommers hash or beneficiary")?;
        let state_root = fields.hash("state root")?;
        fields.skip(4, "transactions root, receipts root, logs bloom or difficulty")?;
        let number = fields.number("number")?;
        fields.skip(1, "gas limit")?;
        let gas_used = fields.number("gas used")?;
        let timestamp = fields.number("timestamp")?;
        Ok(Self { hash: keccak256(header.encoded), parent_hash, state_root, number, gas_used, timestamp })
    }
}

/// The list that takes up all of `bytes`.
fn only_list<'a>(bytes: &'a [u8], what: &'static str) -> Result<List<'a>, Malformed> {
    let mut reader = Reader::new(bytes);
    let list = reader.list(what)?;
    reader.end(what)?;
    Ok(list)
}

fn keccak256(bytes: &[u8]) -> [u8; 32] {
    let mut keccak = Keccak::v256();
    let mut hash = [0; 32];
    keccak.update(bytes);
    keccak.finalize(&mut hash);
    hash
}
