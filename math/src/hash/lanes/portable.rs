//! Four lanes in an array: whatever vector unit the compiler finds.

use p3_field::PrimeField64;

use super::Lanes;
use crate::field::Goldilocks;
use crate::hash::{DIGEST_BYTES, Digest};

const COUNT: usize = 4;

/// Four words.
#[derive(Clone, Copy)]
#[repr(align(16))]
pub(in crate::hash) struct Portable([u32; COUNT]);

impl Lanes for Portable {
    const COUNT: usize = COUNT;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        Self([word; COUNT])
    }

    #[inline(always)]
    fn indices() -> Self {
        Self([0, 1, 2, 3])
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(core::array::from_fn(|i| self.0[i].wrapping_add(other.0[i])))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(core::array::from_fn(|i| self.0[i] ^ other.0[i]))
    }

    #[inline(always)]
    fn rotate_right<const BITS: i32>(self) -> Self {
        Self(self.0.map(|word| word.rotate_right(BITS as u32)))
    }

    #[inline(always)]
    fn load_cells(cells: &[Goldilocks]) -> [Self; 2] {
        let cells: [u64; COUNT] = core::array::from_fn(|i| cells[i].as_canonical_u64());
        [Self(cells.map(|cell| cell as u32)), Self(cells.map(|cell| (cell >> 32) as u32))]
    }

    #[inline(always)]
    fn load_digests(digests: &[Digest]) -> [Self; 8] {
        let word = |digest: &Digest, k: usize| {
            let (words, _) = digest.as_bytes().as_chunks::<4>();
            u32::from_le_bytes(words[k])
        };
        core::array::from_fn(|k| Self(core::array::from_fn(|i| word(&digests[i], k))))
    }

    #[inline(always)]
    fn store_digests(words: [Self; 8], digests: &mut [Digest]) {
        for (i, digest) in digests[..COUNT].iter_mut().enumerate() {
            let mut bytes = [0; DIGEST_BYTES];
            let (slots, _) = bytes.as_chunks_mut::<4>();
            for (slot, word) in slots.iter_mut().zip(words) {
                *slot = word.0[i].to_le_bytes();
            }
            *digest = Digest::from_bytes(bytes);
        }
    }
}
