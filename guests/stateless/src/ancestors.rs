//! What a block stands on: its parent's header, the state before it, the hashes of earlier blocks.
//!
//! All of it follows from the block's parent hash where headers are given. Where they are not, the state
//! root and the hashes are assumed, and a digest of the assumption becomes part of the conclusion.

use alloy_consensus::Header;
use alloy_primitives::map::HashMap;
use alloy_primitives::{B256, keccak256};
use alloy_rlp::Decodable;

use crate::error::{InputError, ValidationError};
use crate::input::{Input, finish};

/// How far back `BLOCKHASH` reaches.
const MAX_ANCESTORS: u64 = 256;

/// What a block stands on.
pub struct Ancestors {
    /// The parent's header, where it is given.
    pub parent: Option<Header>,
    /// Root of the state that the block starts from.
    pub pre_root: B256,
    /// Hashes of earlier blocks by number.
    pub hashes: HashMap<u64, B256>,
    /// Digest of the assumed hashes; zero where nothing is assumed.
    pub assumed: B256,
}

impl Ancestors {
    /// Finds what the block with this header stands on.
    pub fn new(input: &Input<'_>, header: &Header) -> Result<Self, ValidationError> {
        let count = input.headers.len().max(input.block_hashes.len());
        let limit = header.number.min(MAX_ANCESTORS);
        if count as u64 > limit {
            return Err(ValidationError::TooManyAncestors { got: count, limit });
        }
        if input.headers.is_empty() {
            Self::from_hashes(input, header)
        } else {
            Self::from_headers(input, header)
        }
    }

    fn from_headers(input: &Input<'_>, header: &Header) -> Result<Self, ValidationError> {
        if !input.pre_root.is_zero() || !input.block_hashes.is_empty() {
            return Err(ValidationError::NeedlessAssumption);
        }
        let mut parent = None;
        let mut hashes = HashMap::default();
        let mut expected = header.parent_hash;
        for (index, (bytes, number)) in input.headers.iter().zip((0..header.number).rev()).enumerate() {
            let got = keccak256(bytes);
            if got != expected {
                return Err(ValidationError::BrokenChain { index, expected, got });
            }
            hashes.insert(number, got);
            let ancestor = decode_header(bytes)?;
            expected = ancestor.parent_hash;
            parent.get_or_insert(ancestor);
        }
        let pre_root = parent.as_ref().ok_or(ValidationError::NoParent)?.state_root;
        Ok(Self { parent, pre_root, hashes, assumed: B256::ZERO })
    }

    fn from_hashes(input: &Input<'_>, header: &Header) -> Result<Self, ValidationError> {
        if input.block_hashes.last() != Some(&header.parent_hash) {
            return Err(ValidationError::NoParent);
        }
        let numbers = (0..header.number).rev();
        let hashes = numbers.zip(input.block_hashes.iter().rev().copied()).collect();
        let assumed = keccak256(input.block_hashes.concat());
        Ok(Self { parent: None, pre_root: input.pre_root, hashes, assumed })
    }
}

fn decode_header(mut bytes: &[u8]) -> Result<Header, InputError> {
    const WHAT: &str = "ancestor header";
    let header = Header::decode(&mut bytes).map_err(|error| InputError::Rlp { what: WHAT, error })?;
    finish(WHAT, bytes)?;
    Ok(header)
}
