//! A decoded kernel.

use super::op::{Instruction, Slot};
use super::syntax::Special;

/// A kernel, ready to launch.
#[derive(Debug)]
pub struct Kernel {
    pub(crate) name: String,
    pub(crate) parameters: Vec<ParamSize>,
    /// Most threads a block may have, where the kernel says so.
    pub(crate) max_threads: Option<u32>,
    /// Static shared memory in bytes.
    pub(crate) static_shared_bytes: u32,
    /// Address at which dynamic shared memory starts.
    pub(crate) dynamic_shared_start: u32,
    /// Local memory of a thread in bytes.
    pub(crate) local_bytes: u32,
    pub(crate) code: Vec<Instruction>,
    /// Branch tables: instruction indices.
    pub(crate) tables: Vec<Vec<u32>>,
    pub(crate) rows: Rows,
    /// Length in bytes of the shortest access to shared memory: no access straddles two such granules.
    pub(crate) shared_granule: u32,
}

/// How many rows a warp has, and what fills those that no instruction writes.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(crate) predicates: u32,
    pub(crate) words: u32,
    pub(crate) wides: u32,
    /// How many rows of each bank (predicates, words, wides) hold registers: the first ones.
    pub(crate) registers: [u32; 3],
    pub(crate) predicate_inputs: Vec<(Slot, Input)>,
    pub(crate) word_inputs: Vec<(Slot, Input)>,
    pub(crate) wide_inputs: Vec<(Slot, Input)>,
}

/// What fills a row before the first instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Input {
    /// The same bits in every lane.
    Constant(u64),
    Special(Special),
    /// `bytes` of the parameter buffer, zero-extended.
    Parameter {
        offset: u32,
        bytes: u32,
    },
}

/// Where a parameter lies in the parameter buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamSize {
    /// Offset in bytes.
    pub offset: u32,
    /// Length in bytes.
    pub bytes: u32,
}

impl Kernel {
    /// The entry's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The parameters, in order.
    pub fn parameters(&self) -> &[ParamSize] {
        &self.parameters
    }

    /// Length of the parameter buffer in bytes.
    pub fn parameter_bytes(&self) -> u32 {
        self.parameters.last().map_or(0, |last| last.offset + last.bytes)
    }

    /// Shared memory that every block has, in bytes.
    pub fn static_shared_bytes(&self) -> u32 {
        self.static_shared_bytes
    }

    /// Local memory of a thread in bytes.
    pub fn local_bytes(&self) -> u32 {
        self.local_bytes
    }

    /// Most threads a block may have, where the kernel declares it.
    pub fn max_threads(&self) -> Option<u32> {
        self.max_threads
    }
}
