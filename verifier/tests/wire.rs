//! The codec is canonical: what it accepts is exactly what it writes.

mod support;

use lambda_math::field::{ORDER, ext_from_coefficients};
use lambda_math::{Digest, Ext3, Goldilocks};
use lambda_verifier::proof::{FriProof, LayerOpenings, Openings, RowOpenings, TableValues};
use lambda_verifier::wire::{DecodeError, LeafMut, Reader, Wire};
use lambda_verifier::{Proof, PublicMessage, Statement};
use proptest::collection::vec;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use support::{golden_body, golden_file};

fn encode<T: Wire>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.encode(&mut bytes);
    bytes
}

fn decode<T: Wire>(bytes: &[u8]) -> Result<T, DecodeError> {
    let mut reader = Reader::new(bytes);
    let value = T::decode(&mut reader)?;
    reader.finish()?;
    Ok(value)
}

fn word() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), Just(ORDER - 1), Just(u64::from(u32::MAX)), Just(1 << 32), any::<u64>()]
}

fn element() -> impl Strategy<Value = Goldilocks> {
    word().prop_map(|word| Goldilocks::new(word % ORDER))
}

fn extension() -> impl Strategy<Value = Ext3> {
    [element(), element(), element()].prop_map(ext_from_coefficients)
}

fn digests() -> impl Strategy<Value = Vec<Digest>> {
    vec(any::<[u8; 32]>().prop_map(Digest::from_bytes), 0..3)
}

fn table_values() -> impl Strategy<Value = TableValues> {
    proptest::array::uniform7(vec(extension(), 0..3)).prop_map(
        |[preprocessed, preprocessed_next, main, main_next, lookup, lookup_next, quotient]| TableValues {
            preprocessed,
            preprocessed_next,
            main,
            main_next,
            lookup,
            lookup_next,
            quotient,
        },
    )
}

fn row_openings() -> impl Strategy<Value = RowOpenings> {
    (vec(vec(element(), 0..4), 0..3), digests()).prop_map(|(rows, siblings)| RowOpenings { rows, siblings })
}

fn layer_openings() -> impl Strategy<Value = LayerOpenings> {
    (vec(extension(), 0..3), digests()).prop_map(|(values, siblings)| LayerOpenings { values, siblings })
}

fn openings() -> impl Strategy<Value = Openings> {
    let trees = proptest::array::uniform4(row_openings());
    (trees, vec(layer_openings(), 0..3)).prop_map(|([preprocessed, main, lookup, quotient], layers)| {
        Openings { preprocessed, main, lookup, quotient, layers }
    })
}

fn fri() -> impl Strategy<Value = FriProof> {
    (vec(digests(), 0..3), vec(extension(), 0..3), word())
        .prop_map(|(layer_caps, final_polynomial, nonce)| FriProof { layer_caps, final_polynomial, nonce })
}

fn proof() -> impl Strategy<Value = Proof> {
    let caps = [digests(), digests(), digests()];
    let values = vec(table_values(), 0..3);
    (vec(any::<u8>(), 0..4), caps, vec(extension(), 0..3), values, fri(), openings()).prop_map(
        |(heights_log2, [main_cap, lookup_cap, quotient_cap], lookup_sums, out_of_domain, fri, openings)| {
            Proof {
                heights_log2,
                main_cap,
                lookup_cap,
                lookup_sums,
                quotient_cap,
                out_of_domain,
                fri,
                openings,
            }
        },
    )
}

fn statement() -> impl Strategy<Value = Statement> {
    let message = (word(), element(), vec(element(), 0..3))
        .prop_map(|(bus, multiplicity, fields)| PublicMessage { bus, multiplicity, fields });
    (vec(vec(element(), 0..3), 0..3), vec(message, 0..3))
        .prop_map(|(public_values, messages)| Statement { public_values, messages })
}

proptest! {
    /// A field that is written and not read, or in another order.
    #[test]
    fn decoding_gives_what_was_encoded(proof in proof(), statement in statement()) {
        prop_assert_eq!(decode(&encode(&proof)), Ok(proof));
        prop_assert_eq!(decode(&encode(&statement)), Ok(statement));
    }

    /// Two byte strings for one value would make proofs malleable: what is accepted is encoded again to the
    /// same bytes.
    #[test]
    fn accepted_bytes_are_the_encoding(
        proof in proof(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = encode(&proof);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(accepted) = decode::<Proof>(&bytes) {
            prop_assert_eq!(encode(&accepted), bytes);
        }
    }

    #[test]
    fn every_prefix_is_too_short_and_every_longer_input_too_long(proof in proof()) {
        let mut bytes = encode(&proof);
        for length in 0..bytes.len() {
            let error = decode::<Proof>(&bytes[..length]).unwrap_err();
            let is_cut = matches!(error, DecodeError::Truncated { .. } | DecodeError::Length { .. });
            prop_assert!(is_cut, "{error}");
        }
        for extra in 1..3 {
            bytes.push(0);
            prop_assert_eq!(decode::<Proof>(&bytes), Err(DecodeError::Trailing { extra }));
        }
    }

    /// A list of types that need no bytes, or whose least size is overstated, would be refused or allocate
    /// without bound.
    #[test]
    fn least_sizes_are_reached_by_empty_values_alone(proof in proof(), statement in statement()) {
        prop_assert!(encode(&proof).len() >= Proof::MIN_BYTES);
        prop_assert!(encode(&statement).len() >= Statement::MIN_BYTES);
        let empty = decode::<Proof>(&[0; Proof::MIN_BYTES]);
        prop_assert_eq!(empty.map(|proof| encode(&proof)), Ok([0; Proof::MIN_BYTES].to_vec()));
    }
}

/// Statement and proof as a file's body has them.
fn golden() -> (Statement, Proof) {
    let file = golden_file();
    (file.statement, file.proof)
}

/// Offsets in the golden body of all lengths (`true`) and all field elements (`false`).
fn slots() -> Vec<(usize, bool)> {
    let (mut statement, mut proof) = golden();
    let (mut slots, mut offset) = (Vec::new(), 0);
    let mut visitor = |_: &str, leaf: LeafMut<'_>| {
        match leaf {
            LeafMut::Sequence(_) => slots.push((offset, true)),
            LeafMut::Field(_) => slots.push((offset, false)),
            _ => {}
        }
        offset += match leaf {
            LeafMut::Byte(_) => 1,
            LeafMut::Digest(_) => 32,
            LeafMut::Word(_) | LeafMut::Field(_) | LeafMut::Sequence(_) => 8,
        };
    };
    statement.visit("", &mut visitor);
    proof.visit("", &mut visitor);
    assert_eq!(offset, golden_body().len(), "the visitor shows everything that is encoded");
    slots
}

/// Decodes the golden body with `word` at `at`.
fn decode_patched(at: usize, word: u64) -> Result<(Statement, Proof), DecodeError> {
    let mut body = golden_body().to_vec();
    body[at..at + 8].copy_from_slice(&word.to_le_bytes());
    let mut reader = Reader::new(&body);
    let both = (Statement::decode(&mut reader)?, Proof::decode(&mut reader)?);
    reader.finish()?;
    Ok(both)
}

/// `p` and above stand for 0 and above, in a second way.
#[test]
fn field_elements_that_are_not_canonical_are_refused() {
    let fields = slots().into_iter().filter(|(_, is_length)| !is_length);
    let mut count = 0;
    for (at, _) in fields {
        for word in [ORDER, ORDER + 1, u64::MAX] {
            assert_eq!(decode_patched(at, word), Err(DecodeError::NotCanonical { at, word }));
        }
        assert!(decode_patched(at, ORDER - 1).is_ok());
        count += 1;
    }
    assert!(count > 500, "{count} elements");
}

#[test]
fn lengths_beyond_the_input_are_refused() {
    assert!(golden_body().len() < 1 << 16);
    for (at, _) in slots().into_iter().filter(|(_, is_length)| *is_length) {
        for length in [1 << 16, 1 << 32, 1 << 40, 1 << 61, 1 << 63, u64::MAX] {
            assert_eq!(decode_patched(at, length), Err(DecodeError::Length { at, length }));
        }
    }
}

// The same types with serde's derived code, field elements as words.

#[derive(Serialize, Deserialize)]
struct MirrorBody {
    statement: MirrorStatement,
    proof: MirrorProof,
}

#[derive(Serialize, Deserialize)]
struct MirrorStatement {
    public_values: Vec<Vec<u64>>,
    messages: Vec<MirrorMessage>,
}

#[derive(Serialize, Deserialize)]
struct MirrorMessage {
    bus: u64,
    multiplicity: u64,
    fields: Vec<u64>,
}

type MirrorSiblings = Vec<[u8; 32]>;

#[derive(Serialize, Deserialize)]
struct MirrorProof {
    heights_log2: Vec<u8>,
    main_cap: Vec<[u8; 32]>,
    lookup_cap: Vec<[u8; 32]>,
    lookup_sums: Vec<[u64; 3]>,
    quotient_cap: Vec<[u8; 32]>,
    out_of_domain: Vec<[Vec<[u64; 3]>; 7]>,
    layer_caps: Vec<Vec<[u8; 32]>>,
    final_polynomial: Vec<[u64; 3]>,
    nonce: u64,
    trees: [(Vec<Vec<u64>>, MirrorSiblings); 4],
    layers: Vec<(Vec<[u64; 3]>, MirrorSiblings)>,
}

/// The documented layout is bincode 1's with fixed-size integers, so that proofs can be read without this
/// crate.
#[test]
fn layout_is_bincodes() {
    let mirror: MirrorBody = bincode::deserialize(golden_body()).unwrap();
    assert!(bincode::serialize(&mirror).unwrap() == golden_body());
    let (statement, proof) = golden();
    assert_eq!(mirror.proof.nonce, proof.fri.nonce);
    assert_eq!(mirror.proof.heights_log2, proof.heights_log2);
    assert_eq!(mirror.statement.messages[1].bus, statement.messages[1].bus);
    assert_eq!(mirror.proof.layers[0].1[0], *proof.openings.layers[0].siblings[0].as_bytes());
}
