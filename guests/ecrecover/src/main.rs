//! Who signed: a hash (32 bytes), r and s (32 each) and a recovery id (1) in, the Ethereum address out.
//!
//! Exits with code 1 and without output where no key fits the signature.

#![no_std]
#![no_main]

use guest_crypto::ecrecover;
use lambda_guest::{commit, entry, exit, log, read_input};

entry!(main);

fn main() {
    let input: [u8; 97] = read_input().try_into().expect("the input is hash, r, s and recovery id, 97 bytes");
    let (hash, rest) = input.split_first_chunk().expect("97 bytes hold 32");
    let (signature, recovery_id) = rest.split_first_chunk().expect("65 bytes hold 64");
    match ecrecover(hash, signature, recovery_id[0]) {
        Some(address) => commit(&address),
        None => {
            log("no key made this signature\n");
            exit(1);
        }
    }
}
