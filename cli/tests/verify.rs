//! `lambda-prove verify`: the exit code and the message for every kind of file it can be given.

mod support;

use std::fs::File;
use std::io::Write;

use serde_json::Value;
use support::{Ended, FIBONACCI, Folder, HELLO, PROOF, end};

/// Offset of the program id in a proof file.
const PROGRAM_ID: usize = 16;
/// Offset of the body.
const BODY: usize = 88;

/// Verifies a file of these `bytes`.
fn verify(bytes: &[u8]) -> Ended {
    Folder::with("some.proof", bytes).run(["verify", "some.proof", "--elf", HELLO])
}

/// The proof with `bytes` in place of those at `at`.
fn patched(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = PROOF.clone();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

#[test]
fn a_valid_proof_is_0() {
    let ended = verify(&PROOF);
    ended.succeeds();
    assert!(ended.stdout.contains("some.proof"), "{ended:?}");
    assert!(ended.stdout.contains("128.0 bits"), "{ended:?}");
}

#[test]
fn a_proof_may_come_from_stdin() {
    let folder = Folder::with("some.proof", &PROOF);
    let proof = File::open(folder.path("some.proof")).unwrap();
    end(folder.command().args(["verify", "-", "--elf", HELLO]).stdin(proof)).succeeds();
}

#[test]
fn json_is_one_object() {
    let ended = Folder::with("some.proof", &PROOF).run(["verify", "--json", "some.proof", "--elf", HELLO]);
    let result: Value = serde_json::from_str(&ended.succeeds().stdout).unwrap();
    assert_eq!(result["valid"], true);
    assert_eq!(result["bytes"], PROOF.len());
    assert_eq!(result["johnson"]["bits"], "128.0");
    assert_eq!(result["output"], "48656c6c6f2c20210a");
}

#[test]
fn a_missing_file_is_3() {
    Folder::new()
        .run(["verify", "some.proof", "--elf", HELLO])
        .fails(3, &["some.proof", "No such file", "name a proof file that can be read"]);
}

#[test]
fn a_folder_is_3() {
    Folder::new()
        .run(["verify", ".", "--elf", HELLO])
        .fails(3, &["cannot read .:", "name a proof file that can be read"]);
}

#[test]
fn an_empty_file_is_3() {
    verify(&[]).fails(3, &["some.proof", "empty", "copy it again or prove again"]);
}

#[test]
fn a_truncated_file_is_3() {
    for length in [1, 8, BODY - 1, BODY, PROOF.len() / 2, PROOF.len() - 1] {
        verify(&PROOF[..length]).fails(3, &["some.proof", "lacks", "copy it again or prove again"]);
    }
}

#[test]
fn trailing_bytes_are_3() {
    let mut file = PROOF.clone();
    file.push(0);
    verify(&file).fails(3, &["some.proof", "follow its end", "copy it again or prove again"]);
}

#[test]
fn other_magic_is_3() {
    for bytes in [&patched(0, b"l"), &b"\x7fELF\x02\x01\x01\0"[..], b"{}"] {
        verify(bytes).fails(3, &["some.proof", "not a proof", "name a file that lambda-prove wrote"]);
    }
}

#[test]
fn another_format_version_is_3() {
    verify(&patched(8, &[2, 0])).fails(3, &["some.proof", "format version 2", "the version that made it"]);
    verify(&patched(8, &[0, 0])).fails(3, &["some.proof", "format version 0", "prove again"]);
}

#[test]
fn another_protocol_version_is_3() {
    verify(&patched(10, &[2, 0])).fails(3, &["some.proof", "protocol version 2", "the version that made it"]);
    verify(&patched(10, &[0, 0])).fails(3, &["some.proof", "protocol version 0", "prove again"]);
}

#[test]
fn an_unknown_profile_is_3() {
    verify(&patched(12, &[9, 0])).fails(3, &["some.proof", "profile 9", "the version that made it"]);
}

#[test]
fn an_unknown_kind_of_claim_is_3() {
    verify(&patched(14, &[9, 0])).fails(3, &["some.proof", "does not know", "the version that made it"]);
}

#[test]
fn a_file_larger_than_any_proof_is_3() {
    let folder = Folder::new();
    // Sparse: nothing is written to the disk.
    File::create(folder.path("some.proof")).unwrap().set_len(1 << 40).unwrap();
    folder
        .run(["verify", "some.proof", "--elf", HELLO])
        .fails(3, &["some.proof", "larger", "name a proof file"]);
}

#[test]
fn a_changed_body_is_1() {
    // Among the rows that were opened, which take most of a proof.
    let at = PROOF.len() / 2;
    verify(&patched(at, &[PROOF[at] ^ 1])).fails(1, &["some.proof", "do not rely on it"]);
}

#[test]
fn a_changed_claim_is_1() {
    let at = PROOF.windows(5).position(|bytes| bytes == b"Hello").expect("the output is in the file");
    verify(&patched(at, b"J")).fails(1, &["some.proof", "the header's digest", "do not rely on it"]);
}

#[test]
fn another_output_or_exit_code_than_required_is_1() {
    let folder = Folder::with("some.proof", &PROOF);
    folder.run(["verify", "some.proof", "--elf", HELLO, "--output", "00"]).fails(
        1,
        &["some.proof", "the public output is 48656c6c6f2c20210a, 00 is expected", "that you meant"],
    );
    folder
        .run(["verify", "some.proof", "--elf", HELLO, "--expect-exit", "3"])
        .fails(1, &["some.proof", "exited with code 0, 3 is expected", "that you meant"]);
    folder.run(["verify", "some.proof", "--elf", HELLO, "--output", "48656c6c6f2c20210a"]).succeeds();
}

#[test]
fn a_proof_of_another_program_is_1() {
    Folder::with("some.proof", &PROOF)
        .run(["verify", "some.proof", "--elf", FIBONACCI])
        .fails(1, &["some.proof", "is for program", "expected", "that you meant"]);
    let file = patched(PROGRAM_ID, &[PROOF[PROGRAM_ID] ^ 1]);
    verify(&file).fails(1, &["some.proof", "is for program", "expected", "that you meant"]);
}

#[test]
fn another_program_than_required_is_1() {
    let id = "00".repeat(32);
    Folder::with("some.proof", &PROOF)
        .run(["verify", "some.proof", "--program-id", &id])
        .fails(1, &["some.proof", "is for program", &id, "that you meant"]);
}

#[test]
fn another_profile_than_required_is_1() {
    Folder::with("some.proof", &PROOF)
        .run(["verify", "some.proof", "--elf", HELLO, "--profile", "compact"])
        .fails(1, &["some.proof", "profile default, compact is required", "prove again with it"]);
}

#[test]
fn arguments_that_do_not_parse_are_2() {
    let cases: [&[&str]; 6] = [
        &["verify"],
        &["verify", "some.proof"],
        &["verify", "some.proof", "--program-id", "12"],
        &["verify", "some.proof", "--elf", HELLO, "--unknown"],
        &["verify", "some.proof", "--elf", HELLO, "--profile", "fast"],
        &["verify", "some.proof", "another.proof", "--elf", HELLO],
    ];
    for args in cases {
        let ended = Folder::with("some.proof", &PROOF).run(args.iter().copied());
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{ended:?}");
        assert!(ended.stderr.contains("--help"), "{ended:?}");
    }
}

#[test]
fn a_result_that_cannot_be_printed_is_5() {
    let folder = Folder::with("some.proof", &PROOF);
    let full = File::options().write(true).open("/dev/full");
    let Ok(mut full) = full else {
        return eprintln!("skipped: this system has no /dev/full");
    };
    assert!(full.write_all(b"x").is_err());
    let ended = end(folder.command().args(["verify", "some.proof", "--elf", HELLO]).stdout(full));
    ended.fails(5, &["cannot write the result", "No space left"]);
}
