//! Runs `lambda-prove` in a folder of its own and looks at what it leaves.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use tempfile::TempDir;

/// A program that greets whom its input names.
pub const HELLO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../guests/elf/hello.elf");
/// A program whose input says how long it runs.
pub const FIBONACCI: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../guests/elf/fib.elf");

/// A proof of an execution of [`HELLO`] without input.
pub static PROOF: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = Folder::new();
    folder.run(["prove", HELLO, "-o", "proof"]).succeeds();
    fs::read(folder.path("proof")).expect("the proof was written")
});

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// Asserts that the run succeeded without a word on stderr.
    #[track_caller]
    pub fn succeeds(&self) -> &Self {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{self:?}");
        self
    }

    /// Asserts that the run failed with `code`, printed no result, and explained itself in one line that has
    /// all of `words`: the file it is about, what is wrong, what to do.
    #[track_caller]
    pub fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!((self.code, self.stdout.as_str()), (Some(code), ""), "{self:?}");
        assert!(self.stderr.starts_with("lambda-prove: "), "{self:?}");
        assert_eq!(self.stderr.lines().count(), 1, "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is not in {self:?}");
        }
    }
}

/// A folder that a test's runs work in.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A folder with one file in it.
    pub fn with(name: &str, bytes: &[u8]) -> Self {
        let folder = Self::new();
        fs::write(folder.path(name), bytes).expect("the folder can be written");
        folder
    }

    /// The command, with this folder as its working directory.
    pub fn command(&self) -> Command {
        self.program(Path::new(env!("CARGO_BIN_EXE_lambda-prove")))
    }

    /// Any program, with this folder as its working directory.
    pub fn program(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the command to its end.
    pub fn run<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Ended {
        end(self.command().args(args))
    }

    /// Names of all files in the folder, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder can be read");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("the folder can be read").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

/// Runs `command` to its end.
pub fn end(command: &mut Command) -> Ended {
    let output = command.output().expect("the command starts");
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("results are text"),
        stderr: String::from_utf8(output.stderr).expect("messages are text"),
    }
}
