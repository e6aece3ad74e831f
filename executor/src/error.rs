//! Why an execution stopped before its exit.

use core::fmt;

use lambda_machine::isa::MemoryOp;

use crate::listing;

/// An instruction that the machine cannot do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Trap {
    /// The word is no RV64IM instruction.
    #[error("this is no RV64IM instruction")]
    Illegal,
    /// Execution left the code.
    #[error("it leads to {target:#x}, where no instruction can start")]
    NoCode {
        /// Address of what would be the next instruction.
        target: u64,
    },
    /// An access to memory that does not exist.
    #[error("{} {} bytes at {address:#x}; memory goes from {start:#x} to 0xffffffff", verb(*op), op.bytes())]
    Address {
        /// What it does.
        op: MemoryOp,
        /// Where.
        address: u64,
        /// Lowest address that exists.
        start: u64,
    },
    /// A system call that does not exist.
    #[error("there is no system call {number} ({number:#x})")]
    SystemCall {
        /// Its number.
        number: u64,
    },
    /// A system call with a file descriptor that it does not have.
    #[error("system call {number} has no file descriptor {descriptor}")]
    Descriptor {
        /// Number of the call.
        number: u64,
        /// The descriptor.
        descriptor: u64,
    },
    /// A system call with a length that is too large.
    #[error("the length {length:#x} of a system call is not below 2^32")]
    Length {
        /// The length.
        length: u64,
    },
    /// Too much public output.
    #[error("there is more public output than the limit of {limit_bytes} bytes")]
    OutputLimit {
        /// The limit.
        limit_bytes: usize,
    },
    /// Too many instructions.
    #[error("the program has not exited within the limit of {limit} instructions")]
    CycleLimit {
        /// The limit.
        limit: u64,
    },
    /// Too much memory.
    #[error("the program needs more memory than the limit of {limit_bytes} bytes")]
    MemoryLimit {
        /// The limit.
        limit_bytes: u64,
    },
}

const fn verb(op: MemoryOp) -> &'static str {
    if op.is_store() { "it stores" } else { "it loads" }
}

/// A place in a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Name of the function, demangled.
    pub function: String,
    /// Bytes from its start.
    pub offset: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{:#x}", self.function, self.offset)
    }
}

/// An execution that stopped before its exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionError {
    /// What is wrong.
    pub trap: Trap,
    /// Address of the instruction that could not be done.
    pub pc: u64,
    /// The word there; `None` where the program's image has none.
    pub word: Option<u32>,
    /// The function that it belongs to, where the program's symbols tell.
    pub location: Option<Location>,
    /// Instructions done before it.
    pub cycles: u64,
    /// Last bytes of the log: what the program said before.
    pub log: Vec<u8>,
}

impl std::error::Error for ExecutionError {}

impl fmt::Display for ExecutionError {
    /// One line, such as `trap at 0x10008 (main+0x8), "ld a0, 16(a1)" after 2 instructions: it loads …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "trap at {:#x}", self.pc)?;
        if let Some(location) = &self.location {
            write!(f, " ({location})")?;
        }
        if let Some(word) = self.word {
            write!(f, ", {word:#010x} \"{}\"", listing::text(word, self.pc as u32))?;
        }
        write!(f, " after {} instructions: {}", self.cycles, self.trap)
    }
}
