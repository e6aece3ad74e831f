//! The search for a proof-of-work nonce.

use rayon::prelude::*;

use super::compress::{CHUNK_END, CHUNK_START, ROOT, compress, key_words};
use super::grinding::has_low_zeros;
use super::lanes::{Lanes, Widest};
use super::{Digest, HashDomain, MAX_GRINDING_BITS};

/// Bytes hashed for a nonce: the seed and the nonce.
const ATTEMPT_BYTES: usize = 40;

/// Nonces tried by one task; a multiple of every lane count.
const TASK_NONCES: u64 = 1 << 13;

/// The smallest nonce that [`super::check_grinding`] accepts for `seed` and `bits`, whatever the number
/// of threads. About `2^bits` hashes.
///
/// # Panics
/// When `bits` is above [`MAX_GRINDING_BITS`].
pub fn grind(seed: &[u8; 32], bits: u32) -> u64 {
    grind_in_lanes::<Widest>(seed, bits)
}

fn grind_in_lanes<L: Lanes>(seed: &[u8; 32], bits: u32) -> u64 {
    assert!(bits <= MAX_GRINDING_BITS, "{bits} bits of work cannot be checked");
    // A window gives each thread one task, so that all threads work on the smallest nonces left.
    let window_tasks = rayon::current_num_threads() as u64;
    (0..u64::MAX / (window_tasks * TASK_NONCES))
        .find_map(|window| {
            let tasks = window * window_tasks..(window + 1) * window_tasks;
            tasks
                .into_par_iter()
                .filter_map(|task| smallest_in_task::<L>(seed, bits, task * TASK_NONCES))
                .min()
        })
        .expect("2^64 nonces hold one worth at most 63 bits")
}

/// The smallest nonce of `first .. first + TASK_NONCES` with `bits` bits of work.
fn smallest_in_task<L: Lanes>(seed: &[u8; 32], bits: u32, first: u64) -> Option<u64> {
    let key = key_words::<L>(HashDomain::Grinding.key());
    let mut message = [L::splat(0); 16];
    message[..8].copy_from_slice(&key_words::<L>(seed));
    let mut digests = vec![Digest::default(); L::COUNT];
    (first..first + TASK_NONCES).step_by(L::COUNT).find_map(|nonce| {
        // The lanes' nonces differ from this multiple of their count in its zero bits.
        message[8] = L::splat(nonce as u32).xor(L::indices());
        message[9] = L::splat((nonce >> 32) as u32);
        let words = compress(&key, &message, 0, ATTEMPT_BYTES, CHUNK_START | CHUNK_END | ROOT);
        L::store_digests(words, &mut digests);
        let hit = digests.iter().position(|digest| has_low_zeros(digest.low_word(), bits))?;
        Some(nonce + hit as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::check_grinding;
    use crate::hash::lanes::every_lane_count;

    fn grinds_like_a_plain_search<L: Lanes>(seed: &[u8; 32], bits: u32) {
        let smallest = (0..).find(|&nonce| check_grinding(seed, nonce, bits));
        assert_eq!(Some(grind_in_lanes::<L>(seed, bits)), smallest, "{bits} bits");
    }

    /// A later task's nonce, or a lane taken for another, would change the proof.
    #[test]
    fn the_smallest_nonce_is_found() {
        for bits in 0..12 {
            for seed in 0..4 {
                every_lane_count!(grinds_like_a_plain_search(&[seed; 32], bits));
            }
        }
        every_lane_count!(grinds_like_a_plain_search(&[77; 32], 15));
        assert_eq!(grind(&[5; 32], 0), 0);
    }

    #[test]
    fn the_thread_count_does_not_matter() {
        let grind_on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| grind(&[9; 32], 17))
        };
        let expected = grind_on(1);
        assert!(check_grinding(&[9; 32], expected, 17));
        assert_eq!([grind_on(2), grind_on(3), grind_on(5)], [expected; 3]);
    }

    /// Nonces above 2^32 use the high word.
    #[test]
    fn high_words_of_nonces_count() {
        let first = 5 << 32;
        let found = smallest_in_task::<Widest>(&[3; 32], 8, first).unwrap();
        assert_eq!(Some(found), (first..).find(|&nonce| check_grinding(&[3; 32], nonce, 8)));
    }

    #[test]
    #[should_panic(expected = "64 bits of work")]
    fn more_bits_than_the_check_sees_are_refused() {
        grind(&[0; 32], 64);
    }
}
