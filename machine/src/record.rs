//! The record of an execution: every event that a table has a row for, with the times and values that the
//! accessed cells had before, so that each row can be filled on its own.

use alloc::vec::Vec;

use crate::isa::{AluOp, MemoryOp};
use crate::memory::REGISTER_CELLS;

/// An instruction that was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuEvent {
    /// Its address.
    pub pc: u32,
    /// Address of the next one; [`HALT_PC`](crate::memory::HALT_PC) after the last.
    pub next_pc: u64,
    /// Value of `rs1`.
    pub a: u64,
    /// Value of `rs2`, or the immediate.
    pub b: u64,
    /// Result: what `rd` gets or would get; a branch's comparison; what is stored; a system call's result.
    pub c: u64,
    /// Value of `rd` before; 0 where nothing is written.
    pub rd_before: u64,
    /// Time of the access to `rs1` before this one.
    pub rs1_before: u32,
    /// Time of the access to `rs2` before this one; 0 where it is not read.
    pub rs2_before: u32,
    /// Time of the access to `rd` before this one; 0 where nothing is written.
    pub rd_before_time: u32,
}

/// An operation of an ALU table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AluEvent {
    /// The operation.
    pub op: AluOp,
    /// First operand.
    pub a: u64,
    /// Second operand.
    pub b: u64,
}

/// An access to a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellAccess {
    /// Value before.
    pub before: u64,
    /// Value after.
    pub after: u64,
    /// Time of the access before this one.
    pub time_before: u32,
}

/// A load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryEvent {
    /// When.
    pub time: u32,
    /// What.
    pub op: MemoryOp,
    /// Where, in bytes.
    pub address: u32,
    /// The register value loaded or stored.
    pub value: u64,
    /// The cell at `address`.
    pub cell: CellAccess,
}

impl MemoryEvent {
    /// Whether the address is a multiple of the access's width.
    pub const fn is_aligned(&self) -> bool {
        self.address.is_multiple_of(self.op.bytes())
    }
}

/// A load or store whose address is not a multiple of its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MisalignedEvent {
    /// The access, with the cell at its address.
    pub access: MemoryEvent,
    /// The next cell; unused, all zero, where the access ends in the first.
    pub second: CellAccess,
}

/// Which system call, other than exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IoKind {
    /// `read` from the input, file descriptor 0.
    Read,
    /// `write` to the public output, file descriptor 1.
    Write,
    /// `write` to the log, file descriptor 2.
    Log,
    /// `input_length`.
    InputLength,
}

/// A register that a system call accesses beside those of its instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegisterRead {
    /// Its value.
    pub value: u64,
    /// Time of the access before this one.
    pub time_before: u32,
}

/// A system call other than exit. Memory that it moves is a [`MemoryEvent`] of its own, with the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoEvent {
    /// Clock of the instruction.
    pub clock: u32,
    /// Which one.
    pub kind: IoKind,
    /// `x10`, the file descriptor.
    pub descriptor: RegisterRead,
    /// `x11`, the address.
    pub address: RegisterRead,
    /// `x12`, the length.
    pub length: RegisterRead,
    /// Bytes moved through memory: 0, 1 or 8.
    pub moved: u32,
    /// What was moved.
    pub data: u64,
    /// What the call returns in `x10`.
    pub result: u64,
    /// Bytes of public output before; only for [`IoKind::Write`] is the cell accessed.
    pub output_index: RegisterRead,
}

/// A memory cell at the end of the execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundaryCell {
    /// Number of the cell: its address over 8.
    pub cell: u32,
    /// Value at the start.
    pub first: u64,
    /// Value at the end.
    pub last: u64,
    /// Time of its last access, never 0.
    pub last_time: u32,
}

/// A register cell at the end of the execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegisterState {
    /// Its value.
    pub value: u64,
    /// Time of its last access, 0 if there was none.
    pub time: u32,
}

/// Everything that the tables have rows for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionRecord {
    /// Instructions in order; instruction `n`, from 0, ran at clock `4(n + 1)`.
    pub cpu: Vec<CpuEvent>,
    /// Comparisons: `Ltu`, `Lt`, `Eq`.
    pub compare: Vec<AluEvent>,
    /// `And`, `Or`, `Xor`.
    pub bitwise: Vec<AluEvent>,
    /// Shifts, 64 and 32 bits.
    pub shift: Vec<AluEvent>,
    /// `Addw`, `Subw`.
    pub word: Vec<AluEvent>,
    /// Products.
    pub mul: Vec<AluEvent>,
    /// Quotients and remainders.
    pub divrem: Vec<AluEvent>,
    /// `Ld` and `Sd`, aligned.
    pub memory: Vec<MemoryEvent>,
    /// Other aligned loads and stores.
    pub subword: Vec<MemoryEvent>,
    /// Loads and stores that are not aligned.
    pub misaligned: Vec<MisalignedEvent>,
    /// System calls but exit.
    pub io: Vec<IoEvent>,
    /// Memory cells that were accessed, by ascending number.
    pub boundary: Vec<BoundaryCell>,
    /// All register cells.
    pub registers: [RegisterState; REGISTER_CELLS],
    /// Public output.
    pub output: Vec<u8>,
    /// Exit code, `x10` at exit.
    pub exit_code: u64,
}
