//! The prover.
//!
//! [`prove`] runs the protocol's rounds over a [`Backend`]; `rounds` has one module per round, with the
//! number and title of the verifier's and of the book's chapter. A proof is verified before it is returned,
//! and its bytes depend on system, traces, statement and profile alone.
//!
//! The crate knows nothing of devices: [`HostBackend`] computes on the CPU, others live in crates of their
//! own.
#![forbid(unsafe_code)]

pub mod backend;
pub mod check;
mod error;
pub mod execution;
mod fault;
pub mod host;
pub mod memory;
mod prove;
mod recorder;
pub mod recovery;
pub mod report;
mod rounds;
mod system;

pub use backend::Backend;
pub use check::check_traces;
pub use error::ProveError;
pub use fault::{Fault, Scope, Stage};
pub use host::HostBackend;
pub use lambda_verifier::Profile;
pub use memory::MemoryPlan;
pub use prove::{Proven, Witness, prove};
pub use recovery::{Action, Policy};
pub use report::{DeviceMemory, Event, Observer, Report, Round};
pub use system::System;
