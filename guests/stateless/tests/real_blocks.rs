//! Blocks of real networks and of another generator, where they are at hand.

use std::fs;
use std::path::PathBuf;

use stateless::{Input, prune, validate};

/// Beside the repository, not in it: real blocks are large.
fn folder() -> Option<PathBuf> {
    let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3)?.to_owned();
    Some(repository.join("shared").join("blocks")).filter(|folder| folder.is_dir())
}

#[test]
fn real_blocks_are_valid() {
    let Some(folder) = folder() else {
        eprintln!("skipped: no folder of real blocks beside the repository");
        return;
    };
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rlp") {
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let mut input = Input::decode(&bytes).unwrap();
        let (nodes, codes) = (input.nodes.len(), input.codes.len());
        // Witnesses from elsewhere hold more than it takes.
        prune(&mut input).unwrap();
        let validated =
            validate(&input.encode()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        eprintln!(
            "{}: block {} used {} gas; {} of {nodes} nodes, {} of {codes} codes",
            path.display(),
            validated.number,
            validated.gas_used,
            input.nodes.len(),
            input.codes.len(),
        );
        count += 1;
    }
    assert!(count > 0, "the folder holds no block");
}
