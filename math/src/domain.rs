//! Evaluation domains and the order in which their points are stored.
//!
//! A table of height `N = 2^k` has its trace on the subgroup `H_N = <ω_N>`, row `j` at `ω_N^j`. Its
//! low-degree extension at blowup `B = 2^b` lives on the coset `g·H_n`, `n = B·N`, `g` = [`SHIFT`].
//! That coset is the union of `B` cosets of `H_N`, called **slabs**. Slab `σ` holds, in natural order,
//!
//! ```text
//!     slab σ, entry j   ↔   x = g · ω_n^c · ω_N^j,     c = the b-bit reversal of σ
//! ```
//!
//! so the next trace row is the next entry of the same slab (cyclically), and the first `d` slabs are
//! the coset `g·H_{dN}` of a quotient of degree below `dN`.
//!
//! Trees and queries speak of **positions**: the n points in bit-reversed order. Entry `j` of slab `σ`
//! is at position `σ·N + rev_k(j)`. Positions `2i` and `2i + 1` are the points `x` and `-x`, entries `j`
//! and `j + N/2` of one slab, and dropping the low `s` bits of a position gives the position of
//! `(x/g)^(2^s)` in the domain of height `N/2^s`, entry `j mod N/2^s` of the same slab.

use p3_field::{PrimeCharacteristicRing, TwoAdicField};

use crate::field::Goldilocks;

/// Offset `g` of every evaluation coset: the field's multiplicative generator.
pub const SHIFT: Goldilocks = Goldilocks::new(7);

/// Largest `log2` of a subgroup's order in the field.
pub const TWO_ADICITY: u32 = 32;

/// Generator `ω` of the subgroup of order `2^log2`; orders above 2^32 do not exist and give 1.
pub fn root_of_unity(log2: u32) -> Goldilocks {
    if log2 > TWO_ADICITY {
        return Goldilocks::ONE;
    }
    usize::try_from(log2).map_or(Goldilocks::ONE, Goldilocks::two_adic_generator)
}

/// Reverses the low `bits` bits of `x`; the others must be zero.
pub const fn reverse_bits(x: usize, bits: u32) -> usize {
    if bits == 0 { x } else { x.reverse_bits() >> (usize::BITS - bits) }
}

/// Offset of slab `slab` for trace height `2^height_log2` and blowup `2^blowup_log2`.
pub fn slab_shift(slab: usize, height_log2: u32, blowup_log2: u32) -> Goldilocks {
    let coset = reverse_bits(slab, blowup_log2);
    SHIFT * root_of_unity(height_log2 + blowup_log2).exp_u64(coset as u64)
}

/// Position of entry `entry` of slab `slab` (module docs).
pub const fn position_of(slab: usize, entry: usize, height_log2: u32) -> usize {
    (slab << height_log2) | reverse_bits(entry, height_log2)
}

/// Slab and entry at `position`: the inverse of [`position_of`].
pub const fn slab_and_entry(position: usize, height_log2: u32) -> (usize, usize) {
    let low = position & ((1 << height_log2) - 1);
    (position >> height_log2, reverse_bits(low, height_log2))
}
