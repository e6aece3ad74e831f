//! Sixteen lanes in an AVX-512 register.

use core::arch::x86_64::*;

use super::Lanes;
use crate::field::{Goldilocks, ORDER};
use crate::hash::Digest;

const COUNT: usize = 16;

/// Sixteen words.
#[derive(Clone, Copy)]
pub(in crate::hash) struct Avx512(__m512i);

impl Lanes for Avx512 {
    const COUNT: usize = COUNT;

    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: this module is compiled only for targets with AVX-512F.
        Self(unsafe { _mm512_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn indices() -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm512_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate_right<const BITS: i32>(self) -> Self {
        // SAFETY: as in `splat`.
        Self(unsafe { _mm512_ror_epi32::<BITS>(self.0) })
    }

    #[inline(always)]
    fn load_cells(cells: &[Goldilocks]) -> [Self; 2] {
        let cells: &[Goldilocks; COUNT] = cells[..COUNT].as_array().expect("sliced to length");
        let cells = cells.as_ptr().cast::<__m512i>();
        // SAFETY: as in `splat`; the two loads cover the array's 128 bytes, and `Goldilocks` is a
        // transparent `u64`.
        unsafe {
            let first = canonical(_mm512_loadu_si512(cells));
            let second = canonical(_mm512_loadu_si512(cells.add(1)));
            let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            let odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
            [even, odd].map(|words| Self(_mm512_permutex2var_epi32(first, words, second)))
        }
    }

    #[inline(always)]
    fn load_digests(digests: &[Digest]) -> [Self; 8] {
        let digests: &[Digest; COUNT] = digests[..COUNT].as_array().expect("sliced to length");
        let load = |i: usize| {
            // SAFETY: as in `splat`; a digest is 32 bytes, and the load needs no alignment.
            unsafe { _mm256_loadu_si256(digests[i].as_bytes().as_ptr().cast()) }
        };
        let rows = core::array::from_fn(|i| {
            // SAFETY: as in `splat`.
            unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(load(i)), load(i + 8)) }
        });
        transpose_halves(rows).map(Self)
    }

    #[inline(always)]
    fn store_digests(words: [Self; 8], digests: &mut [Digest]) {
        let (first, second) = digests[..COUNT].split_at_mut(COUNT / 2);
        let rows = transpose_halves(words.map(|word| word.0));
        for ((first, second), row) in first.iter_mut().zip(second).zip(rows) {
            // SAFETY: as in `splat`; a digest is 32 bytes, and the stores need no alignment.
            unsafe {
                _mm256_storeu_si256(core::ptr::from_mut(first).cast(), _mm512_castsi512_si256(row));
                _mm256_storeu_si256(core::ptr::from_mut(second).cast(), _mm512_extracti64x4_epi64::<1>(row));
            }
        }
    }
}

/// Subtracts `p` from values not below it: of `x` and `x - p mod 2^64` the smaller is canonical.
#[inline(always)]
fn canonical(cells: __m512i) -> __m512i {
    // SAFETY: this module is compiled only for targets with AVX-512F.
    unsafe {
        let order = _mm512_set1_epi64(ORDER.cast_signed());
        _mm512_min_epu64(cells, _mm512_sub_epi64(cells, order))
    }
}

/// Transposes the two 8 by 8 matrices of words in the lower and upper halves of the rows.
#[inline(always)]
fn transpose_halves(rows: [__m512i; 8]) -> [__m512i; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    // SAFETY: this module is compiled only for targets with AVX-512F.
    unsafe {
        let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
        let (ef_low, ef_high) = (_mm512_unpacklo_epi32(e, f), _mm512_unpackhi_epi32(e, f));
        let (gh_low, gh_high) = (_mm512_unpacklo_epi32(g, h), _mm512_unpackhi_epi32(g, h));
        // In each half, columns 0 and 4 of rows a to d, then 1 and 5, 2 and 6, 3 and 7; likewise e to h.
        let top = [
            _mm512_unpacklo_epi64(ab_low, cd_low),
            _mm512_unpackhi_epi64(ab_low, cd_low),
            _mm512_unpacklo_epi64(ab_high, cd_high),
            _mm512_unpackhi_epi64(ab_high, cd_high),
        ];
        let bottom = [
            _mm512_unpacklo_epi64(ef_low, gh_low),
            _mm512_unpackhi_epi64(ef_low, gh_low),
            _mm512_unpacklo_epi64(ef_high, gh_high),
            _mm512_unpackhi_epi64(ef_high, gh_high),
        ];
        // The lower quarter of each half, or the upper one, of `top` then `bottom`.
        let lower = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
        let upper = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
        core::array::from_fn(|k| match k {
            0..4 => _mm512_permutex2var_epi64(top[k], lower, bottom[k]),
            _ => _mm512_permutex2var_epi64(top[k - 4], upper, bottom[k - 4]),
        })
    }
}
