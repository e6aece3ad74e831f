//! Round 07, open: the queried rows, the FRI cosets they fall in, and the paths of both.

use lambda_math::Digest;
use lambda_verifier::layout::Tree;
use lambda_verifier::proof::{LayerOpenings, Openings, RowOpenings};

use super::r01_trace::Job;
use super::r05_ood::Commitments;
use super::r06_fri::Layer;
use crate::backend::Backend;
use crate::error::ProveError;
use crate::fault::{Scope, Stage};
use crate::recorder::Recorder;

/// Opens everything at `positions`, ascending and distinct, of the largest domain.
pub fn open<B: Backend>(
    recorder: &Recorder<'_>,
    job: &Job<'_, B>,
    commitments: &Commitments<'_, B>,
    layers: &[Layer<B>],
    positions: &[usize],
) -> Result<Openings, ProveError> {
    let rows = |tree: Tree| {
        recorder
            .step(&tree.to_string(), positions.len() as u64, || open_tree(job, commitments, tree, positions))
    };
    Ok(Openings {
        preprocessed: rows(Tree::Preprocessed)?,
        main: rows(Tree::Main)?,
        lookup: rows(Tree::Lookup)?,
        quotient: rows(Tree::Quotient)?,
        layers: open_layers(job, layers, positions)?,
    })
}

fn open_tree<B: Backend>(
    job: &Job<'_, B>,
    commitments: &Commitments<'_, B>,
    tree: Tree,
    positions: &[usize],
) -> Result<RowOpenings, ProveError> {
    let key = job.system.verifying_key();
    let mut rows = Vec::new();
    let mut tallest_log2 = 0;
    for (table, _, height_log2) in job.layout.tables(key, tree) {
        tallest_log2 = tallest_log2.max(height_log2);
        let positions = shifted(positions, job.layout.tallest_log2() - height_log2);
        if let Some(lde) = commitments.lde(job, tree, table) {
            rows.push(job.table_stage(Stage::OpenRows, table, || {
                job.backend.open_rows(lde, height_log2, &positions)
            })?);
        }
    }
    let siblings = match commitments.tree(job, tree) {
        None => Vec::new(),
        Some(tree) => {
            let positions = shifted(positions, job.layout.tallest_log2() - tallest_log2);
            open_paths(job, tree, &positions)?
        }
    };
    Ok(RowOpenings { rows, siblings })
}

fn open_layers<B: Backend>(
    job: &Job<'_, B>,
    layers: &[Layer<B>],
    positions: &[usize],
) -> Result<Vec<LayerOpenings>, ProveError> {
    let mut known = positions.to_vec();
    let mut openings = Vec::new();
    for (fold, layer) in job.layout.folds.iter().zip(layers) {
        let groups = shifted(&known, fold.arity_log2);
        let unknown: Vec<usize> = groups
            .iter()
            .flat_map(|group| {
                (0..1 << fold.arity_log2).map(move |offset| (group << fold.arity_log2) + offset)
            })
            .filter(|position| known.binary_search(position).is_err())
            .collect();
        openings.push(LayerOpenings {
            values: job.recovery.attempt(Stage::OpenCodeword, Scope::Proof, || {
                job.backend.open_codeword(&layer.codeword, &unknown)
            })?,
            siblings: open_paths(job, &layer.tree, &groups)?,
        });
        known = groups;
    }
    Ok(openings)
}

fn open_paths<B: Backend>(
    job: &Job<'_, B>,
    tree: &B::Tree,
    positions: &[usize],
) -> Result<Vec<Digest>, ProveError> {
    job.recovery.attempt(Stage::OpenTree, Scope::Proof, || job.backend.open_tree(tree, positions))
}

/// The distinct values of `positions >> shift`, ascending.
fn shifted(positions: &[usize], shift: u32) -> Vec<usize> {
    let mut positions: Vec<usize> = positions.iter().map(|position| position >> shift).collect();
    positions.dedup();
    positions
}
