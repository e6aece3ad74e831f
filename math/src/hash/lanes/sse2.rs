//! Four lanes in an SSE2 register, which every x86-64 has.

use core::arch::x86_64::*;

use p3_field::PrimeField64;

use super::Lanes;
use crate::field::Goldilocks;
use crate::hash::Digest;

const COUNT: usize = 4;

/// Four words.
#[derive(Clone, Copy)]
pub(in crate::hash) struct Sse2(__m128i);

impl Lanes for Sse2 {
    const COUNT: usize = COUNT;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: this module is compiled only for targets with SSE2.
        Self(unsafe { _mm_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn indices() -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm_setr_epi32(0, 1, 2, 3) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }

    /// Half words are swapped by shuffles; the other rotations take two shifts.
    #[inline(always)]
    fn rotate_right<const BITS: i32>(self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe {
            match BITS {
                16 => _mm_shufflehi_epi16::<0b10_11_00_01>(_mm_shufflelo_epi16::<0b10_11_00_01>(self.0)),
                12 => _mm_or_si128(_mm_srli_epi32::<12>(self.0), _mm_slli_epi32::<20>(self.0)),
                8 => _mm_or_si128(_mm_srli_epi32::<8>(self.0), _mm_slli_epi32::<24>(self.0)),
                7 => _mm_or_si128(_mm_srli_epi32::<7>(self.0), _mm_slli_epi32::<25>(self.0)),
                _ => unreachable!("BLAKE3 rotates by 16, 12, 8 and 7"),
            }
        })
    }

    /// Values are made canonical one by one: SSE2 compares no 64-bit numbers.
    #[inline(always)]
    fn load_cells(cells: &[Goldilocks]) -> [Self; 2] {
        let cells: &[Goldilocks; COUNT] = cells[..COUNT].as_array().expect("sliced to length");
        let [a, b, c, d] = cells.map(|cell| cell.as_canonical_u64().cast_signed());
        // SAFETY: as in `splat`.
        unsafe {
            let first = _mm_castsi128_ps(_mm_set_epi64x(b, a));
            let second = _mm_castsi128_ps(_mm_set_epi64x(d, c));
            let low = _mm_shuffle_ps::<0b10_00_10_00>(first, second);
            let high = _mm_shuffle_ps::<0b11_01_11_01>(first, second);
            [low, high].map(|words| Self(_mm_castps_si128(words)))
        }
    }

    #[inline(always)]
    fn load_digests(digests: &[Digest]) -> [Self; 8] {
        let digests: &[Digest; COUNT] = digests[..COUNT].as_array().expect("sliced to length");
        let halves = digests.each_ref().map(|digest| digest.as_bytes().as_ptr().cast::<__m128i>());
        // SAFETY: as in `splat`; a digest is two halves of 16 bytes, and the loads need no alignment.
        let [first, second] =
            [0, 1].map(|half| transpose(halves.map(|digest| unsafe { _mm_loadu_si128(digest.add(half)) })));
        core::array::from_fn(|k| Self(if k < 4 { first[k] } else { second[k - 4] }))
    }

    #[inline(always)]
    fn store_digests(words: [Self; 8], digests: &mut [Digest]) {
        let [a, b, c, d, e, f, g, h] = words.map(|word| word.0);
        let (first, second) = (transpose([a, b, c, d]), transpose([e, f, g, h]));
        for ((digest, first), second) in digests[..COUNT].iter_mut().zip(first).zip(second) {
            let halves = core::ptr::from_mut(digest).cast::<__m128i>();
            // SAFETY: as in `splat`; a digest is two halves of 16 bytes, and the stores need no alignment.
            unsafe {
                _mm_storeu_si128(halves, first);
                _mm_storeu_si128(halves.add(1), second);
            }
        }
    }
}

/// Transposes a 4 by 4 matrix of words.
#[inline(always)]
fn transpose([a, b, c, d]: [__m128i; 4]) -> [__m128i; 4] {
    // SAFETY: this module is compiled only for targets with SSE2.
    unsafe {
        let (ab_low, ab_high) = (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
        let (cd_low, cd_high) = (_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
        [
            _mm_unpacklo_epi64(ab_low, cd_low),
            _mm_unpackhi_epi64(ab_low, cd_low),
            _mm_unpacklo_epi64(ab_high, cd_high),
            _mm_unpackhi_epi64(ab_high, cd_high),
        ]
    }
}
