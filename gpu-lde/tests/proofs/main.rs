//! Proofs made on the stand-in driver have the host's bytes: with all the memory they want, with less and
//! less of it, with every stage moved to the host, and with work refused or corrupted.
//!
//! [`bytes`] does so with the small system, [`stages`] for every stage and every kind of table, [`sets`] with
//! the tables of the demo and of the machine.

#[path = "../../../math-cuda/tests/kernels/kit.rs"]
#[allow(dead_code, reason = "each test binary uses its own part")]
mod kit;
#[path = "../mixes/mod.rs"]
mod mixes;
#[path = "../../../prover/tests/support/mod.rs"]
mod support;

mod bytes;
mod run;
mod sets;
mod stages;
