//! The seam between the protocol and whoever computes.
//!
//! The rounds are written once over [`Backend`]; a backend computes one stage of one table at a time, keeps
//! what it makes in types of its own (resident where it computes), and hands out digests, field values and
//! openings only. The transcript never enters a backend: challenges go in by value. Every method may fail
//! with a [`Fault`], has then changed nothing, and may be called again ([`recovery`](crate::recovery)).
//!
//! All results are exact, so every backend gives the same proof.

use std::sync::Arc;

use lambda_air::ConstraintProgram;
use lambda_math::{Columns, Digest, Ext3, Goldilocks};
use lambda_verifier::key::TableKey;
use lambda_verifier::layout::Layout;
use lambda_verifier::transcript::LookupChallenges;
use lambda_verifier::{ProvingKey, VerifyingKey};

use crate::fault::{Fault, Scope, Stage};
use crate::recovery::{Action, Policy};
use crate::report::DeviceMemory;

/// One table, as the stages that read its body see it.
#[derive(Clone, Copy, Debug)]
pub struct TableContext<'a> {
    /// Index in the registry.
    pub index: usize,
    /// The table's key.
    pub key: &'a TableKey,
    /// Height, `log2`.
    pub height_log2: u32,
    /// The table's public values.
    pub public_values: &'a [Goldilocks],
}

/// Input of [`Backend::lookup`].
#[derive(Debug)]
pub struct LookupInput<'a, B: Backend + ?Sized> {
    /// The table.
    pub table: TableContext<'a>,
    /// Program computing the interactions.
    pub program: &'a ConstraintProgram,
    /// Main columns on the trace domain.
    pub main: &'a B::Trace,
    /// Preprocessed columns on the trace domain.
    pub preprocessed: Option<&'a B::Trace>,
    /// Challenges of the bus argument.
    pub challenges: LookupChallenges,
}

/// Input of [`Backend::quotient`].
#[derive(Debug)]
pub struct QuotientInput<'a, B: Backend + ?Sized> {
    /// The table.
    pub table: TableContext<'a>,
    /// Program computing constraints and interactions.
    pub program: &'a ConstraintProgram,
    /// Main columns, extended.
    pub main: &'a B::Lde,
    /// Preprocessed columns, extended.
    pub preprocessed: Option<&'a B::Lde>,
    /// Lookup columns, extended.
    pub lookup: Option<&'a B::Lde>,
    /// Challenges of the bus argument.
    pub challenges: LookupChallenges,
    /// The table's sum.
    pub lookup_sum: Ext3,
    /// Constraint challenge.
    pub alpha: Ext3,
}

/// A table's preprocessed columns, resident.
#[derive(Debug)]
pub struct Preprocessed<B: Backend + ?Sized> {
    /// On the trace domain.
    pub trace: B::Trace,
    /// On the evaluation coset.
    pub lde: B::Lde,
}

/// Columns of one table in one tree, for [`Backend::deep`].
#[derive(Debug)]
pub struct DeepColumns<'a, B: Backend + ?Sized> {
    /// The extended columns.
    pub lde: &'a B::Lde,
    /// Those also opened at the next row.
    pub next: &'a [usize],
    /// Values at ζ.
    pub values: &'a [Ext3],
    /// Values at ζ·ω of the `next` columns.
    pub next_values: &'a [Ext3],
}

/// A backend (module docs). Heights are of traces; `B·N` points of a codeword or extension are in slabs.
pub trait Backend: Sync {
    /// Columns on the trace domain.
    type Trace: Send + Sync;
    /// Columns on the evaluation coset.
    type Lde: Send + Sync;
    /// Row digests of an extended table.
    type Digests: Send + Sync;
    /// A Merkle tree.
    type Tree: Send + Sync;
    /// `1/(ζ - x)` on slab 0 of one height.
    type Denominators: Send + Sync;
    /// A DEEP codeword or a folded one.
    type Codeword: Send + Sync;

    /// A proof of `key`'s system in the given layout begins.
    fn begin(&self, key: &VerifyingKey, layout: &Layout) {
        let _ = (key, layout);
    }

    /// The proof has ended, one way or another: what was kept for it may go.
    fn end(&self) {}

    /// What is in use of a memory of the backend's own, and the most that was since there had been
    /// `since_allocations` allocations in it; `None` where the host's is used.
    fn memory(&self, since_allocations: u64) -> Option<DeviceMemory> {
        let _ = since_allocations;
        None
    }

    /// How far to go when a stage fails; `None` for a backend that has nothing to try.
    fn policy(&self) -> Option<Policy> {
        None
    }

    /// Does `action` about a stage that failed; whether it is worth running again.
    ///
    /// # Errors
    /// A fault of the recovery itself.
    fn recover(&self, action: Action, stage: Stage, scope: Scope) -> Result<bool, Fault> {
        let _ = (action, stage, scope);
        Ok(false)
    }

    /// Round 01: takes over a table's main columns.
    fn load(&self, table: usize, columns: &Arc<Columns>) -> Result<Self::Trace, Fault>;

    /// Preprocessed columns of a table, on the trace domain and extended, made resident.
    fn load_preprocessed(&self, key: &ProvingKey, table: usize) -> Result<Option<Preprocessed<Self>>, Fault>;

    /// The tree over the preprocessed columns, made resident.
    fn load_preprocessed_tree(&self, key: &ProvingKey) -> Result<Option<Self::Tree>, Fault>;

    /// Rounds 02 to 04: extends columns, each trace from its own shifted subgroup `shift·H_N`, into one
    /// table.
    fn extend(
        &self,
        table: usize,
        blowup_log2: u32,
        traces: &[(&Self::Trace, Goldilocks)],
    ) -> Result<Self::Lde, Fault>;

    /// Like [`extend`](Self::extend) of one trace on `H_N` that is not needed any more; it is taken.
    fn extend_owned(
        &self,
        table: usize,
        blowup_log2: u32,
        trace: &mut Option<Self::Trace>,
    ) -> Result<Self::Lde, Fault>;

    /// Row digests of an extended table.
    fn row_digests(&self, table: usize, lde: &Self::Lde) -> Result<Self::Digests, Fault>;

    /// The tree over row digests, given with the height (`log2`) of their table, in registry order. They are
    /// taken.
    fn tree(&self, blowup_log2: u32, digests: &mut Vec<(u32, Self::Digests)>) -> Result<Self::Tree, Fault>;

    /// A tree's cap.
    fn cap(&self, tree: &Self::Tree) -> Vec<Digest>;

    /// Round 03: a table's lookup columns and its sum (`lambda_air::lookup`).
    fn lookup(&self, input: LookupInput<'_, Self>) -> Result<(Self::Trace, Ext3), Fault>;

    /// Round 04: the quotient's parts; part `c` is given on slab `c`, three base columns each.
    fn quotient(&self, input: QuotientInput<'_, Self>) -> Result<Vec<Self::Trace>, Fault>;

    /// Rounds 05 and 06: denominators of one height.
    fn denominators(&self, height_log2: u32, zeta: Ext3) -> Result<Self::Denominators, Fault>;

    /// Round 05: all columns at ζ, and the `next` ones at ζ·ω.
    fn evaluate(
        &self,
        lde: &Self::Lde,
        denominators: &Self::Denominators,
        zeta: Ext3,
        next: &[usize],
    ) -> Result<(Vec<Ext3>, Vec<Ext3>), Fault>;

    /// Round 06: the DEEP codeword of one height; columns in batching order.
    fn deep(
        &self,
        height_log2: u32,
        blowup_log2: u32,
        columns: &[DeepColumns<'_, Self>],
        denominators: &Self::Denominators,
        gamma: Ext3,
    ) -> Result<Self::Codeword, Fault>;

    /// Round 06: the tree over a codeword's cosets of `2^arity_log2` points.
    fn commit_codeword(&self, codeword: &Self::Codeword, arity_log2: u32) -> Result<Self::Tree, Fault>;

    /// Round 06: folds a codeword.
    fn fold(
        &self,
        codeword: &Self::Codeword,
        arity_log2: u32,
        challenge: Ext3,
    ) -> Result<Self::Codeword, Fault>;

    /// Round 06: adds `weight` times a codeword of the same height.
    fn join(
        &self,
        codeword: &mut Self::Codeword,
        shorter: &Self::Codeword,
        weight: Ext3,
    ) -> Result<(), Fault>;

    /// Round 06: coefficients of a codeword, one per row of its height.
    fn interpolate(&self, codeword: &Self::Codeword) -> Result<Vec<Ext3>, Fault>;

    /// Round 06: the smallest nonce.
    fn grind(&self, seed: &[u8; 32], bits: u32) -> Result<u64, Fault>;

    /// Round 07: rows of an extended table at positions, one after the other.
    fn open_rows(
        &self,
        lde: &Self::Lde,
        height_log2: u32,
        positions: &[usize],
    ) -> Result<Vec<Goldilocks>, Fault>;

    /// Round 07: values of a codeword at positions.
    fn open_codeword(&self, codeword: &Self::Codeword, positions: &[usize]) -> Result<Vec<Ext3>, Fault>;

    /// Round 07: siblings of a tree's openings.
    fn open_tree(&self, tree: &Self::Tree, positions: &[usize]) -> Result<Vec<Digest>, Fault>;
}
