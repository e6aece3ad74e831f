//! Validates an Ethereum block: a `stateless` input in, its conclusion (`Validated::to_output`) out.
//!
//! Exits with code 1, a message on the log and no output where the block is refused.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::format;

use lambda_guest::{commit, entry, exit, log, read_input};

entry!(main);

fn main() {
    match stateless::validate(&read_input()) {
        Ok(validated) => commit(&validated.to_output()),
        Err(error) => {
            log(&format!("block refused: {error}\n"));
            exit(1);
        }
    }
}
