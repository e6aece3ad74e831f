//! From AIRs to a verifying key: extends and commits the preprocessed columns.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use lambda_air::Table;
use lambda_math::hash::{digest_buffer, hash_leaves, hash_rows};
use lambda_math::ntt::{NttPlan, coset_lde};
use lambda_math::{Columns, Digest, Goldilocks, MerkleTree};
use p3_field::PrimeCharacteristicRing;

use crate::error::KeyError;
use crate::key::{Draft, VerifyingKey};
use crate::profile::{CAP_LOG2, Profile};

/// A table's preprocessed columns and their extension.
#[derive(Clone, Debug)]
pub struct PreprocessedTable {
    /// On the trace domain.
    pub trace: Arc<Columns>,
    /// On the evaluation coset, in slabs.
    pub lde: Arc<Columns>,
}

/// A verifying key with what a prover keeps of the preprocessed columns.
#[derive(Debug)]
pub struct ProvingKey {
    /// The verifier's side.
    pub verifying: VerifyingKey,
    /// Per table, its preprocessed columns, if any.
    pub preprocessed: Vec<Option<PreprocessedTable>>,
    /// The commitment to all of them, if there are any.
    pub preprocessed_tree: Option<Arc<MerkleTree>>,
}

impl ProvingKey {
    /// The keys of the system `tables` under `profile`.
    ///
    /// # Errors
    /// When the tables break a rule of the protocol.
    pub fn new(profile: Profile, tables: Vec<Table>) -> Result<Self, KeyError> {
        let mut draft = Draft::new(profile, tables)?;
        let blowup_log2 = profile.blowup_log2();
        draft.check_contents()?;
        let preprocessed: Vec<Option<PreprocessedTable>> = core::mem::take(&mut draft.preprocessed)
            .into_iter()
            .map(|columns| columns.map(|columns| extend(columns.values, columns.height, blowup_log2)))
            .collect();
        let tree = commit(&preprocessed, blowup_log2);
        let cap = tree.as_ref().map_or_else(Vec::new, |tree| tree.cap().to_vec());
        Ok(Self { verifying: draft.finish(cap)?, preprocessed, preprocessed_tree: tree.map(Arc::new) })
    }

    /// The keys of the system in which table `i` occurs `instances[i]` times
    /// ([`VerifyingKey::with_instances`]).
    ///
    /// # Errors
    /// As there.
    pub fn with_instances(&self, instances: &[usize]) -> Result<Self, KeyError> {
        let verifying = self.verifying.with_instances(instances)?;
        let preprocessed = self
            .preprocessed
            .iter()
            .zip(instances)
            .flat_map(|(columns, &count)| core::iter::repeat_n(columns.clone(), count))
            .collect();
        Ok(Self { verifying, preprocessed, preprocessed_tree: self.preprocessed_tree.clone() })
    }
}

impl VerifyingKey {
    /// The key of the system `tables` under `profile`.
    ///
    /// # Errors
    /// When the tables break a rule of the protocol.
    pub fn from_tables(profile: Profile, tables: Vec<Table>) -> Result<Self, KeyError> {
        ProvingKey::new(profile, tables).map(|key| key.verifying)
    }
}

fn extend(values: Vec<Goldilocks>, height: usize, blowup_log2: u32) -> PreprocessedTable {
    let trace = Columns::from_values(values, height);
    let plan = NttPlan::new(height.trailing_zeros(), blowup_log2);
    let lde = coset_lde(&plan, &trace, Goldilocks::ONE);
    PreprocessedTable { trace: Arc::new(trace), lde: Arc::new(lde) }
}

fn commit(tables: &[Option<PreprocessedTable>], blowup_log2: u32) -> Option<MerkleTree> {
    let mut digests: BTreeMap<u32, Vec<Vec<Digest>>> = BTreeMap::new();
    for table in tables.iter().flatten() {
        let columns: Vec<&[Goldilocks]> = table.lde.iter().collect();
        let mut rows = digest_buffer(table.lde.height());
        hash_rows(&columns, &mut rows);
        digests.entry(table.lde.height().trailing_zeros()).or_default().push(rows);
    }
    if digests.is_empty() {
        return None;
    }
    let layers = digests.into_iter().map(|(log2, tables)| (log2, join_leaves(tables))).collect();
    Some(MerkleTree::build(layers, blowup_log2, CAP_LOG2))
}

/// Leaves of one height from the row digests of its tables, in registry order.
pub fn join_leaves(mut tables: Vec<Vec<Digest>>) -> Vec<Digest> {
    if let [_] = tables.as_slice() {
        return tables.pop().unwrap_or_default();
    }
    let rows: Vec<&[Digest]> = tables.iter().map(Vec::as_slice).collect();
    let mut leaves = digest_buffer(rows.first().map_or(0, |rows| rows.len()));
    hash_leaves(&rows, &mut leaves);
    leaves
}
