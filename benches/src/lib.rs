//! What the benchmarks share: arguments, workloads, the peer's set-up, timing, results.
//!
//! Machines are noisy, so two sides are always timed in turn within one run, and the figure to quote is the
//! median of the pairs' ratios. Results go to a JSON file together with the machine they were made on.
#![forbid(unsafe_code)]

pub mod args;
pub mod keccak;
pub mod plonky3;
pub mod result;
pub mod timing;
pub mod workload;
pub mod zkvm;
