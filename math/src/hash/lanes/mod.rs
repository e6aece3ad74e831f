//! Vectors of 32-bit words, one word of each of several independent hashes.
//!
//! The rest of the batch code is written once over [`Lanes`]. [`Widest`] is the implementation for the
//! instruction set that the build targets: AVX-512 (16 lanes), AVX2 (8), SSE2 (4), or plain words (1).

// Tests run every implementation that the target has, other builds only the widest.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", any(test, not(target_feature = "avx512f"))))]
pub(super) mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
pub(super) mod avx512;
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "sse2"))))]
pub(super) mod portable;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", any(test, not(target_feature = "avx2"))))]
pub(super) mod sse2;

use super::Digest;
use crate::field::Goldilocks;

cfg_select! {
    all(target_arch = "x86_64", target_feature = "avx512f") => {
        pub(super) use avx512::Avx512 as Widest;
    }
    all(target_arch = "x86_64", target_feature = "avx2") => {
        pub(super) use avx2::Avx2 as Widest;
    }
    all(target_arch = "x86_64", target_feature = "sse2") => {
        pub(super) use sse2::Sse2 as Widest;
    }
    _ => {
        pub(super) use portable::Portable as Widest;
    }
}

/// `COUNT` words, lane `i` belonging to hash `i`.
pub(super) trait Lanes: Copy + Send + Sync {
    /// Lanes in a vector.
    const COUNT: usize;

    /// `word` in every lane.
    fn splat(word: u32) -> Self;

    /// Lane `i` holds `i`.
    fn indices() -> Self;

    /// Sum modulo 2^32.
    fn add(self, other: Self) -> Self;

    /// Exclusive or.
    fn xor(self, other: Self) -> Self;

    /// Rotation of each lane to the right by `16, 12, 8` or `7` bits.
    fn rotate_right<const BITS: i32>(self) -> Self;

    /// Low and high words of the canonical values of `COUNT` consecutive cells of a column.
    fn load_cells(cells: &[Goldilocks]) -> [Self; 2];

    /// The eight words of `COUNT` consecutive digests: lane `i` of word `k` is word `k` of digest `i`.
    fn load_digests(digests: &[Digest]) -> [Self; 8];

    /// The inverse of [`Self::load_digests`].
    fn store_digests(words: [Self; 8], digests: &mut [Digest]);
}

/// Calls a test function, generic in its lanes, once for each implementation that this target has.
#[cfg(test)]
macro_rules! every_lane_count {
    ($test:ident($($argument:expr),*)) => {
        $test::<$crate::hash::lanes::portable::Portable>($($argument),*);
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        $test::<$crate::hash::lanes::sse2::Sse2>($($argument),*);
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        $test::<$crate::hash::lanes::avx2::Avx2>($($argument),*);
        #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
        $test::<$crate::hash::lanes::avx512::Avx512>($($argument),*);
    };
}
#[cfg(test)]
pub(super) use every_lane_count;

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::hash::DIGEST_BYTES;

    /// Each operation against the same one on plain words, read through the digest transposition.
    fn operations_agree<L: Lanes>(words: &[[u32; 8]], cells: &[u64]) {
        let digests: Vec<Digest> = words[..L::COUNT].iter().map(digest_of).collect();
        let lanes = L::load_digests(&digests);
        let stored = |vectors: [L; 8]| {
            let mut out = vec![Digest::default(); L::COUNT];
            L::store_digests(vectors, &mut out);
            out
        };
        let expected = |word: &dyn Fn(usize, &[u32; 8], usize) -> u32| -> Vec<Digest> {
            let lane = |(i, w): (usize, &[u32; 8])| digest_of(&std::array::from_fn(|k| word(i, w, k)));
            words[..L::COUNT].iter().enumerate().map(lane).collect()
        };
        assert_eq!(stored(lanes), digests);
        assert_eq!(stored([L::splat(0x8123_4567); 8]), expected(&|_, _, _| 0x8123_4567));
        assert_eq!(stored([L::indices(); 8]), expected(&|i, _, _| i as u32));
        let next = |k: usize| (k + 1) % 8;
        let sums = std::array::from_fn(|k| lanes[k].add(lanes[next(k)]));
        assert_eq!(stored(sums), expected(&|_, w, k| w[k].wrapping_add(w[next(k)])));
        let xors = std::array::from_fn(|k| lanes[k].xor(lanes[next(k)]));
        assert_eq!(stored(xors), expected(&|_, w, k| w[k] ^ w[next(k)]));
        assert_eq!(stored(lanes.map(L::rotate_right::<16>)), expected(&|_, w, k| w[k].rotate_right(16)));
        assert_eq!(stored(lanes.map(L::rotate_right::<12>)), expected(&|_, w, k| w[k].rotate_right(12)));
        assert_eq!(stored(lanes.map(L::rotate_right::<8>)), expected(&|_, w, k| w[k].rotate_right(8)));
        assert_eq!(stored(lanes.map(L::rotate_right::<7>)), expected(&|_, w, k| w[k].rotate_right(7)));

        let column: Vec<_> = cells[..L::COUNT].iter().map(|&x| Goldilocks::new(x)).collect();
        let [low, high] = L::load_cells(&column);
        let canonical = |i: usize| cells[i] % crate::field::ORDER;
        let halves = std::array::from_fn(|k| if k < 4 { low } else { high });
        assert_eq!(stored(halves), expected(&|i, _, k| (canonical(i) >> if k < 4 { 0 } else { 32 }) as u32));
    }

    fn digest_of(words: &[u32; 8]) -> Digest {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Digest::from_bytes(<[u8; DIGEST_BYTES]>::try_from(bytes).unwrap())
    }

    fn edge_cell() -> impl Strategy<Value = u64> {
        let p = crate::field::ORDER;
        let edges = [0, 1, p - 1, p, p + 1, u64::MAX, u32::MAX as u64, 1 << 32, p - (1 << 32)];
        prop_oneof![any::<u64>(), proptest::sample::select(edges.to_vec())]
    }

    proptest! {
        #[test]
        fn every_width_computes_on_words(
            words in vec(any::<[u32; 8]>(), 16),
            cells in vec(edge_cell(), 16),
        ) {
            every_lane_count!(operations_agree(&words, &cells));
        }
    }
}
