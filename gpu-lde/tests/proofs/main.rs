//! Proofs made on the stand-in driver have the host's bytes: with all the memory they want, with less and
//! less of it, with every stage moved to the host, and with work refused or corrupted.

#[path = "../../../math-cuda/tests/kernels/kit.rs"]
#[allow(dead_code, reason = "each test binary uses its own part")]
mod kit;
#[path = "../../../prover/tests/support/mod.rs"]
mod support;

mod bytes;
