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
    let [h0, h1, h2, h3, h4, h5, h6, h7] = *chaining;
    let mut state = State {
        a: [h0, h1, h2, h3],
        b: [h4, h5, h6, h7],
        c: INITIAL.map(L::splat),
        d: [counter as u32, (counter >> 32) as u32, block_bytes as u32, flags | KEYED_HASH].map(L::splat),
    };
    state = state.round(message, &SCHEDULE[0]);
    state = state.round(message, &SCHEDULE[1]);
    state = state.round(message, &SCHEDULE[2]);
    state = state.round(message, &SCHEDULE[3]);
    state = state.round(message, &SCHEDULE[4]);
    state = state.round(message, &SCHEDULE[5]);
    state = state.round(message, &SCHEDULE[6]);
    let [h0, h1, h2, h3] = xor(state.a, state.c);
    let [h4, h5, h6, h7] = xor(state.b, state.d);
    [h0, h1, h2, h3, h4, h5, h6, h7]
}

/// The 4 by 4 state by rows.
struct State<L> {
    a: [L; 4],
    b: [L; 4],
    c: [L; 4],
    d: [L; 4],
}

impl<L: Lanes> State<L> {
    /// Mixes the columns, then the diagonals, which are columns once the rows are rotated.
    #[inline(always)]
    fn round(self, m: &[L; 16], s: &[usize; 16]) -> Self {
        let Self { a, b, c, d } = self
            .half_mix::<16, 12>([m[s[0]], m[s[2]], m[s[4]], m[s[6]]])
            .half_mix::<8, 7>([m[s[1]], m[s[3]], m[s[5]], m[s[7]]]);
        let (b, c, d) = ([b[1], b[2], b[3], b[0]], [c[2], c[3], c[0], c[1]], [d[3], d[0], d[1], d[2]]);
        let Self { a, b, c, d } = Self { a, b, c, d }
            .half_mix::<16, 12>([m[s[8]], m[s[10]], m[s[12]], m[s[14]]])
            .half_mix::<8, 7>([m[s[9]], m[s[11]], m[s[13]], m[s[15]]]);
        let (b, c, d) = ([b[3], b[0], b[1], b[2]], [c[2], c[3], c[0], c[1]], [d[1], d[2], d[3], d[0]]);
        Self { a, b, c, d }
    }

    /// First or second half of the mixing of all four columns, a step of each in turn, so that none waits
    /// for its own previous step.
    #[inline(always)]
    fn half_mix<const ROTATE_D: i32, const ROTATE_B: i32>(self, words: [L; 4]) -> Self {
        let a = add(add(self.a, words), self.b);
        let d = rotate_right::<L, ROTATE_D>(xor(self.d, a));
        let c = add(self.c, d);
        let b = rotate_right::<L, ROTATE_B>(xor(self.b, c));
        Self { a, b, c, d }
    }
}

#[inline(always)]
fn add<L: Lanes>([x0, x1, x2, x3]: [L; 4], [y0, y1, y2, y3]: [L; 4]) -> [L; 4] {
    [x0.add(y0), x1.add(y1), x2.add(y2), x3.add(y3)]
}

#[inline(always)]
fn xor<L: Lanes>([x0, x1, x2, x3]: [L; 4], [y0, y1, y2, y3]: [L; 4]) -> [L; 4] {
    [x0.xor(y0), x1.xor(y1), x2.xor(y2), x3.xor(y3)]
}

#[inline(always)]
fn rotate_right<L: Lanes, const BITS: i32>([x0, x1, x2, x3]: [L; 4]) -> [L; 4] {
    [
        x0.rotate_right::<BITS>(),
        x1.rotate_right::<BITS>(),
        x2.rotate_right::<BITS>(),
        x3.rotate_right::<BITS>(),
    ]
}
