//! Where a message that is hashed over several launches is in BLAKE3's tree of chunks.
//!
//! A chunk is 1024 bytes. A chunk that ends is joined with the complete subtrees of its own size to its left
//! (BLAKE3 paper, section 2.1), which wait on a stack; the message's end is joined with all that are left.
//! Kernels that hash one message a thread are all at the same place, and take it as arguments (`ChunkPlace`
//! in `kernels/blake3.cuh`).

use lambda_math::Digest;

use crate::{DeviceBuffer, DeviceError, DeviceSliceMut, Launch, Stream};

/// Bytes of a block.
pub(super) const BLOCK_BYTES: usize = 64;
const CHUNK_BLOCKS: usize = 16;

/// Progress through messages of one length, and the subtrees that wait.
#[derive(Debug)]
pub(super) struct ChunkTree {
    /// Blocks of a message; an empty message is one block.
    blocks: usize,
    absorbed: usize,
    depth: u32,
    stack: Option<DeviceBuffer<Digest>>,
}

impl ChunkTree {
    /// At the start of `messages` messages of `bytes` bytes.
    pub(super) fn new(stream: &Stream, messages: usize, bytes: usize) -> Result<Self, DeviceError> {
        let blocks = blocks(bytes);
        let stack = match Self::stack_entries(bytes) {
            0 => None,
            entries => Some(stream.alloc(entries * messages, "subtrees of long rows")?),
        };
        Ok(Self { blocks, absorbed: 0, depth: 0, stack })
    }

    /// Most subtrees that wait at once in a message of `bytes` bytes: that many ones has the number of chunks
    /// before the last, or one below it.
    pub(super) fn stack_entries(bytes: usize) -> usize {
        blocks(bytes).div_ceil(CHUNK_BLOCKS).ilog2() as usize
    }

    /// Blocks that are still to be absorbed.
    pub(super) const fn remaining(&self) -> usize {
        self.blocks - self.absorbed
    }

    /// Blocks until the end of the chunk or of the message.
    pub(super) fn remaining_in_chunk(&self) -> usize {
        self.remaining().min(CHUNK_BLOCKS - self.absorbed % CHUNK_BLOCKS)
    }

    /// Advances by `blocks` blocks of one chunk. Gives `launch` the arguments `chunk`, `first_block`,
    /// `ends_chunk`, `ends_message`, `depth`, `merges`, the stack, and `out`.
    pub(super) fn advance<'s>(
        &mut self,
        launch: Launch<'s>,
        blocks: usize,
        out: DeviceSliceMut<'_, Digest>,
    ) -> Launch<'s> {
        assert!(blocks <= self.remaining_in_chunk(), "a launch absorbs blocks of one chunk");
        let (chunk, first_block) = (self.absorbed / CHUNK_BLOCKS, self.absorbed % CHUNK_BLOCKS);
        let ends_chunk = blocks == self.remaining_in_chunk();
        self.absorbed += blocks;
        let ends_message = self.remaining() == 0;
        let merges = match (ends_chunk, ends_message) {
            (false, _) => 0,
            (true, true) => self.depth,
            // Each trailing zero of the number of chunks so far is a subtree completed by this one.
            (true, false) => (chunk + 1).trailing_zeros(),
        };
        let launch = launch
            .u64(chunk as u64)
            .u32(first_block as u32)
            .u32(ends_chunk.into())
            .u32(ends_message.into())
            .u32(self.depth)
            .u32(merges);
        self.depth = self.depth + u32::from(ends_chunk) - merges;
        match &mut self.stack {
            Some(stack) => launch.write(stack).write(out),
            None => launch.null().write(out),
        }
    }
}

/// Blocks of a message of `bytes` bytes; an empty one has a block.
fn blocks(bytes: usize) -> usize {
    bytes.div_ceil(BLOCK_BYTES).max(1)
}
