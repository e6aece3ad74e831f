//! What a proof will have on the device, and which tables stay there, decided from its shape before any work.
//!
//! The plan follows the device arms allocation by allocation, in their order, leaving out what does not
//! grow with the tables (weights, flags, the interpreter's programs). Whoever changes a buffer there
//! changes its line here; a test compares the plan's peak with the arena's.
//!
//! Within a budget, tables are resident as long as the fullest moment has room for them. Where it has not,
//! the largest ones are streamed; where that does not suffice, trees go to the host once they are built;
//! where even then there is no room for all, the largest tables are computed on the host.

mod fitting;
mod planner;

use std::collections::BTreeSet;

use lambda_air::dag::{ConstraintDag, Leaf, Node};
use lambda_math_cuda::kernels::fri::LEAF_LOG2;
use lambda_prover::{Policy, Round};
use lambda_verifier::VerifyingKey;
use lambda_verifier::layout::{Layout, Tree};
use serde::Serialize;

use crate::placement::Place;
use fitting::Fitting;

const CELL: u64 = 8;

/// Part of a budget that does not suffice for all tables, that a chunk of rows or columns may take.
const CHUNK_SHARE: u64 = 16;

/// Bytes of one table, of which those that stay on the device do so if it is resident, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedTable {
    /// Name.
    pub table: String,
    /// Where it is computed.
    pub place: Place,
    /// Why it is not in a better place: with it in the next better one so many bytes would be missing at the
    /// fullest moment.
    pub missing_bytes: Option<u64>,
    /// Rows.
    pub rows: u64,
    /// Main columns, from round 01 to round 03.
    pub trace: u64,
    /// Preprocessed columns and their extension.
    pub preprocessed: u64,
    /// Main columns, extended.
    pub main: u64,
    /// Lookup columns, extended.
    pub lookup: u64,
    /// Quotient parts, extended.
    pub quotient: u64,
}

impl PlannedTable {
    /// What stays until the end.
    pub const fn resident(&self) -> u64 {
        self.preprocessed + self.main + self.lookup + self.quotient
    }
}

/// The plan (module docs).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DevicePlan {
    /// Tables in registry order.
    pub tables: Vec<PlannedTable>,
    /// Bytes in use at the fullest moment of each round.
    pub rounds: Vec<(Round, u64)>,
    /// Most bytes that a chunk of rows or columns takes.
    pub chunk_bytes: u64,
    /// Whether trees over tables go to the host once they are built.
    pub spills_trees: bool,
    /// Heights, `log2`, of folded codewords whose leaves are made in the launch that folds.
    #[serde(skip)]
    pub hashed_folds: BTreeSet<u32>,
    /// Whether nothing is computed on the device: with all tables on the host, there is no room for the
    /// rest, which is what `rounds` says then.
    pub host_only: bool,
}

impl DevicePlan {
    /// The plan of a proof of `key`'s system with the given layout, all tables resident, compositions in
    /// chunks of `chunk_bytes`.
    pub fn new(key: &VerifyingKey, layout: &Layout, chunk_bytes: u64) -> Self {
        Shape { key, layout }.plan(&vec![Place::Resident; key.tables.len()], false, chunk_bytes)
    }

    /// The plan of such a proof on a device of which it may have `budget_bytes`. Under [`Policy::Strict`]
    /// nothing is planned on the host; the plan may then exceed the budget.
    pub fn within(
        key: &VerifyingKey,
        layout: &Layout,
        chunk_bytes: u64,
        budget_bytes: u64,
        policy: Policy,
    ) -> Self {
        let plan = Self::new(key, layout, chunk_bytes);
        if plan.peak_bytes() <= budget_bytes {
            return plan;
        }
        let chunk_bytes = chunk_bytes.min(budget_bytes / CHUNK_SHARE);
        let fitting =
            |spills_trees| Fitting::new(Shape { key, layout }, chunk_bytes, budget_bytes, spills_trees);
        let mut with_trees = fitting(false);
        if with_trees.move_to(Place::Streamed) {
            return with_trees.into_plan();
        }
        let mut without = fitting(true);
        let on_device = without.move_to(Place::Streamed);
        let may_leave = policy == Policy::Recover;
        let host_only = !on_device && may_leave && !without.move_to(Place::Host);
        Self { host_only, ..without.into_plan() }
    }

    /// Bytes in use at the fullest moment.
    pub fn peak_bytes(&self) -> u64 {
        if self.host_only {
            return 0;
        }
        self.rounds.iter().map(|&(_, bytes)| bytes).max().unwrap_or(0)
    }
}

/// What is proven, and in which shape.
#[derive(Clone, Copy)]
struct Shape<'a> {
    key: &'a VerifyingKey,
    layout: &'a Layout,
}

impl Shape<'_> {
    /// The plan with tables in these places.
    fn plan(&self, places: &[Place], spills_trees: bool, chunk_bytes: u64) -> DevicePlan {
        let planned = |(index, &place)| PlannedTable { place, ..self.table(index) };
        let tables = places.iter().enumerate().map(planned).collect();
        let rounds = planner::rounds(*self, places, spills_trees, chunk_bytes);
        let hashed_folds = self.hashed_folds();
        DevicePlan { tables, rounds, chunk_bytes, spills_trees, hashed_folds, host_only: false }
    }

    /// Folds that no codeword joins, and whose cosets are those that the folding kernel hashes.
    fn hashed_folds(&self) -> BTreeSet<u32> {
        let folds = self.layout.folds.windows(2);
        let hashed = folds.filter(|folds| !folds[0].joins && folds[1].arity_log2 == LEAF_LOG2);
        hashed.map(|folds| folds[0].to_log2()).collect()
    }

    /// A table, resident.
    fn table(&self, index: usize) -> PlannedTable {
        let table = &self.key.tables[index];
        let rows = 1u64 << self.layout.heights_log2[index];
        let bytes = |tree: Tree| tree.width(table) as u64 * rows * CELL;
        let extended = |bytes: u64| bytes << self.layout.profile.blowup_log2();
        let preprocessed = bytes(Tree::Preprocessed);
        PlannedTable {
            table: table.name.clone(),
            place: Place::Resident,
            missing_bytes: None,
            rows,
            trace: bytes(Tree::Main),
            preprocessed: preprocessed + extended(preprocessed),
            main: extended(bytes(Tree::Main)),
            lookup: extended(bytes(Tree::Lookup)),
            quotient: extended(bytes(Tree::Quotient)),
        }
    }
}

/// Whether a body reads row selectors.
pub fn reads_selectors(dag: &ConstraintDag) -> bool {
    dag.nodes.iter().any(|node| matches!(node, Node::Leaf(Leaf::Selector(_))))
}
