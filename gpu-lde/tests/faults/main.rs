//! Whatever goes wrong on the device, the proof has the host's bytes, or under `strict` there is a typed
//! error.
//!
//! A [`plan`] draws tables, budget, schedule, switches and faults from one seed, [`run`] proves under it and
//! judges the outcome, [`sweep`] does so for many seeds. [`shared`] has two proofs on one device, [`next`]
//! one after another, [`panics`] one after a panic, [`findings`] what the cross-check says.

#[path = "../../../math-cuda/tests/kernels/kit.rs"]
#[allow(dead_code, reason = "each test binary uses its own part")]
mod kit;
#[path = "../mixes/mod.rs"]
mod mixes;
#[path = "../../../prover/tests/support/mod.rs"]
mod support;

mod findings;
mod next;
mod panics;
mod plan;
mod run;
mod shared;
mod sweep;
