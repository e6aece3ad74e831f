//! The built-in demo system: three tables joined by one bus.
//!
//! | table | height | columns | what it shows |
//! |---|---|---|---|
//! | [`fibonacci`] | any `2^k` | 4 | public values, next-row access, lookups of every row |
//! | [`keccak`] | 24 rows a permutation, padded to `2^k` | 2633 | a Plonky3 AIR, unchanged, put on a bus |
//! | [`range16`] | 2^16 | 1 and 1 preprocessed | a fixed lookup table of degree 2 |
//!
//! `fibonacci` and `keccak` send values on [`RANGE16`], and `range16` receives them. The system is small
//! enough to read, and wide and tall enough to measure: one table is narrow, one is wide, one has
//! preprocessed columns.
//!
//! Constraints need no standard library. The feature `trace` adds what a prover needs, `DemoInput` and
//! `traces`.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod fibonacci;
#[cfg(feature = "trace")]
mod input;
pub mod keccak;
pub mod range16;

use alloc::vec::Vec;

use lambda_air::{Bus, Table};

#[cfg(feature = "trace")]
pub use input::{DemoInput, traces};

/// Values that are claimed to be below 2^16.
pub const RANGE16: Bus = Bus::new(1, "range16", &[16]);

/// Names of the tables, in registry order.
pub const TABLE_NAMES: [&str; 3] = [fibonacci::NAME, keccak::NAME, range16::NAME];

/// The tables, in registry order.
pub fn tables() -> Vec<Table> {
    alloc::vec![
        Table::new(fibonacci::NAME, fibonacci::FibonacciAir),
        Table::new(keccak::NAME, keccak::KeccakTableAir),
        Table::new(range16::NAME, range16::Range16Air),
    ]
}
