//! The protocol, as its verifier sees it.
//!
//! This crate owns every decision that security rests on: the parameters ([`profile`]), how many bits they
//! give ([`security`]), what is hashed in which order ([`transcript`]), what a proof is ([`proof`]) and
//! when one is accepted ([`verify()`]). The prover depends on it; it knows no prover, thread, clock, file
//! or float. It is total: on no input does it panic, and it allocates no more than a small multiple of the
//! proof's size.
//!
//! `rounds` has one module per round of the protocol, with the number and title of the prover's and of the
//! book's chapter.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::float_arithmetic,
    clippy::unreachable
)]

extern crate alloc;
#[cfg(feature = "cli")]
extern crate std;

pub mod balance;
#[cfg(feature = "cli")]
pub mod command;
pub mod composition;
pub mod error;
pub mod execution;
pub mod file;
pub mod fri;
pub mod key;
pub mod layout;
pub mod profile;
pub mod proof;
mod rounds;
pub mod security;
#[cfg(feature = "std")]
pub mod setup;
pub mod statement;
pub mod transcript;
pub mod verify;
pub mod wire;

pub use error::VerifyError;
pub use file::ProofFile;
pub use key::VerifyingKey;
pub use profile::Profile;
pub use proof::Proof;
pub use rounds::r01_trace::check_statement;
#[cfg(feature = "std")]
pub use setup::ProvingKey;
pub use statement::{PublicMessage, Statement};
pub use transcript::Transcript;
pub use verify::{verify, verify_file};
