//! SHA-256: a message in, the digest out.

#![no_std]
#![no_main]

use lambda_guest::{commit, entry, read_input};
use sha2::{Digest, Sha256};

entry!(main);

fn main() {
    let digest = Sha256::digest(read_input());
    commit(&digest);
}
