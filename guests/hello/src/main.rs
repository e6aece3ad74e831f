//! A template: reads a name, commits a greeting.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::format;

use lambda_guest::{commit, entry, read_input};

entry!(main);

fn main() {
    let input = read_input();
    let name = core::str::from_utf8(&input).expect("the name is UTF-8");
    commit(format!("Hello, {}!\n", name.trim()).as_bytes());
}
