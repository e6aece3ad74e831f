//! Generated blocks before the executable specification of Ethereum, which shares nothing with the validator.
//!
//! Needs Python with the package `ethereum-execution`: `make check-eels` sees to it.

use std::fs;
use std::process::{Command, Output};

use alloy_primitives::B256;
use lambda_block::{OwnedInput, generate};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/eels_check.py");

/// The specification applied to this block file; `None` where it is not installed.
fn check(block: &[u8]) -> Option<Output> {
    let python = |args: &[&str]| Command::new("python3").args(args).output().ok();
    if !python(&["-c", "import ethereum.forks.prague.fork"]).is_some_and(|output| output.status.success()) {
        eprintln!("skipped: Python has no `ethereum-execution`; `make check-eels` installs and uses it");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.block");
    fs::write(&path, block).unwrap();
    python(&[SCRIPT, path.to_str().unwrap()])
}

#[test]
fn the_specification_accepts_generated_blocks() {
    for transfers in [0, 1, 10] {
        let Some(output) = check(&generate(transfers, 0).unwrap()) else { return };
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains(&format!("accepted, {transfers} transactions")), "{text}");
    }
}

#[test]
fn the_specification_refuses_another_state_root() {
    let block = OwnedInput::decode(&generate(1, 0).unwrap()).unwrap();
    let changed = block.changed(|block| block.header.state_root = B256::ZERO).unwrap();
    let Some(output) = check(&changed.as_input().encode()) else { return };
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && message.contains("refused, InvalidBlock"), "{message}");
}
