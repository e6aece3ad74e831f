//! Each part of a proof file's header has a check of its own, and a file of any other length is refused.

mod support;

use lambda_verifier::file::{FileError, HEADER_BYTES, Id, MAX_BODY_BYTES};
use lambda_verifier::wire::DecodeError;
use lambda_verifier::{Profile, ProofFile, verify_file};
use support::{GOLDEN, KEY, golden_body, golden_file};

/// The golden file with `bytes` in place of those at `at`.
fn patched(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = GOLDEN.to_vec();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

/// The golden file with the byte at `at` changed.
fn flipped(at: usize) -> Vec<u8> {
    patched(at, &[GOLDEN[at] ^ 0x10])
}

/// Why `bytes` are no proof of the small system.
fn refusal(bytes: &[u8]) -> FileError {
    match ProofFile::decode(bytes) {
        Ok(file) => verify_file(&KEY, &file).map(drop).expect_err("the file was accepted"),
        Err(error) => error,
    }
}

#[test]
fn encoding_and_decoding_are_inverse() {
    let file = golden_file();
    assert_eq!(file.encode(), GOLDEN);
    assert_eq!(ProofFile::decode(&file.encode()), Ok(file));
}

#[test]
fn other_magic_is_no_proof() {
    for at in 0..8 {
        assert_eq!(refusal(&flipped(at)), FileError::Magic);
    }
    for text in [&b"\x7fELF"[..], b"{\"proof\":1}", &[0; 4096]] {
        assert_eq!(refusal(text), FileError::Magic);
    }
}

#[test]
fn other_versions_are_refused_as_such() {
    for got in [0, 2, 0x100, u16::MAX] {
        let bytes = got.to_le_bytes();
        assert_eq!(refusal(&patched(8, &bytes)), FileError::Format { got, supported: 1 });
        assert_eq!(refusal(&patched(10, &bytes)), FileError::Protocol { got, supported: 1 });
    }
}

#[test]
fn other_profiles_are_refused() {
    for got in [0, 3, 0x0100, 0xfffe] {
        assert_eq!(refusal(&patched(12, &u16::to_le_bytes(got))), FileError::UnknownProfile { got });
    }
    for got in [Profile::Default, Profile::Compact] {
        let expected = Profile::Test;
        assert_eq!(refusal(&patched(12, &got.id().to_le_bytes())), FileError::Profile { expected, got });
    }
}

#[test]
fn other_kinds_are_refused() {
    for got in [1, 0x0100, 0x8000, u16::MAX] {
        assert_eq!(refusal(&patched(14, &u16::to_le_bytes(got))), FileError::Kind { got, expected: 0 });
    }
}

#[test]
fn other_program_ids_are_refused() {
    let expected = Id(KEY.digest());
    for at in 16..48 {
        let file = flipped(at);
        let got = Id(*file[16..].first_chunk().unwrap());
        assert_eq!(refusal(&file), FileError::Program { expected, got });
    }
}

/// The digest stands for the statement wherever files are listed; it may not be another one's.
#[test]
fn statement_digest_is_the_statements() {
    for at in 48..80 {
        assert_eq!(refusal(&flipped(at)), FileError::StatementDigest);
    }
    // The first public value: after the number of lists and the length of the first.
    assert_eq!(refusal(&flipped(HEADER_BYTES + 16)), FileError::StatementDigest);
}

#[test]
fn body_has_the_announced_length() {
    let body = golden_body().len() as u64;
    let announcing = |length: u64| refusal(&patched(80, &length.to_le_bytes()));
    let trailing = |extra| FileError::Decode(DecodeError::Trailing { extra });
    let truncated = |missing| FileError::Decode(DecodeError::Truncated { at: HEADER_BYTES, missing });
    assert_eq!(announcing(0), trailing(golden_body().len()));
    assert_eq!(announcing(body - 1), trailing(1));
    assert_eq!(announcing(body + 1), truncated(1));
    let limit = MAX_BODY_BYTES as u64;
    assert_eq!(announcing(limit), truncated(MAX_BODY_BYTES - golden_body().len()));
    for length in [limit + 1, 1 << 32, 1 << 40, 1 << 63, u64::MAX] {
        assert_eq!(announcing(length), FileError::TooLarge { length });
    }
}

/// A byte after the proof, announced or not.
#[test]
fn trailing_bytes_are_refused() {
    let mut file = GOLDEN.to_vec();
    file.push(0);
    let trailing = FileError::Decode(DecodeError::Trailing { extra: 1 });
    assert_eq!(refusal(&file), trailing);
    file[80..88].copy_from_slice(&(golden_body().len() as u64 + 1).to_le_bytes());
    assert_eq!(refusal(&file), trailing);
}

#[test]
fn every_prefix_is_refused_as_truncated() {
    assert_eq!(refusal(&[]), FileError::Empty);
    for length in 1..GOLDEN.len() {
        let error = refusal(&GOLDEN[..length]);
        assert!(matches!(error, FileError::Decode(DecodeError::Truncated { .. })), "{length} bytes: {error}");
    }
}

/// A body that is cut off, announced as it is: the lists in it run out of bytes.
#[test]
fn cut_bodies_are_refused() {
    for length in (HEADER_BYTES..GOLDEN.len()).step_by(61) {
        let mut file = GOLDEN[..length].to_vec();
        file[80..88].copy_from_slice(&((length - HEADER_BYTES) as u64).to_le_bytes());
        let error = refusal(&file);
        assert!(
            matches!(error, FileError::Decode(DecodeError::Truncated { .. } | DecodeError::Length { .. })),
            "{length} bytes: {error}"
        );
    }
}

/// Whoever calls the program must be able to tell a bad proof from a file that is none.
#[test]
fn unreadable_files_are_not_called_invalid_proofs() {
    let unreadable = [refusal(&[]), refusal(&flipped(0)), refusal(&flipped(8)), refusal(&GOLDEN[..16])];
    assert!(unreadable.iter().all(|error| !error.is_invalid_proof()));
    let last = GOLDEN.len() - 1;
    let invalid = [refusal(&flipped(16)), refusal(&flipped(48)), refusal(&flipped(last))];
    assert!(invalid.iter().all(FileError::is_invalid_proof));
}
