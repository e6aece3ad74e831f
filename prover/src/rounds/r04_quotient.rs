//! Round 04, quotient: each table's constraints composed, divided by the vanishing polynomial, committed.

use lambda_math::{Ext3, Goldilocks, domain};
use lambda_verifier::transcript::LookupChallenges;

use super::r01_trace::Job;
use super::r02_main::{Committed, row_digests};
use crate::backend::{Backend, QuotientInput};
use crate::error::ProveError;
use crate::fault::Stage;
use crate::recorder::Recorder;

/// Composes and commits to the quotients.
pub fn commit<B: Backend>(
    recorder: &Recorder<'_>,
    job: &Job<'_, B>,
    main: &Committed<B>,
    lookup: &Committed<B>,
    challenges: LookupChallenges,
    sums: &[Ext3],
    alpha: Ext3,
) -> Result<Committed<B>, ProveError> {
    let blowup_log2 = job.blowup_log2();
    let (mut ldes, mut digests) = (Vec::new(), Vec::new());
    for table in job.tables() {
        let main = main.ldes[table.index].as_ref().expect("every table has main columns");
        recorder.step(&table.key.name, 1 << table.height_log2, || -> Result<(), ProveError> {
            let parts = job.table_stage(Stage::Quotient, table.index, || {
                job.backend.quotient(QuotientInput {
                    table,
                    program: &job.system.programs()[table.index].composition,
                    main,
                    preprocessed: job.preprocessed[table.index].as_ref().map(|columns| &columns.lde),
                    lookup: lookup.ldes[table.index].as_ref(),
                    challenges,
                    lookup_sum: sums[table.index],
                    alpha,
                })
            })?;
            let shifted: Vec<(&B::Trace, Goldilocks)> = parts
                .iter()
                .enumerate()
                .map(|(slab, part)| (part, domain::slab_shift(slab, table.height_log2, blowup_log2)))
                .collect();
            let lde = job.table_stage(Stage::Extend, table.index, || {
                job.backend.extend(table.index, blowup_log2, &shifted)
            })?;
            digests.push((table.height_log2, row_digests(job, table.index, &lde)?));
            ldes.push(Some(lde));
            Ok(())
        })?;
    }
    Committed::new(job, ldes, digests)
}
