//! What an honest prover makes, the verifier accepts: in every profile, at every height, with and without
//! buses.

mod support;

use std::array;

use lambda_air::{Table, TableBuilder};
use lambda_math::{Columns, Goldilocks};
use lambda_prover::{HostBackend, Profile, Proven, System, Witness, prove};
use lambda_verifier::{ProofFile, Statement, VerifyingKey, verify_file};
use p3_air::{Air, BaseAir, NamedAirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use support::forger::{Honest, forge};
use support::{HEIGHTS_LOG2, PROVEN, SMALL, columns, field, tables, witness};

/// Encodes the proof, decodes it and verifies it with a key of its own making.
fn verify_as_file(profile: Profile, tables: Vec<Table>, proven: &Proven) {
    let key = VerifyingKey::from_tables(profile, tables).unwrap();
    let bytes = ProofFile::new(&key, proven.statement.clone(), proven.proof.clone()).encode();
    let file = ProofFile::decode(&bytes).unwrap();
    let (_, statement) = verify_file(&key, &file).unwrap();
    assert_eq!(*statement, proven.statement);
}

#[test]
fn small_system_proves_and_verifies() {
    assert_eq!(PROVEN.proof.heights_log2, HEIGHTS_LOG2);
    verify_as_file(Profile::Test, tables::tables(), &PROVEN);
}

/// The small system is worth its name only while it has one of everything.
#[test]
fn small_system_uses_every_feature() {
    let shapes: Vec<_> = SMALL.verifying_key().tables.iter().map(|table| &table.shape).collect();
    let parts: Vec<usize> = shapes.iter().map(|shape| shape.quotient_parts()).collect();
    assert_eq!(parts, [1, 2, 1, 2, 2, 1, 1]);
    let interactions: Vec<usize> = shapes.iter().map(|shape| shape.interactions).collect();
    assert_eq!(interactions, [0, 2, 1, 3, 5, 1, 1]);
    let next_columns: Vec<usize> = shapes.iter().map(|shape| shape.main_next.len()).collect();
    assert_eq!(next_columns, [2, 0, 0, 1, 1, 0, 0]);
    assert_eq!(shapes[tables::SQUARES].preprocessed_next, [1]);
    assert_eq!(PROVEN.statement.messages.len(), 2);
}

#[test]
fn default_profile_proves_and_verifies() {
    with_profile(Profile::Default);
}

#[test]
fn compact_profile_proves_and_verifies() {
    with_profile(Profile::Compact);
}

fn with_profile(profile: Profile) {
    let system = System::new(profile, tables::tables()).unwrap();
    let proven = prove(&system, &HostBackend, witness(), &()).unwrap();
    assert!(proven.accepted.johnson.minimum().whole() >= u64::from(profile.promised_bits()));
    verify_as_file(profile, tables::tables(), &proven);
}

/// A system of one table without buses has neither a lookup tree nor a preprocessed one, and at 2^4 rows no
/// fold.
#[test]
fn single_table_without_buses_proves_at_the_least_height() {
    let tables = || vec![Table::new("fibonacci", tables::Fibonacci)];
    let (trace, public_values) = support::fibonacci(4, 1, 1);
    let statement = Statement { public_values: vec![public_values], messages: Vec::new() };
    let system = support::system(tables());
    let proven = prove(&system, &HostBackend, Witness { traces: vec![trace], statement }, &()).unwrap();
    assert!(proven.proof.fri.layer_caps.is_empty() && proven.proof.lookup_cap.is_empty());
    verify_as_file(Profile::Test, tables(), &proven);
}

/// The table's rows are a counter, its square and its cube.
#[derive(Clone, Copy)]
struct Counter;

impl<F> BaseAir<F> for Counter {
    fn width(&self) -> usize {
        3
    }
}

impl<AB: TableBuilder> Air<AB> for Counter {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let [number, square, cube]: [AB::Var; 3] = array::from_fn(|i| main.current_slice()[i]);
        let next = main.next_slice()[0];
        builder.when_transition().assert_eq_named(next, number + AB::Expr::ONE, "the numbers count up");
        builder.assert_eq_named(square, number * number, "the square is that of the number");
        builder.assert_eq_named(cube, square * number, "the cube is that of the number");
    }
}

fn counter(height_log2: u32) -> Columns {
    let numbers = || (0..1u64 << height_log2).map(field);
    columns([
        numbers().collect(),
        numbers().map(|n| n.square()).collect(),
        numbers().map(|n| n.cube()).collect(),
    ])
}

/// One FRI takes in every height: each one joins at its place, and none in between is left out.
#[test]
fn heights_from_the_least_to_2_18_share_one_proof() {
    // Registry order and order of heights differ.
    let heights_log2: Vec<u32> = (4..=18).map(|i| 4 + (i * 4) % 15).collect();
    let tables = || heights_log2.iter().map(|log2| Table::new(format!("counter {log2}"), Counter)).collect();
    let traces: Vec<Columns> = heights_log2.iter().map(|&log2| counter(log2)).collect();
    let public_values = vec![Vec::<Goldilocks>::new(); traces.len()];
    let statement = Statement { public_values, messages: Vec::new() };
    let proven = prove(&support::system(tables()), &HostBackend, Witness { traces, statement }, &()).unwrap();
    assert_eq!(proven.accepted.layout.distinct_log2, (4..=18).rev().collect::<Vec<u32>>());
    verify_as_file(Profile::Test, tables(), &proven);
}

/// The forger of the negative tests is the prover as long as it does not lie; otherwise its forgeries say
/// nothing.
#[test]
fn honest_forger_makes_the_same_proof() {
    assert_eq!(forge(&SMALL, &witness(), &Honest).unwrap(), PROVEN.proof);
}
