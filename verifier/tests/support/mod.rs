//! The golden proof and the key it is verified with.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod tables;

use std::sync::LazyLock;

use lambda_verifier::file::HEADER_BYTES;
use lambda_verifier::{Profile, ProofFile, VerifyingKey};

/// A proof file of the small system; the prover's tests make it.
pub const GOLDEN: &[u8] = include_bytes!("../data/golden-v1.proof");

/// Statement and proof of the golden file.
pub fn golden_body() -> &'static [u8] {
    &GOLDEN[HEADER_BYTES..]
}

/// The golden file, decoded.
pub fn golden_file() -> ProofFile {
    ProofFile::decode(GOLDEN).expect("the golden file is a proof")
}

/// The small system's key.
pub static KEY: LazyLock<VerifyingKey> = LazyLock::new(|| {
    VerifyingKey::from_tables(Profile::Test, tables::tables()).expect("the tables are a system")
});
