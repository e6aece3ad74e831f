//! What a proof will have on the device, computed from its shape before any work.
//!
//! The plan follows the device arms allocation by allocation, in their order, leaving out what does not
//! grow with the tables (weights, flags, the interpreter's programs). Whoever changes a buffer there
//! changes its line here; a test compares the plan's peak with the arena's.

use lambda_math_cuda::arena::GRANULE_BYTES;
use lambda_math_cuda::kernels::lookup::MESSAGE_COLUMNS;
use lambda_math_cuda::kernels::ntt::{TWIDDLE_BYTES, extension_scratch_bytes};
use lambda_prover::Round;
use lambda_verifier::VerifyingKey;
use lambda_verifier::key::TableKey;
use lambda_verifier::layout::{Layout, Tree};
use serde::Serialize;

use crate::codegen::THREADS;

const CELL: u64 = 8;
const DIGEST: u64 = 32;
const EXT: u64 = 3 * CELL;

/// Bytes that stay on the device for one table, once they are made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TableBytes {
    /// Name.
    pub table: String,
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

impl TableBytes {
    /// What stays until the end.
    pub const fn resident(&self) -> u64 {
        self.preprocessed + self.main + self.lookup + self.quotient
    }
}

/// The plan (module docs).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DevicePlan {
    /// Tables in registry order.
    pub tables: Vec<TableBytes>,
    /// Bytes in use at the fullest moment of each round.
    pub rounds: Vec<(Round, u64)>,
}

impl DevicePlan {
    /// The plan of a proof of `key`'s system with the given layout, compositions in chunks of `chunk_bytes`.
    pub fn new(key: &VerifyingKey, layout: &Layout, chunk_bytes: u64) -> Self {
        let mut planner = Planner { key, layout, chunk_bytes, live: 0, peak: 0, rounds: Vec::new() };
        planner.allocate(TWIDDLE_BYTES);
        planner.finish(Round::Trace);
        planner.main();
        planner.lookup();
        planner.quotient();
        planner.ood();
        planner.fri();
        let tables = (0..key.tables.len()).map(|index| planner.table(index)).collect();
        Self { tables, rounds: planner.rounds }
    }

    /// Bytes in use at the fullest moment.
    pub fn peak_bytes(&self) -> u64 {
        self.rounds.iter().map(|&(_, bytes)| bytes).max().unwrap_or(0)
    }
}

struct Planner<'a> {
    key: &'a VerifyingKey,
    layout: &'a Layout,
    chunk_bytes: u64,
    live: u64,
    peak: u64,
    rounds: Vec<(Round, u64)>,
}

const fn block(bytes: u64) -> u64 {
    if bytes == 0 { GRANULE_BYTES } else { bytes.next_multiple_of(GRANULE_BYTES) }
}

impl<'a> Planner<'a> {
    fn allocate(&mut self, bytes: u64) {
        self.live += block(bytes);
        self.peak = self.peak.max(self.live);
    }

    fn free(&mut self, bytes: u64) {
        self.live -= block(bytes);
    }

    /// Allocates and frees.
    fn pass(&mut self, bytes: u64) {
        self.allocate(bytes);
        self.free(bytes);
    }

    fn finish(&mut self, round: Round) {
        self.rounds.push((round, self.peak));
        self.peak = self.live;
    }

    fn blowup_log2(&self) -> u32 {
        self.layout.profile.blowup_log2()
    }

    fn extended(&self, bytes: u64) -> u64 {
        bytes << self.blowup_log2()
    }

    /// Index, key and rows of the tables of `tree`.
    fn tables(&self, tree: Tree) -> Vec<(usize, &'a TableKey, u64)> {
        let tables = self.layout.tables(self.key, tree);
        tables.map(|(index, table, height_log2)| (index, table, 1 << height_log2)).collect()
    }

    fn table(&self, index: usize) -> TableBytes {
        let table = &self.key.tables[index];
        let rows = 1u64 << self.layout.heights_log2[index];
        let bytes = |tree: Tree| tree.width(table) as u64 * rows * CELL;
        let preprocessed = bytes(Tree::Preprocessed);
        TableBytes {
            table: table.name.clone(),
            rows,
            trace: bytes(Tree::Main),
            preprocessed: preprocessed + self.extended(preprocessed),
            main: self.extended(bytes(Tree::Main)),
            lookup: self.extended(bytes(Tree::Lookup)),
            quotient: self.extended(bytes(Tree::Quotient)),
        }
    }

    /// The extension and its row digests.
    fn extend(&mut self, bytes: u64, rows: u64) {
        self.allocate(self.extended(bytes));
        self.pass(extension_scratch_bytes(rows.trailing_zeros(), self.blowup_log2()));
    }

    fn digests(&mut self, rows: u64) {
        self.allocate(self.extended(DIGEST * rows));
    }

    /// Leaves of heights with several tables are joined; then the nodes; then only the tallest leaves stay.
    fn tree(&mut self, tree: Tree) {
        let tables = self.tables(tree).iter().map(|&(.., rows)| rows).collect::<Vec<u64>>();
        let Some(&tallest) = tables.iter().max() else { return };
        let mut heights = tables.clone();
        heights.sort_unstable();
        heights.dedup();
        let count = |rows: u64| tables.iter().filter(|&&other| other == rows).count() as u64;
        let leaves = |planner: &Self, rows: u64| planner.extended(DIGEST * rows);
        let joined: Vec<u64> = heights.iter().copied().filter(|&rows| count(rows) > 1).collect();
        for &rows in &joined {
            self.allocate(leaves(self, rows));
        }
        self.allocate(leaves(self, tallest));
        for rows in tables {
            if rows != tallest || joined.contains(&rows) {
                self.free(leaves(self, rows));
            }
        }
        for rows in joined {
            if rows != tallest {
                self.free(leaves(self, rows));
            }
        }
    }

    /// Messages, and sums of constraints if there are any, of a chunk of rows.
    fn chunk(&self, table: &TableKey, rows: u64, sums: bool) -> [u64; 2] {
        let message = (table.shape.interactions * MESSAGE_COLUMNS) as u64 * CELL;
        let sum = if sums { EXT } else { 0 };
        let mut chunk = rows;
        while chunk > THREADS.into() && chunk * (message + sum) > self.chunk_bytes {
            chunk /= 2;
        }
        [chunk * message, chunk * sum]
    }

    fn main(&mut self) {
        for (_, table, rows) in self.tables(Tree::Main) {
            let trace = table.shape.main_width as u64 * rows * CELL;
            self.allocate(trace);
            self.extend(trace, rows);
            if table.shape.interactions == 0 {
                self.free(trace);
            }
            self.digests(rows);
        }
        self.tree(Tree::Main);
        self.finish(Round::Main);
    }

    fn lookup(&mut self) {
        for (_, table, rows) in self.tables(Tree::Lookup) {
            let columns = Tree::Lookup.width(table) as u64 * rows * CELL;
            if table.shape.preprocessed_width > 0 {
                self.allocate(table.shape.preprocessed_width as u64 * rows * CELL);
            }
            self.allocate(columns);
            let [messages, _] = self.chunk(table, rows, false);
            self.pass(messages);
            self.free(table.shape.main_width as u64 * rows * CELL);
            self.extend(columns, rows);
            self.free(columns);
            self.digests(rows);
        }
        self.tree(Tree::Lookup);
        self.finish(Round::Lookup);
    }

    fn quotient(&mut self) {
        for (_, table, rows) in self.tables(Tree::Quotient) {
            let preprocessed = table.shape.preprocessed_width as u64 * rows * CELL;
            if preprocessed > 0 {
                self.allocate(self.extended(preprocessed));
            }
            let parts = table.shape.quotient_parts() as u64;
            let [messages, sums] = self.chunk(table, rows, true);
            for _ in 0..parts {
                self.allocate(EXT * rows);
                self.allocate(messages);
                self.pass(sums);
                self.free(messages);
            }
            self.extend(parts * EXT * rows, rows);
            for _ in 0..parts {
                self.free(EXT * rows);
            }
            self.digests(rows);
        }
        self.tree(Tree::Quotient);
        self.finish(Round::Quotient);
    }

    fn ood(&mut self) {
        for &height_log2 in &self.layout.distinct_log2 {
            self.allocate(EXT << height_log2);
        }
        self.finish(Round::Ood);
    }

    fn fri(&mut self) {
        let codeword = |planner: &Self, height_log2: u32| planner.extended(EXT << height_log2);
        let deep = |planner: &mut Self, height_log2: u32| {
            planner.allocate(EXT << height_log2);
            planner.allocate(codeword(planner, height_log2));
            planner.pass(extension_scratch_bytes(height_log2, planner.blowup_log2()));
            planner.free(EXT << height_log2);
        };
        deep(self, self.layout.tallest_log2());
        for fold in &self.layout.folds {
            // A leaf for each coset, and as many nodes.
            self.allocate(self.extended(DIGEST << fold.to_log2()));
            self.allocate(self.extended(DIGEST << fold.to_log2()));
            self.allocate(codeword(self, fold.to_log2()));
            if fold.joins {
                deep(self, fold.to_log2());
                self.pass(codeword(self, fold.to_log2()));
                self.free(codeword(self, fold.to_log2()));
            }
        }
        self.finish(Round::Fri);
    }
}
