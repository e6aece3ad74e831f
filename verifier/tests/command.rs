//! `lambda-verify`: the exit code and the message for each kind of failure. The cases of one kind are
//! tested with the library, and with `lambda-prove verify`, which shares the implementation.

mod support;

use std::fs::{self, File};
use std::process::{Command, Output, Stdio};

use lambda_executor::Executor;
use lambda_prover::HostBackend;
use lambda_prover::execution::ProvableProgram;
use lambda_verifier::Profile;
use support::GOLDEN;

/// A program that needs no input.
const ELF: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../guests/elf/hello.elf");

/// A proof of an execution of that program.
fn proof(profile: Profile) -> Vec<u8> {
    let elf = fs::read(ELF).expect("the program can be read");
    let executor = Executor::from_elf(&elf).expect("it is a program");
    let (_, record) = executor.record(&[]).expect("it runs");
    let program = ProvableProgram::new(profile, executor.program().clone()).expect("it can be proven");
    program.prove(&HostBackend, program.witness(&record), &()).expect("the record is right").file.encode()
}

/// Runs `lambda-verify` with `args` in a folder where `some.proof` has these `bytes`.
fn verify(bytes: &[u8], args: &[&str], stdout: Stdio) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("some.proof"), bytes).expect("the folder can be written");
    Command::new(env!("CARGO_BIN_EXE_lambda-verify"))
        .args(args)
        .current_dir(&folder)
        .stdin(Stdio::null())
        .stdout(stdout)
        .output()
        .expect("the command starts")
}

/// Asserts that `some.proof` with these `bytes` ends with `code`, no result, and one line that has all of
/// `words`.
#[track_caller]
fn assert_refused(bytes: &[u8], code: i32, words: &[&str]) {
    let output = verify(bytes, &["some.proof", "--elf", ELF], Stdio::piped());
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{message}");
    assert!(output.stdout.is_empty());
    assert!(message.starts_with("lambda-verify: some.proof: "), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    for word in words {
        assert!(message.contains(word), "{word:?} is not in {message:?}");
    }
}

#[test]
fn a_valid_proof_is_0_and_a_changed_one_is_1() {
    let mut proof = proof(Profile::Default);
    let output = verify(&proof, &["--explain", "some.proof", "--elf", ELF], Stdio::piped());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    for word in ["some.proof", "128.0 bits (Johnson", "provable bits", "verified in"] {
        assert!(text.contains(word), "{word:?} is not in {text:?}");
    }

    if let Ok(full) = File::options().write(true).open("/dev/full") {
        let output = verify(&proof, &["some.proof", "--elf", ELF], full.into());
        assert_eq!(output.status.code(), Some(5), "the result cannot be printed");
    }

    // Among the rows that were opened, which take most of a proof.
    let middle = proof.len() / 2;
    proof[middle] ^= 1;
    assert_refused(&proof, 1, &["do not rely on it"]);
}

#[test]
fn a_proof_without_security_is_1_unless_asked_for() {
    let proof = proof(Profile::Test);
    // Debug builds let the test profile be chosen.
    if cfg!(debug_assertions) {
        assert_eq!(verify(&proof, &["some.proof", "--elf", ELF], Stdio::piped()).status.code(), Some(0));
    } else {
        let words = ["profile test, one that promises 128 bits is required", "prove again with it"];
        assert_refused(&proof, 1, &words);
    }
}

#[test]
fn what_is_no_proof_of_this_version_is_3() {
    let proof = proof(Profile::Default);
    let newer = |at: usize| {
        let mut file = proof.clone();
        file[at] += 1;
        file
    };
    assert_refused(&[], 3, &["empty", "copy it again or prove again"]);
    assert_refused(b"#!/bin/sh\n", 3, &["not a proof", "name a file that lambda-prove wrote"]);
    assert_refused(&proof[..proof.len() - 1], 3, &["truncated", "copy it again or prove again"]);
    assert_refused(GOLDEN, 3, &["about a system of tables", "that you meant"]);
    assert_refused(&newer(8), 3, &["format version", "the version that made it"]);
    assert_refused(&newer(10), 3, &["protocol version", "the version that made it"]);
}

#[test]
fn a_missing_file_is_3() {
    let output = verify(&[], &["other.proof", "--elf", ELF], Stdio::piped());
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{message}");
    assert!(message.contains("cannot read other.proof: No such file"), "{message}");
}

#[test]
fn arguments_that_do_not_parse_are_2() {
    for args in [&[][..], &["some.proof"], &["some.proof", "--program-id", "12"]] {
        assert_eq!(verify(GOLDEN, args, Stdio::piped()).status.code(), Some(2), "{args:?}");
    }
}
