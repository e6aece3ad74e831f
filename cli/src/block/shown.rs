//! Blocks and what was validated, shown to people and programs.

use lambda_block::Summary;
use lambda_verifier::command::{ValidatedBlock, human_bytes};
use serde_json::json;

use crate::inspect::Line;
use crate::run::Shown;

/// What an encoded block file says about itself; `None` where it is none.
pub fn summary(bytes: &[u8]) -> Option<Vec<Line>> {
    let summary = Summary::new(bytes)?;
    let number = |name, number: u64| Line(name, number.to_string(), json!(number));
    let Summary { headers, nodes, codes, witness_bytes, .. } = summary;
    Some(vec![
        number("chain id", summary.chain_id),
        number("number", summary.number),
        Line::new("block hash", summary.hash.to_string()),
        Line::new("parent hash", summary.parent_hash.to_string()),
        Line::new("state root", summary.state_root.to_string()),
        number("timestamp", summary.timestamp),
        number("transactions", summary.transactions as u64),
        number("gas used", summary.gas_used),
        number("gas limit", summary.gas_limit),
        Line("block bytes", human_bytes(summary.block_bytes), json!(summary.block_bytes)),
        Line(
            "witness",
            format!("{}: {headers} headers, {nodes} trie nodes, {codes} codes", human_bytes(witness_bytes)),
            json!({"bytes": witness_bytes, "headers": headers, "nodes": nodes, "codes": codes}),
        ),
    ])
}

/// What the validator's public output says; nothing where it refused the block.
pub fn validated(output: &[u8]) -> Shown {
    match ValidatedBlock::from_output(output) {
        Some(block) => Shown { text: block.text(), json: vec![("block", block.json())] },
        None => Shown::default(),
    }
}
