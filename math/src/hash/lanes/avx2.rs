//! Eight lanes in an AVX2 register.

use core::arch::x86_64::*;

use super::Lanes;
use crate::field::{Goldilocks, ORDER};
use crate::hash::Digest;

const COUNT: usize = 8;

/// Eight words.
#[derive(Clone, Copy)]
pub(in crate::hash) struct Avx2(__m256i);

impl Lanes for Avx2 {
    const COUNT: usize = COUNT;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: this module is compiled only for targets with AVX2.
        Self(unsafe { _mm256_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn indices() -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm256_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    /// Whole bytes move in one shuffle; the other two rotations take two shifts.
    #[inline(always)]
    fn rotate_right<const BITS: i32>(self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe {
            match BITS {
                16 => _mm256_shuffle_epi8(self.0, byte_rotation(2)),
                8 => _mm256_shuffle_epi8(self.0, byte_rotation(1)),
                12 => _mm256_or_si256(_mm256_srli_epi32::<12>(self.0), _mm256_slli_epi32::<20>(self.0)),
                7 => _mm256_or_si256(_mm256_srli_epi32::<7>(self.0), _mm256_slli_epi32::<25>(self.0)),
                _ => unreachable!("BLAKE3 rotates by 16, 12, 8 and 7"),
            }
        })
    }

    #[inline(always)]
    fn load_cells(cells: &[Goldilocks]) -> [Self; 2] {
        let cells: &[Goldilocks; COUNT] = cells[..COUNT].as_array().expect("sliced to length");
        let cells = cells.as_ptr().cast::<__m256i>();
        // SAFETY: as in `splat`; the two loads cover the array's 64 bytes, and `Goldilocks` is a
        // transparent `u64`.
        unsafe {
            let first = canonical(_mm256_loadu_si256(cells));
            let second = canonical(_mm256_loadu_si256(cells.add(1)));
            // Within each half: even words to the front, odd ones to the back; then halves in order.
            let first = _mm256_shuffle_epi32::<0b11_01_10_00>(first);
            let second = _mm256_shuffle_epi32::<0b11_01_10_00>(second);
            let low = _mm256_unpacklo_epi64(first, second);
            let high = _mm256_unpackhi_epi64(first, second);
            [low, high].map(|words| Self(_mm256_permute4x64_epi64::<0b11_01_10_00>(words)))
        }
    }

    #[inline(always)]
    fn load_digests(digests: &[Digest]) -> [Self; 8] {
        let digests: &[Digest; COUNT] = digests[..COUNT].as_array().expect("sliced to length");
        // SAFETY: as in `splat`; a digest is 32 bytes, and the loads need no alignment.
        let rows =
            digests.each_ref().map(|digest| unsafe { _mm256_loadu_si256(digest.as_bytes().as_ptr().cast()) });
        transpose(rows).map(Self)
    }

    #[inline(always)]
    fn store_digests(words: [Self; 8], digests: &mut [Digest]) {
        let rows = transpose(words.map(|word| word.0));
        for (digest, row) in digests[..COUNT].iter_mut().zip(rows) {
            // SAFETY: as in `splat`; a digest is 32 bytes, and the store needs no alignment.
            unsafe { _mm256_storeu_si256(core::ptr::from_mut(digest).cast(), row) };
        }
    }
}

/// Shuffle that rotates each word right by `bytes` bytes.
#[inline(always)]
fn byte_rotation(bytes: usize) -> __m256i {
    let indices: [i8; 32] = core::array::from_fn(|i| {
        let in_half = i % 16;
        (in_half / 4 * 4 + (in_half + bytes) % 4) as i8
    });
    // SAFETY: both types are 32 bytes of plain data.
    unsafe { core::mem::transmute(indices) }
}

/// Subtracts `p` from values not below it. AVX2 compares signed, so both sides are offset by 2^63.
#[inline(always)]
fn canonical(cells: __m256i) -> __m256i {
    // SAFETY: this module is compiled only for targets with AVX2.
    unsafe {
        let sign = _mm256_set1_epi64x(i64::MIN);
        let largest = _mm256_set1_epi64x((ORDER - 1).cast_signed() ^ i64::MIN);
        let not_canonical = _mm256_cmpgt_epi64(_mm256_xor_si256(cells, sign), largest);
        let negative_order = _mm256_set1_epi64x(ORDER.wrapping_neg().cast_signed());
        _mm256_add_epi64(cells, _mm256_and_si256(not_canonical, negative_order))
    }
}

/// Transposes an 8 by 8 matrix of words.
#[inline(always)]
fn transpose(rows: [__m256i; 8]) -> [__m256i; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    // SAFETY: this module is compiled only for targets with AVX2.
    unsafe {
        let (ab_low, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
        let (ef_low, ef_high) = (_mm256_unpacklo_epi32(e, f), _mm256_unpackhi_epi32(e, f));
        let (gh_low, gh_high) = (_mm256_unpacklo_epi32(g, h), _mm256_unpackhi_epi32(g, h));
        // Columns 0 and 4 of rows a to d, then 1 and 5, 2 and 6, 3 and 7; likewise of e to h.
        let top = [
            _mm256_unpacklo_epi64(ab_low, cd_low),
            _mm256_unpackhi_epi64(ab_low, cd_low),
            _mm256_unpacklo_epi64(ab_high, cd_high),
            _mm256_unpackhi_epi64(ab_high, cd_high),
        ];
        let bottom = [
            _mm256_unpacklo_epi64(ef_low, gh_low),
            _mm256_unpackhi_epi64(ef_low, gh_low),
            _mm256_unpacklo_epi64(ef_high, gh_high),
            _mm256_unpackhi_epi64(ef_high, gh_high),
        ];
        core::array::from_fn(|k| match k {
            0..4 => _mm256_permute2x128_si256::<0x20>(top[k], bottom[k]),
            _ => _mm256_permute2x128_si256::<0x31>(top[k - 4], bottom[k - 4]),
        })
    }
}
