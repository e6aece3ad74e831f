//! One lane in a plain word, for targets without an implementation of their own.

use p3_field::PrimeField64;

use super::Lanes;
use crate::field::Goldilocks;
use crate::hash::{DIGEST_BYTES, Digest};

/// One word.
#[derive(Clone, Copy)]
pub(in crate::hash) struct Portable(u32);

impl Lanes for Portable {
    const COUNT: usize = 1;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        Self(word)
    }

    #[inline(always)]
    fn indices() -> Self {
        Self(0)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }

    #[inline(always)]
    fn rotate_right<const BITS: i32>(self) -> Self {
        Self(self.0.rotate_right(BITS.cast_unsigned()))
    }

    #[inline(always)]
    fn load_cells(cells: &[Goldilocks]) -> [Self; 2] {
        let cell = cells[0].as_canonical_u64();
        [Self(cell as u32), Self((cell >> 32) as u32)]
    }

    #[inline(always)]
    fn load_digests(digests: &[Digest]) -> [Self; 8] {
        let (words, _) = digests[0].as_bytes().as_chunks::<4>();
        core::array::from_fn(|k| Self(u32::from_le_bytes(words[k])))
    }

    #[inline(always)]
    fn store_digests(words: [Self; 8], digests: &mut [Digest]) {
        let mut bytes = [0; DIGEST_BYTES];
        let (slots, _) = bytes.as_chunks_mut::<4>();
        for (slot, word) in slots.iter_mut().zip(words) {
            *slot = word.0.to_le_bytes();
        }
        digests[0] = Digest::from_bytes(bytes);
    }
}
