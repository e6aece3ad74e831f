//! Whatever bytes it is given, the verifier answers: it neither panics nor accepts anything but the golden
//! file.
//!
//! `PROPTEST_CASES` sets the number of cases; `make fuzz` runs many.

mod support;

use lambda_verifier::file::HEADER_BYTES;
use lambda_verifier::wire::{Reader, Wire};
use lambda_verifier::{ProofFile, Statement, verify_file};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use support::{GOLDEN, KEY};

/// One damage to a file; positions are relative to its length.
#[derive(Clone, Debug)]
enum Damage {
    /// A bit is another one.
    Flip { at: Index, bit: u8 },
    /// Eight bytes become a word of the kind that lengths, field elements and counters break at.
    Word { at: Index, word: u64 },
    /// Bytes are taken out.
    Remove { at: Index, count: usize },
    /// Bytes are put in.
    Insert { at: Index, bytes: Vec<u8> },
    /// A range is written once more over another place.
    Splice { from: Index, to: Index, count: usize },
    /// A range is there twice.
    Double { at: Index, count: usize },
    /// The end is missing.
    Truncate { at: Index },
}

fn damage() -> impl Strategy<Value = Damage> {
    let index = any::<Index>;
    let words = prop::sample::select(vec![
        0,
        1,
        7,
        8,
        0xffff,
        1 << 16,
        1 << 32,
        1 << 40,
        1 << 63,
        0xffff_ffff_0000_0000,
        0xffff_ffff_0000_0001,
        u64::MAX,
    ]);
    prop_oneof![
        (index(), 0u8..8).prop_map(|(at, bit)| Damage::Flip { at, bit }),
        (index(), words).prop_map(|(at, word)| Damage::Word { at, word }),
        (index(), 1usize..100).prop_map(|(at, count)| Damage::Remove { at, count }),
        (index(), vec(any::<u8>(), 1..40)).prop_map(|(at, bytes)| Damage::Insert { at, bytes }),
        (index(), index(), 1usize..200).prop_map(|(from, to, count)| Damage::Splice { from, to, count }),
        (index(), 1usize..200).prop_map(|(at, count)| Damage::Double { at, count }),
        index().prop_map(|at| Damage::Truncate { at }),
    ]
}

/// Applies `damage` to the bytes from `start` on.
fn apply(file: &mut Vec<u8>, start: usize, damage: &Damage) {
    if file.len() <= start {
        return;
    }
    let position = |at: &Index| start + at.index(file.len() - start);
    let range = |at: &Index, count: usize| position(at)..(position(at) + count).min(file.len());
    match damage {
        Damage::Flip { at, bit } => {
            let at = position(at);
            file[at] ^= 1 << bit;
        }
        Damage::Word { at, word } => {
            let range = range(at, 8);
            let bytes = &word.to_le_bytes()[..range.len()];
            file[range].copy_from_slice(bytes);
        }
        Damage::Remove { at, count } => drop(file.drain(range(at, *count))),
        Damage::Insert { at, bytes } => {
            let at = position(at);
            file.splice(at..at, bytes.iter().copied());
        }
        Damage::Splice { from, to, count } => {
            let bytes = file[range(from, *count)].to_vec();
            let range = range(to, bytes.len());
            let count = range.len();
            file[range].copy_from_slice(&bytes[..count]);
        }
        Damage::Double { at, count } => {
            let range = range(at, *count);
            let bytes = file[range.clone()].to_vec();
            file.splice(range.start..range.start, bytes);
        }
        Damage::Truncate { at } => file.truncate(position(at)),
    }
}

/// Makes the header agree with the body, as far as the body can be read, so that the damage goes deeper.
fn repair(file: &mut [u8]) {
    let length = (file.len() - HEADER_BYTES) as u64;
    file[80..88].copy_from_slice(&length.to_le_bytes());
    if let Ok(statement) = Statement::decode(&mut Reader::new(&file[HEADER_BYTES..])) {
        file[48..80].copy_from_slice(&statement.digest());
    }
}

/// Whether `bytes` are a proof of the small system.
fn is_accepted(bytes: &[u8]) -> bool {
    ProofFile::decode(bytes).is_ok_and(|file| verify_file(&KEY, &file).is_ok())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_refused(bytes in vec(any::<u8>(), 0..2000), header in 0..=HEADER_BYTES) {
        let file = [&GOLDEN[..header], &bytes].concat();
        prop_assert!(!is_accepted(&file));
    }

    #[test]
    fn damaged_files_are_refused(damages in vec(damage(), 1..4)) {
        let mut file = GOLDEN.to_vec();
        for damage in &damages {
            apply(&mut file, 0, damage);
        }
        prop_assert_eq!(is_accepted(&file), file == GOLDEN);
    }

    #[test]
    fn damaged_bodies_under_a_fitting_header_are_refused(damages in vec(damage(), 1..4)) {
        let mut file = GOLDEN.to_vec();
        for damage in &damages {
            apply(&mut file, HEADER_BYTES, damage);
        }
        repair(&mut file);
        prop_assert_eq!(is_accepted(&file), file == GOLDEN);
    }
}

#[test]
fn golden_file_is_accepted() {
    assert!(is_accepted(GOLDEN));
}
