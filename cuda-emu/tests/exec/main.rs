//! The PTX executor against Rust functions, and planted bugs that it has to find.

mod kit;

mod barrier;
mod bits;
mod carry;
mod convert;
mod divergence;
mod faults;
mod float;
mod integer;
mod launches;
mod memory;
mod predicates;
mod programs;
mod refusals;
mod warp;
