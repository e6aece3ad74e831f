//! What may watch an execution.

use lambda_machine::isa::MemoryOp;
use lambda_machine::record::IoKind;

/// Registers of the interpreter: `x0 … x31`, and one slot that takes what is written to no register. As many
/// as a `u8` can name, so that no index is out of range.
pub type Registers = [u64; 256];

/// A cell before and after an access.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub before: u64,
    pub after: u64,
}

/// A load or store.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub op: MemoryOp,
    pub address: u32,
    /// The register value loaded or stored.
    pub value: u64,
    /// The cell at `address`.
    pub cell: Change,
}

/// A system call other than exit.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub kind: IoKind,
    /// `x10`, `x11`, `x12`.
    pub arguments: [u64; 3],
    /// Bytes moved through memory: 0, 1 or 8.
    pub moved: u32,
    /// What was moved.
    pub data: u64,
    pub result: u64,
    /// Bytes of public output before.
    pub output_index: u64,
}

/// An instruction that was done; nothing is written yet.
#[derive(Clone, Copy, Debug)]
pub struct Retired {
    /// Index in the program's code.
    pub index: usize,
    pub next_pc: u64,
    /// Value of `rs1`.
    pub rs1: u64,
    /// Value of `rs2`, if it is read.
    pub rs2: u64,
    /// The result.
    pub result: u64,
    /// Value of `rd`, if it is written.
    pub rd_before: u64,
}

/// Told of everything that an execution does. For each instruction, accesses and calls come before
/// [`retired`](Self::retired).
pub trait Watch {
    /// A load or store whose address is a multiple of its width.
    fn aligned(&mut self, access: Access) {
        let _ = access;
    }

    /// Any other load or store; `second` is the next cell, where the access reaches into it.
    fn misaligned(&mut self, access: Access, second: Option<Change>) {
        let _ = (access, second);
    }

    /// A system call other than exit.
    fn called(&mut self, call: Call) {
        let _ = call;
    }

    /// An instruction.
    fn retired(&mut self, retired: &Retired) {
        let _ = retired;
    }
}

/// Nobody watches.
#[derive(Debug)]
pub struct Unwatched;

impl Watch for Unwatched {}
