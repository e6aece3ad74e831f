//! One word all over a buffer, and the search for it.

use lambda_math::Goldilocks;
use lambda_math_cuda::POISON;
use lambda_math_cuda::kernels::fill::{count, fill};
use p3_field::PrimeField64;

use crate::kit;

// Words left out at the end, or beyond it overwritten.
#[test]
fn all_words_and_no_others_are_filled() {
    kit::each_device(|_, stream| {
        for words in [0, 1, 2047, 2048, 2049, 10_000] {
            let mut buffer = stream.upload(&kit::values(words + 2, 1), "words").unwrap();
            let before = stream.download(&buffer).unwrap();
            fill(stream, buffer.slice_mut(1..=words), 0xffff_ffff_5eed_dead).unwrap();
            let after = stream.download(&buffer).unwrap();
            let filled = Goldilocks::new(0xffff_ffff_5eed_dead);
            assert!(after[1..=words].iter().all(|&word| word == filled), "{words} words");
            assert_eq!((after[0], after[words + 1]), (before[0], before[words + 1]), "{words} words");
        }
    });
}

// A word that only equals it as a field element, a thread's count lost.
#[test]
fn words_are_counted_as_stored() {
    kit::each_device(|_, stream| {
        let mut buffer = stream.upload(&kit::values(10_000, 3), "words").unwrap();
        assert_eq!(count(stream, buffer.as_slice(), POISON).unwrap(), 0);
        fill(stream, buffer.slice_mut(..), 7).unwrap();
        for (first, last) in [(0, 1), (9_999, 10_000), (300, 5_000)] {
            fill(stream, buffer.slice_mut(first..last), POISON).unwrap();
        }
        assert_eq!(count(stream, buffer.as_slice(), POISON).unwrap(), 2 + 4_700);
        assert_eq!(count(stream, buffer.slice(301..9_999), POISON).unwrap(), 4_699);
        let congruent = Goldilocks::new(POISON.wrapping_sub(Goldilocks::ORDER_U64));
        let congruent = stream.upload(&[congruent], "words").unwrap();
        assert_eq!(
            count(stream, congruent.as_slice(), POISON).unwrap(),
            0,
            "another word of the same element"
        );
        assert_eq!(count(stream, buffer.slice(..0), POISON).unwrap(), 0);
    });
}
