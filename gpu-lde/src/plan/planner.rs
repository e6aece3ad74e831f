//! What is on the device when: the device arms, allocation by allocation (module docs of `plan`), in an arena
//! without an end, so that what lies between blocks counts too.

use std::mem;

use lambda_math_cuda::arena::{Allocation, Arena, Lifetime};
use lambda_math_cuda::kernels::fri::LEAF_LOG2;
use lambda_math_cuda::kernels::lookup::MESSAGE_COLUMNS;
use lambda_math_cuda::kernels::ntt::{TWIDDLE_BYTES, extension_scratch_bytes};
use lambda_math_cuda::kernels::rows::hashing_scratch_bytes;
use lambda_prover::Round;
use lambda_verifier::key::TableKey;
use lambda_verifier::layout::Tree;

use super::{CELL, Shape, reads_selectors};
use crate::codegen::THREADS;
use crate::pieces::{HASHED_TOGETHER, pieces};
use crate::placement::Place;

const DIGEST: u64 = 32;
const EXT: u64 = 3 * CELL;
/// More than any plan has in use.
const ENDLESS_BYTES: u64 = 1 << 60;

/// Bytes at the fullest moment of each round, with tables in `places`.
pub fn rounds(shape: Shape<'_>, places: &[Place], spills_trees: bool, chunk_bytes: u64) -> Vec<(Round, u64)> {
    let tables = places.len();
    let mut planner = Planner {
        shape,
        places,
        spills_trees,
        chunk_bytes,
        arena: Arena::new(ENDLESS_BYTES),
        traces: (0..tables).map(|_| None).collect(),
        digests: Vec::new(),
        rounds: Vec::new(),
    };
    planner.keep(TWIDDLE_BYTES);
    planner.finish(Round::Trace);
    planner.main();
    planner.lookup();
    planner.quotient();
    planner.ood();
    planner.fri();
    planner.rounds
}

struct Planner<'a> {
    shape: Shape<'a>,
    places: &'a [Place],
    spills_trees: bool,
    chunk_bytes: u64,
    arena: Arena,
    /// Main traces that are there.
    traces: Vec<Option<Block>>,
    /// Row digests of the round's tables, with their rows.
    digests: Vec<(u64, Block)>,
    rounds: Vec<(Round, u64)>,
}

/// A block in use.
type Block = Allocation;

/// Rows, and what is read of them, of the chunks of a table.
struct Chunk {
    messages: u64,
    sums: u64,
    read: u64,
}

impl<'a> Planner<'a> {
    fn allocate(&mut self, bytes: u64, lifetime: Lifetime) -> Block {
        self.arena.alloc(bytes, "planned", lifetime).expect("the arena has no end")
    }

    /// What stays until the proof ends.
    fn keep(&mut self, bytes: u64) {
        self.allocate(bytes, Lifetime::Persistent);
    }

    fn scratch(&mut self, bytes: u64) -> Block {
        self.allocate(bytes, Lifetime::Transient)
    }

    fn free(&mut self, blocks: impl IntoIterator<Item = Block>) {
        for block in blocks {
            self.arena.free(&block);
        }
    }

    /// Allocates and frees.
    fn pass(&mut self, bytes: u64) {
        let block = self.scratch(bytes);
        self.free([block]);
    }

    fn finish(&mut self, round: Round) {
        self.rounds.push((round, self.arena.stats().peak_extent_bytes));
        self.arena.reset_peak();
    }

    fn blowup_log2(&self) -> u32 {
        self.shape.layout.profile.blowup_log2()
    }

    fn extended(&self, bytes: u64) -> u64 {
        bytes << self.blowup_log2()
    }

    /// Index, key and rows of the tables of `tree`.
    fn tables(&self, tree: Tree) -> Vec<(usize, &'a TableKey, u64)> {
        let tables = self.shape.layout.tables(self.shape.key, tree);
        tables.map(|(index, table, height_log2)| (index, table, 1 << height_log2)).collect()
    }

    /// The extension of `width` resident columns, which come from the host or are there.
    fn extend(&mut self, width: usize, rows: u64, from_host: bool) -> Option<Block> {
        self.keep(self.extended(width as u64 * rows * CELL));
        let trace = from_host.then(|| self.scratch(width as u64 * rows * CELL));
        self.pass(extension_scratch_bytes(rows.trailing_zeros(), self.blowup_log2()));
        trace
    }

    /// Row digests of resident columns.
    fn row_digests(&mut self, width: usize, rows: u64) {
        let digests = self.scratch(self.extended(DIGEST * rows));
        self.pass(hashing_scratch_bytes(self.extended(rows) as usize, width));
        self.digests.push((rows, digests));
    }

    /// The extension of `width` columns a piece at a time, of which row digests stay. Traces that are on the
    /// host take a part of the piece.
    fn extend_streamed(&mut self, width: usize, rows: u64, from_host: bool) {
        let column = rows * CELL;
        let columns = pieces(width, column + self.extended(column), self.chunk_bytes, HASHED_TOGETHER);
        let columns = columns.map(|piece| piece.len()).max().unwrap_or(0) as u64;
        let digests = self.scratch(self.extended(DIGEST * rows));
        let hashing = self.scratch(hashing_scratch_bytes(self.extended(rows) as usize, width));
        let lde = self.scratch(self.extended(columns * column));
        let trace = from_host.then(|| self.scratch(columns * column));
        self.pass(extension_scratch_bytes(rows.trailing_zeros(), self.blowup_log2()));
        self.free([hashing, lde].into_iter().chain(trace));
        self.digests.push((rows, digests));
    }

    /// Leaves of heights with several tables are joined; then the nodes; then only the tallest leaves stay.
    /// Those of tables on the host come to the device for that.
    fn tree(&mut self, tree: Tree) {
        for (index, _, rows) in self.tables(tree) {
            if self.places[index] == Place::Host {
                let digests = self.scratch(self.extended(DIGEST * rows));
                self.digests.push((rows, digests));
            }
        }
        let digests = mem::take(&mut self.digests);
        let Some(tallest) = digests.iter().map(|&(rows, _)| rows).max() else { return };
        let mut heights: Vec<u64> = digests.iter().map(|&(rows, _)| rows).collect();
        heights.sort_unstable();
        let mut joined = Vec::new();
        for heights in heights.chunk_by(|a, b| a == b).filter(|tables| tables.len() > 1) {
            joined.push((heights[0], self.scratch(self.extended(DIGEST * heights[0]))));
        }
        let nodes = self.allocate(self.extended(DIGEST * tallest), Lifetime::Persistent);
        let spills = self.spills_trees;
        let is_joined = |rows: u64| joined.iter().any(|&(other, _)| other == rows);
        let gone = digests.into_iter().filter(|&(rows, _)| spills || rows != tallest || is_joined(rows));
        let gone: Vec<Block> = gone.map(|(_, block)| block).collect();
        self.free(gone);
        let gone = joined.into_iter().filter(|&(rows, _)| spills || rows != tallest);
        self.free(gone.map(|(_, block)| block));
        self.free(spills.then_some(nodes));
    }

    /// A chunk of rows of a table whose body reads `streamed` bytes a row from the host.
    fn chunk(&self, table: &TableKey, rows: u64, sums: bool, streamed: u64) -> Chunk {
        let message = (table.shape.interactions * MESSAGE_COLUMNS) as u64 * CELL;
        let sum = if sums { EXT } else { 0 };
        let mut chunk = rows;
        while chunk > THREADS.into() && chunk * (message + sum + streamed) > self.chunk_bytes {
            chunk /= 2;
        }
        let read = if chunk == rows { chunk } else { chunk + 1 };
        Chunk { messages: chunk * message, sums: chunk * sum, read: read * streamed }
    }

    fn main(&mut self) {
        for (index, table, rows) in self.tables(Tree::Main) {
            let width = table.shape.main_width;
            match self.places[index] {
                Place::Resident => {
                    let trace = self.extend(width, rows, true);
                    if table.shape.interactions > 0 {
                        self.traces[index] = trace;
                    } else {
                        self.free(trace);
                    }
                    self.row_digests(width, rows);
                }
                Place::Streamed => self.extend_streamed(width, rows, true),
                Place::Host => {}
            }
        }
        self.tree(Tree::Main);
        self.finish(Round::Main);
    }

    fn lookup(&mut self) {
        for (index, table, rows) in self.tables(Tree::Lookup) {
            let place = self.places[index];
            if place == Place::Host {
                continue;
            }
            let width = Tree::Lookup.width(table);
            let preprocessed = table.shape.preprocessed_width as u64 * CELL;
            let streamed = match place {
                Place::Streamed => table.shape.main_width as u64 * CELL + preprocessed,
                Place::Resident | Place::Host => 0,
            };
            let chunk = self.chunk(table, rows, false, streamed);
            let selectors = selector_bytes(table, rows).map(|bytes| self.scratch(bytes));
            let columns = self.scratch(width as u64 * rows * CELL);
            let messages = self.scratch(chunk.messages);
            if place == Place::Resident {
                if preprocessed > 0 {
                    self.scratch(preprocessed * rows);
                }
                self.free(selectors.into_iter().chain([messages]));
                let trace = self.traces[index].take();
                self.free(trace);
                self.extend(width, rows, false);
                self.free([columns]);
                self.row_digests(width, rows);
            } else {
                self.pass(chunk.read);
                self.free(selectors.into_iter().chain([messages]));
                self.extend_streamed(width, rows, false);
                self.free([columns]);
            }
        }
        self.tree(Tree::Lookup);
        self.finish(Round::Lookup);
    }

    fn quotient(&mut self) {
        for (index, table, rows) in self.tables(Tree::Quotient) {
            let place = self.places[index];
            if place == Place::Host {
                continue;
            }
            let preprocessed = table.shape.preprocessed_width as u64 * CELL;
            let streamed = match place {
                Place::Streamed => {
                    let others = table.shape.main_width + Tree::Lookup.width(table);
                    others as u64 * CELL + preprocessed
                }
                Place::Resident | Place::Host => 0,
            };
            let chunk = self.chunk(table, rows, true, streamed);
            let mut parts = Vec::new();
            for slab in 0..table.shape.quotient_parts() {
                let selectors = selector_bytes(table, rows).map(|bytes| self.scratch(bytes));
                parts.push(self.scratch(EXT * rows));
                let scratch = [chunk.messages, chunk.sums].map(|bytes| self.scratch(bytes));
                match place {
                    Place::Resident if slab == 0 && preprocessed > 0 => {
                        self.scratch(self.extended(preprocessed * rows));
                    }
                    Place::Streamed => self.pass(chunk.read),
                    Place::Resident | Place::Host => {}
                }
                self.free(scratch.into_iter().chain(selectors));
            }
            let width = Tree::Quotient.width(table);
            if place == Place::Resident {
                self.extend(width, rows, false);
                self.row_digests(width, rows);
            } else {
                self.extend_streamed(width, rows, false);
            }
            self.free(parts);
        }
        self.tree(Tree::Quotient);
        self.finish(Round::Quotient);
    }

    fn ood(&mut self) {
        for &height_log2 in &self.shape.layout.distinct_log2 {
            self.scratch(EXT << height_log2);
        }
        for tree in Tree::ALL {
            for (index, table, rows) in self.tables(tree) {
                if self.places[index] == Place::Streamed {
                    self.pass(self.piece(tree.width(table), rows));
                }
            }
        }
        self.finish(Round::Ood);
    }

    /// Most columns on slab 0 that come to the device together, bytes.
    fn piece(&self, width: usize, rows: u64) -> u64 {
        let columns = pieces(width, rows * CELL, self.chunk_bytes, 1).next();
        columns.map_or(0, |columns| columns.len() as u64 * rows * CELL)
    }

    /// Most columns of a height that come to the device together for the DEEP codeword, bytes.
    fn deep_piece(&self, height_log2: u32) -> u64 {
        let tables = Tree::ALL.map(|tree| (tree, self.tables(tree)));
        let elsewhere = tables.iter().flat_map(|(tree, tables)| {
            let here = |&&(index, _, rows): &&(usize, &TableKey, u64)| {
                rows == 1 << height_log2 && self.places[index] != Place::Resident
            };
            tables.iter().filter(here).map(|&(_, table, rows)| self.piece(tree.width(table), rows))
        });
        elsewhere.max().unwrap_or(0)
    }

    fn deep(&mut self, height_log2: u32) -> Block {
        let slab = self.scratch(EXT << height_log2);
        self.pass(self.deep_piece(height_log2));
        let codeword = self.allocate(self.extended(EXT << height_log2), Lifetime::Persistent);
        self.pass(extension_scratch_bytes(height_log2, self.blowup_log2()));
        self.free([slab]);
        codeword
    }

    fn fri(&mut self) {
        self.deep(self.shape.layout.tallest_log2());
        let hashed = self.shape.hashed_folds();
        let mut has_leaves = false;
        for fold in &self.shape.layout.folds {
            // A leaf for each coset, and as many nodes.
            let leaves = self.extended(DIGEST << fold.to_log2());
            if !has_leaves {
                self.scratch(leaves);
            }
            self.keep(leaves);
            let folded = self.scratch(self.extended(EXT << fold.to_log2()));
            has_leaves = hashed.contains(&fold.to_log2());
            if has_leaves {
                self.scratch(self.extended(DIGEST << fold.to_log2()) >> LEAF_LOG2);
            }
            if fold.joins {
                let shorter = self.deep(fold.to_log2());
                self.keep(self.extended(EXT << fold.to_log2()));
                self.free([folded, shorter]);
            }
        }
        self.finish(Round::Fri);
    }
}

/// Selectors of a body that reads some.
fn selector_bytes(table: &TableKey, rows: u64) -> Option<u64> {
    reads_selectors(&table.dag).then_some(EXT * rows)
}
