//! Blocks of real networks, where they are at hand: pruned and accepted.

use std::fs;
use std::path::Path;

use lambda_block::{Summary, prune};
use lambda_verifier::command::ValidatedBlock;
use stateless::validate;

#[test]
fn real_blocks_are_pruned_and_valid() {
    // Beside the repository, not in it: real blocks are large.
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let Ok(entries) = fs::read_dir(beside.join("shared").join("blocks")) else {
        return eprintln!("skipped: no folder of real blocks beside the repository");
    };
    let mut count = 0;
    for path in entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rlp"))
    {
        let input = fs::read(&path).unwrap();
        let pruned = prune(&input).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(pruned.len() <= input.len());
        let validated = validate(&pruned).unwrap();
        assert_eq!(Summary::new(&pruned).unwrap().hash, validated.block_hash);
        let expected = ValidatedBlock::from_output(&validated.to_output());
        assert_eq!(ValidatedBlock::expected(&pruned).ok(), expected, "{}", path.display());
        count += 1;
    }
    assert!(count > 0, "the folder holds no block");
}
