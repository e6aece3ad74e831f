//! Sums on AVX-512 with 52-bit multiply-add.

use core::arch::x86_64::*;

use p3_goldilocks::PackedGoldilocksAVX512 as Packed;

use super::Sum;
use crate::field::Goldilocks;

/// `low + 2^52·high`.
///
/// A term adds less than `2^53` to `low` and less than `2^46` to `high`.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Avx512 {
    low: __m512i,
    high: __m512i,
}

/// `x = low + 2^32·high`, 32 bits each.
#[derive(Clone, Copy)]
pub(in super::super) struct Value {
    low: __m512i,
    high: __m512i,
}

/// `w` and `2^32·w`, each followed by its bits from 52 up: the multiplier reads the 52 bits below.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Weight {
    plain: [__m512i; 2],
    shifted: [__m512i; 2],
}

/// `2^52`.
const BASE: Goldilocks = Goldilocks::new(1 << 52);

impl Sum for Avx512 {
    const CAPACITY: usize = 1 << 11;

    type Vector = Packed;
    type Value = Value;
    type Weight = Weight;

    #[inline(always)]
    fn value(values: Packed) -> Value {
        let values = vector(values);
        // SAFETY: this module is compiled only where AVX-512F is enabled.
        unsafe {
            let low = _mm512_and_si512(values, _mm512_set1_epi64(0xffff_ffff));
            Value { low, high: _mm512_srli_epi64::<32>(values) }
        }
    }

    #[inline(always)]
    fn weight(weights: Packed) -> Weight {
        let shifted = weights * Packed::from(Goldilocks::new(1 << 32));
        Weight { plain: split(weights), shifted: split(shifted) }
    }

    #[inline(always)]
    fn new(start: Packed) -> Self {
        let [low, high] = split(start);
        // SAFETY: this module is compiled only where AVX-512F is enabled.
        Self { low: unsafe { _mm512_and_si512(low, _mm512_set1_epi64((1 << 52) - 1)) }, high }
    }

    #[inline(always)]
    fn add_product(&mut self, value: Value, weight: &Weight) {
        // SAFETY: this module is compiled only where AVX-512F and AVX-512-IFMA are enabled.
        unsafe {
            for (x, [w, w_high]) in [(value.low, weight.plain), (value.high, weight.shifted)] {
                self.low = _mm512_madd52lo_epu64(self.low, x, w);
                self.high = _mm512_madd52hi_epu64(self.high, x, w);
                self.high = _mm512_madd52lo_epu64(self.high, x, w_high);
            }
        }
    }

    #[inline(always)]
    fn lanes(self) -> Packed {
        elements(self.low) + elements(self.high) * Packed::from(BASE)
    }

    #[inline(always)]
    fn total(self) -> Goldilocks {
        // SAFETY: this module is compiled only where AVX-512F is enabled.
        let [low, high] = [self.low, self.high].map(|limbs| unsafe { _mm512_reduce_add_epi64(limbs) });
        Goldilocks::new(low.cast_unsigned()) + Goldilocks::new(high.cast_unsigned()) * BASE
    }
}

/// `x` and its bits from 52 up.
#[inline(always)]
fn split(x: Packed) -> [__m512i; 2] {
    let x = vector(x);
    // SAFETY: this module is compiled only where AVX-512F is enabled.
    [x, unsafe { _mm512_srli_epi64::<52>(x) }]
}

#[inline(always)]
fn vector(elements: Packed) -> __m512i {
    // SAFETY: both types are 64 bytes.
    unsafe { core::mem::transmute::<Packed, __m512i>(elements) }
}

#[inline(always)]
fn elements(vector: __m512i) -> Packed {
    // SAFETY: both types are 64 bytes and each u64 represents an element.
    unsafe { core::mem::transmute::<__m512i, Packed>(vector) }
}
