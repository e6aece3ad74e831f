//! Ctrl-C and SIGTERM end an execution or a proof with its code and leave the folder as it was. A hangup that
//! the caller ignores stays ignored.

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command};
use std::time::Duration;

use support::{FIBONACCI, Folder};

/// The input of [`FIBONACCI`] for so many steps.
fn input(steps: u64) -> String {
    steps.to_le_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Starts `command` on a proof of `steps` Fibonacci numbers, and waits until it is at work.
fn at_work(folder: &Folder, command: &mut Command, steps: u64) -> (Child, BufReader<ChildStderr>) {
    let mut child = command
        .args(["prove", FIBONACCI, "--input-hex", &input(steps)])
        .args(["-o", "some.proof", "--report", "report.json", "--progress", "plain"])
        .spawn()
        .expect("the command starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("stderr is piped"));
    let mut line = String::new();
    stderr.read_line(&mut line).expect("stderr can be read");
    assert!(line.starts_with("device"), "{line:?}");
    line.clear();
    stderr.read_line(&mut line).expect("stderr can be read");
    assert!(line.starts_with("01 trace"), "{line:?}");
    assert!(folder.names().len() > 2, "no temporary files: {:?}", folder.names());
    (child, stderr)
}

fn send(signal: &str, child: &Child) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(status.is_ok_and(|status| status.success()), "the signal cannot be sent");
}

#[test]
fn a_signal_ends_a_proof_with_7_and_leaves_nothing() {
    for signal in ["-INT", "-TERM"] {
        let folder = Folder::with("some.proof", b"older");
        // A proof that takes seconds.
        let (mut child, mut stderr) = at_work(&folder, &mut folder.command(), 100_000);
        send(signal, &child);
        let mut message = String::new();
        stderr.read_to_string(&mut message).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(7), "{signal}: {message}");
        assert!(message.ends_with("lambda-prove: cancelled; nothing was written\n"), "{signal}: {message:?}");
        assert_eq!(folder.names(), ["some.proof"], "{signal}");
        assert_eq!(fs::read(folder.path("some.proof")).unwrap(), b"older", "{signal}");
    }
}

#[test]
fn a_signal_ends_an_execution_with_7_and_leaves_nothing() {
    let folder = Folder::new();
    let mut child = folder
        .command()
        .args(["run", FIBONACCI, "--input-hex", &input(1 << 40), "-o", "output"])
        .spawn()
        .expect("the command starts");
    while folder.names().is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "the execution ended by itself");
        std::thread::sleep(Duration::from_millis(5));
    }
    send("-INT", &child);
    assert_eq!(child.wait().unwrap().code(), Some(7));
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_run_under_nohup_outlives_its_terminal() {
    let folder = Folder::with("some.proof", b"older");
    let mut command = folder.program(Path::new("/bin/sh"));
    command.args(["-c", "trap '' HUP; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_lambda-prove")]);
    let (mut child, mut stderr) = at_work(&folder, &mut command, 5_000);
    send("-HUP", &child);
    let mut message = String::new();
    stderr.read_to_string(&mut message).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{message}");
    assert_eq!(folder.names(), ["report.json", "some.proof"]);
}
