//! Round 07, open: rows against commitments, rows and out-of-domain values into DEEP codewords, codewords
//! through the folds.

mod deep;
mod layers;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use lambda_math::hash::{hash_leaf, hash_row};
use lambda_math::merkle::{OpenedLayer, verify_multiproof};
use lambda_math::{Digest, Ext3};

use deep::Deep;
pub use layers::check_layers;

use super::r01_trace::{lists, trees};
use crate::error::{Part, VerifyError};
use crate::key::VerifyingKey;
use crate::layout::{Layout, Tree, check_length};
use crate::proof::Proof;

/// Values of a codeword at the queried positions, ascending, each once.
pub type Codeword = Vec<(u64, Ext3)>;

/// Checks the opened rows against the commitments. Returns, per height, the DEEP codeword at the queries.
pub fn check_rows(
    key: &VerifyingKey,
    layout: &Layout,
    proof: &Proof,
    zeta: Ext3,
    gamma: Ext3,
    positions: &[u64],
) -> Result<BTreeMap<u32, Codeword>, VerifyError> {
    let mut deep: BTreeMap<u32, Deep> = layout
        .distinct_log2
        .iter()
        .map(|&height| (height, Deep::new(positions_at(positions, layout, height))))
        .collect();
    for (tree, openings) in trees(proof) {
        let tables = layout.tables(key, tree).zip(&openings.rows);
        for ((index, table, height), cells) in tables {
            let rows = deep.get(&height).map_or(0, |deep| deep.positions.len());
            let expected = rows.saturating_mul(tree.width(table));
            check_length(Part::OpenedCells(tree), index, expected, cells.len())?;
        }
        check_tree(key, layout, proof, tree, positions)?;
    }
    for next_row in [false, true] {
        for (index, (table, height)) in key.tables.iter().zip(&layout.heights_log2).enumerate() {
            let (Some(deep), Some(values)) = (deep.get_mut(height), proof.out_of_domain.get(index)) else {
                continue;
            };
            for ((tree, current, next), (_, openings)) in lists(values).into_iter().zip(trees(proof)) {
                let slot = layout.tables(key, tree).position(|(table, ..)| table == index);
                let Some(cells) = slot.and_then(|slot| openings.rows.get(slot)) else { continue };
                let width = tree.width(table);
                if next_row {
                    deep.next.add(&tree.next_columns(table), next, cells, width, &mut deep.power, gamma);
                } else {
                    let columns: Vec<usize> = (0..width).collect();
                    deep.current.add(&columns, current, cells, width, &mut deep.power, gamma);
                }
            }
        }
    }
    Ok(deep.into_iter().map(|(height, deep)| (height, deep.codeword(layout, height, zeta))).collect())
}

/// The distinct positions that the queries have at height `2^height_log2`, ascending.
fn positions_at(positions: &[u64], layout: &Layout, height_log2: u32) -> Vec<u64> {
    let shift = layout.tallest_log2().saturating_sub(height_log2);
    let mut positions: Vec<u64> = positions.iter().map(|p| p.checked_shr(shift).unwrap_or(0)).collect();
    positions.dedup();
    positions
}

fn check_tree(
    key: &VerifyingKey,
    layout: &Layout,
    proof: &Proof,
    tree: Tree,
    positions: &[u64],
) -> Result<(), VerifyError> {
    let cap = match tree {
        Tree::Preprocessed => &key.preprocessed_cap,
        Tree::Main => &proof.main_cap,
        Tree::Lookup => &proof.lookup_cap,
        Tree::Quotient => &proof.quotient_cap,
    };
    let Some((_, openings)) = trees(proof).into_iter().find(|(other, _)| *other == tree) else {
        return Ok(());
    };
    // Row digests of each table, by height; tables of one height share leaves, in registry order.
    let mut digests: BTreeMap<u32, Vec<Vec<Digest>>> = BTreeMap::new();
    for ((_, table, height), cells) in layout.tables(key, tree).zip(&openings.rows) {
        let rows = cells.chunks(tree.width(table)).map(hash_row).collect();
        digests.entry(height).or_default().push(rows);
    }
    let Some((&tallest, _)) = digests.last_key_value() else {
        return match openings.siblings.len() {
            0 => Ok(()),
            got => {
                let error = lambda_math::merkle::MerkleError::SiblingCount { expected: 0, got };
                Err(VerifyError::Opening { tree, error })
            }
        };
    };
    let leaves: Vec<(u32, Vec<Digest>)> = digests
        .into_iter()
        .rev()
        .map(|(height, tables)| (height.saturating_add(layout.profile.blowup_log2()), join_leaves(&tables)))
        .collect();
    let layers: Vec<OpenedLayer<'_>> = leaves
        .iter()
        .map(|(leaf_count_log2, leaves)| OpenedLayer { leaf_count_log2: *leaf_count_log2, leaves })
        .collect();
    let positions = positions_at(positions, layout, tallest);
    verify_multiproof(cap, &layers, &positions, &openings.siblings)
        .map_err(|error| VerifyError::Opening { tree, error })
}

/// Leaf `i` of tables that share a height, from their row digests.
fn join_leaves(tables: &[Vec<Digest>]) -> Vec<Digest> {
    let count = tables.iter().map(Vec::len).min().unwrap_or(0);
    (0..count)
        .map(|i| {
            let rows: Vec<Digest> = tables.iter().filter_map(|rows| rows.get(i).copied()).collect();
            hash_leaf(&rows)
        })
        .collect()
}
