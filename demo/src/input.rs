//! What the demo proves, and its traces.

use alloc::vec;
use alloc::vec::Vec;
use core::array;

use lambda_math::{Columns, Goldilocks};
use p3_field::PrimeCharacteristicRing;

use crate::{fibonacci, keccak, range16};

/// Sizes of the demo's tables, and the seed of their contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemoInput {
    /// Height of the table `fibonacci` is 2 to this power, at most 32.
    pub fibonacci_log2: u32,
    /// Permutations in the table `keccak`.
    pub keccak_permutations: usize,
    /// Determines the first two Fibonacci terms and the inputs of the permutations.
    pub seed: u64,
}

/// Main columns and public values of each table, in registry order. Equal inputs give equal traces.
///
/// # Panics
/// When `fibonacci_log2` is above 32.
pub fn traces(input: &DemoInput) -> (Vec<Columns>, Vec<Vec<Goldilocks>>) {
    let mut words = Words { state: input.seed };
    let [first, second] = array::from_fn(|_| Goldilocks::from_u64(words.next()));
    let states = (0..input.keccak_permutations).map(|_| array::from_fn(|_| words.next())).collect();

    let fibonacci = fibonacci::trace(first, second, input.fibonacci_log2);
    let keccak = keccak::trace(states);
    let lookups = fibonacci::range_lookups(&fibonacci).chain(keccak::range_lookups(&keccak));
    let range16 = range16::trace(lookups);

    let public_values = fibonacci::public_values(first, second, input.fibonacci_log2).to_vec();
    (vec![fibonacci, keccak, range16], vec![public_values, Vec::new(), Vec::new()])
}

/// The generator SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014, with Stafford's mixer 13. The demo's proof bytes depend on it.
struct Words {
    state: u64,
}

impl Words {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.state;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }
}

#[cfg(test)]
mod tests {
    use super::Words;

    /// The first words of the reference implementation for the seed 1234567.
    #[test]
    fn words_are_those_of_splitmix64() {
        let mut words = Words { state: 1_234_567 };
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(core::array::from_fn(|_| words.next()), expected);
    }
}
