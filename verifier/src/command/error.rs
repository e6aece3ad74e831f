//! Why the command did not accept.

use std::path::PathBuf;
use std::string::String;

use lambda_machine::elf::ElfError;

use super::block::{BlockFileError, Difference, OUTPUT_BYTES};
use crate::Profile;
use crate::error::KeyError;
use crate::execution::{ExecutionClaim, ExecutionVerifyError};
use crate::file::{Claim, FileError};

/// Exit code of an invalid proof.
pub const EXIT_INVALID: u8 = 1;
/// Exit code of an input that cannot be read or is of an unknown format or version.
pub const EXIT_UNREADABLE: u8 = 3;
/// Exit code when the result cannot be written.
pub const EXIT_REFUSED: u8 = 5;

/// What a valid proof proves instead of what is expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// Another exit code.
    #[error("the program exited with code {got}, {expected} is expected")]
    ExitCode {
        /// Code expected.
        expected: u64,
        /// Code proven.
        got: u64,
    },
    /// Another output.
    #[error("the public output is {got}, {expected} is expected")]
    Output {
        /// Output expected, in hexadecimal digits.
        expected: String,
        /// Output proven, in hexadecimal digits.
        got: String,
    },
    /// An output that is not the block validator's.
    #[error("the public output has {bytes} bytes, a block validator's has {OUTPUT_BYTES}")]
    NoBlock {
        /// Bytes of output.
        bytes: usize,
    },
    /// Another block.
    #[error("the proof is about a block with {} {}, {} is expected", .0.field, .0.got, .0.expected)]
    Block(Difference),
}

/// Why the command did not accept.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The file cannot be read.
    #[error("cannot read {}: {error}; name a {what} file that can be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What it should be.
        what: &'static str,
        /// What the system says.
        error: std::io::Error,
    },
    /// The file is too large.
    #[error("{} is larger than {limit} bytes, the most that is read; name a {what} file", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What it should be.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The file is not an acceptable proof.
    #[error("{}: {error}; {}", path.display(), advice(error))]
    Refused {
        /// The file.
        path: PathBuf,
        /// Why.
        error: FileError,
    },
    /// The proof does not prove what it claims.
    #[error("{}: {error}; do not rely on it", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Why.
        error: ExecutionVerifyError,
    },
    /// The proof is valid, and proves something else than expected.
    #[error("{}: {mismatch}; check that it is the proof that you meant", path.display())]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// What differs.
        mismatch: Mismatch,
    },
    /// The program cannot be loaded.
    #[error("{}: {error}; name the program that was proven", path.display())]
    Elf {
        /// The ELF file.
        path: PathBuf,
        /// Why.
        error: ElfError,
    },
    /// The proof's profile is not wanted here.
    #[error("{}: the proof has profile {got}, {expected} is required; prove again with it", path.display())]
    Profile {
        /// The file.
        path: PathBuf,
        /// Its profile.
        got: Profile,
        /// What is required.
        expected: String,
    },
    /// The program is larger than a proof allows.
    #[error("no proof can be for this program: {0}")]
    Program(#[from] KeyError),
    /// The file with the expected block holds none.
    #[error("{}: {error}; name what `lambda-prove block` wrote", path.display())]
    Block {
        /// The file.
        path: PathBuf,
        /// Why.
        error: BlockFileError,
    },
    /// The output cannot be written.
    #[error("cannot write the result: {0}")]
    Output(#[from] std::io::Error),
}

impl CommandError {
    /// The exit code.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Unreadable { .. }
            | Self::TooLarge { .. }
            | Self::Elf { .. }
            | Self::Program(_)
            | Self::Block { .. } => EXIT_UNREADABLE,
            Self::Output(_) => EXIT_REFUSED,
            Self::Refused { error, .. } if !error.is_invalid_proof() => EXIT_UNREADABLE,
            Self::Refused { .. } | Self::Invalid { .. } | Self::Mismatch { .. } | Self::Profile { .. } => {
                EXIT_INVALID
            }
        }
    }
}

/// What to do about a proof of something else.
const MEANT: &str = "check that it is the proof that you meant";

/// What to do about a file that is not acceptable.
const fn advice(error: &FileError) -> &'static str {
    match error {
        FileError::Magic => "name a file that lambda-prove wrote",
        FileError::Format { got, supported } | FileError::Protocol { got, supported }
            if *got < *supported =>
        {
            "prove again with this version"
        }
        FileError::Kind { got, .. } if *got <= ExecutionClaim::KIND => MEANT,
        FileError::Format { .. }
        | FileError::Protocol { .. }
        | FileError::UnknownProfile { .. }
        | FileError::Kind { .. } => "verify it with the version that made it",
        FileError::Empty | FileError::TooLarge { .. } | FileError::Decode(_) => {
            "it is not whole: copy it again or prove again"
        }
        FileError::Program { .. } | FileError::Profile { .. } => MEANT,
        FileError::StatementDigest | FileError::Invalid(_) => "do not rely on it",
    }
}
