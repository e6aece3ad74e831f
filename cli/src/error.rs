//! What the command ends with when it does not succeed.

use std::io;
use std::path::PathBuf;

use lambda_block::BlockError;
use lambda_executor::ExecutionError;
use lambda_machine::elf::ElfError;
use lambda_math_cuda::DeviceError;
use lambda_prover::recovery::RecoveryEvent;
use lambda_prover::{Action, Fault, ProveError};
use lambda_verifier::command::{CommandError, EXIT_UNREADABLE};
use lambda_verifier::error::KeyError;
use lambda_verifier::file::FileError;

use crate::device::shown::fault;
use crate::report::ReportError;

/// Exit code after Ctrl-C or SIGTERM.
pub const EXIT_CANCELLED: i32 = 7;
const EXIT_USAGE: u8 = 2;
const EXIT_GUEST: u8 = 4;
const EXIT_REFUSED: u8 = 5;
const EXIT_INTERNAL: u8 = 6;

/// A failure, for the user.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// Verification failed.
    #[error("{0}")]
    Verify(CommandError),
    /// An input cannot be read.
    #[error("cannot read {}: {error}; name a file that can be read", path.display())]
    Input {
        /// The input.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// An input is too large.
    #[error("{} is larger than {limit} bytes, the most that is read", path.display())]
    TooLarge {
        /// The input.
        path: PathBuf,
        /// The limit.
        limit: u64,
    },
    /// A program cannot be loaded.
    #[error("{}: {error}; build it for RV64IM as docs/src/guests.md says", path.display())]
    Elf {
        /// The ELF file.
        path: PathBuf,
        /// Why.
        error: ElfError,
    },
    /// A proof file cannot be read.
    #[error("{}: {error}", path.display())]
    Proof {
        /// The proof.
        path: PathBuf,
        /// Why.
        error: FileError,
    },
    /// A file is none of those that the command knows.
    #[error("{} is neither an ELF executable, a block nor a proof", path.display())]
    Unrecognised {
        /// The file.
        path: PathBuf,
    },
    /// No block comes out.
    #[error("{0}; nothing was written")]
    Block(BlockError),
    /// The program trapped, or reached a limit.
    #[error("{0}")]
    Trap(ExecutionError),
    /// The program exited with another code than expected.
    #[error("the program exited with code {code}, {expected} is expected")]
    Exit {
        /// Its exit code.
        code: u64,
        /// The code expected.
        expected: u64,
    },
    /// The program is larger than a proof allows.
    #[error("the program cannot be proven: {0}")]
    Program(KeyError),
    /// An output cannot be written.
    #[error("cannot write {}: {error}; nothing was written; {}", path.display(), advice(error))]
    Output {
        /// The output.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The result cannot be printed; the files have been written.
    #[error("cannot print the result: {0}; the output files are complete")]
    Stdout(io::Error),
    /// No proof came out.
    #[error("{0}; nothing was written")]
    Prove(ProveError),
    /// The device that was asked for cannot be used.
    #[error("--device {kind}: {error}; nothing was written; {}", device_advice(error))]
    Device {
        /// What was asked for.
        kind: &'static str,
        /// Why not.
        error: DeviceError,
    },
    /// The stand-in driver is not where it should be.
    #[error(
        "--device emu: the stand-in driver is not at {}; build it with `cargo build --release \
         -p lambda-cuda-emu`, or set LAMBDA_VM_CUDA_EMU to its path",
        one_of(looked)
    )]
    NoEmulator {
        /// Where it was looked for.
        looked: Vec<PathBuf>,
    },
    /// A stage failed on the device, and recovery could not or must not go on.
    #[error(
        "the device failed at {} of {}: {}; {}; nothing was written; {}--policy recover goes on on the host",
        last.stage,
        last.scope,
        fault(last),
        tried_in_words(tried),
        if last.shortage.is_some() { "raise --vram-budget; " } else { "" }
    )]
    GaveUp {
        /// The stage's last fault.
        last: Box<RecoveryEvent>,
        /// What had been tried.
        tried: Vec<Action>,
    },
    /// A file is no report that can be drawn.
    #[error("{}: {error}", path.display())]
    Report {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: ReportError,
    },
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
            Self::Usage(_) | Self::Block(BlockError::TooManyTransfers { .. }) => EXIT_USAGE,
            Self::Input { .. }
            | Self::TooLarge { .. }
            | Self::Elf { .. }
            | Self::Proof { .. }
            | Self::Unrecognised { .. }
            | Self::Report { .. }
            | Self::Block(_)
            | Self::Program(_) => EXIT_UNREADABLE,
            Self::Trap(_) | Self::Exit { .. } => EXIT_GUEST,
            Self::Output { .. }
            | Self::Stdout(_)
            | Self::Resource(_)
            | Self::Device { .. }
            | Self::NoEmulator { .. }
            | Self::GaveUp { .. } => EXIT_REFUSED,
            Self::Prove(
                ProveError::Fault(Fault::OutOfMemory { .. }) | ProveError::Claim(_) | ProveError::Key(_),
            ) => EXIT_REFUSED,
            Self::Prove(_) => EXIT_INTERNAL,
        }
    }
}

/// What to do about a device that cannot be used.
fn device_advice(error: &DeviceError) -> &'static str {
    match error {
        DeviceError::NoDriver { .. } | DeviceError::DriverTooOld { .. } => {
            "install NVIDIA's driver for CUDA 13 or later, or use --device host"
        }
        DeviceError::OutOfMemory { .. } => {
            "choose another --vram-budget, or let --policy recover use the host"
        }
        _ => "`lambda-prove doctor` shows what is there; --device host does without",
    }
}

fn one_of(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    paths.join(" or ")
}

fn tried_in_words(tried: &[Action]) -> String {
    let names: Vec<String> = tried.iter().map(Action::to_string).collect();
    if names.is_empty() { "nothing could be tried".to_owned() } else { format!("tried {}", names.join(", ")) }
}

/// What to do about an output that cannot be written.
fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "make its folder first",
        io::ErrorKind::IsADirectory => "name a file in it",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room or choose another place"
        }
        _ => "choose another place",
    }
}
