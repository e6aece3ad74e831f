//! Memory: what a proof will need, computed before any work, and what it did need.
//!
//! The plan follows the rounds of the host backend allocation by allocation, leaving out what does not grow
//! with the tables (programs, per-thread blocks, the proof itself). Whoever changes a buffer changes its
//! line here.

use std::fs;

use lambda_math::kept_bytes;
use lambda_math::merkle::tree_bytes;
use lambda_verifier::VerifyingKey;
use lambda_verifier::layout::{Layout, Tree};
use lambda_verifier::profile::CAP_LOG2;
use serde::Serialize;

use crate::report::Round;

const DIGEST: u64 = 32;
const CELL: u64 = 8;

/// Bytes in use at the fullest moment of each round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryPlan {
    /// Rounds in order with their peaks.
    pub rounds: Vec<(Round, u64)>,
}

impl MemoryPlan {
    /// The plan of a proof of `key`'s system with the given layout.
    pub fn new(key: &VerifyingKey, layout: &Layout) -> Self {
        let mut plan = Planner { key, layout, live: 0, peak: 0, rounds: Vec::new() };
        plan.trace();
        plan.main();
        plan.lookup();
        plan.quotient();
        plan.ood();
        plan.fri();
        Self { rounds: plan.rounds }
    }

    /// Bytes in use at the fullest moment.
    pub fn peak_bytes(&self) -> u64 {
        self.rounds.iter().map(|&(_, bytes)| bytes).max().unwrap_or(0)
    }
}

struct Planner<'a> {
    key: &'a VerifyingKey,
    layout: &'a Layout,
    live: u64,
    peak: u64,
    rounds: Vec<(Round, u64)>,
}

impl Planner<'_> {
    fn allocate(&mut self, bytes: u64) {
        self.live += bytes;
        self.peak = self.peak.max(self.live);
    }

    fn free(&mut self, bytes: u64) {
        self.live -= bytes;
    }

    fn finish(&mut self, round: Round) {
        self.rounds.push((round, self.peak));
        self.peak = self.live;
    }

    /// Height (`log2`), cells of the trace, and whether the table has interactions, per table of `tree`.
    fn tables(&self, tree: Tree) -> Vec<(u32, u64, bool)> {
        self.layout
            .tables(self.key, tree)
            .map(|(_, table, height_log2)| {
                let cells = (tree.width(table) as u64) << height_log2;
                (height_log2, cells, table.shape.interactions > 0)
            })
            .collect()
    }

    fn extended(&self, cells: u64) -> u64 {
        (cells * CELL) << self.layout.profile.blowup_log2()
    }

    /// Row digests of all tables are alive until the tree over them stands; the tree takes over those of
    /// heights with one table.
    fn tree(&mut self, tree: Tree) {
        let blowup_log2 = self.layout.profile.blowup_log2();
        let tables = self.tables(tree);
        let Some(tallest) = tables.iter().map(|&(height_log2, ..)| height_log2).max() else { return };
        let nodes = tree_bytes(tallest + blowup_log2, CAP_LOG2) as u64;
        let leaves = DIGEST << (tallest + blowup_log2);
        self.allocate(nodes - leaves);
        for (height_log2, ..) in tables {
            if height_log2 != tallest {
                self.free(DIGEST << (height_log2 + blowup_log2));
            }
        }
        let at_tallest = self.tables(tree).iter().filter(|&&(height, ..)| height == tallest).count() as u64;
        self.free(leaves * (at_tallest - 1));
    }

    fn digests(&mut self, height_log2: u32) {
        self.allocate(DIGEST << (height_log2 + self.layout.profile.blowup_log2()));
    }

    fn trace(&mut self) {
        for (_, cells, _) in self.tables(Tree::Main) {
            self.allocate(cells * CELL);
        }
        self.finish(Round::Trace);
    }

    fn main(&mut self) {
        for (height_log2, cells, interactions) in self.tables(Tree::Main) {
            // A trace that no later round reads is extended in place.
            let in_place = if interactions { 0 } else { cells * CELL };
            self.allocate(self.extended(cells) - in_place);
            self.digests(height_log2);
        }
        self.tree(Tree::Main);
        self.finish(Round::Main);
    }

    fn lookup(&mut self) {
        let main: Vec<u64> =
            self.tables(Tree::Main).into_iter().filter(|table| table.2).map(|table| table.1).collect();
        for ((height_log2, cells, _), main) in self.tables(Tree::Lookup).into_iter().zip(main) {
            self.allocate(cells * CELL);
            self.free(main * CELL);
            self.allocate(self.extended(cells) - cells * CELL);
            self.digests(height_log2);
        }
        self.tree(Tree::Lookup);
        self.finish(Round::Lookup);
    }

    fn quotient(&mut self) {
        for (height_log2, cells, _) in self.tables(Tree::Quotient) {
            self.allocate(cells * CELL);
            self.allocate(self.extended(cells));
            self.free(cells * CELL);
            self.digests(height_log2);
        }
        self.tree(Tree::Quotient);
        self.finish(Round::Quotient);
    }

    fn ood(&mut self) {
        let column = |height_log2: u32| (3 * CELL) << height_log2;
        for &height_log2 in &self.layout.distinct_log2 {
            self.allocate(column(height_log2));
        }
        // Weights for ζ and ζ·ω, and the points, of one table at a time.
        let scratch = 2 * column(self.layout.tallest_log2()) + (CELL << self.layout.tallest_log2());
        self.allocate(scratch);
        self.free(scratch);
        self.finish(Round::Ood);
    }

    fn fri(&mut self) {
        let blowup_log2 = self.layout.profile.blowup_log2();
        let codeword = |height_log2: u32| (3 * CELL) << (height_log2 + blowup_log2);
        let deep = |planner: &mut Self, height_log2: u32| {
            // Slab 0 and the rotated denominators, while the codeword is made.
            let scratch = (2 * 3 * CELL) << height_log2;
            planner.allocate(scratch);
            planner.allocate(codeword(height_log2));
            planner.free(scratch);
        };
        deep(self, self.layout.tallest_log2());
        for fold in &self.layout.folds {
            self.allocate(tree_bytes(fold.to_log2() + blowup_log2, CAP_LOG2) as u64);
            // Folding by 2^s halves s times; the first half is alive with the second.
            let halves = if fold.arity_log2 > 1 { codeword(fold.from_log2 - 1) } else { 0 };
            self.allocate(halves);
            self.allocate(codeword(fold.to_log2()));
            self.free(halves);
            if fold.joins {
                deep(self, fold.to_log2());
                self.free(codeword(fold.to_log2()));
            }
        }
        self.finish(Round::Fri);
    }
}

/// Measures how far the process's resident memory rises above where it was.
#[derive(Debug)]
pub struct PeakMeter {
    baseline: Option<u64>,
}

impl PeakMeter {
    /// Starts at the present resident memory, of which `owned` bytes count as part of what is measured, and
    /// so does the memory that dropped matrices have left: it is used first.
    pub fn start(owned: u64) -> Self {
        // Resets the peak to the present; where that is not allowed the peak may be an older one.
        let _ = fs::write("/proc/self/clear_refs", "5");
        let measured = owned.saturating_add(kept_bytes() as u64);
        Self { baseline: status_bytes("VmRSS:").map(|resident| resident.saturating_sub(measured)) }
    }

    /// Bytes by which the peak exceeds the start; `None` where the system does not tell.
    pub fn peak_bytes(&self) -> Option<u64> {
        Some(status_bytes("VmHWM:")?.saturating_sub(self.baseline?))
    }
}

/// A field of `/proc/self/status` that is given in kB.
fn status_bytes(field: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(field))?;
    let kilobytes: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
