//! The host backend: every stage on the CPU, in SIMD lanes and over all threads of the current rayon pool.
//!
//! It holds no state: what it makes belongs to the caller, and is freed when the caller drops it.

mod codeword;
mod domain;
mod evaluate;
mod lookup;
mod messages;
mod quotient;

use std::collections::BTreeMap;
use std::sync::Arc;

use lambda_math::field::EXT_DEGREE;
use lambda_math::hash::{digest_buffer, grind, hash_rows};
use lambda_math::ntt::{NttPlan, coset_lde, coset_lde_column, coset_lde_owned};
use lambda_math::{Columns, Digest, Ext3, Goldilocks, MerkleTree};
use lambda_verifier::ProvingKey;
use lambda_verifier::profile::CAP_LOG2;
use lambda_verifier::setup::join_leaves;
use p3_field::PrimeCharacteristicRing;
use rayon::prelude::*;

pub use codeword::Codeword;

use crate::backend::{Backend, DeepColumns, LookupInput, Preprocessed, QuotientInput};
use crate::fault::Fault;

/// The CPU as a backend.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostBackend;

/// The columns of a matrix.
fn slices(columns: &Columns) -> Vec<&[Goldilocks]> {
    columns.iter().collect()
}

/// The columns of one slab of an extension of `height` rows per slab.
fn slab_slices(lde: &Columns, slab: usize, height: usize) -> Vec<&[Goldilocks]> {
    lde.iter().map(|column| &column[slab * height..][..height]).collect()
}

impl Backend for HostBackend {
    type Trace = Arc<Columns>;
    type Lde = Arc<Columns>;
    type Digests = Vec<Digest>;
    type Tree = Arc<MerkleTree>;
    type Denominators = Columns;
    type Codeword = Codeword;

    fn load(&self, _table: usize, columns: &Arc<Columns>) -> Result<Self::Trace, Fault> {
        Ok(columns.clone())
    }

    fn load_preprocessed(&self, key: &ProvingKey, table: usize) -> Result<Option<Preprocessed<Self>>, Fault> {
        Ok(key.preprocessed[table]
            .as_ref()
            .map(|columns| Preprocessed { trace: columns.trace.clone(), lde: columns.lde.clone() }))
    }

    fn load_preprocessed_tree(&self, key: &ProvingKey) -> Result<Option<Self::Tree>, Fault> {
        Ok(key.preprocessed_tree.clone())
    }

    fn extend(
        &self,
        _table: usize,
        blowup_log2: u32,
        traces: &[(&Self::Trace, Goldilocks)],
    ) -> Result<Self::Lde, Fault> {
        let height = traces[0].0.height();
        let plan = NttPlan::new(height.trailing_zeros(), blowup_log2);
        if let [(trace, shift)] = traces {
            return Ok(Arc::new(coset_lde(&plan, trace, *shift)));
        }
        let width = traces.iter().map(|(trace, _)| trace.width()).sum();
        let mut lde = Columns::scratch(height << blowup_log2, width);
        let inputs: Vec<(&[Goldilocks], Goldilocks)> = traces
            .iter()
            .flat_map(|(trace, shift)| trace.iter().map(move |column| (column, *shift)))
            .collect();
        lde.values_mut()
            .par_chunks_exact_mut(height << blowup_log2)
            .zip(inputs)
            .for_each(|(output, (input, shift))| coset_lde_column(&plan, input, shift, output));
        Ok(Arc::new(lde))
    }

    fn extend_owned(
        &self,
        table: usize,
        blowup_log2: u32,
        trace: &mut Option<Self::Trace>,
    ) -> Result<Self::Lde, Fault> {
        let trace = trace.take().expect("a trace is taken once");
        let plan = NttPlan::new(trace.height().trailing_zeros(), blowup_log2);
        match Arc::try_unwrap(trace) {
            Ok(columns) => Ok(Arc::new(coset_lde_owned(&plan, columns, Goldilocks::ONE))),
            Err(shared) => self.extend(table, blowup_log2, &[(&shared, Goldilocks::ONE)]),
        }
    }

    fn row_digests(&self, _table: usize, lde: &Self::Lde) -> Result<Self::Digests, Fault> {
        let mut digests = digest_buffer(lde.height());
        hash_rows(&slices(lde), &mut digests);
        Ok(digests)
    }

    fn tree(&self, blowup_log2: u32, digests: &mut Vec<(u32, Self::Digests)>) -> Result<Self::Tree, Fault> {
        let mut heights: BTreeMap<u32, Vec<Vec<Digest>>> = BTreeMap::new();
        for (height_log2, digests) in digests.drain(..) {
            heights.entry(height_log2 + blowup_log2).or_default().push(digests);
        }
        let layers = heights.into_iter().map(|(log2, tables)| (log2, join_leaves(tables))).collect();
        Ok(Arc::new(MerkleTree::build(layers, blowup_log2, CAP_LOG2)))
    }

    fn cap(&self, tree: &Self::Tree) -> Vec<Digest> {
        tree.cap().to_vec()
    }

    fn lookup(&self, input: LookupInput<'_, Self>) -> Result<(Self::Trace, Ext3), Fault> {
        let (columns, sum) = lookup::lookup_columns(&input)?;
        Ok((Arc::new(columns), sum))
    }

    fn quotient(&self, input: QuotientInput<'_, Self>) -> Result<Vec<Self::Trace>, Fault> {
        Ok(quotient::quotient_parts(&input).into_iter().map(Arc::new).collect())
    }

    fn denominators(&self, height_log2: u32, zeta: Ext3) -> Result<Self::Denominators, Fault> {
        Ok(domain::denominators(1 << height_log2, zeta))
    }

    fn evaluate(
        &self,
        lde: &Self::Lde,
        denominators: &Self::Denominators,
        zeta: Ext3,
        next: &[usize],
    ) -> Result<(Vec<Ext3>, Vec<Ext3>), Fault> {
        Ok(evaluate::evaluate(lde, denominators, zeta, next))
    }

    fn deep(
        &self,
        height_log2: u32,
        blowup_log2: u32,
        columns: &[DeepColumns<'_, Self>],
        denominators: &Self::Denominators,
        gamma: Ext3,
    ) -> Result<Self::Codeword, Fault> {
        let columns = evaluate::deep(height_log2, blowup_log2, columns, denominators, gamma);
        debug_assert_eq!(columns.width(), EXT_DEGREE, "a codeword is one extension column");
        Ok(Codeword { columns, height_log2 })
    }

    fn commit_codeword(&self, codeword: &Self::Codeword, arity_log2: u32) -> Result<Self::Tree, Fault> {
        Ok(Arc::new(codeword.commit(arity_log2)))
    }

    fn fold(
        &self,
        codeword: &Self::Codeword,
        arity_log2: u32,
        challenge: Ext3,
    ) -> Result<Self::Codeword, Fault> {
        Ok(codeword.fold(arity_log2, challenge))
    }

    fn join(
        &self,
        codeword: &mut Self::Codeword,
        shorter: &Self::Codeword,
        weight: Ext3,
    ) -> Result<(), Fault> {
        codeword.join(shorter, weight);
        Ok(())
    }

    fn interpolate(&self, codeword: &Self::Codeword) -> Result<Vec<Ext3>, Fault> {
        Ok(codeword.interpolate())
    }

    fn grind(&self, seed: &[u8; 32], bits: u32) -> Result<u64, Fault> {
        Ok(grind(seed, bits))
    }

    fn open_rows(
        &self,
        lde: &Self::Lde,
        height_log2: u32,
        positions: &[usize],
    ) -> Result<Vec<Goldilocks>, Fault> {
        let row = |&position: &usize| {
            let (slab, entry) = lambda_math::domain::slab_and_entry(position, height_log2);
            (slab << height_log2) + entry
        };
        let rows: Vec<usize> = positions.iter().map(row).collect();
        Ok(rows.par_iter().flat_map_iter(|&row| lde.iter().map(move |column| column[row])).collect())
    }

    fn open_codeword(&self, codeword: &Self::Codeword, positions: &[usize]) -> Result<Vec<Ext3>, Fault> {
        Ok(codeword.open(positions))
    }

    fn open_tree(&self, tree: &Self::Tree, positions: &[usize]) -> Result<Vec<Digest>, Fault> {
        Ok(tree.open(positions))
    }
}
