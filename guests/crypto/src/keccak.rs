//! Keccak-256 as Ethereum uses it: rate 136, padding `0x01 … 0x80` (FIPS 202 has another first byte).
//!
//! This module also defines the symbol `native_keccak256`, through which `alloy-primitives` hashes when
//! its feature `native-keccak` is on.

use core::slice;

/// Bytes absorbed by one permutation.
const RATE: usize = 136;
/// Lanes of the state; lane `(x, y)` is number `x + 5 * y`.
const LANES: usize = 25;

/// Iota's constants, FIPS 202 section 3.2.5.
const ROUND_CONSTANTS: [u64; 24] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808a,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808b,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008a,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000a,
    0x0000_0000_8000_808b,
    0x8000_0000_0000_008b,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800a,
    0x8000_0000_8000_000a,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];

/// Rho's rotations by lane number, FIPS 202 section 3.2.2.
const ROTATIONS: [u32; LANES] =
    [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14];

/// One block of input, aligned so that its lanes are single loads.
#[repr(align(8))]
struct Block([u8; RATE]);

/// Keccak-256 of `bytes`.
pub fn keccak256(bytes: &[u8]) -> [u8; 32] {
    let mut state = [0; LANES];
    let mut block = Block([0; RATE]);
    let mut chunks = bytes.chunks_exact(RATE);
    for chunk in &mut chunks {
        block.0.copy_from_slice(chunk);
        absorb(&mut state, &block);
    }
    let rest = chunks.remainder();
    block.0[..rest.len()].copy_from_slice(rest);
    block.0[rest.len()..].fill(0);
    block.0[rest.len()] = 0x01;
    block.0[RATE - 1] |= 0x80;
    absorb(&mut state, &block);

    let mut digest = [0; 32];
    for (out, lane) in digest.chunks_exact_mut(8).zip(state) {
        out.copy_from_slice(&lane.to_le_bytes());
    }
    digest
}

fn absorb(state: &mut [u64; LANES], block: &Block) {
    for (lane, bytes) in state.iter_mut().zip(block.0.as_chunks().0) {
        *lane ^= u64::from_le_bytes(*bytes);
    }
    keccak_f(state);
}

/// Keccak-f\[1600\] on lanes numbered `x + 5 * y`.
///
/// A round is one straight line of code over 25 locals: the compiler keeps as many as it can in registers.
/// Between the first and the last round, six lanes are kept complemented, see [`chi`].
#[inline(never)]
fn keccak_f(state: &mut [u64; LANES]) {
    let mut a = *state;
    complement(&mut a);
    for constant in ROUND_CONSTANTS {
        // Theta: the parity of each column, and what it adds to the columns beside it.
        let parity: [u64; 5] = core::array::from_fn(|x| a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20]);
        let effect: [u64; 5] =
            core::array::from_fn(|x| parity[(x + 4) % 5] ^ parity[(x + 1) % 5].rotate_left(1));
        // Rho and pi: lane (x, y) turns and moves to (y, 2x + 3y).
        let mut b = [0; LANES];
        macro_rules! turn_and_move {
            ($($lane:literal)*) => { $({
                const X: usize = $lane % 5;
                const Y: usize = $lane / 5;
                const TO: usize = Y + 5 * ((2 * X + 3 * Y) % 5);
                b[TO] = (a[$lane] ^ effect[X]).rotate_left(ROTATIONS[$lane]);
            })* };
        }
        turn_and_move!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24);
        chi(&b, &mut a);
        // Iota.
        a[0] ^= constant;
    }
    complement(&mut a);
    *state = a;
}

fn complement(a: &mut [u64; LANES]) {
    for lane in [1, 2, 8, 12, 17, 20] {
        a[lane] = !a[lane];
    }
}

/// Chi, along each row, on a state with six lanes complemented before and after.
///
/// Chi's 25 complements cost an instruction each where the machine has no and-not. De Morgan's laws turn most
/// of them into the choice between `&` and `|`: "Keccak implementation overview", version 3.2, section 2.2,
/// lane complementing.
#[inline(always)]
#[rustfmt::skip]
fn chi(b: &[u64; LANES], a: &mut [u64; LANES]) {
    a[0]  =  b[0]  ^ ( b[1]  |  b[2]);
    a[1]  =  b[1]  ^ (!b[2]  |  b[3]);
    a[2]  =  b[2]  ^ ( b[3]  &  b[4]);
    a[3]  =  b[3]  ^ ( b[4]  |  b[0]);
    a[4]  =  b[4]  ^ ( b[0]  &  b[1]);

    a[5]  =  b[5]  ^ ( b[6]  |  b[7]);
    a[6]  =  b[6]  ^ ( b[7]  &  b[8]);
    a[7]  =  b[7]  ^ ( b[8]  | !b[9]);
    a[8]  =  b[8]  ^ ( b[9]  |  b[5]);
    a[9]  =  b[9]  ^ ( b[5]  &  b[6]);

    a[10] =  b[10] ^ ( b[11] |  b[12]);
    a[11] =  b[11] ^ ( b[12] &  b[13]);
    a[12] =  b[12] ^ (!b[13] &  b[14]);
    a[13] = !b[13] ^ ( b[14] |  b[10]);
    a[14] =  b[14] ^ ( b[10] &  b[11]);

    a[15] =  b[15] ^ ( b[16] &  b[17]);
    a[16] =  b[16] ^ ( b[17] |  b[18]);
    a[17] =  b[17] ^ (!b[18] |  b[19]);
    a[18] = !b[18] ^ ( b[19] &  b[15]);
    a[19] =  b[19] ^ ( b[15] |  b[16]);

    a[20] =  b[20] ^ (!b[21] &  b[22]);
    a[21] = !b[21] ^ ( b[22] |  b[23]);
    a[22] =  b[22] ^ ( b[23] &  b[24]);
    a[23] =  b[23] ^ ( b[24] |  b[20]);
    a[24] =  b[24] ^ ( b[20] &  b[21]);
}

/// The hook of `alloy-primitives`: writes the Keccak-256 of `len` bytes at `bytes` to `output`.
///
/// # Safety
/// `bytes` is valid for reading `len` bytes, `output` for writing 32.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn native_keccak256(bytes: *const u8, len: usize, output: *mut u8) {
    // SAFETY: the caller vouches for `bytes` and `len`.
    let input = unsafe { slice::from_raw_parts(bytes, len) };
    let digest = keccak256(input);
    // SAFETY: the caller vouches for `output`, which cannot overlap a local.
    unsafe { output.copy_from_nonoverlapping(digest.as_ptr(), digest.len()) };
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;
    use tiny_keccak::{Hasher, Keccak};

    use super::*;

    fn reference(bytes: &[u8]) -> [u8; 32] {
        let mut hasher = Keccak::v256();
        hasher.update(bytes);
        let mut digest = [0; 32];
        hasher.finalize(&mut digest);
        digest
    }

    /// A wrong pad shows at lengths around a block's end only.
    #[test]
    fn every_length_across_three_blocks_agrees_with_the_reference() {
        let bytes: Vec<u8> = (0..3 * RATE + 1).map(|i| (i * 31 % 251) as u8).collect();
        for length in 0..=bytes.len() {
            assert_eq!(keccak256(&bytes[..length]), reference(&bytes[..length]), "length {length}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_at_any_alignment_agree_with_the_reference(
            bytes in prop::collection::vec(any::<u8>(), 8..700),
            skip in 0usize..8,
        ) {
            prop_assert_eq!(keccak256(&bytes[skip..]), reference(&bytes[skip..]));
        }
    }

    #[test]
    fn the_hook_gives_the_same_digest() {
        let mut output = [0; 32];
        // SAFETY: both pointers come from slices of the lengths named.
        unsafe { native_keccak256(b"abc".as_ptr(), 3, output.as_mut_ptr()) };
        assert_eq!(output, keccak256(b"abc"));
    }
}
