//! Proof-of-work nonces against `lambda_math::hash`.

use lambda_math::hash::{MAX_GRINDING_BITS, check_grinding, grind as grind_on_host};
use lambda_math_cuda::kernels::grind::grind;

use crate::kit;

// A nonce that is not the smallest: another thread's, or one of a later launch.
#[test]
fn the_smallest_nonce_is_found() {
    kit::each_device(|_, stream| {
        for bits in [0, 1, 3, 8, 10, 12] {
            for seed in 0..3 {
                let seed = [seed ^ 0x5a; 32];
                let nonce = grind(stream, &seed, bits).unwrap();
                assert!(check_grinding(&seed, nonce, bits), "{bits} bits");
                assert_eq!(nonce, grind_on_host(&seed, bits), "{bits} bits");
            }
        }
    });
}

// Seeds whose nonce is beyond the first launch.
#[test]
fn the_search_goes_on_after_a_launch() {
    let beyond =
        |bits: u32| (0..=u8::MAX).map(|seed| [seed; 32]).find(|seed| grind_on_host(seed, bits) >> 10 >= 2);
    let seed = beyond(10).expect("one seed in seven takes twice the work that is expected");
    kit::each_device(|_, stream| assert_eq!(grind(stream, &seed, 10).unwrap(), grind_on_host(&seed, 10)));
}

#[test]
#[should_panic(expected = "bits of work")]
fn more_bits_than_the_check_sees_are_refused() {
    kit::each_device(|_, stream| drop(grind(stream, &[0; 32], MAX_GRINDING_BITS + 1)));
}
