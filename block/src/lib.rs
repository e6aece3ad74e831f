//! Ethereum blocks together with their witness, in the encoding that the validator (`guests/stateless`)
//! reads: its input.
//!
//! [`generate`] makes a valid block of a development chain, [`import`] makes one of what a node answers,
//! [`prune`] drops what an input holds in vain, and [`Summary`] says what an input is about. Whatever the
//! first three return, the validator has accepted. [`maker`] is for whoever wants other blocks than
//! [`generate`] makes: it turns transactions into a valid block.
//!
//! Nothing here is part of what a proof shows: that is the validator's alone.
#![forbid(unsafe_code)]

mod dialect;
mod error;
mod generate;
mod import;
mod input;
pub mod maker;
mod summary;

pub use error::{BlockError, ImportError};
pub use generate::{MAX_TRANSFERS, generate};
pub use import::{import, prune};
pub use input::OwnedInput;
pub use summary::Summary;
