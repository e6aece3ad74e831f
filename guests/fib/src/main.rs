//! Fibonacci numbers modulo 2^64: n in, F(n) out, both as 8 bytes little-endian.

#![no_std]
#![no_main]

use lambda_guest::{commit, entry, read_input};

entry!(main);

fn main() {
    let input = read_input();
    let n = u64::from_le_bytes(input.try_into().expect("the input is n, 8 bytes little-endian"));
    let (mut current, mut next) = (0_u64, 1_u64);
    for _ in 0..n {
        (current, next) = (next, current.wrapping_add(next));
    }
    commit(&current.to_le_bytes());
}
