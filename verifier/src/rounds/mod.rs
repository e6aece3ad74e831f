//! The verifier's side of each round; numbers and titles are those of the prover and of the book.

pub mod r01_trace;
pub mod r02_main;
pub mod r03_lookup;
pub mod r04_quotient;
pub mod r05_ood;
pub mod r06_fri;
pub mod r07_open;
