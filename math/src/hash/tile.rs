//! BLAKE3 of many messages of one length, in tiles: those of a tile go through the hash together, block
//! by block.
//!
//! Going block by block, not message by message, means that a tile of table rows reads eight columns at a
//! time, each as one long run: few pages and few streams, whatever the stride between columns.

use rayon::prelude::*;

use super::compress::{BLOCK_BYTES, CHUNK_END, CHUNK_START, PARENT, ROOT, compress, key_words};
use super::lanes::Lanes;
use super::{Digest, HashDomain};

/// Bytes in a chunk, the leaf of BLAKE3's own tree.
const CHUNK_BYTES: usize = 1024;
const CHUNK_BLOCKS: usize = CHUNK_BYTES / BLOCK_BYTES;

/// Most messages in a tile: the run of cells is long enough for the memory prefetcher, and the chaining
/// values still fit the first cache.
pub(super) const MAX_TILE_ROWS: usize = 1024;
/// Fewest messages in a tile, of a table too short to occupy every thread with larger ones.
pub(super) const MIN_TILE_ROWS: usize = 64;
const TILES_PER_THREAD: usize = 4;

/// `out[i]` = keyed BLAKE3 of message `i`, all of `message_bytes` bytes, on every thread of the pool.
///
/// `block(b, i)` gives the 16 words of block `b` of messages `i .. i + L::COUNT`, zero beyond their end.
/// `one(i)` hashes message `i` alone; the messages left over from the lanes go through it.
pub(super) fn hash_in_tiles<L: Lanes>(
    domain: HashDomain,
    message_bytes: usize,
    out: &mut [Digest],
    block: impl Fn(usize, usize) -> [L; 16] + Sync,
    one: impl Fn(usize) -> Digest + Sync,
) {
    let tiles = TILES_PER_THREAD * rayon::current_num_threads();
    let tile_rows = (out.len() / tiles).next_power_of_two().clamp(MIN_TILE_ROWS, MAX_TILE_ROWS);
    out.par_chunks_mut(tile_rows).enumerate().for_each_init(Tile::new, |tile, (index, out)| {
        let first = index * tile_rows;
        let (whole, rest) = out.split_at_mut(out.len() / L::COUNT * L::COUNT);
        tile.hash(domain.key(), message_bytes, |index, row| block(index, first + row), whole);
        for (row, digest) in (first + whole.len()..).zip(rest) {
            *digest = one(row);
        }
    });
}

/// Chaining values of the tile at hand; the next one uses the allocations again.
struct Tile<L> {
    /// Of the chunk at hand: one entry for each group of `L::COUNT` messages.
    chaining: Vec<[L; 8]>,
    /// Of the finished subtrees to its left, as many entries for each of them.
    stack: Vec<[L; 8]>,
}

impl<L: Lanes> Tile<L> {
    /// No messages yet.
    const fn new() -> Self {
        Self { chaining: Vec::new(), stack: Vec::new() }
    }

    /// Hashes the messages of one tile, a multiple of `L::COUNT`; see [`hash_in_tiles`].
    fn hash(
        &mut self,
        key: &[u8; 32],
        message_bytes: usize,
        block: impl Fn(usize, usize) -> [L; 16],
        out: &mut [Digest],
    ) {
        let key = key_words(key);
        let chunks = message_bytes.div_ceil(CHUNK_BYTES).max(1);
        self.stack.clear();
        for chunk in 0..chunks {
            let chunk_bytes = (message_bytes - chunk * CHUNK_BYTES).min(CHUNK_BYTES);
            let root = if chunks == 1 { ROOT } else { 0 };
            self.chaining.clear();
            self.chaining.resize(out.len() / L::COUNT, key);
            self.absorb_chunk(chunk, chunk_bytes, root, &block);
            if chunk + 1 < chunks {
                // Each trailing zero of the number of chunks so far is a subtree completed by this one.
                for _ in 0..(chunk + 1).trailing_zeros() {
                    self.merge(&key, 0);
                }
                self.stack.extend_from_slice(&self.chaining);
            }
        }
        while !self.stack.is_empty() {
            let root = if self.stack.len() == self.chaining.len() { ROOT } else { 0 };
            self.merge(&key, root);
        }
        for (words, digests) in self.chaining.iter().zip(out.chunks_exact_mut(L::COUNT)) {
            L::store_digests(*words, digests);
        }
    }

    /// Takes `self.chaining` through the blocks of one chunk; `root` is added to the last one's flags.
    fn absorb_chunk(
        &mut self,
        chunk: usize,
        chunk_bytes: usize,
        root: u32,
        block: &impl Fn(usize, usize) -> [L; 16],
    ) {
        let blocks = chunk_bytes.div_ceil(BLOCK_BYTES).max(1);
        for index in 0..blocks {
            let block_bytes = (chunk_bytes - index * BLOCK_BYTES).min(BLOCK_BYTES);
            let start = if index == 0 { CHUNK_START } else { 0 };
            let end = if index + 1 == blocks { CHUNK_END | root } else { 0 };
            for (group, chaining) in self.chaining.iter_mut().enumerate() {
                let message = block(chunk * CHUNK_BLOCKS + index, group * L::COUNT);
                *chaining = compress(chaining, &message, chunk as u64, block_bytes, start | end);
            }
        }
    }

    /// Replaces `self.chaining` by the parents of the topmost subtree of the stack and itself.
    fn merge(&mut self, key: &[L; 8], root: u32) {
        let rest = self.stack.len() - self.chaining.len();
        for (left, right) in self.stack[rest..].iter().zip(&mut self.chaining) {
            *right = compress(key, &join(left, right), 0, BLOCK_BYTES, PARENT | root);
        }
        self.stack.truncate(rest);
    }
}

/// The message made of two chaining values or digests.
#[inline(always)]
pub(super) fn join<L: Lanes>(left: &[L; 8], right: &[L; 8]) -> [L; 16] {
    core::array::from_fn(|k| if k < 8 { left[k] } else { right[k - 8] })
}
