//! Round 06, FRI: one DEEP codeword per height, folded into one polynomial; grinding.

use lambda_math::{Digest, Ext3};
use lambda_verifier::layout::Tree;
use lambda_verifier::proof::{FriProof, TableValues};
use lambda_verifier::transcript::Transcript;

use super::r01_trace::Job;
use super::r05_ood::{Commitments, Denominators};
use crate::backend::{Backend, DeepColumns};
use crate::error::ProveError;
use crate::fault::{Fault, Scope, Stage};
use crate::recorder::Recorder;

/// A committed layer.
pub struct Layer<B: Backend> {
    /// The codeword.
    pub codeword: B::Codeword,
    /// The tree over its cosets.
    pub tree: B::Tree,
}

/// The commit phase and the queried positions.
pub struct Committed<B: Backend> {
    /// Layers in order.
    pub layers: Vec<Layer<B>>,
    /// The proof's part.
    pub proof: FriProof,
    /// Query positions in the largest domain, ascending, each once.
    pub positions: Vec<usize>,
}

/// Combines, folds and commits, and draws the query positions.
pub fn commit<B: Backend>(
    recorder: &Recorder<'_>,
    job: &Job<'_, B>,
    transcript: &mut Transcript,
    commitments: &Commitments<'_, B>,
    values: &[TableValues],
    denominators: &Denominators<B>,
    gamma: Ext3,
) -> Result<Committed<B>, ProveError> {
    let backend = job.backend;
    let deep = |height_log2: u32| deep(job, commitments, values, denominators, height_log2, gamma);
    let mut codeword = step(recorder, job.layout.tallest_log2(), || deep(job.layout.tallest_log2()))?;
    let mut layers = Vec::new();
    let mut layer_caps: Vec<Vec<Digest>> = Vec::new();
    for fold in &job.layout.folds {
        step(recorder, fold.to_log2(), || -> Result<(), ProveError> {
            let tree = stage(job, Stage::CommitCodeword, fold.from_log2, || {
                backend.commit_codeword(&codeword, fold.arity_log2)
            })?;
            let cap = backend.cap(&tree);
            let challenges = transcript.fri_layer(&cap);
            layer_caps.push(cap);
            let mut folded = stage(job, Stage::Fold, fold.from_log2, || {
                backend.fold(&codeword, fold.arity_log2, challenges.fold)
            })?;
            if fold.joins {
                let shorter = deep(fold.to_log2())?;
                stage(job, Stage::Join, fold.to_log2(), || {
                    backend.join(&mut folded, &shorter, challenges.join)
                })?;
            }
            layers.push(Layer { codeword: std::mem::replace(&mut codeword, folded), tree });
            Ok(())
        })?;
    }
    let final_polynomial =
        job.recovery.attempt(Stage::Interpolate, Scope::Proof, || backend.interpolate(&codeword))?;
    let seed = transcript.final_polynomial(&final_polynomial);
    let profile = job.layout.profile;
    let nonce =
        job.recovery.attempt(Stage::Grind, Scope::Proof, || backend.grind(&seed, profile.grinding_bits()))?;
    let queries = transcript.queries(nonce, profile.queries(), job.layout.domain_log2());
    let mut positions: Vec<usize> = queries.into_iter().map(|position| position as usize).collect();
    positions.sort_unstable();
    positions.dedup();
    let proof = FriProof { layer_caps, final_polynomial, nonce };
    Ok(Committed { layers, proof, positions })
}

fn step<T>(recorder: &Recorder<'_>, height_log2: u32, run: impl FnOnce() -> T) -> T {
    recorder.step(&format!("2^{height_log2}"), 1 << height_log2, run)
}

/// Runs a stage of a height.
fn stage<B: Backend, T>(
    job: &Job<'_, B>,
    stage: Stage,
    height_log2: u32,
    run: impl FnMut() -> Result<T, Fault>,
) -> Result<T, ProveError> {
    job.recovery.attempt(stage, Scope::Height(height_log2), run)
}

/// The DEEP codeword of one height: tables in registry order, trees in batching order.
fn deep<B: Backend>(
    job: &Job<'_, B>,
    commitments: &Commitments<'_, B>,
    values: &[TableValues],
    denominators: &Denominators<B>,
    height_log2: u32,
    gamma: Ext3,
) -> Result<B::Codeword, ProveError> {
    let tables = || job.tables().filter(|table| table.height_log2 == height_log2);
    let next: Vec<Vec<usize>> =
        tables().flat_map(|table| Tree::ALL.map(|tree| tree.next_columns(table.key))).collect();
    let mut columns = Vec::new();
    for (table, next) in tables().zip(next.chunks_exact(Tree::ALL.len())) {
        let values = &values[table.index];
        let lists: [(&[Ext3], &[Ext3]); 4] = [
            (&values.preprocessed, &values.preprocessed_next),
            (&values.main, &values.main_next),
            (&values.lookup, &values.lookup_next),
            (&values.quotient, &[]),
        ];
        for ((tree, next), (values, next_values)) in Tree::ALL.into_iter().zip(next).zip(lists) {
            if let Some(lde) = commitments.lde(job, tree, table.index) {
                columns.push(DeepColumns { lde, next, values, next_values });
            }
        }
    }
    let denominators = &denominators[&height_log2];
    stage(job, Stage::Deep, height_log2, || {
        job.backend.deep(height_log2, job.blowup_log2(), &columns, denominators, gamma)
    })
}
