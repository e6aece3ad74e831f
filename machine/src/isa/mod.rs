//! Instructions, normalised: what the decoder hands to executor and ROM.
//!
//! The 60-odd encodings of RV64IM become few [`Class`]es, so that the CPU table stays narrow:
//! - LUI and AUIPC are additions of a constant to `x0`: the ROM knows the pc, so the sum is known.
//! - JAL and branches carry their absolute target.
//! - FENCE is an addition to `x0` that writes nothing.
//! - An instruction that would write `x0` writes nothing.
//!
//! Fields that an instruction does not use are zero.

mod decode;
mod op;

pub use decode::decode;
pub use op::{AluOp, MemoryOp};

/// Bytes of an instruction.
pub const INSTRUCTION_BYTES: u32 = 4;

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// `rd = a + b`, 64 bits.
    Add,
    /// `rd = a - b`, 64 bits.
    Sub,
    /// `rd = op(a, b)`, in an ALU table.
    Alu(AluOp),
    /// Goes to `imm` when `op(a, b) = 1`, or 0 if `invert`. `op` compares.
    Branch {
        /// The comparison.
        op: AluOp,
        /// Whether the branch is taken when the comparison fails.
        invert: bool,
    },
    /// `rd = pc + 4`, goes to `imm`.
    Jal,
    /// `rd = pc + 4`, goes to `(a + imm) & !1`.
    Jalr,
    /// `rd =` what is at `a + imm`.
    Load(MemoryOp),
    /// Puts `b` at `a + imm`.
    Store(MemoryOp),
    /// System call number `a` (`x17`) with first argument `b` (`x10`).
    Ecall,
}

/// A decoded instruction. `a` is the value of `rs1`; `b` is that of `rs2` where `reads_rs2`, else `imm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// What it does.
    pub class: Class,
    /// First source register; always read (`x0` where the encoding has none).
    pub rs1: u8,
    /// Second source register, 0 where none is read.
    pub rs2: u8,
    /// Destination, 0 where nothing is written.
    pub rd: u8,
    /// Whether `b` is a register.
    pub reads_rs2: bool,
    /// Immediate, sign-extended; for [`Class::Jal`] and [`Class::Branch`] the absolute target.
    pub imm: u64,
}

impl Instruction {
    /// Whether a register is written.
    pub const fn writes(&self) -> bool {
        self.rd != 0
    }
}
