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
        let ([x0, x1, x2, x3], [y0, y1, y2, y3]) = (self.0, other.0);
        Self([x0.wrapping_add(y0), x1.wrapping_add(y1), x2.wrapping_add(y2), x3.wrapping_add(y3)])
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        let ([x0, x1, x2, x3], [y0, y1, y2, y3]) = (self.0, other.0);
        Self([x0 ^ y0, x1 ^ y1, x2 ^ y2, x3 ^ y3])
    }

    #[inline(always)]
    fn rotate_right<const BITS: i32>(self) -> Self {
        let [x0, x1, x2, x3] = self.0;
        let bits = BITS as u32;
        Self([x0.rotate_right(bits), x1.rotate_right(bits), x2.rotate_right(bits), x3.rotate_right(bits)])
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
