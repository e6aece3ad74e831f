//! Programs, from their execution to a verified proof: what executes is proven.

use lambda_executor::testing::random::{INPUT_BYTES, Random, random_elf};
use lambda_executor::{Executor, Limits};
use lambda_machine::record::ExecutionRecord;
use lambda_prover::execution::{ExecutionWitness, ProvableProgram};
use lambda_prover::{HostBackend, Profile, check_traces};
use lambda_verifier::execution::{ExecutionClaim, ExecutionProof, ExecutionVerifyError, verify_execution};
use lambda_verifier::file::{Claim, HEADER_BYTES};
use lambda_verifier::wire::{Reader, Wire};

/// More than any of the programs needs, so that a wrong jump does not run forever.
const LIMITS: Limits = Limits { cycles: 1_000_000, memory_bytes: 1 << 30 };

/// A random program with its execution.
fn random_execution(seed: u64) -> (ProvableProgram, ExecutionRecord) {
    let elf = random_elf(seed, 2, 300).to_bytes();
    let mut random = Random::new(seed);
    let input: Vec<u8> = (0..INPUT_BYTES).map(|_| random.number() as u8).collect();
    provable(&elf, &input)
}

fn provable(elf: &[u8], input: &[u8]) -> (ProvableProgram, ExecutionRecord) {
    let executor = Executor::from_elf(elf).expect("an executable").with_limits(LIMITS);
    let (execution, record) = executor.record(input).expect("the program exits");
    assert_eq!((&record.output, record.exit_code), (&execution.output, execution.exit_code));
    let program = ProvableProgram::new(Profile::Test, executor.program().clone()).expect("a small program");
    (program, record)
}

/// In as many instances of each table as a proof can have, so that there are many joints.
fn in_small_instances(
    program: ProvableProgram,
    record: &ExecutionRecord,
) -> (ProvableProgram, ExecutionWitness) {
    let mut program = program;
    for rows_log2 in 4.. {
        program = program.with_max_rows(1 << rows_log2);
        let witness = program.witness(record);
        if witness.traces.len() <= 256 {
            return (program, witness);
        }
    }
    unreachable!("larger instances are fewer")
}

fn assert_satisfied(program: ProvableProgram, record: &ExecutionRecord, name: &str) {
    let (program, witness) = in_small_instances(program, record);
    let census = program.census(record);
    assert_eq!(census.cycles, record.cpu.len() as u64);
    let padded: u64 = census.tables.iter().map(|table| table.padded_rows).sum();
    assert_eq!(padded, witness.traces.iter().map(|trace| trace.height() as u64).sum::<u64>());
    let (planned_key, planned) = program.shape(&census).expect("few enough instances");
    let heights: Vec<u8> = witness.traces.iter().map(|trace| trace.height().trailing_zeros() as u8).collect();
    assert_eq!(planned, heights, "{name}: a census tells the heights");
    let (system, witness) = program.instantiate(witness).expect("few enough instances");
    assert_eq!(planned_key.digest(), system.verifying_key().digest());
    if let Err(report) = check_traces(&system.key, &witness.traces, &witness.statement) {
        panic!("{name}: {report}");
    }
}

/// Whatever a random program does satisfies every constraint and bus, and its proof is accepted.
#[test]
fn what_executes_is_proven() {
    for seed in 0..6 {
        let (program, record) = random_execution(seed);
        assert_satisfied(program, &record, &format!("seed {seed}"));
    }
}

/// Bug: an instance that begins where one of the same height before it would have ended.
#[test]
fn instances_of_different_heights_join() {
    let elf =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../guests/elf/fib.elf")).expect("the guest");
    let (program, record) = provable(&elf, &27_000u64.to_le_bytes());
    let witness = program.witness(&record);
    let heights: Vec<usize> = witness.traces.iter().map(|trace| trace.height()).take(2).collect();
    assert_eq!(heights, [1 << 17, 1 << 12], "{} instructions", record.cpu.len());
    let proven = program.prove(&HostBackend, witness, &()).expect("an honest execution");
    let _ = verify_execution(&proven.file).expect("an honest proof");
}

#[test]
fn proofs_are_verified_from_their_bytes() {
    let (program, record) = random_execution(100);
    let (program, witness) = in_small_instances(program, &record);
    let proven = program.prove(&HostBackend, witness, &()).expect("an honest execution");
    let bytes = proven.file.encode();
    let file = ExecutionProof::decode(&bytes).expect("a proof file");
    assert_eq!(file.encode(), bytes);
    assert_eq!(file.program_id, program.id());
    assert_eq!((&file.statement.output, file.statement.exit_code), (&record.output, record.exit_code));
    let verified = verify_execution(&file).expect("an honest proof");
    assert_eq!(verified.key.tables.len(), file.proof.heights_log2.len());

    // Another output or exit code.
    let mut other = file.clone();
    other.statement.output[0] ^= 1;
    assert!(matches!(verify_execution(&other), Err(ExecutionVerifyError::Invalid(_))));
    let mut other = file.clone();
    other.statement.exit_code ^= 1;
    assert!(matches!(verify_execution(&other), Err(ExecutionVerifyError::Invalid(_))));
    // Another program, under the name of this one or under its own.
    let (another, another_record) = random_execution(101);
    let commitment = another.witness(&another_record).claim.program;
    let mut other = file.clone();
    other.statement.program = commitment;
    assert!(matches!(verify_execution(&other), Err(ExecutionVerifyError::ProgramId { .. })));
    other.program_id = another.id();
    assert!(matches!(verify_execution(&other), Err(ExecutionVerifyError::Invalid(_))));
}

/// The bug: a verifier that panics on a damaged proof of an execution, or takes one. The damage is one byte,
/// anywhere, or a cut; the header's digest of the claim is made to fit, so that the claim itself is judged.
#[test]
fn damaged_proofs_are_refused() {
    let (program, record) = random_execution(102);
    let proven = program.prove(&HostBackend, program.witness(&record), &()).expect("an honest execution");
    let bytes = proven.file.encode();
    let mut claim = Vec::new();
    proven.file.statement.encode(&mut claim);
    let claim = claim.len();
    let mut random = Random::new(7);
    for case in 0..300 {
        let mut damaged = bytes.clone();
        if case % 10 == 0 {
            damaged.truncate(random.below(bytes.len() as u64) as usize);
        } else {
            // Half of the damage goes to header and claim, which are a small part of the file.
            let end = if case % 2 == 0 { HEADER_BYTES + claim } else { bytes.len() };
            let at = random.below(end as u64) as usize;
            damaged[at] ^= 1 << random.below(8);
        }
        if let Some(Ok(claim)) =
            damaged.get(HEADER_BYTES..).map(|body| ExecutionClaim::decode(&mut Reader::new(body)))
        {
            damaged[48..80].copy_from_slice(&claim.digest());
        }
        let accepted = ExecutionProof::decode(&damaged).is_ok_and(|file| verify_execution(&file).is_ok());
        // A flip of the digest has been undone.
        assert_eq!(accepted, damaged == bytes, "case {case}");
    }
}

/// Compiled programs use other instructions and more memory than random ones.
#[test]
fn traces_of_guests_satisfy_everything() {
    let input: Vec<u8> = 2_u64.to_le_bytes().into_iter().chain(1..90).collect();
    for name in ["hello", "fib", "sha256", "keccak"] {
        let path = format!("{}/../guests/elf/{name}.elf", env!("CARGO_MANIFEST_DIR"));
        let elf = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let (program, record) = provable(&elf, &input);
        assert_satisfied(program, &record, name);
    }
}
