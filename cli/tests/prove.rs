//! `lambda-prove prove`: what it writes and prints, and what it ends with when an output cannot be written.
//! Files appear whole or not at all, and an existing one is replaced only by a whole one.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;
use support::{Folder, HELLO, PROOF, end};

/// Arguments of a short proof, with `more`.
fn prove<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["prove", HELLO], more].concat()
}

#[test]
fn the_proof_is_all_that_is_written() {
    let folder = Folder::new();
    let ended = folder.run(prove(&["-o", "new.proof"]));
    assert!(ended.succeeds().stdout.contains("new.proof"), "{ended:?}");
    assert_eq!(folder.names(), ["new.proof"]);
    assert!(fs::read(folder.path("new.proof")).unwrap() == *PROOF, "proofs of the same input differ");
}

#[test]
fn an_existing_proof_is_replaced() {
    let folder = Folder::with("some.proof", b"older");
    folder.run(prove(&["-o", "some.proof"])).succeeds();
    assert_eq!(folder.names(), ["some.proof"]);
    assert!(fs::read(folder.path("some.proof")).unwrap() == *PROOF);
}

#[test]
fn json_and_report_are_objects() {
    let folder = Folder::new();
    let ended = folder.run(prove(&["-o", "new.proof", "--report", "report.json", "--json"]));
    let result: Value = serde_json::from_str(&ended.succeeds().stdout).unwrap();
    assert_eq!(result["proof"], "new.proof");
    assert_eq!(result["bytes"], PROOF.len());
    assert_eq!(result["johnson_bits"], "128.0");
    let report: Value = serde_json::from_slice(&fs::read(folder.path("report.json")).unwrap()).unwrap();
    assert!(report["tables"].as_array().is_some_and(|tables| !tables.is_empty()));
    assert_eq!(report["rounds"].as_array().map(Vec::len), Some(8));
    assert_eq!(folder.names(), ["new.proof", "report.json"]);
}

#[test]
fn progress_is_as_asked_for() {
    let folder = Folder::new();
    let stderr = |more: &[&'static str]| {
        let args = [&["-o", "new.proof", "--progress"], more].concat();
        let ended = folder.run(prove(&args));
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended.stderr
    };
    for silent in [&["auto"][..], &["none"], &["bar", "--quiet"]] {
        assert_eq!(stderr(silent), "", "{silent:?}");
    }
    let plain = stderr(&["plain"]);
    let rounds: Vec<&str> = plain.lines().map(|line| &line[..2]).collect();
    assert_eq!(rounds, ["de", "01", "02", "03", "04", "05", "06", "07", "08"]);
    let events: Vec<Value> =
        stderr(&["json"]).lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    assert_eq!(events[0]["event"], "device");
    let done = events.iter().filter(|event| event["event"] == "round_done").count();
    assert_eq!(done, 8);
}

#[test]
fn a_folder_that_does_not_exist_is_5() {
    let folder = Folder::new();
    folder
        .run(prove(&["-o", "absent/new.proof"]))
        .fails(5, &["absent/new.proof", "No such file", "nothing was written", "make its folder first"]);
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_file_in_place_of_the_folder_is_5() {
    let folder = Folder::with("file", b"");
    folder.run(prove(&["-o", "file/new.proof"])).fails(5, &["file/new.proof", "choose another place"]);
    assert_eq!(folder.names(), ["file"]);
}

#[test]
fn a_folder_without_permission_is_5() {
    let folder = Folder::new();
    let locked = folder.path("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), b"").is_ok() {
        return eprintln!("skipped: this user may write anywhere");
    }
    folder
        .run(prove(&["-o", "locked/new.proof"]))
        .fails(5, &["locked/new.proof", "Permission denied", "choose another place"]);
}

#[test]
fn a_folder_in_place_of_the_file_is_5() {
    let folder = Folder::new();
    fs::create_dir(folder.path("new.proof")).unwrap();
    folder
        .run(prove(&["-o", "new.proof"]))
        .fails(5, &["new.proof", "is a directory", "nothing was written", "name a file in it"]);
    assert_eq!(folder.names(), ["new.proof"]);
    assert_eq!(fs::read_dir(folder.path("new.proof")).unwrap().count(), 0);
}

#[test]
fn a_report_that_cannot_be_written_leaves_the_existing_proof() {
    let folder = Folder::with("some.proof", b"older");
    folder
        .run(prove(&["-o", "some.proof", "--report", "absent/report.json"]))
        .fails(5, &["absent/report.json", "nothing was written", "make its folder first"]);
    assert_eq!(folder.names(), ["some.proof"]);
    assert_eq!(fs::read(folder.path("some.proof")).unwrap(), b"older");
}

#[test]
fn a_full_disk_leaves_the_existing_proof() {
    let folder = Folder::with("some.proof", b"older");
    // A limit on the size of files stands for the disk: 512 × 16 bytes, and no signal where it is passed.
    let script = "trap '' XFSZ; ulimit -f 16; exec \"$@\"";
    let mut command = folder.program(Path::new("/bin/sh"));
    command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_lambda-prove")]);
    command.args(prove(&["-o", "some.proof"]));
    end(&mut command).fails(5, &["some.proof", "File too large", "nothing was written", "make room"]);
    assert_eq!(folder.names(), ["some.proof"]);
    assert_eq!(fs::read(folder.path("some.proof")).unwrap(), b"older");
}

#[test]
fn arguments_that_do_not_go_together_are_2() {
    let folder = Folder::new();
    folder
        .run(prove(&["-o", "some.file", "--report", "some.file"]))
        .fails(2, &["proof and report cannot be the same file"]);
    for more in [&[][..], &["-o", "new.proof", "--input-hex", "0"], &["-o", "new.proof", "--threads", "0"]] {
        let ended = folder.run(prove(more));
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.contains("--help"), "{ended:?}");
    }
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_program_that_cannot_be_read_is_3() {
    let folder = Folder::with("some.elf", b"\x7fELF");
    folder
        .run(["prove", "absent.elf", "-o", "new.proof"])
        .fails(3, &["absent.elf", "No such file", "name a file that can be read"]);
    folder.run(["prove", "some.elf", "-o", "new.proof"]).fails(3, &["some.elf", "build it for RV64IM"]);
    assert_eq!(folder.names(), ["some.elf"]);
}

#[test]
fn another_exit_code_than_expected_is_4_and_leaves_the_existing_proof() {
    let folder = Folder::with("some.proof", b"older");
    folder
        .run(prove(&["-o", "some.proof", "--expect-exit", "1"]))
        .fails(4, &["exited with code 0", "1 is expected"]);
    assert_eq!(folder.names(), ["some.proof"]);
    assert_eq!(fs::read(folder.path("some.proof")).unwrap(), b"older");
}
