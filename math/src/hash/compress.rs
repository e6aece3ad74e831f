//! BLAKE3's compression of one 64-byte block of each lane (BLAKE3 paper, sections 2.2 and 2.3).

use super::lanes::Lanes;

/// Bytes in a block.
pub(super) const BLOCK_BYTES: usize = 64;

/// First block of a chunk.
pub(super) const CHUNK_START: u32 = 1 << 0;
/// Last block of a chunk.
pub(super) const CHUNK_END: u32 = 1 << 1;
/// Two chaining values instead of message bytes.
pub(super) const PARENT: u32 = 1 << 2;
/// The last compression of a hash.
pub(super) const ROOT: u32 = 1 << 3;
/// Keyed mode: set in every compression here.
const KEYED_HASH: u32 = 1 << 4;

const INITIAL: [u32; 4] = [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a];

/// Message word used by each half mixing, per round: the identity, then the message permutation of
/// Table 2 applied once more each time.
const SCHEDULE: [[usize; 16]; 7] = {
    const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    let mut schedule = [[0; 16]; 7];
    let mut i = 0;
    while i < 16 {
        schedule[0][i] = i;
        i += 1;
    }
    let mut round = 1;
    while round < 7 {
        i = 0;
        while i < 16 {
            schedule[round][i] = schedule[round - 1][PERMUTATION[i]];
            i += 1;
        }
        round += 1;
    }
    schedule
};

/// The key, one word a vector.
pub(super) fn key_words<L: Lanes>(key: &[u8; 32]) -> [L; 8] {
    let (words, _) = key.as_chunks::<4>();
    core::array::from_fn(|k| L::splat(u32::from_le_bytes(words[k])))
}

/// Chaining value after a block: `message` compressed under `chaining`, for chunk number `counter`, a
/// block of `block_bytes` bytes and the given flags, in keyed mode.
#[inline(always)]
pub(super) fn compress<L: Lanes>(
    chaining: &[L; 8],
    message: &[L; 16],
    counter: u64,
    block_bytes: usize,
    flags: u32,
) -> [L; 8] {
    let [c0, c1, c2, c3, c4, c5, c6, c7] = *chaining;
    let [i0, i1, i2, i3] = INITIAL.map(L::splat);
    let low = L::splat(counter as u32);
    let high = L::splat((counter >> 32) as u32);
    let length = L::splat(block_bytes as u32);
    let flags = L::splat(flags | KEYED_HASH);
    let mut v = [c0, c1, c2, c3, c4, c5, c6, c7, i0, i1, i2, i3, low, high, length, flags];
    round(&mut v, message, &SCHEDULE[0]);
    round(&mut v, message, &SCHEDULE[1]);
    round(&mut v, message, &SCHEDULE[2]);
    round(&mut v, message, &SCHEDULE[3]);
    round(&mut v, message, &SCHEDULE[4]);
    round(&mut v, message, &SCHEDULE[5]);
    round(&mut v, message, &SCHEDULE[6]);
    core::array::from_fn(|k| v[k].xor(v[k + 8]))
}

/// Mixes the four columns of the state, then its four diagonals.
#[inline(always)]
fn round<L: Lanes>(v: &mut [L; 16], message: &[L; 16], schedule: &[usize; 16]) {
    const STATE: [[usize; 4]; 8] = [
        [0, 4, 8, 12],
        [1, 5, 9, 13],
        [2, 6, 10, 14],
        [3, 7, 11, 15],
        [0, 5, 10, 15],
        [1, 6, 11, 12],
        [2, 7, 8, 13],
        [3, 4, 9, 14],
    ];
    mix4(v, message, schedule, [STATE[0], STATE[1], STATE[2], STATE[3]], 0);
    mix4(v, message, schedule, [STATE[4], STATE[5], STATE[6], STATE[7]], 8);
}

/// Four independent mixings, a step of each in turn, so that none waits for its own previous step.
#[inline(always)]
fn mix4<L: Lanes>(
    v: &mut [L; 16],
    message: &[L; 16],
    schedule: &[usize; 16],
    state: [[usize; 4]; 4],
    first_word: usize,
) {
    half_mix::<L, 16, 12>(v, &state, core::array::from_fn(|i| message[schedule[first_word + 2 * i]]));
    half_mix::<L, 8, 7>(v, &state, core::array::from_fn(|i| message[schedule[first_word + 2 * i + 1]]));
}

/// First or second half of four mixings: rotations by 16 and 12, or by 8 and 7.
#[inline(always)]
fn half_mix<L: Lanes, const FIRST: i32, const SECOND: i32>(
    v: &mut [L; 16],
    state: &[[usize; 4]; 4],
    words: [L; 4],
) {
    for (&[a, b, _, _], word) in state.iter().zip(words) {
        v[a] = v[a].add(v[b]).add(word);
    }
    for &[a, _, _, d] in state {
        v[d] = v[d].xor(v[a]).rotate_right::<FIRST>();
    }
    for &[_, _, c, d] in state {
        v[c] = v[c].add(v[d]);
    }
    for &[_, b, c, _] in state {
        v[b] = v[b].xor(v[c]).rotate_right::<SECOND>();
    }
}
