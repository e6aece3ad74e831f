//! The driver through its exported functions: what a correct host sees, and what each defect is called.
//!
//! Tests of a defect run under every schedule: finding it must not depend on the order that was drawn.

#![allow(missing_docs, reason = "tests")]

mod capacity;
mod devices;
mod faults;
mod kit;
mod memory;
mod modules;
mod order;
mod pinned;
mod programs;
mod record;
mod references;
mod shadow;
