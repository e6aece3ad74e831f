//! A proof file of either kind is either refused, or has the bytes that its content encodes to.
#![no_main]

use lambda_verifier::ProofFile;
use lambda_verifier::execution::ExecutionProof;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(file) = ProofFile::decode(bytes) {
        assert_eq!(file.encode(), bytes);
    }
    if let Ok(file) = ExecutionProof::decode(bytes) {
        assert_eq!(file.encode(), bytes);
    }
});
