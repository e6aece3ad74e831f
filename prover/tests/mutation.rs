//! Every leaf of a proof and of its statement matters: whatever is changed, the verifier refuses, and by the
//! check that is responsible.
//!
//! The leaves come from the codec's own visitor, so that a field added to the proof is covered as soon as it
//! exists.

mod support;

use std::collections::BTreeSet;

use lambda_math::merkle::MerkleError;
use lambda_math::{Digest, Goldilocks};
use lambda_verifier::error::Part;
use lambda_verifier::layout::Tree;
use lambda_verifier::wire::{LeafMut, Wire};
use lambda_verifier::{VerifyError, verify};
use p3_field::PrimeCharacteristicRing;
use support::{PROVEN, SMALL};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// A byte, word or field element plus one.
    Increment,
    /// One bit of a digest: the lowest of its first byte, or the highest of its last.
    Flip { last: bool },
    /// A sequence without its last element.
    Shorten,
    /// A sequence with its last element twice.
    Lengthen,
    /// A sequence whose first and last element are exchanged.
    Exchange,
}

impl Change {
    const ALL: [Self; 6] = [
        Self::Increment,
        Self::Flip { last: false },
        Self::Flip { last: true },
        Self::Shorten,
        Self::Lengthen,
        Self::Exchange,
    ];

    fn resizes(self) -> bool {
        matches!(self, Self::Shorten | Self::Lengthen)
    }

    /// Changes a leaf of the kind that this change is for.
    fn apply(self, leaf: LeafMut<'_>) {
        match (self, leaf) {
            (Self::Increment, LeafMut::Byte(byte)) => *byte = byte.wrapping_add(1),
            (Self::Increment, LeafMut::Word(word)) => *word = word.wrapping_add(1),
            (Self::Increment, LeafMut::Field(element)) => *element += Goldilocks::ONE,
            (Self::Flip { last }, LeafMut::Digest(digest)) => {
                let mut bytes = *digest.as_bytes();
                if last {
                    bytes[31] ^= 0x80
                } else {
                    bytes[0] ^= 1
                }
                *digest = Digest::from_bytes(bytes);
            }
            (Self::Shorten, LeafMut::Sequence(sequence)) => sequence.shorten(),
            (Self::Lengthen, LeafMut::Sequence(sequence)) => sequence.lengthen(),
            (Self::Exchange, LeafMut::Sequence(sequence)) => sequence.exchange(),
            _ => {}
        }
    }
}

/// Calls `check` with every `value` that differs from the given one by one change of one leaf. Returns the
/// number of leaves that no change of any kind altered.
fn for_each_mutant<T: Wire + Clone + PartialEq>(value: &T, mut check: impl FnMut(&str, Change, &T)) -> usize {
    let mut paths = Vec::new();
    value.clone().visit("", &mut |path, _| paths.push(path.to_owned()));
    assert!(!paths.is_empty());
    let mut unaltered = 0;
    for (target, path) in paths.iter().enumerate() {
        let mut mutants = 0;
        for change in Change::ALL {
            let mut mutant = value.clone();
            let mut leaf_index = 0;
            mutant.visit("", &mut |_, leaf| {
                if leaf_index == target {
                    change.apply(leaf);
                }
                leaf_index += 1;
            });
            if mutant != *value {
                mutants += 1;
                check(path, change, &mutant);
            }
        }
        unaltered += usize::from(mutants == 0);
    }
    unaltered
}

/// The names in a path, and the first index.
fn parse(path: &str) -> (String, usize) {
    let parts = || path.split(['.', '[', ']']).filter(|part| !part.is_empty());
    let names: Vec<&str> = parts().filter(|part| part.parse::<usize>().is_err()).collect();
    let index = parts().find_map(|part| part.parse().ok()).unwrap_or(0);
    (names.join("."), index)
}

/// Whether `error` comes from the check that `change` at `path` must fail.
fn is_responsible(path: &str, change: Change, error: &VerifyError) -> bool {
    use VerifyError as E;
    let (names, index) = parse(path);
    let resized = |part: Part| matches!(error, E::Length { part: got, .. } if *got == part);
    let tree = |name: &str| match name {
        "preprocessed" => Tree::Preprocessed,
        "main" => Tree::Main,
        "lookup" => Tree::Lookup,
        _ => Tree::Quotient,
    };
    let is_count = |error: &MerkleError| matches!(error, MerkleError::SiblingCount { .. });
    let is_cap = |error: &MerkleError| matches!(error, MerkleError::CapMismatch { .. });
    let in_tree = |name: &str, check: fn(&MerkleError) -> bool| match error {
        E::Opening { tree: got, error } => *got == tree(name) && check(error),
        _ => false,
    };
    let in_layer = |check: fn(&MerkleError) -> bool| match error {
        E::LayerOpening { layer, error } => *layer == index && check(error),
        _ => false,
    };
    let names: Vec<&str> = names.split('.').collect();
    match (names.as_slice(), change.resizes()) {
        (["heights_log2"], true) => resized(Part::Heights),
        // Other heights are refused, or move the lengths, or at least the challenges.
        (["heights_log2"], false) => {
            matches!(error, E::PreprocessedHeight { .. } | E::Length { .. } | E::Unbalanced)
        }
        (["main_cap"], true) => resized(Part::Cap(Tree::Main)),
        (["main_cap"], false) => *error == E::Unbalanced,
        (["lookup_cap"], true) => resized(Part::Cap(Tree::Lookup)),
        (["lookup_sums"], true) => resized(Part::LookupSums),
        // The sums' order does not change their total, but it does change the challenge.
        (["lookup_sums"], false) if change != Change::Exchange => *error == E::Unbalanced,
        (["quotient_cap"], true) => resized(Part::Cap(Tree::Quotient)),
        (["lookup_cap" | "lookup_sums" | "quotient_cap"], false) => matches!(error, E::Composition { .. }),
        (["out_of_domain"], true) => resized(Part::OutOfDomain),
        (["out_of_domain"], false) => matches!(error, E::Length { .. }),
        (["out_of_domain", _], false) => *error == E::Composition { table: index },
        (["out_of_domain", list], true) => match list.strip_suffix("_next") {
            Some(name) => resized(Part::NextValues(tree(name))),
            None => resized(Part::Values(tree(list))),
        },
        (["fri", "layer_caps"], true) => resized(Part::LayerCaps) || resized(Part::LayerCap),
        (["fri", "final_polynomial"], true) => resized(Part::FinalPolynomial),
        // Other challenges, other query positions, to which the openings do not belong.
        (["fri", _], false) => matches!(
            error,
            E::Grinding { .. } | E::Length { part: Part::OpenedCells(_), .. } | E::Opening { .. }
        ),
        (["openings", "layers"], true) => resized(Part::OpenedLayers),
        (["openings", "layers"], false) => {
            resized(Part::LayerValues) || matches!(error, E::LayerOpening { .. })
        }
        (["openings", "layers", "values"], true) => resized(Part::LayerValues),
        (["openings", "layers", "siblings"], true) => in_layer(is_count),
        (["openings", "layers", _], false) => in_layer(is_cap),
        (["openings", name, "rows"], true) => {
            resized(Part::OpenedTables(tree(name))) || resized(Part::OpenedCells(tree(name)))
        }
        (["openings", name, "siblings"], true) => in_tree(name, is_count),
        // Tables exchanged for ones of another width have too few cells or too many.
        (["openings", name, "rows"], false) if change == Change::Exchange => {
            resized(Part::OpenedCells(tree(name))) || in_tree(name, is_cap)
        }
        (["openings", name, _], false) => in_tree(name, is_cap),
        (["public_values"], true) => resized(Part::PublicValues),
        (["public_values"], false) => *error == E::Unbalanced || resized(Part::PublicValues),
        (["messages", "fields"], true) => resized(Part::MessageFields),
        (["messages", "bus"], false) => matches!(error, E::UnknownBus { message, .. } if *message == index),
        (["messages", ..], _) => *error == E::Unbalanced,
        _ => false,
    }
}

/// The kind of an error, one kind for every list and tree.
fn kind(error: &VerifyError) -> String {
    match error {
        VerifyError::Length { part, .. } => format!("Length {part:?}"),
        VerifyError::Opening { tree, .. } => format!("Opening {tree:?}"),
        error => format!("{error:?}").split([' ', '{']).next().unwrap_or_default().to_owned(),
    }
}

#[test]
fn every_change_of_a_proof_is_refused_by_the_check_responsible() {
    let (key, proof, statement) = (SMALL.verifying_key(), &PROVEN.proof, &PROVEN.statement);
    let mut kinds = BTreeSet::new();
    let unaltered = for_each_mutant(proof, |path, change, mutant| {
        let error = verify(key, statement, mutant).expect_err(path);
        assert!(is_responsible(path, change, &error), "{path} {change:?}: {error:?}");
        kinds.insert(kind(&error));
    });
    // Lists that are empty in an honest proof: values that a table does not have.
    let mut empty = 0;
    proof.clone().visit("", &mut |_, leaf| {
        empty += usize::from(matches!(leaf, LeafMut::Sequence(sequence) if sequence.length() == 0));
    });
    assert_eq!(unaltered, empty);
    let expected = [
        "Composition",
        "Grinding",
        "LayerOpening",
        "Length Cap(Lookup)",
        "Length Cap(Main)",
        "Length Cap(Quotient)",
        "Length FinalPolynomial",
        "Length Heights",
        "Length LayerCap",
        "Length LayerCaps",
        "Length LayerValues",
        "Length LookupSums",
        "Length NextValues(Lookup)",
        "Length NextValues(Main)",
        "Length NextValues(Preprocessed)",
        "Length OpenedCells(Lookup)",
        "Length OpenedCells(Main)",
        "Length OpenedCells(Preprocessed)",
        "Length OpenedCells(Quotient)",
        "Length OpenedLayers",
        "Length OpenedTables(Lookup)",
        "Length OpenedTables(Main)",
        "Length OpenedTables(Preprocessed)",
        "Length OpenedTables(Quotient)",
        "Length OutOfDomain",
        "Length Values(Lookup)",
        "Length Values(Main)",
        "Length Values(Preprocessed)",
        "Length Values(Quotient)",
        "Opening Lookup",
        "Opening Main",
        "Opening Preprocessed",
        "Opening Quotient",
        "PreprocessedHeight",
        "Unbalanced",
    ];
    assert_eq!(kinds, expected.map(str::to_owned).into());
}

#[test]
fn every_change_of_the_statement_is_refused_by_the_check_responsible() {
    let (key, proof, statement) = (SMALL.verifying_key(), &PROVEN.proof, &PROVEN.statement);
    let mut kinds = BTreeSet::new();
    for_each_mutant(statement, |path, change, mutant| {
        let error = verify(key, mutant, proof).expect_err(path);
        assert!(is_responsible(path, change, &error), "{path} {change:?}: {error:?}");
        kinds.insert(kind(&error));
    });
    let expected = ["Length MessageFields", "Length PublicValues", "Unbalanced", "UnknownBus"];
    assert_eq!(kinds, expected.map(str::to_owned).into());
}
