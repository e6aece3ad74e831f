//! The built-in demo system proves and verifies.

use lambda_demo::{DemoInput, tables, traces};
use lambda_prover::{HostBackend, Profile, System, Witness, prove};
use lambda_verifier::{ProofFile, Statement, VerifyingKey, verify_file};

#[test]
fn demo_system_proves_and_verifies() {
    let system = System::new(Profile::Test, tables()).unwrap();
    let (traces, public_values) = traces(&DemoInput { fibonacci_log2: 6, keccak_permutations: 2, seed: 1 });
    let statement = Statement { public_values, messages: Vec::new() };
    let proven = prove(&system, &HostBackend, Witness { traces, statement: statement.clone() }, &()).unwrap();
    let bytes = ProofFile::new(system.verifying_key(), proven.statement, proven.proof).encode();
    let key = VerifyingKey::from_tables(Profile::Test, tables()).unwrap();
    let file = ProofFile::decode(&bytes).unwrap();
    let (_, proven) = verify_file(&key, &file).unwrap();
    assert_eq!(*proven, statement);
}
