//! The golden proof: the small system's proof file, as it was when the protocol's version was given.
//!
//! Every build has to make exactly these bytes: debug or release, with whatever vector instructions. The
//! verifier's tests check, fuzz and take apart the same file.

mod support;

use std::fs;
use std::path::Path;

use lambda_verifier::ProofFile;
use support::{PROVEN, SMALL};

/// `UPDATE_GOLDEN=1` writes the file instead. Proof bytes have then changed, and proofs made before no longer
/// verify.
#[test]
#[expect(clippy::disallowed_methods, reason = "tests have no command line")]
fn golden_proof_is_made_again() {
    let file = ProofFile::new(SMALL.verifying_key(), PROVEN.statement.clone(), PROVEN.proof.clone());
    let bytes = file.encode();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../verifier/tests/data/golden-v1.proof");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &bytes).unwrap();
    }
    let golden = fs::read(&path).expect("the golden proof is in the repository");
    assert!(golden == bytes, "the proof's bytes have changed");
}
