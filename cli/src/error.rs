//! What the command ends with when it does not succeed.

use std::io;
use std::path::PathBuf;

use lambda_prover::{Fault, ProveError};
use lambda_verifier::command::CommandError;
use lambda_verifier::error::KeyError;

/// Exit code after Ctrl-C or SIGTERM.
pub const EXIT_CANCELLED: i32 = 7;
const EXIT_USAGE: u8 = 2;
const EXIT_REFUSED: u8 = 5;
const EXIT_INTERNAL: u8 = 6;

/// A failure, for the user.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// Verification failed.
    #[error("{0}")]
    Verify(CommandError),
    /// An output cannot be written.
    #[error("cannot write {}: {}; nothing was written", path.display(), reason(error))]
    Output {
        /// The output.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The result cannot be printed; the files have been written.
    #[error("cannot print the result: {0}; the output files are complete")]
    Stdout(io::Error),
    /// The system of tables breaks a rule: a fault of this program.
    #[error("internal fault: {0}")]
    System(KeyError),
    /// No proof came out.
    #[error("{0}; nothing was written")]
    Prove(ProveError),
    /// Threads or signal handlers are not to be had.
    #[error("{0}")]
    Resource(String),
    /// Arguments that do not go together.
    #[error("{0}")]
    Usage(String),
}

impl CliError {
    /// The exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Verify(error) => error.exit_code(),
            Self::Usage(_) => EXIT_USAGE,
            Self::Output { .. } | Self::Stdout(_) | Self::Resource(_) => EXIT_REFUSED,
            Self::Prove(ProveError::Fault(Fault::OutOfMemory { .. })) => EXIT_REFUSED,
            Self::System(_) | Self::Prove(_) => EXIT_INTERNAL,
        }
    }
}

/// What went wrong, without the name of a temporary file.
fn reason(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code).to_string(),
        None => error
            .get_ref()
            .and_then(|inner| inner.source())
            .map_or_else(|| error.kind().to_string(), |source| source.to_string()),
    }
}
