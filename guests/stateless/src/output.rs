//! What a validator concludes, and its encoding.

use alloy_primitives::B256;

/// Bytes of an encoded conclusion, whole 8-byte cells.
pub const OUTPUT_LENGTH: usize = 4 * 32 + 4 * 8;

/// The block with this hash is valid on top of the state with this root, and leads to that one.
///
/// Encoded as its fields in order, integers as 8 bytes big-endian; see [`Validated::to_output`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validated {
    /// Hash of the block's header.
    pub block_hash: B256,
    /// Root of the state that the block starts from. The parent's own, unless `assumed_ancestors` says
    /// otherwise.
    pub pre_state_root: B256,
    /// Root of the state that the block ends in.
    pub post_state_root: B256,
    /// Zero where all follows from the block's hash. Else the parent's header was not at hand: this is the
    /// Keccak-256 of the assumed hashes of the block's ancestors, joined, parent last; the pre-state root is
    /// assumed as well, and no rule was checked that compares the header with its parent's.
    pub assumed_ancestors: B256,
    /// The block's number.
    pub number: u64,
    /// The block's timestamp, seconds.
    pub timestamp: u64,
    /// Gas that the block used.
    pub gas_used: u64,
    /// The chain whose rules hold.
    pub chain_id: u64,
}

impl Validated {
    /// The encoded conclusion, which a guest commits.
    pub fn to_output(&self) -> [u8; OUTPUT_LENGTH] {
        let mut output = [0; OUTPUT_LENGTH];
        let (hashes, integers) = output.split_at_mut(4 * 32);
        let fields = [self.block_hash, self.pre_state_root, self.post_state_root, self.assumed_ancestors];
        for (out, hash) in hashes.chunks_exact_mut(32).zip(fields) {
            out.copy_from_slice(hash.as_slice());
        }
        let fields = [self.number, self.timestamp, self.gas_used, self.chain_id];
        for (out, integer) in integers.chunks_exact_mut(8).zip(fields) {
            out.copy_from_slice(&integer.to_be_bytes());
        }
        output
    }

    /// Reads an encoded conclusion. Any bytes of the right length are one.
    pub fn from_output(output: &[u8; OUTPUT_LENGTH]) -> Self {
        let (hashes, integers) = output.split_at(4 * 32);
        let hash = |index: usize| B256::from_slice(&hashes[32 * index..][..32]);
        let integers = integers.as_chunks().0;
        let integer = |index: usize| u64::from_be_bytes(integers[index]);
        Self {
            block_hash: hash(0),
            pre_state_root: hash(1),
            post_state_root: hash(2),
            assumed_ancestors: hash(3),
            number: integer(0),
            timestamp: integer(1),
            gas_used: integer(2),
            chain_id: integer(3),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_in_the_documented_order() {
        let validated = Validated {
            block_hash: B256::repeat_byte(1),
            pre_state_root: B256::repeat_byte(2),
            post_state_root: B256::repeat_byte(3),
            assumed_ancestors: B256::repeat_byte(4),
            number: 5,
            timestamp: 6,
            gas_used: 7,
            chain_id: 8,
        };
        let output = validated.to_output();
        let firsts: [u8; 4] = core::array::from_fn(|i| output[32 * i]);
        let lasts: [u8; 4] = core::array::from_fn(|i| output[128 + 8 * i + 7]);
        assert_eq!((firsts, lasts), ([1, 2, 3, 4], [5, 6, 7, 8]));
        assert_eq!(Validated::from_output(&output), validated);
    }
}
