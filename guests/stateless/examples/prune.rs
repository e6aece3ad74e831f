//! Drops what is unused from a block's witness: `cargo run -p stateless --example prune IN OUT`.

use std::env;
use std::error::Error;
use std::fs;

use stateless::{Input, prune, validate};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().collect();
    let [_, from, to] = arguments.as_slice() else { return Err("usage: prune IN OUT".into()) };
    let bytes = fs::read(from)?;
    let mut input = Input::decode(&bytes)?;
    let (nodes, codes) = (input.nodes.len(), input.codes.len());
    prune(&mut input)?;
    let pruned = input.encode();
    let validated = validate(&pruned)?;
    fs::write(to, pruned)?;
    println!("kept {} of {nodes} trie nodes, {} of {codes} codes", input.nodes.len(), input.codes.len());
    println!("block {} {}", validated.number, validated.block_hash);
    Ok(())
}
