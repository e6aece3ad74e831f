//! Round 03, lookup: LogUp columns and sums per table, committed like the main columns.

use lambda_math::Ext3;
use lambda_verifier::transcript::LookupChallenges;
use p3_field::PrimeCharacteristicRing;

use super::r01_trace::Job;
use super::r02_main::{Committed, row_digests};
use crate::backend::{Backend, LookupInput};
use crate::error::ProveError;
use crate::fault::Stage;
use crate::recorder::Recorder;

/// Builds and commits to the lookup columns. `traces` are those of the tables with interactions. Returns
/// each table's sum, zero for tables without.
pub fn commit<B: Backend>(
    recorder: &Recorder<'_>,
    job: &Job<'_, B>,
    traces: Vec<Option<B::Trace>>,
    challenges: LookupChallenges,
) -> Result<(Committed<B>, Vec<Ext3>), ProveError> {
    let (mut ldes, mut digests, mut sums) = (Vec::new(), Vec::new(), Vec::new());
    for (table, trace) in job.tables().zip(traces) {
        let Some(main) = trace else {
            ldes.push(None);
            sums.push(Ext3::ZERO);
            continue;
        };
        recorder.step(&table.key.name, 1 << table.height_log2, || -> Result<(), ProveError> {
            let (columns, sum) = job.table_stage(Stage::Lookup, table.index, || {
                job.backend.lookup(LookupInput {
                    table,
                    program: &job.system.programs()[table.index].interactions,
                    main: &main,
                    preprocessed: job.preprocessed[table.index].as_ref().map(|columns| &columns.trace),
                    challenges,
                })
            })?;
            drop(main);
            let mut columns = Some(columns);
            let lde = job.table_stage(Stage::Extend, table.index, || {
                job.backend.extend_owned(table.index, job.blowup_log2(), &mut columns)
            })?;
            digests.push((table.height_log2, row_digests(job, table.index, &lde)?));
            ldes.push(Some(lde));
            sums.push(sum);
            Ok(())
        })?;
    }
    Ok((Committed::new(job, ldes, digests)?, sums))
}
