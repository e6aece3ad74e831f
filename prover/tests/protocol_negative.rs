//! Attacks on the protocol that need more than one changed leaf: compensated changes, other systems, other
//! shapes.

mod support;

use std::array;

use lambda_air::Table;
use lambda_math::hash::{check_grinding, grind};
use lambda_math::merkle::MerkleError;
use lambda_math::{Digest, Ext3, Goldilocks};
use lambda_prover::{HostBackend, Profile, Witness, prove};
use lambda_verifier::composition::fingerprint;
use lambda_verifier::error::Part;
use lambda_verifier::layout::Tree;
use lambda_verifier::profile::{MAX_HEIGHT_LOG2, MIN_HEIGHT_LOG2};
use lambda_verifier::proof::TableValues;
use lambda_verifier::{Proof, PublicMessage, Statement, VerifyError, VerifyingKey, verify};
use p3_field::PrimeCharacteristicRing;
use support::{HEIGHTS_LOG2, PROVEN, SMALL, field, system, tables};

/// What the verifier says to the small system's proof once `change` has been made to it.
fn refusal(change: impl FnOnce(&mut Proof)) -> VerifyError {
    let mut proof = PROVEN.proof.clone();
    change(&mut proof);
    assert_ne!(proof, PROVEN.proof, "nothing was changed");
    verify(SMALL.verifying_key(), &PROVEN.statement, &proof).expect_err("the change went unnoticed")
}

/// What the verifier says to the small system's proof once `change` has been made to the statement.
fn statement_refusal(change: impl FnOnce(&mut Statement)) -> VerifyError {
    let mut statement = PROVEN.statement.clone();
    change(&mut statement);
    assert_ne!(statement, PROVEN.statement, "nothing was changed");
    verify(SMALL.verifying_key(), &statement, &PROVEN.proof).expect_err("the change went unnoticed")
}

fn length(part: Part, index: usize, expected: usize, got: usize) -> VerifyError {
    VerifyError::Length { part, index, expected, got }
}

// Tables and their sums.

/// The total stays 0; a verifier that only checks the total, or draws the constraint challenge before the
/// sums, accepts.
#[test]
fn sums_changed_by_opposite_amounts_are_refused() {
    let error = refusal(|proof| {
        proof.lookup_sums[0] += Ext3::ONE;
        proof.lookup_sums[1] -= Ext3::ONE;
    });
    assert!(matches!(error, VerifyError::Composition { .. }), "{error}");
}

#[test]
fn dropped_doubled_and_appended_tables_are_refused() {
    assert_eq!(refusal(|proof| drop(proof.out_of_domain.remove(0))), length(Part::OutOfDomain, 0, 7, 6));
    assert_eq!(
        refusal(|proof| proof.out_of_domain.push(proof.out_of_domain[0].clone())),
        length(Part::OutOfDomain, 0, 7, 8)
    );
    assert_eq!(refusal(|proof| proof.heights_log2.push(4)), length(Part::Heights, 0, 7, 8));
    assert_eq!(refusal(|proof| proof.lookup_sums.push(Ext3::ZERO)), length(Part::LookupSums, 0, 6, 7));
    let error = refusal(|proof| {
        proof.heights_log2.push(4);
        proof.out_of_domain.push(proof.out_of_domain[6].clone());
        proof.lookup_sums.push(Ext3::ZERO);
        proof.openings.main.rows.push(proof.openings.main.rows[6].clone());
    });
    assert_eq!(error, length(Part::Heights, 0, 7, 8));
}

/// `nibbles` and `squares` have one height, and so have `left` and `right`; their values do not have one
/// shape.
#[test]
fn reordered_tables_are_refused() {
    let error = refusal(|proof| proof.out_of_domain.swap(tables::LEFT, tables::RIGHT));
    assert!(matches!(error, VerifyError::Length { part: Part::Values(Tree::Main), index: 2, .. }), "{error}");
    let error = refusal(|proof| proof.lookup_sums.swap(1, 2));
    assert!(matches!(error, VerifyError::Composition { .. }), "{error}");
    let error = refusal(|proof| proof.openings.main.rows.swap(tables::LEFT, tables::RIGHT));
    assert!(
        matches!(error, VerifyError::Length { part: Part::OpenedCells(Tree::Main), index: 2, .. }),
        "{error}"
    );
}

/// Two tables of one shape can be exchanged as wholes; their order is part of what is committed.
#[test]
fn exchanged_twins_are_refused() {
    let twins = || ["first", "second"].map(|name| Table::new(name, tables::Fibonacci)).into();
    let (first, first_values) = support::fibonacci(5, 1, 1);
    let (second, second_values) = support::fibonacci(5, 2, 3);
    let statement = Statement { public_values: vec![first_values, second_values], messages: Vec::new() };
    let system = system(twins());
    let proven =
        prove(&system, &HostBackend, Witness { traces: vec![first, second], statement }, &()).unwrap();
    let (mut proof, mut statement) = (proven.proof, proven.statement);
    for rows in [&mut proof.openings.main.rows, &mut proof.openings.quotient.rows] {
        rows.swap(0, 1);
    }
    let error = verify(system.verifying_key(), &statement, &proof).unwrap_err();
    assert!(
        matches!(error, VerifyError::Opening { tree: Tree::Main, error: MerkleError::CapMismatch { .. } }),
        "{error}"
    );
    proof.out_of_domain.swap(0, 1);
    statement.public_values.swap(0, 1);
    assert_eq!(
        verify(system.verifying_key(), &statement, &proof).unwrap_err(),
        VerifyError::Composition { table: 0 }
    );
}

// Other systems, profiles, statements.

#[test]
fn proof_of_another_system_or_profile_is_refused() {
    let (proof, statement) = (&PROVEN.proof, &PROVEN.statement);
    let mut renamed = tables::tables();
    renamed[0].name = "lucas".to_owned();
    for (profile, tables) in [(Profile::Test, renamed), (Profile::Test, tables::tables_from(1))] {
        let other = VerifyingKey::from_tables(profile, tables).unwrap();
        assert_eq!(verify(&other, statement, proof).unwrap_err(), VerifyError::Unbalanced);
    }
    for profile in [Profile::Default, Profile::Compact] {
        let other = VerifyingKey::from_tables(profile, tables::tables()).unwrap();
        assert_eq!(verify(&other, statement, proof).unwrap_err(), VerifyError::Unbalanced);
    }
    let mut fewer = tables::tables();
    fewer.pop();
    let other = VerifyingKey::from_tables(Profile::Test, fewer).unwrap();
    assert_eq!(verify(&other, statement, proof).unwrap_err(), length(Part::Heights, 0, 6, 7));
}

/// The cap alone is exchanged, so that the transcript is the honest one and only the openings can tell.
#[test]
fn preprocessed_columns_of_another_system_are_refused() {
    let other = VerifyingKey::from_tables(Profile::Test, tables::tables_from(1)).unwrap();
    let mut key = VerifyingKey::from_tables(Profile::Test, tables::tables()).unwrap();
    key.preprocessed_cap = other.preprocessed_cap;
    let error = verify(&key, &PROVEN.statement, &PROVEN.proof).unwrap_err();
    assert!(
        matches!(
            error,
            VerifyError::Opening { tree: Tree::Preprocessed, error: MerkleError::CapMismatch { .. } }
        ),
        "{error}"
    );
}

#[test]
fn another_statement_is_refused() {
    let fibonacci = tables::FIBONACCI;
    let bus = tables::ANSWER.id.into();
    let unbalanced: [fn(&mut Statement); 7] = [
        |statement| statement.public_values[tables::FIBONACCI][2] += Goldilocks::ONE,
        |statement| statement.messages[0].fields[1] += Goldilocks::ONE,
        |statement| statement.messages[1].multiplicity = Goldilocks::TWO,
        |statement| drop(statement.messages.pop()),
        |statement| statement.messages.push(statement.messages[0].clone()),
        |statement| statement.messages.swap(0, 1),
        |statement| statement.messages.clear(),
    ];
    for change in unbalanced {
        assert_eq!(statement_refusal(change), VerifyError::Unbalanced);
    }
    // A message that cancels another, or counts zero times, leaves the balance alone; it is bound all the
    // same.
    for multiplicity in [Goldilocks::ZERO, Goldilocks::ONE] {
        let error = statement_refusal(|statement| {
            let fields = vec![field(7), field(7)];
            let message = PublicMessage { bus, multiplicity, fields };
            statement.messages.push(PublicMessage { multiplicity: -multiplicity, ..message.clone() });
            statement.messages.push(message);
        });
        assert_eq!(error, VerifyError::Unbalanced);
    }
    let error = statement_refusal(|statement| statement.public_values[fibonacci].push(Goldilocks::ZERO));
    assert_eq!(error, length(Part::PublicValues, fibonacci, 3, 4));
    let error = statement_refusal(|statement| statement.public_values[tables::POWER].push(Goldilocks::ZERO));
    assert_eq!(error, length(Part::PublicValues, tables::POWER, 0, 1));
    let error = statement_refusal(|statement| statement.messages[1].fields.push(Goldilocks::ZERO));
    assert_eq!(error, length(Part::MessageFields, 1, 2, 3));
}

/// Bus ids are 32 bits; the message's is a word, which must not be cut down to one.
#[test]
fn messages_on_buses_that_do_not_exist_are_refused() {
    for bus in [0, 5, u64::from(u32::MAX), (1 << 32) + u64::from(tables::ANSWER.id), u64::MAX] {
        let error = statement_refusal(|statement| statement.messages[0].bus = bus);
        assert_eq!(error, VerifyError::UnknownBus { message: 0, bus });
    }
}

/// Were the length or the bus left out, a message could be received as a longer one that ends in zeros, or on
/// another bus.
#[test]
fn fingerprints_tell_buses_and_lengths_apart() {
    let alpha = Ext3::new([field(3), field(5), field(7)]);
    let (zero, one) = (Goldilocks::ZERO, Goldilocks::ONE);
    let messages: [(Goldilocks, &[Goldilocks]); 7] = [
        (one, &[]),
        (one, &[zero]),
        (one, &[zero, zero]),
        (one, &[one]),
        (one, &[one, zero]),
        (one, &[zero, one]),
        (field(2), &[one]),
    ];
    let fingerprints = messages.map(|(bus, fields)| fingerprint(bus, fields, alpha));
    for (index, fingerprint) in fingerprints.iter().enumerate() {
        assert!(!fingerprints[..index].contains(fingerprint), "{:?}", messages[index]);
    }
}

// Shapes.

#[test]
fn heights_out_of_range_are_refused() {
    for (table, log2) in [(0, 0), (0, 3), (1, 25), (2, 64), (3, 255), (4, 128)] {
        assert_eq!(refusal(|proof| proof.heights_log2[table] = log2), VerifyError::Height { table, log2 });
    }
    assert_eq!((MIN_HEIGHT_LOG2, MAX_HEIGHT_LOG2), (4, 24));
}

#[test]
fn wrong_heights_are_refused() {
    for (table, honest) in HEIGHTS_LOG2.into_iter().enumerate() {
        for height in [honest - 1, honest + 1] {
            let error = refusal(|proof| proof.heights_log2[table] = height);
            match table {
                tables::NIBBLES | tables::SQUARES if height < 4 => {
                    assert_eq!(error, VerifyError::Height { table, log2: height });
                }
                tables::NIBBLES | tables::SQUARES => {
                    let got = height.into();
                    assert_eq!(error, VerifyError::PreprocessedHeight { table, expected: 4, got });
                }
                _ => {
                    assert!(matches!(error, VerifyError::Unbalanced | VerifyError::Length { .. }), "{error}")
                }
            }
        }
    }
    let error = refusal(|proof| proof.heights_log2.swap(tables::POWER, tables::LEFT));
    assert_eq!(error, VerifyError::Unbalanced);
    let error = refusal(|proof| proof.heights_log2.fill(4));
    assert!(matches!(error, VerifyError::Length { part: Part::LayerCaps, expected: 0, .. }), "{error}");
    let error = refusal(|proof| proof.heights_log2[tables::FIBONACCI] = 24);
    assert!(matches!(error, VerifyError::Length { part: Part::LayerCaps, .. }), "{error}");
}

/// A longer polynomial is of higher degree whatever its coefficients are, zeros included.
#[test]
fn final_polynomials_of_other_lengths_are_refused() {
    let expected = PROVEN.proof.fri.final_polynomial.len();
    for got in [0, 1, expected - 1, expected + 1, 2 * expected, 64 * expected] {
        let error = refusal(|proof| proof.fri.final_polynomial.resize(got, Ext3::ZERO));
        assert_eq!(error, length(Part::FinalPolynomial, 0, expected, got));
    }
}

/// `left` has rows of 2 cells and `right` of 4 at the same height, hence in the same leaf: moving the
/// boundary between them keeps the bytes in their order.
#[test]
fn cells_moved_between_tables_of_one_height_are_refused() {
    for to_right in [true, false] {
        let error = refusal(|proof| {
            let (left, right) = (tables::LEFT, tables::RIGHT);
            let rows = &mut proof.openings.main.rows;
            let (from, to) = if to_right { (left, right) } else { (right, left) };
            let moved = rows[from].pop().unwrap();
            rows[to].push(moved);
        });
        assert!(
            matches!(
                error,
                VerifyError::Length { part: Part::OpenedCells(Tree::Main), index: tables::LEFT, .. }
            ),
            "{error}"
        );
    }
    // With rows of 3 and 3 cells the totals are right and the tables' own are not.
    let error = refusal(|proof| {
        let rows = &mut proof.openings.main.rows;
        let count = rows[tables::LEFT].len() / 2;
        let all: Vec<Vec<Goldilocks>> = (0..count)
            .map(|i| [&rows[tables::LEFT][2 * i..][..2], &rows[tables::RIGHT][4 * i..][..4]].concat())
            .collect();
        rows[tables::LEFT] = all.iter().flat_map(|cells| cells[..3].to_vec()).collect();
        rows[tables::RIGHT] = all.iter().flat_map(|cells| cells[3..].to_vec()).collect();
    });
    assert!(
        matches!(error, VerifyError::Length { part: Part::OpenedCells(Tree::Main), index: tables::LEFT, .. }),
        "{error}"
    );
}

/// Moves cells between rows of one table: every length stays right, the leaves do not.
#[test]
fn cells_moved_between_rows_are_refused() {
    let error = refusal(|proof| proof.openings.main.rows[tables::FIBONACCI].rotate_left(1));
    assert!(
        matches!(error, VerifyError::Opening { tree: Tree::Main, error: MerkleError::CapMismatch { .. } }),
        "{error}"
    );
}

/// A proof without queries would be accepted if the openings' number were the proof's to choose.
#[test]
fn empty_openings_are_refused() {
    let error = refusal(|proof| {
        let openings = &mut proof.openings;
        for tree in
            [&mut openings.preprocessed, &mut openings.main, &mut openings.lookup, &mut openings.quotient]
        {
            tree.rows.iter_mut().for_each(Vec::clear);
            tree.siblings.clear();
        }
        for layer in &mut openings.layers {
            layer.values.clear();
            layer.siblings.clear();
        }
    });
    assert!(
        matches!(error, VerifyError::Length { part: Part::OpenedCells(Tree::Preprocessed), got: 0, .. }),
        "{error}"
    );
    let error = refusal(|proof| proof.openings.layers.clear());
    assert!(matches!(error, VerifyError::Length { part: Part::OpenedLayers, got: 0, .. }), "{error}");
}

/// Query by query, every opened row of every table is looked at: a verifier that compares the columns at one
/// query only can be cheated with high probability.
#[test]
fn every_opened_row_is_checked() {
    for (table, &width) in [2, 4, 2, 4, 5, 1, 2].iter().enumerate() {
        for row in 0..PROVEN.proof.openings.main.rows[table].len() / width {
            let error = refusal(|proof| proof.openings.main.rows[table][row * width] += Goldilocks::ONE);
            assert!(matches!(error, VerifyError::Opening { tree: Tree::Main, .. }), "{error}");
        }
    }
}

/// A system without buses and preprocessed columns has empty places in its proof; nothing may be put there.
#[test]
fn nothing_fits_in_the_places_of_trees_that_do_not_exist() {
    let system = system(vec![Table::new("fibonacci", tables::Fibonacci)]);
    let (trace, values) = support::fibonacci(6, 1, 1);
    let statement = Statement { public_values: vec![values], messages: Vec::new() };
    let proven = prove(&system, &HostBackend, Witness { traces: vec![trace], statement }, &()).unwrap();
    let refusal = |change: &dyn Fn(&mut Proof)| {
        let mut proof = proven.proof.clone();
        change(&mut proof);
        verify(system.verifying_key(), &proven.statement, &proof).unwrap_err()
    };
    let digest = Digest::default();
    let siblings =
        |tree| VerifyError::Opening { tree, error: MerkleError::SiblingCount { expected: 0, got: 1 } };
    assert_eq!(refusal(&|proof| proof.lookup_cap.push(digest)), length(Part::Cap(Tree::Lookup), 0, 0, 1));
    assert_eq!(refusal(&|proof| proof.lookup_sums.push(Ext3::ZERO)), length(Part::LookupSums, 0, 0, 1));
    assert_eq!(refusal(&|proof| proof.openings.lookup.siblings.push(digest)), siblings(Tree::Lookup));
    assert_eq!(
        refusal(&|proof| proof.openings.preprocessed.siblings.push(digest)),
        siblings(Tree::Preprocessed)
    );
    for tree in [Tree::Preprocessed, Tree::Lookup] {
        let error = refusal(&|proof| {
            let openings = &mut proof.openings;
            let tree = if tree == Tree::Lookup { &mut openings.lookup } else { &mut openings.preprocessed };
            tree.rows.push(Vec::new());
        });
        assert_eq!(error, length(Part::OpenedTables(tree), 0, 0, 1));
    }
    let lists: [fn(&mut TableValues) -> &mut Vec<Ext3>; 4] = [
        |values| &mut values.preprocessed,
        |values| &mut values.preprocessed_next,
        |values| &mut values.lookup,
        |values| &mut values.lookup_next,
    ];
    for list in lists {
        let error = refusal(&|proof| list(&mut proof.out_of_domain[0]).push(Ext3::ZERO));
        assert!(matches!(error, VerifyError::Length { index: 0, expected: 0, got: 1, .. }), "{error}");
    }
    let mut statement = proven.statement.clone();
    let fields = vec![field(1), field(1)];
    let bus = tables::ANSWER.id.into();
    statement.messages.push(PublicMessage { bus, multiplicity: Goldilocks::ZERO, fields });
    assert_eq!(
        verify(system.verifying_key(), &statement, &proven.proof).unwrap_err(),
        VerifyError::UnknownBus { message: 0, bus }
    );
}

// Grinding.

/// Shifting by the width of the word is where such checks fail: `1 << 32` or `1 << 64` may come out as 1, and
/// then every nonce has enough bits.
#[test]
fn grinding_is_checked_at_every_width() {
    let seed: [u8; 32] = array::from_fn(|i| i as u8);
    assert!((0..1000).all(|nonce| check_grinding(&seed, nonce, 0)));
    assert_eq!(grind(&seed, 0), 0);
    for bits in [31, 32, 63, 64, 65, 96, 128, u32::MAX] {
        assert!(!(0..1000).any(|nonce| check_grinding(&seed, nonce, bits)), "{bits} bits");
    }
    let nonce = grind(&seed, 12);
    assert!(check_grinding(&seed, nonce, 12));
    assert!(!(0..nonce).any(|smaller| check_grinding(&seed, smaller, 12)));
}

/// Nonces with too little work fail as such; ones with enough move the queries, to which the openings do not
/// belong.
#[test]
fn other_nonces_are_refused() {
    let mut ungrounded = 0;
    for nonce in PROVEN.proof.fri.nonce + 1..PROVEN.proof.fri.nonce + 64 {
        match refusal(|proof| proof.fri.nonce = nonce) {
            VerifyError::Grinding { bits: 2 } => ungrounded += 1,
            error => assert!(
                matches!(
                    error,
                    VerifyError::Opening { .. } | VerifyError::Length { part: Part::OpenedCells(_), .. }
                ),
                "{error}"
            ),
        }
    }
    assert!(
        (32..63).contains(&ungrounded),
        "three of four nonces have less than two bits, not {ungrounded} of 63"
    );
}

// Queries that coincide.

/// At 2^4 rows six queries among 32 positions coincide for some statement; the openings are made and checked
/// once each.
#[test]
fn coinciding_queries_are_opened_once() {
    let system = system(vec![Table::new("fibonacci", tables::Fibonacci)]);
    let mut fewest = usize::MAX;
    for first in 0..20 {
        let (trace, values) = support::fibonacci(4, first, 1);
        let statement = Statement { public_values: vec![values], messages: Vec::new() };
        let proven = prove(&system, &HostBackend, Witness { traces: vec![trace], statement }, &()).unwrap();
        let mut proof = proven.proof;
        let opened = proof.openings.main.rows[0].len() / 2;
        fewest = fewest.min(opened);
        // A second copy of the last row is not the opening of a query of its own.
        let copy = proof.openings.main.rows[0][2 * opened - 2..].to_vec();
        proof.openings.main.rows[0].extend(copy);
        assert_eq!(
            verify(system.verifying_key(), &proven.statement, &proof).unwrap_err(),
            length(Part::OpenedCells(Tree::Main), 0, 2 * opened, 2 * opened + 2)
        );
    }
    assert!(fewest < Profile::Test.queries() as usize, "no queries coincided");
}
