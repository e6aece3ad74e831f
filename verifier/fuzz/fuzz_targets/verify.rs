//! Statement and proof of the golden file, xored with the input, under a header that fits them: nothing but
//! the golden proof is accepted.
#![no_main]

use std::sync::LazyLock;

use lambda_verifier::file::HEADER_BYTES;
use lambda_verifier::wire::{Reader, Wire};
use lambda_verifier::{Profile, ProofFile, Statement, VerifyingKey, verify_file};
use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "the tests name tables that this target does not")]
#[path = "../../tests/support/tables.rs"]
mod tables;

const GOLDEN: &[u8] = include_bytes!("../../tests/data/golden-v1.proof");

static KEY: LazyLock<VerifyingKey> =
    LazyLock::new(|| VerifyingKey::from_tables(Profile::Test, tables::tables()).unwrap());

fuzz_target!(|bytes: &[u8]| {
    let mut file = GOLDEN.to_vec();
    file.resize(GOLDEN.len().max(HEADER_BYTES + bytes.len()), 0);
    for (byte, other) in file[HEADER_BYTES..].iter_mut().zip(bytes) {
        *byte ^= other;
    }
    let length = (file.len() - HEADER_BYTES) as u64;
    file[80..88].copy_from_slice(&length.to_le_bytes());
    if let Ok(statement) = Statement::decode(&mut Reader::new(&file[HEADER_BYTES..])) {
        file[48..80].copy_from_slice(&statement.digest());
    }
    let accepted = ProofFile::decode(&file).is_ok_and(|file| verify_file(&KEY, &file).is_ok());
    assert_eq!(accepted, file == GOLDEN);
});
