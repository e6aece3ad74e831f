//! Proof of work on the queries: its check.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

use blake3::Hasher;

use super::{Digest, HashDomain};

/// Most bits of work that can be asked for. The check looks at 64 bits of the digest.
pub const MAX_GRINDING_BITS: u32 = 63;

/// Whether `nonce` is worth `bits` bits of work for `seed`: the first 8 bytes of the keyed hash of
/// `seed ‖ nonce` (8 bytes, little-endian), read as a little-endian number, end in `bits` zero bits.
///
/// False for every nonce when `bits` is above [`MAX_GRINDING_BITS`].
pub fn check_grinding(seed: &[u8; 32], nonce: u64, bits: u32) -> bool {
    let mut hasher = Hasher::new_keyed(HashDomain::Grinding.key());
    hasher.update(seed).update(&nonce.to_le_bytes());
    has_low_zeros(Digest::from(hasher.finalize()).low_word(), bits)
}

/// Whether the low `bits` bits of `word` are zero; false when `bits` is above [`MAX_GRINDING_BITS`].
pub(super) fn has_low_zeros(word: u64, bits: u32) -> bool {
    bits <= MAX_GRINDING_BITS && word.trailing_zeros() >= bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_outside_the_word_are_never_met() {
        for bits in [64, 65, 127, u32::MAX] {
            assert!(!has_low_zeros(0, bits));
            assert!(!check_grinding(&[0; 32], 0, bits));
        }
        assert!(has_low_zeros(0, 63));
        assert!(has_low_zeros(1 << 63, 63));
        assert!(!has_low_zeros(1 << 62, 63));
        assert!(has_low_zeros(u64::MAX, 0));
    }

    /// A hash of other bytes, or in another order, would let work be used again for another seed.
    #[test]
    fn hash_covers_seed_then_nonce() {
        let (seed, nonce) = ([7; 32], 0x0102_0304_0506_0708_u64);
        let bytes = [&seed[..], &nonce.to_le_bytes()].concat();
        let digest = Digest::from(blake3::keyed_hash(HashDomain::Grinding.key(), &bytes));
        let zeros = digest.low_word().trailing_zeros();
        assert!(check_grinding(&seed, nonce, zeros));
        assert!(!check_grinding(&seed, nonce, zeros + 1));
    }
}
