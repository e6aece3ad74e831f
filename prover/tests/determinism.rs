//! A proof's bytes depend on system, traces, statement and profile, and on nothing else.

mod support;

use lambda_verifier::wire::Wire;
use rayon::ThreadPoolBuilder;
use support::{PROVEN, prove_small, witness};

fn bytes(proof: &lambda_verifier::Proof) -> Vec<u8> {
    let mut bytes = Vec::new();
    proof.encode(&mut bytes);
    bytes
}

/// Races, per-thread partial sums in another order, and a nonce that is merely the first found would all show
/// here.
#[test]
fn proofs_are_equal_for_any_number_of_threads_and_on_every_run() {
    let expected = bytes(&PROVEN.proof);
    for threads in [1, 2, 5] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for _ in 0..2 {
            let proven = pool.install(|| prove_small(witness())).unwrap();
            assert!(bytes(&proven.proof) == expected, "{threads} threads give another proof");
        }
    }
}
