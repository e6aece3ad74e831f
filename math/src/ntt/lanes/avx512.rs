//! Butterflies on AVX-512 with 52-bit multiply-add.
//!
//! Between the multiplication by factors and the final reduction an element is a [`Wide`]: two signed
//! limbs to the base `2^48`, added without carries. `(2^48)² = 2^96 = -1`, so multiplying by the fourth
//! root of unity `2^48` swaps the limbs.

use core::arch::asm;
use core::arch::x86_64::*;
use core::array;

use p3_field::PrimeField64;
use p3_goldilocks::PackedGoldilocksAVX512 as Packed;

use super::{Fourier, Multiplier, Point, WIDTH, row_of};
use crate::field::{Goldilocks, ORDER};

/// Eight elements, any representatives.
#[derive(Clone, Copy)]
pub(in super::super) struct Lanes(__m512i);

impl Lanes {
    /// All lanes equal to `value`.
    #[inline(always)]
    pub(in super::super) fn splat(value: Goldilocks) -> Self {
        Self(constant(value.as_canonical_u64()))
    }

    /// Reads eight consecutive elements.
    ///
    /// # Safety
    /// `from` must be readable for eight elements.
    #[inline(always)]
    pub(in super::super) unsafe fn load(from: *const Goldilocks) -> Self {
        // SAFETY: the caller's promise; an element is a transparent u64 and the load is unaligned.
        Self(unsafe { _mm512_loadu_epi64(from.cast()) })
    }

    /// Writes eight consecutive elements.
    ///
    /// # Safety
    /// `to` must be writable for eight elements.
    #[inline(always)]
    pub(in super::super) unsafe fn store(self, to: *mut Goldilocks) {
        // SAFETY: the caller's promise; every u64 represents an element.
        unsafe { _mm512_storeu_epi64(to.cast(), self.0) }
    }

    /// Lane-wise product.
    #[inline(always)]
    pub(in super::super) fn times(self, other: Self) -> Self {
        // SAFETY: both types are 64 bytes and each u64 represents an element.
        unsafe {
            let product: Packed = core::mem::transmute::<__m512i, Packed>(self.0)
                * core::mem::transmute::<__m512i, Packed>(other.0);
            Self(core::mem::transmute::<Packed, __m512i>(product))
        }
    }

    /// Lane `i` of row `j` becomes lane `j` of row `i`.
    #[inline(always)]
    pub(in super::super) fn transpose(rows: [Self; WIDTH]) -> [Self; WIDTH] {
        const EVEN: i32 = 0x88;
        const ODD: i32 = 0xdd;
        let [r0, r1, r2, r3, r4, r5, r6, r7] = rows.map(|row| row.0);
        // SAFETY: this module is compiled only where AVX-512F is enabled.
        unsafe {
            // Transposes four rows of four 128-bit blocks.
            let blocks = |a, b, c, d| {
                let (ab_even, cd_even) =
                    (_mm512_shuffle_i64x2::<EVEN>(a, b), _mm512_shuffle_i64x2::<EVEN>(c, d));
                let (ab_odd, cd_odd) = (_mm512_shuffle_i64x2::<ODD>(a, b), _mm512_shuffle_i64x2::<ODD>(c, d));
                [
                    _mm512_shuffle_i64x2::<EVEN>(ab_even, cd_even),
                    _mm512_shuffle_i64x2::<EVEN>(ab_odd, cd_odd),
                    _mm512_shuffle_i64x2::<ODD>(ab_even, cd_even),
                    _mm512_shuffle_i64x2::<ODD>(ab_odd, cd_odd),
                ]
            };
            let [y0, y2, y4, y6] = blocks(
                _mm512_unpacklo_epi64(r0, r1),
                _mm512_unpacklo_epi64(r2, r3),
                _mm512_unpacklo_epi64(r4, r5),
                _mm512_unpacklo_epi64(r6, r7),
            );
            let [y1, y3, y5, y7] = blocks(
                _mm512_unpackhi_epi64(r0, r1),
                _mm512_unpackhi_epi64(r2, r3),
                _mm512_unpackhi_epi64(r4, r5),
                _mm512_unpackhi_epi64(r6, r7),
            );
            [y0, y1, y2, y3, y4, y5, y6, y7].map(Self)
        }
    }
}

/// A constant `w` prepared for multiplication: `w` and `2^32·w`, each followed by its bits from 52 up,
/// because the multiplier reads 52 bits.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Factor([u64; 4]);

impl Factor {
    /// Prepares `w`.
    pub(in super::super) fn new(w: Goldilocks) -> Self {
        let (w, shifted) = (w.as_canonical_u64(), (w * Goldilocks::new(1 << 32)).as_canonical_u64());
        Self([w, w >> 52, shifted, shifted >> 52])
    }
}

/// Eight constants, each prepared as in [`Factor`].
#[derive(Clone, Copy)]
pub(in super::super) struct LaneFactor([__m512i; 4]);

impl LaneFactor {
    /// Prepares the lanes of `w`.
    #[inline(always)]
    pub(in super::super) fn new(w: Lanes) -> Self {
        let w = w.0;
        // SAFETY: this module is compiled only where AVX-512F is enabled.
        unsafe {
            // 2^32 (lo + 2^32 hi) = 2^32 lo + (2^32 - 1) hi.
            let high = times_epsilon(_mm512_srli_epi64::<32>(w));
            let shifted = add_wrapping_modulo(_mm512_slli_epi64::<32>(w), high);
            Self([w, _mm512_srli_epi64::<52>(w), shifted, _mm512_srli_epi64::<52>(shifted)])
        }
    }
}

impl Multiplier<Lanes> for Factor {
    type Prepared = LaneFactor;

    #[inline(always)]
    fn lanes(&self) -> LaneFactor {
        LaneFactor(self.0.map(constant))
    }
}

impl Multiplier<Lanes> for LaneFactor {
    type Prepared = Self;

    #[inline(always)]
    fn lanes(&self) -> Self {
        *self
    }
}

/// `2^64 mod p`.
const EPSILON: u64 = 0xffff_ffff;
/// Mask of a limb's own bits.
const LIMB: u64 = (1 << 48) - 1;
/// A multiple of `p` as limbs, larger than what a transform of eight [`Wide::product`]s can subtract:
/// `2^41·p = 2^105 - 2^73 + 2^41 = OFFSET.0 + 2^48 · OFFSET.1`.
const OFFSET: (u64, u64) = ((1 << 57) + (1 << 41), (1 << 57) - (1 << 25) - (1 << 9));

#[inline(always)]
fn constant(value: u64) -> __m512i {
    // SAFETY: this module is compiled only where AVX-512F is enabled.
    unsafe { _mm512_set1_epi64(value.cast_signed()) }
}

/// `(2^32 - 1) · x` for the low 32 bits of `x`.
///
/// The compiler would turn a visible constant's product into a shift, a mask and a subtraction, two of
/// which compete for the port that the reduction needs most.
#[inline(always)]
fn times_epsilon(x: __m512i) -> __m512i {
    let mut epsilon = constant(EPSILON);
    // SAFETY: the empty text does nothing; this module is compiled only where AVX-512F is enabled.
    unsafe {
        asm!("/* {0} */", inout(zmm_reg) epsilon, options(pure, nomem, nostack, preserves_flags));
        _mm512_mul_epu32(x, epsilon)
    }
}

/// `x + y` modulo p for `y <= p - 2^32`, any representative in and out.
#[inline(always)]
fn add_wrapping_modulo(x: __m512i, y: __m512i) -> __m512i {
    // SAFETY: this module is compiled only where AVX-512F is enabled.
    unsafe {
        let sum = _mm512_add_epi64(x, y);
        let carry = _mm512_cmplt_epu64_mask(sum, x);
        _mm512_mask_sub_epi64(sum, carry, sum, constant(ORDER))
    }
}

/// `low + 2^48 · high` with signed limbs.
///
/// A [`Wide::product`] has limbs in `[0, 2^53]`; after the adds of a transform of eight they lie within
/// `±2^56 (1 + 2^-10)`.
#[derive(Clone, Copy)]
struct Wide {
    low: __m512i,
    high: __m512i,
}

impl Wide {
    /// `start + x·w`; `start`'s high limb must be a multiple of 16.
    #[inline(always)]
    fn product(start: (u64, u64), x: Lanes, w: LaneFactor) -> Self {
        let LaneFactor([w, w_high, shifted, shifted_high]) = w;
        // SAFETY: this module is compiled only where AVX-512F and AVX-512-IFMA are enabled.
        unsafe {
            // x·w = x0·w + x1·(2^32·w), with products below 2^96 split at bit 52. `high` counts 2^52, at
            // most 2^45 (1 + 2^-10), before it is moved to base 2^48.
            let x0 = _mm512_and_si512(x.0, constant(EPSILON));
            let x1 = _mm512_srli_epi64::<32>(x.0);
            let mut low = constant(start.0);
            let mut high = constant(start.1 >> 4);
            low = _mm512_madd52lo_epu64(low, x0, w);
            high = _mm512_madd52hi_epu64(high, x0, w);
            low = _mm512_madd52lo_epu64(low, x1, shifted);
            high = _mm512_madd52hi_epu64(high, x1, shifted);
            high = _mm512_madd52lo_epu64(high, x0, w_high);
            high = _mm512_madd52lo_epu64(high, x1, shifted_high);
            Self { low, high: _mm512_slli_epi64::<4>(high) }
        }
    }

    /// `start + x`.
    #[inline(always)]
    fn sum(start: (u64, u64), x: Lanes) -> Self {
        // SAFETY: this module is compiled only where AVX-512F is enabled.
        unsafe {
            let low = _mm512_and_si512(x.0, constant(LIMB));
            let high = _mm512_srli_epi64::<48>(x.0);
            Self {
                low: _mm512_add_epi64(low, constant(start.0)),
                high: _mm512_add_epi64(high, constant(start.1)),
            }
        }
    }

    /// The element, for limbs in `[2^48, 2^58)`.
    #[inline(always)]
    fn reduce(self) -> Lanes {
        // SAFETY: this module is compiled only where AVX-512F is enabled.
        unsafe {
            // high = h0 + 2^16 h1 + 2^48 h2 with h1 of 32 bits: 2^48 high = 2^48 h0 + 2^64 h1 - h2.
            let h1 = times_epsilon(_mm512_srli_epi64::<16>(self.high));
            let low = _mm512_sub_epi64(self.low, _mm512_srli_epi64::<48>(self.high));
            let low = add_wrapping_modulo(low, _mm512_slli_epi64::<48>(self.high));
            Lanes(add_wrapping_modulo(low, h1))
        }
    }
}

impl Point for Wide {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        // SAFETY: this module is compiled only where AVX-512F is enabled.
        unsafe {
            Self { low: _mm512_add_epi64(self.low, other.low), high: _mm512_add_epi64(self.high, other.high) }
        }
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        // SAFETY: this module is compiled only where AVX-512F is enabled.
        unsafe {
            Self { low: _mm512_sub_epi64(self.low, other.low), high: _mm512_sub_epi64(self.high, other.high) }
        }
    }

    #[inline(always)]
    fn plus_fourth(self, other: Self) -> Self {
        // SAFETY: this module is compiled only where AVX-512F is enabled.
        unsafe {
            Self { low: _mm512_sub_epi64(self.low, other.high), high: _mm512_add_epi64(self.high, other.low) }
        }
    }

    #[inline(always)]
    fn minus_fourth(self, other: Self) -> Self {
        // SAFETY: this module is compiled only where AVX-512F is enabled.
        unsafe {
            Self { low: _mm512_add_epi64(self.low, other.high), high: _mm512_sub_epi64(self.high, other.low) }
        }
    }

    #[inline(always)]
    fn times_eighth(self) -> Self {
        // With x = l + 2^24 h for both limbs: 2^24 low = 2^24 l + 2^48 h, and 2^48 · 2^24 high
        // = 2^48 · 2^24 l - h.
        // SAFETY: this module is compiled only where AVX-512F is enabled.
        unsafe {
            let mask = constant((1 << 24) - 1);
            let shifted = |x| _mm512_slli_epi64::<24>(_mm512_and_si512(x, mask));
            Self {
                low: _mm512_sub_epi64(shifted(self.low), _mm512_srai_epi64::<24>(self.high)),
                high: _mm512_add_epi64(shifted(self.high), _mm512_srai_epi64::<24>(self.low)),
            }
        }
    }
}

/// Inverse butterfly: rows in natural order times `factors`, to the transform with `ω^-1` in bit-reversed
/// order. The first factor is taken to be one.
#[inline(always)]
pub(in super::super) fn inverse<const R: usize, M>(rows: [Lanes; R], factors: &[M; R]) -> [Lanes; R]
where
    M: Multiplier<Lanes, Prepared = LaneFactor>,
    [(); R]: Fourier<R>,
{
    let wide: [Wide; R] = array::from_fn(|n| {
        if n == 0 { Wide::sum(OFFSET, rows[0]) } else { Wide::product((0, 0), rows[n], factors[n].lanes()) }
    });
    let transform = <[(); R]>::fourier(wide);
    array::from_fn(|c| transform[(R - row_of(c, R)) % R].reduce())
}

/// Forward butterfly: rows in bit-reversed order times `factors`, to the transform in natural order.
#[inline(always)]
pub(in super::super) fn forward<const R: usize, M>(rows: [Lanes; R], factors: &[M; R]) -> [Lanes; R]
where
    M: Multiplier<Lanes, Prepared = LaneFactor>,
    [(); R]: Fourier<R>,
{
    let wide: [Wide; R] = array::from_fn(|n| {
        let row = row_of(n, R);
        Wide::product(if n == 0 { OFFSET } else { (0, 0) }, rows[row], factors[row].lanes())
    });
    <[(); R]>::fourier(wide).map(Wide::reduce)
}

/// [`forward`] with all factors one.
#[inline(always)]
pub(in super::super) fn forward_plain<const R: usize>(rows: [Lanes; R]) -> [Lanes; R]
where
    [(); R]: Fourier<R>,
{
    let wide: [Wide; R] =
        array::from_fn(|n| Wide::sum(if n == 0 { OFFSET } else { (0, 0) }, rows[row_of(n, R)]));
    <[(); R]>::fourier(wide).map(Wide::reduce)
}
