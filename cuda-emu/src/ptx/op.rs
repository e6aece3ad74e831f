//! Decoded instructions: opcodes specialised by type, operands as slots, branches as indices.
//!
//! A slot is a row of 32 lanes in one of a warp's three banks (predicates, words of 32 bits, wides of 64);
//! which bank follows from the operation. Immediates, special registers and parameters have rows of their
//! own, filled before the first instruction ([`super::kernel::Input`]), so that every operand is a slot.

use super::functions::{
    Atomic, Bool2, Chain, Count, Float1, Float2, FloatMode, Int1, Int2, Int3, Permute, Rounding, Shift,
    Shuffle, Vote,
};
use super::types::{Compare, Int, Space, Type};

/// A row in the bank that the operation implies.
pub(crate) type Slot = u32;

/// A row in a bank that the operation does not imply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) slot: Slot,
    /// 64 bits a lane instead of 32.
    pub(crate) wide: bool,
}

/// A decoded instruction.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub(crate) op: Op,
    pub(crate) guard: Guard,
    /// Line of the PTX text.
    pub(crate) line: u32,
}

/// Which lanes of the active ones execute the instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Guard {
    Always,
    If(Slot),
    Unless(Slot),
}

/// What a barrier counts among the block's threads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tally {
    /// The number of true predicates, as a word.
    Count { d: Slot, a: Slot, negated: bool },
    /// Whether all are true, as a predicate.
    All { d: Slot, a: Slot, negated: bool },
    /// Whether any is true, as a predicate.
    Any { d: Slot, a: Slot, negated: bool },
}

impl Tally {
    /// What is counted, and whether it is its negation.
    pub(crate) const fn predicate(self) -> (Slot, bool) {
        match self {
            Self::Count { a, negated, .. } | Self::All { a, negated, .. } | Self::Any { a, negated, .. } => {
                (a, negated)
            }
        }
    }
}

/// An address: a register plus an offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub(crate) space: Space,
    pub(crate) base: Place,
    pub(crate) offset: i64,
}

/// What an instruction does. `d` is written, the rest are read.
// One operation a line.
#[rustfmt::skip]
#[derive(Clone, Debug)]
pub(crate) enum Op {
    MoveWord { d: Slot, a: Slot },
    MoveWide { d: Slot, a: Slot },
    MovePredicate { d: Slot, a: Slot },
    Int1 { f: Int1, ty: Int, d: Slot, a: Slot },
    Count { f: Count, ty: Int, d: Slot, a: Slot },
    Int2 { f: Int2, ty: Int, d: Slot, a: Slot, b: Slot },
    Shift { f: Shift, ty: Int, d: Slot, a: Slot, b: Slot },
    Int3 { f: Int3, ty: Int, d: Slot, a: Slot, b: Slot, c: Slot },
    /// The full product; `d` is twice as wide as `ty`.
    MulWide { ty: Int, d: Slot, a: Slot, b: Slot },
    /// The full product plus `c`, which is as wide as `d`.
    MadWide { ty: Int, d: Slot, a: Slot, b: Slot, c: Slot },
    Chain { f: Chain, ty: Int, d: Slot, a: Slot, b: Slot, c: Slot, takes: bool, leaves: bool },
    /// Bitwise: bit `4a + 2b + c` of the table.
    Lop3 { table: u8, d: Slot, a: Slot, b: Slot, c: Slot },
    SelectWord { d: Slot, a: Slot, b: Slot, p: Slot },
    SelectWide { d: Slot, a: Slot, b: Slot, p: Slot },
    Permute { f: Permute, d: Slot, a: Slot, b: Slot, c: Slot },
    /// 32 bits of the 64-bit `b:a`, shifted by `c`.
    Funnel { left: bool, clamp: bool, d: Slot, a: Slot, b: Slot, c: Slot },
    /// `c` bits of `a` from bit `b` on.
    ExtractBits { ty: Int, d: Slot, a: Slot, b: Slot, c: Slot },
    /// `b` with `length` bits of `a` at `position`.
    InsertBits { wide: bool, d: Slot, a: Slot, b: Slot, position: Slot, length: Slot },
    Compare { f: Compare, ty: Int, out: Outcome, a: Slot, b: Slot },
    CompareFloat { f: Compare, double: bool, flush: bool, out: Outcome, a: Slot, b: Slot },
    Bool2 { f: Bool2, d: Slot, a: Slot, b: Slot },
    Not { d: Slot, a: Slot },
    /// Two words to a wide.
    Join { d: Slot, low: Slot, high: Slot },
    /// Half of a wide.
    Half { high: bool, d: Slot, a: Slot },
    /// Two 16-bit values to a word.
    JoinShort { d: Slot, low: Slot, high: Slot },
    /// Half of a word.
    HalfShort { high: bool, d: Slot, a: Slot },
    /// Between integers.
    Convert { from: Type, to: Type, saturate: bool, d: Place, a: Place },
    FloatToInt { from: Type, to: Type, rounding: Rounding, flush: bool, d: Place, a: Slot },
    IntToFloat { from: Type, to: Type, rounding: Rounding, d: Slot, a: Place },
    /// Between floats; `integral` rounds to an integer value.
    FloatToFloat { from: Type, to: Type, integral: bool, mode: FloatMode, d: Slot, a: Slot },
    Float1 { f: Float1, double: bool, mode: FloatMode, d: Slot, a: Slot },
    Float2 { f: Float2, double: bool, mode: FloatMode, d: Slot, a: Slot, b: Slot },
    /// `a·b + c`, rounded once.
    Fma { double: bool, mode: FloatMode, d: Slot, a: Slot, b: Slot, c: Slot },
    Load { address: Address, ty: Type, count: u8, d: [Option<Place>; 4] },
    Store { address: Address, ty: Type, count: u8, a: [Place; 4] },
    Atomic { f: Atomic, address: Address, ty: Int, d: Option<Slot>, b: Slot, c: Slot },
    /// `bytes` from global to shared memory; those past `source_bytes` are zero.
    CopyAsync { to: Address, from: Address, bytes: u32, source_bytes: Option<Slot> },
    Branch { target: u32 },
    /// To entry `index` of the kernel's branch table.
    BranchTable { index: Slot, table: u32 },
    Exit,
    Trap,
    Barrier { tally: Option<Tally> },
    WarpBarrier { members: Slot },
    Shuffle { f: Shuffle, d: Option<Slot>, valid: Option<Slot>, a: Slot, b: Slot, c: Slot, members: Slot },
    Vote { f: Vote, d: Slot, a: Slot, negated: bool, members: Slot },
    /// Lanes that hold the same value.
    MatchAny { wide: bool, d: Slot, a: Slot, members: Slot },
    /// All lanes if they hold the same value, else none.
    MatchAll { wide: bool, d: Slot, all: Option<Slot>, a: Slot, members: Slot },
    Reduce { f: Atomic, ty: Int, d: Slot, a: Slot, members: Slot },
    ActiveMask { d: Slot },
    /// Orders or hints that change nothing here.
    Nothing,
}

/// Where a comparison leaves its outcome, and its complement, each combined with a predicate where `with`
/// says so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub(crate) d: Slot,
    pub(crate) complement: Option<Slot>,
    pub(crate) with: Option<Combine>,
}

/// A predicate that a comparison is combined with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Combine {
    pub(crate) f: Bool2,
    pub(crate) p: Slot,
    pub(crate) negated: bool,
}
