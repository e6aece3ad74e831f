//! The proof that was recorded with this version of the protocol still verifies.
//!
//! When it does not, proofs that users keep have become worthless: either the change is undone, or protocol
//! and file get new versions.

mod support;

use lambda_verifier::file::FileError;
use lambda_verifier::{VerifyError, verify_file};
use support::{GOLDEN, KEY, golden_file, tables};

#[test]
fn golden_proof_verifies() {
    let file = golden_file();
    let (accepted, statement) = verify_file(&KEY, &file).unwrap();
    assert_eq!(accepted.layout.heights_log2, [9, 6, 5, 5, 7, 4, 4]);
    assert_eq!(statement.messages.len(), 2);
    assert_eq!(file.encode(), GOLDEN);
}

/// An acceptance that looks at nothing would pass the test above.
#[test]
fn golden_proof_of_another_statement_does_not_verify() {
    let mut file = golden_file();
    file.statement.public_values[tables::FIBONACCI].reverse();
    assert_eq!(verify_file(&KEY, &file).unwrap_err(), FileError::Invalid(VerifyError::Unbalanced));
}
