//! Runs programs of [`lambda_machine`].
//!
//! One interpreter, `hart`, does it; what it is watched by decides what comes out:
//! - [`Executor::run`]: output and exit code, as fast as the interpreter goes;
//! - [`Executor::record`]: an [`ExecutionRecord`](lambda_machine::record::ExecutionRecord) beside them, from
//!   which the tables are filled;
//! - [`Executor::profile`]: a [`Profile`] beside them, instructions by call stack.
//!
//! An execution ends with an exit code, whatever it is, or with an [`ExecutionError`] that says which
//! instruction could not be done and why. What ends with an exit code can be proven.
//!
//! With feature `testing`, module `testing` has an assembler, random programs, and a checker of records.
#![forbid(unsafe_code)]

mod error;
mod executor;
mod hart;
mod listing;
mod memory;
mod pages;
mod profile;
mod recorder;
mod step;
mod system;
#[cfg(feature = "testing")]
pub mod testing;
mod watch;

pub use error::{ExecutionError, Location, Trap};
pub use executor::{Execution, Executor, Limits};
pub use profile::Profile;
pub use system::LOG_BYTES;
