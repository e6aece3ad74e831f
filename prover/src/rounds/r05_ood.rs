//! Round 05, out of domain: every column at ζ, some at ζ·ω, and the prover's own check of each composition.

use std::collections::BTreeMap;

use lambda_math::Ext3;
use lambda_verifier::composition::{CompositionInput, composition_holds};
use lambda_verifier::layout::Tree;
use lambda_verifier::proof::TableValues;
use lambda_verifier::transcript::LookupChallenges;

use super::r01_trace::Job;
use super::r02_main::Committed;
use crate::backend::{Backend, TableContext};
use crate::error::ProveError;
use crate::fault::{Scope, Stage};
use crate::recorder::Recorder;

/// The committed columns of all trees.
pub struct Commitments<'a, B: Backend> {
    /// Main columns.
    pub main: &'a Committed<B>,
    /// Lookup columns.
    pub lookup: &'a Committed<B>,
    /// Quotient parts.
    pub quotient: &'a Committed<B>,
}

impl<'a, B: Backend> Commitments<'a, B> {
    /// The extended columns of a table in a tree.
    pub fn lde(&self, job: &'a Job<'_, B>, tree: Tree, table: usize) -> Option<&'a B::Lde> {
        match tree {
            Tree::Preprocessed => job.preprocessed[table].as_ref().map(|columns| &columns.lde),
            Tree::Main => self.main.ldes[table].as_ref(),
            Tree::Lookup => self.lookup.ldes[table].as_ref(),
            Tree::Quotient => self.quotient.ldes[table].as_ref(),
        }
    }

    /// A tree.
    pub fn tree(&self, job: &'a Job<'_, B>, tree: Tree) -> Option<&'a B::Tree> {
        match tree {
            Tree::Preprocessed => job.preprocessed_tree.as_ref(),
            Tree::Main => self.main.tree.as_ref(),
            Tree::Lookup => self.lookup.tree.as_ref(),
            Tree::Quotient => self.quotient.tree.as_ref(),
        }
    }
}

/// Challenges and sums that the composition depends on.
#[derive(Clone, Copy)]
pub struct Challenges<'a> {
    /// Challenges of the bus argument.
    pub lookup: LookupChallenges,
    /// Sum of each table.
    pub sums: &'a [Ext3],
    /// Constraint challenge.
    pub alpha: Ext3,
    /// Out-of-domain point.
    pub zeta: Ext3,
}

/// Denominators `1/(ζ - x)` by height, `log2`.
pub type Denominators<B> = BTreeMap<u32, <B as Backend>::Denominators>;

/// What the columns are at ζ.
pub struct Evaluated<B: Backend> {
    /// Values of each table.
    pub values: Vec<TableValues>,
    /// Denominators of each height.
    pub denominators: Denominators<B>,
    /// A table whose composition does not fit its values.
    pub wrong: Option<usize>,
}

/// Evaluates all columns and checks every table's composition.
pub fn evaluate<B: Backend>(
    recorder: &Recorder<'_>,
    job: &Job<'_, B>,
    commitments: &Commitments<'_, B>,
    challenges: Challenges<'_>,
) -> Result<Evaluated<B>, ProveError> {
    let mut wrong = None;
    let mut denominators = BTreeMap::new();
    for &height_log2 in &job.layout.distinct_log2 {
        let inverted = job.recovery.attempt(Stage::Denominators, Scope::Height(height_log2), || {
            job.backend.denominators(height_log2, challenges.zeta)
        })?;
        denominators.insert(height_log2, inverted);
    }
    let mut values = Vec::new();
    for table in job.tables() {
        values.push(recorder.step(&table.key.name, 1 << table.height_log2, || {
            let denominators = &denominators[&table.height_log2];
            let values = table_values(job, commitments, table, denominators, challenges.zeta)?;
            let input = CompositionInput {
                table: table.key,
                height_log2: table.height_log2,
                public_values: table.public_values,
                lookup: challenges.lookup,
                lookup_sum: challenges.sums[table.index],
                alpha: challenges.alpha,
                zeta: challenges.zeta,
            };
            if !composition_holds(&input, &values) {
                wrong = wrong.or(Some(table.index));
            }
            Ok::<_, ProveError>(values)
        })?);
    }
    Ok(Evaluated { values, denominators, wrong })
}

fn table_values<B: Backend>(
    job: &Job<'_, B>,
    commitments: &Commitments<'_, B>,
    table: TableContext<'_>,
    denominators: &B::Denominators,
    zeta: Ext3,
) -> Result<TableValues, ProveError> {
    let tree = |tree: Tree| -> Result<(Vec<Ext3>, Vec<Ext3>), ProveError> {
        match commitments.lde(job, tree, table.index) {
            None => Ok((Vec::new(), Vec::new())),
            Some(lde) => {
                let next = tree.next_columns(table.key);
                job.table_stage(Stage::Evaluate, table.index, || {
                    job.backend.evaluate(lde, denominators, zeta, &next)
                })
            }
        }
    };
    let (preprocessed, preprocessed_next) = tree(Tree::Preprocessed)?;
    let (main, main_next) = tree(Tree::Main)?;
    let (lookup, lookup_next) = tree(Tree::Lookup)?;
    let (quotient, _) = tree(Tree::Quotient)?;
    Ok(TableValues { preprocessed, preprocessed_next, main, main_next, lookup, lookup_next, quotient })
}
