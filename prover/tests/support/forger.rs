//! A prover that lies where it is told to, and is consistent everywhere else.
//!
//! It goes through the rounds as the prover does, from the same stages and the verifier's transcript, but
//! checks nothing: neither the witness, nor the balance, nor the composition, nor the finished proof.
//! Whatever it forges, the verifier alone has to notice.

use std::sync::Arc;

use lambda_math::{Columns, Digest, Ext3, Goldilocks, MerkleTree, domain};
use lambda_prover::backend::{Backend, DeepColumns, LookupInput, QuotientInput, TableContext};
use lambda_prover::{Fault, HostBackend, System, Witness};
use lambda_verifier::layout::{Layout, Tree};
use lambda_verifier::proof::{FriProof, LayerOpenings, Openings, RowOpenings, TableValues};
use lambda_verifier::transcript::LookupChallenges;
use lambda_verifier::{Proof, Transcript, VerifyingKey};
use p3_field::PrimeCharacteristicRing;

/// What to lie about; each method is honest unless it is overridden.
pub trait Liar {
    /// Challenges that the lookup columns are built with.
    fn lookup_challenges(&self, drawn: LookupChallenges) -> LookupChallenges {
        drawn
    }

    /// The tables' sums that are claimed.
    fn sums(&self, _sums: &mut [Ext3]) {}

    /// The out-of-domain values that are claimed.
    fn out_of_domain(&self, _values: &mut [TableValues]) {}

    /// The challenge that the first layer is folded with.
    fn first_fold(&self, drawn: Ext3) -> Ext3 {
        drawn
    }

    /// The weight that a shorter codeword joins with.
    fn join(&self, drawn: Ext3) -> Ext3 {
        drawn
    }

    /// The last polynomial that is claimed.
    fn final_polynomial(&self, _coefficients: &mut [Ext3]) {}
}

/// Never lies.
pub struct Honest;

impl Liar for Honest {}

/// The columns of a tree and their commitment.
struct Committed {
    ldes: Vec<Option<Arc<Columns>>>,
    tree: Option<Arc<MerkleTree>>,
    cap: Vec<Digest>,
}

/// What all rounds read.
struct Forger<'a> {
    system: &'a System,
    key: &'a VerifyingKey,
    layout: Layout,
    public_values: &'a [Vec<Goldilocks>],
}

/// Forges a proof.
pub fn forge(system: &System, witness: &Witness, liar: &dyn Liar) -> Result<Proof, Fault> {
    let key = system.verifying_key();
    let Witness { traces, statement } = witness;
    let heights_log2: Vec<u8> = traces.iter().map(|trace| trace.height().trailing_zeros() as u8).collect();
    let layout = Layout::new(key, &heights_log2).expect("the heights are allowed");
    let mut transcript = Transcript::new(key, statement, &layout);
    let forger = Forger { system, key, layout, public_values: &statement.public_values };

    let traces: Vec<Arc<Columns>> = traces.iter().cloned().map(Arc::new).collect();
    let main = forger.commit(|table| forger.extend(table, traces[table.index].clone()).map(Some))?;
    let challenges = transcript.main(&main.cap);

    let mut sums = vec![Ext3::ZERO; key.tables.len()];
    let lookup = forger.commit(|table| {
        let program = &system.programs()[table.index].interactions;
        let preprocessed = system.key.preprocessed[table.index].as_ref().map(|columns| &columns.trace);
        if table.key.shape.interactions == 0 {
            return Ok(None);
        }
        let challenges = liar.lookup_challenges(challenges);
        let main = &traces[table.index];
        let (columns, sum) =
            HostBackend.lookup(LookupInput { table, program, main, preprocessed, challenges })?;
        sums[table.index] = sum;
        forger.extend(table, columns).map(Some)
    })?;
    let with_lookup: Vec<usize> = forger.layout.tables(key, Tree::Lookup).map(|(table, ..)| table).collect();
    let mut lookup_sums: Vec<Ext3> = with_lookup.iter().map(|&table| sums[table]).collect();
    liar.sums(&mut lookup_sums);
    for (&table, &sum) in with_lookup.iter().zip(&lookup_sums) {
        sums[table] = sum;
    }
    let alpha = transcript.lookup(&lookup.cap, &lookup_sums);

    let quotient = forger.commit(|table| {
        let parts = HostBackend.quotient(QuotientInput {
            table,
            program: &system.programs()[table.index].composition,
            main: main.ldes[table.index].as_ref().expect("every table has main columns"),
            preprocessed: system.key.preprocessed[table.index].as_ref().map(|columns| &columns.lde),
            lookup: lookup.ldes[table.index].as_ref(),
            challenges,
            lookup_sum: sums[table.index],
            alpha,
        })?;
        let blowup_log2 = forger.layout.profile.blowup_log2();
        let shift = |slab| domain::slab_shift(slab, table.height_log2, blowup_log2);
        let parts: Vec<_> = parts.iter().enumerate().map(|(slab, part)| (part, shift(slab))).collect();
        HostBackend.extend(table.index, blowup_log2, &parts).map(Some)
    })?;
    let zeta = transcript.quotient(&quotient.cap, &forger.layout);

    let preprocessed = Committed {
        ldes: system.key.preprocessed.iter().map(|table| table.as_ref().map(|t| t.lde.clone())).collect(),
        tree: system.key.preprocessed_tree.clone(),
        cap: key.preprocessed_cap.clone(),
    };
    let trees = [preprocessed, main, lookup, quotient];
    let mut out_of_domain = forger.evaluate(&trees, zeta)?;
    liar.out_of_domain(&mut out_of_domain);
    let gamma = transcript.out_of_domain(&out_of_domain);
    let (fri, openings) = forger.open(&mut transcript, &trees, &out_of_domain, zeta, gamma, liar)?;
    let [_, main, lookup, quotient] = trees;
    Ok(Proof {
        heights_log2,
        main_cap: main.cap,
        lookup_cap: lookup.cap,
        lookup_sums,
        quotient_cap: quotient.cap,
        out_of_domain,
        fri,
        openings,
    })
}

impl Forger<'_> {
    fn table(&self, index: usize) -> TableContext<'_> {
        TableContext {
            index,
            key: &self.key.tables[index],
            height_log2: self.layout.heights_log2[index],
            public_values: &self.public_values[index],
        }
    }

    fn extend(&self, table: TableContext<'_>, trace: Arc<Columns>) -> Result<Arc<Columns>, Fault> {
        HostBackend.extend_owned(table.index, self.layout.profile.blowup_log2(), &mut Some(trace))
    }

    fn commit<'a>(
        &'a self,
        mut lde: impl FnMut(TableContext<'a>) -> Result<Option<Arc<Columns>>, Fault>,
    ) -> Result<Committed, Fault> {
        let (mut ldes, mut digests) = (Vec::new(), Vec::new());
        for table in (0..self.key.tables.len()).map(|index| self.table(index)) {
            let lde = lde(table)?;
            if let Some(lde) = &lde {
                digests.push((table.height_log2, HostBackend.row_digests(table.index, lde)?));
            }
            ldes.push(lde);
        }
        if digests.is_empty() {
            return Ok(Committed { ldes, tree: None, cap: Vec::new() });
        }
        let tree = HostBackend.tree(self.layout.profile.blowup_log2(), &mut digests)?;
        let cap = HostBackend.cap(&tree);
        Ok(Committed { ldes, tree: Some(tree), cap })
    }

    fn evaluate(&self, trees: &[Committed; 4], zeta: Ext3) -> Result<Vec<TableValues>, Fault> {
        let table_values = |index: usize| -> Result<TableValues, Fault> {
            let table = self.table(index);
            let denominators = HostBackend.denominators(table.height_log2, zeta)?;
            let values = |(tree, committed): (Tree, &Committed)| match &committed.ldes[index] {
                None => Ok((Vec::new(), Vec::new())),
                Some(lde) => HostBackend.evaluate(lde, &denominators, zeta, &tree.next_columns(table.key)),
            };
            let [(preprocessed, preprocessed_next), (main, main_next), (lookup, lookup_next), (quotient, _)] =
                Tree::ALL
                    .into_iter()
                    .zip(trees)
                    .map(values)
                    .collect::<Result<Vec<_>, Fault>>()?
                    .try_into()
                    .expect("four trees");
            Ok(TableValues {
                preprocessed,
                preprocessed_next,
                main,
                main_next,
                lookup,
                lookup_next,
                quotient,
            })
        };
        (0..self.key.tables.len()).map(table_values).collect()
    }

    fn deep(
        &self,
        height_log2: u32,
        trees: &[Committed; 4],
        values: &[TableValues],
        zeta: Ext3,
        gamma: Ext3,
    ) -> Result<<HostBackend as Backend>::Codeword, Fault> {
        let tables =
            || (0..self.key.tables.len()).filter(|&index| self.layout.heights_log2[index] == height_log2);
        let next: Vec<[Vec<usize>; 4]> =
            tables().map(|index| Tree::ALL.map(|tree| tree.next_columns(&self.key.tables[index]))).collect();
        let mut columns = Vec::new();
        for (index, next) in tables().zip(&next) {
            let values = &values[index];
            let lists: [(&[Ext3], &[Ext3]); 4] = [
                (&values.preprocessed, &values.preprocessed_next),
                (&values.main, &values.main_next),
                (&values.lookup, &values.lookup_next),
                (&values.quotient, &[]),
            ];
            for ((tree, next), (values, next_values)) in trees.iter().zip(next).zip(lists) {
                if let Some(lde) = &tree.ldes[index] {
                    columns.push(DeepColumns { lde, next, values, next_values });
                }
            }
        }
        let denominators = HostBackend.denominators(height_log2, zeta)?;
        HostBackend.deep(height_log2, self.layout.profile.blowup_log2(), &columns, &denominators, gamma)
    }

    fn open(
        &self,
        transcript: &mut Transcript,
        trees: &[Committed; 4],
        values: &[TableValues],
        zeta: Ext3,
        gamma: Ext3,
        liar: &dyn Liar,
    ) -> Result<(FriProof, Openings), Fault> {
        let layout = &self.layout;
        let mut codeword = self.deep(layout.tallest_log2(), trees, values, zeta, gamma)?;
        let (mut layers, mut layer_caps) = (Vec::new(), Vec::new());
        for (index, fold) in layout.folds.iter().enumerate() {
            let tree = HostBackend.commit_codeword(&codeword, fold.arity_log2)?;
            let cap = HostBackend.cap(&tree);
            let challenges = transcript.fri_layer(&cap);
            layer_caps.push(cap);
            let challenge = if index == 0 { liar.first_fold(challenges.fold) } else { challenges.fold };
            let mut folded = HostBackend.fold(&codeword, fold.arity_log2, challenge)?;
            if fold.joins {
                let shorter = self.deep(fold.to_log2(), trees, values, zeta, gamma)?;
                HostBackend.join(&mut folded, &shorter, liar.join(challenges.join))?;
            }
            layers.push((std::mem::replace(&mut codeword, folded), tree));
        }
        let mut final_polynomial = HostBackend.interpolate(&codeword)?;
        liar.final_polynomial(&mut final_polynomial);
        let seed = transcript.final_polynomial(&final_polynomial);
        let nonce = HostBackend.grind(&seed, layout.profile.grinding_bits())?;
        let queries = transcript.queries(nonce, layout.profile.queries(), layout.domain_log2());
        let mut positions: Vec<usize> = queries.into_iter().map(|position| position as usize).collect();
        positions.sort_unstable();
        positions.dedup();

        let [preprocessed, main, lookup, quotient] = trees;
        let openings = Openings {
            preprocessed: self.open_tree(preprocessed, &positions)?,
            main: self.open_tree(main, &positions)?,
            lookup: self.open_tree(lookup, &positions)?,
            quotient: self.open_tree(quotient, &positions)?,
            layers: self.open_layers(&layers, positions)?,
        };
        Ok((FriProof { layer_caps, final_polynomial, nonce }, openings))
    }

    fn open_tree(&self, committed: &Committed, positions: &[usize]) -> Result<RowOpenings, Fault> {
        let tallest_log2 = self.layout.tallest_log2();
        let (mut rows, mut tree_log2) = (Vec::new(), 0);
        for (lde, &height_log2) in committed.ldes.iter().zip(&self.layout.heights_log2) {
            if let Some(lde) = lde {
                tree_log2 = tree_log2.max(height_log2);
                rows.push(HostBackend.open_rows(
                    lde,
                    height_log2,
                    &shifted(positions, tallest_log2 - height_log2),
                )?);
            }
        }
        let siblings = match &committed.tree {
            None => Vec::new(),
            Some(tree) => HostBackend.open_tree(tree, &shifted(positions, tallest_log2 - tree_log2))?,
        };
        Ok(RowOpenings { rows, siblings })
    }

    fn open_layers(
        &self,
        layers: &[(<HostBackend as Backend>::Codeword, Arc<MerkleTree>)],
        mut known: Vec<usize>,
    ) -> Result<Vec<LayerOpenings>, Fault> {
        let mut openings = Vec::new();
        for (fold, (codeword, tree)) in self.layout.folds.iter().zip(layers) {
            let groups = shifted(&known, fold.arity_log2);
            let unknown: Vec<usize> = groups
                .iter()
                .flat_map(|group| (group << fold.arity_log2)..((group + 1) << fold.arity_log2))
                .filter(|position| !known.contains(position))
                .collect();
            openings.push(LayerOpenings {
                values: HostBackend.open_codeword(codeword, &unknown)?,
                siblings: HostBackend.open_tree(tree, &groups)?,
            });
            known = groups;
        }
        Ok(openings)
    }
}

/// The distinct values of `positions >> shift`, ascending.
fn shifted(positions: &[usize], shift: u32) -> Vec<usize> {
    let mut positions: Vec<usize> = positions.iter().map(|position| position >> shift).collect();
    positions.dedup();
    positions
}
