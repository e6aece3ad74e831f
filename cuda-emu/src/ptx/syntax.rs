//! What the parser makes of a module: declarations, and instructions with their registers numbered and
//! their branch targets resolved, but their opcodes not yet understood.

use super::types::{Bank, Type};

/// A module as written.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub(super) variables: Vec<Variable>,
    pub(super) entries: Vec<Entry>,
}

/// A variable in memory.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) home: Home,
    pub(super) align: u32,
    /// Length in bytes; 0 for the dynamic part of shared memory.
    pub(super) bytes: u32,
    /// Its first bytes; the rest are zero.
    pub(super) initial: Vec<u8>,
}

/// The space a variable is declared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    Const,
    Global,
    Shared,
    /// `.extern .shared`: what the launch adds behind the static part.
    DynamicShared,
    Local,
}

/// A kernel.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
    /// `.maxntid` or `.reqntid`: most threads a block may have.
    pub(super) max_threads: Option<u32>,
    pub(super) body: Body,
}

/// What is between a kernel's braces.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) variables: Vec<Variable>,
    /// The bank of each register.
    pub(super) registers: Vec<Bank>,
    pub(super) statements: Vec<Statement>,
}

/// A kernel parameter.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) align: u32,
    pub(super) bytes: u32,
}

/// A register: its index in [`Body::registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Register(pub(super) u32);

/// An instruction.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) line: u32,
    /// `@p` or, with `true`, `@!p`.
    pub(super) guard: Option<(Register, bool)>,
    /// `add` of `add.s32`.
    pub(super) opcode: String,
    /// `["s32"]` of `add.s32`.
    pub(super) modifiers: Vec<String>,
    pub(super) operands: Vec<Operand>,
}

impl Statement {
    /// The instruction's name in full.
    pub(super) fn name(&self) -> String {
        std::iter::once(&self.opcode).chain(&self.modifiers).map(String::as_str).collect::<Vec<_>>().join(".")
    }

    /// The types among the modifiers, in order.
    pub(super) fn types(&self) -> Vec<Type> {
        self.modifiers.iter().filter_map(|word| Type::named(word)).collect()
    }
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    Register(Register),
    /// `!%p`.
    Not(Register),
    /// `%p|%q`.
    Pair(Box<Operand>, Box<Operand>),
    Immediate(u64),
    Special(Special),
    /// A variable's address plus an offset.
    Symbol(String, i64),
    /// `[register + offset]`.
    AtRegister(Register, i64),
    /// `[variable + offset]`.
    AtSymbol(String, i64),
    /// `[number]`.
    AtNumber(u64),
    Vector(Vec<Operand>),
    /// `_`.
    Sink,
    /// Statement to branch to.
    Target(u32),
    /// Statements to branch to, by index.
    Targets(Vec<u32>),
}

/// A register that the hardware sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Special {
    /// `%tid`, by axis.
    ThreadIndex(u8),
    /// `%ntid`, by axis.
    BlockExtent(u8),
    /// `%ctaid`, by axis.
    BlockIndex(u8),
    /// `%nctaid`, by axis.
    GridExtent(u8),
    /// `%laneid`.
    Lane,
    /// `%warpid`.
    Warp,
    /// `%lanemask_eq`.
    LaneMaskEq,
    /// `%lanemask_lt`.
    LaneMaskLt,
    /// `%lanemask_le`.
    LaneMaskLe,
    /// `%lanemask_gt`.
    LaneMaskGt,
    /// `%lanemask_ge`.
    LaneMaskGe,
    /// `%dynamic_smem_size`.
    DynamicSharedBytes,
    /// `%total_smem_size`.
    TotalSharedBytes,
}

impl Special {
    /// The register that `word` names.
    pub(super) fn named(word: &str) -> Option<Self> {
        let axis = |name: &str| {
            let axis = word.strip_prefix(name)?.strip_prefix('.')?;
            ["x", "y", "z"].iter().position(|&a| a == axis).map(|axis| axis as u8)
        };
        Some(match word {
            "%laneid" => Self::Lane,
            "%warpid" => Self::Warp,
            "%lanemask_eq" => Self::LaneMaskEq,
            "%lanemask_lt" => Self::LaneMaskLt,
            "%lanemask_le" => Self::LaneMaskLe,
            "%lanemask_gt" => Self::LaneMaskGt,
            "%lanemask_ge" => Self::LaneMaskGe,
            "%dynamic_smem_size" => Self::DynamicSharedBytes,
            "%total_smem_size" => Self::TotalSharedBytes,
            _ => {
                return axis("%tid")
                    .map(Self::ThreadIndex)
                    .or_else(|| axis("%ntid").map(Self::BlockExtent))
                    .or_else(|| axis("%ctaid").map(Self::BlockIndex))
                    .or_else(|| axis("%nctaid").map(Self::GridExtent));
            }
        })
    }
}
