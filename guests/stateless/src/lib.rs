//! Validates one Ethereum block from the block itself and a witness of the state that it touches.
//!
//! A stateless validator holds no state of its own. It is handed an [`Input`]: the block, its ancestors'
//! headers, and every trie node and contract code that executing the block reads. Each of these is named by
//! its hash, starting from the block's own, so nothing in the input has to be trusted. What the validator
//! concludes, a [`Validated`], is all that the outside needs to see.
//!
//! Execution is revm's, transaction and header formats are alloy's. This crate adds what lies around them:
//!
//! | module | what it holds |
//! |---|---|
//! | `input` | the input and its encoding |
//! | `chain` | which rules hold on which chain at what time |
//! | `ancestors` | what the block stands on: parent, state root, block hashes |
//! | `header` | the rules of a header, alone and against its parent; `fees` the arithmetic |
//! | `body` | the body against the header; senders |
//! | `trie`, `witness` | the sparse Merkle-Patricia trie and the nodes to fill it from |
//! | `database` | the state as revm reads it |
//! | `execution` | running the block; `state` applies what changed and gives the new root |
//! | `validate` | all of it in order |
//! | `output` | the conclusion and its encoding |
//!
//! The crate is `no_std`, never panics on any input, and builds for the host as well as for the machine.
//!
//! # What is refused
//! Whatever differs from the one valid encoding of a valid block with exactly the witness it needs: unused
//! nodes and codes, bytes behind any list, integers with leading zeros. [`prune`] drops what is unused.

#![no_std]

extern crate alloc;

mod ancestors;
mod body;
mod chain;
mod crypto;
mod database;
mod error;
mod execution;
mod fees;
mod header;
mod input;
mod output;
mod state;
mod trie;
mod validate;
mod witness;

pub use chain::{Chain, DEV_CHAIN_ID};
pub use error::{HeaderError, InputError, ValidationError, WitnessError};
pub use execution::Outcome;
pub use fees::{blob_base_fee, next_base_fee, next_excess_blob_gas};
pub use input::Input;
pub use output::{OUTPUT_LENGTH, Validated};
pub use trie::Trie;
pub use validate::{outcome, prune, validate};
pub use witness::Witness;
