//! Round 02, main: the main columns are extended, their rows hashed, and one tree made over all tables.

use lambda_math::{Digest, Goldilocks};
use p3_field::PrimeCharacteristicRing;

use super::r01_trace::Job;
use crate::backend::Backend;
use crate::error::ProveError;
use crate::fault::{Scope, Stage};
use crate::recorder::Recorder;

/// Columns of some tables, committed in one tree.
pub struct Committed<B: Backend> {
    /// Per table, its extended columns, if it has any in this tree.
    pub ldes: Vec<Option<B::Lde>>,
    /// The tree; `None` where no table has columns in it.
    pub tree: Option<B::Tree>,
    /// Its cap, empty without a tree.
    pub cap: Vec<Digest>,
}

impl<B: Backend> Committed<B> {
    /// Makes the tree over extended tables, given their row digests in registry order.
    pub fn new(
        job: &Job<'_, B>,
        ldes: Vec<Option<B::Lde>>,
        mut digests: Vec<(u32, B::Digests)>,
    ) -> Result<Self, ProveError> {
        if digests.is_empty() {
            return Ok(Self { ldes, tree: None, cap: Vec::new() });
        }
        let tree = job
            .recovery
            .attempt(Stage::Tree, Scope::Proof, || job.backend.tree(job.blowup_log2(), &mut digests))?;
        let cap = job.backend.cap(&tree);
        Ok(Self { ldes, tree: Some(tree), cap })
    }
}

/// Traces that are still read, by table.
pub type KeptTraces<B> = Vec<Option<<B as Backend>::Trace>>;

/// Commits to the main columns. Returns the traces that round 03 still reads: those of tables with
/// interactions.
pub fn commit<B: Backend>(
    recorder: &Recorder<'_>,
    job: &Job<'_, B>,
    traces: Vec<B::Trace>,
) -> Result<(Committed<B>, KeptTraces<B>), ProveError> {
    let blowup_log2 = job.blowup_log2();
    let (mut ldes, mut digests, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    for (table, trace) in job.tables().zip(traces) {
        recorder.step(&table.key.name, 1 << table.height_log2, || -> Result<(), ProveError> {
            let is_read_again = table.key.shape.interactions > 0;
            let mut trace = Some(trace);
            let lde = job.table_stage(Stage::Extend, table.index, || match &trace {
                Some(trace) if is_read_again => {
                    job.backend.extend(table.index, blowup_log2, &[(trace, Goldilocks::ONE)])
                }
                _ => job.backend.extend_owned(table.index, blowup_log2, &mut trace),
            })?;
            digests.push((table.height_log2, row_digests(job, table.index, &lde)?));
            ldes.push(Some(lde));
            kept.push(trace);
            Ok(())
        })?;
    }
    Ok((Committed::new(job, ldes, digests)?, kept))
}

/// Row digests of an extended table.
pub fn row_digests<B: Backend>(
    job: &Job<'_, B>,
    table: usize,
    lde: &B::Lde,
) -> Result<B::Digests, ProveError> {
    job.table_stage(Stage::RowDigests, table, || job.backend.row_digests(table, lde))
}
