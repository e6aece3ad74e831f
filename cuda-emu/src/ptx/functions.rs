//! What instructions compute, apart from where their operands are.

/// Functions of one integer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Int1 {
    Negate,
    Not,
    Absolute,
    ReverseBits,
    /// 1 for 0, else 0.
    IsZero,
}

/// Functions of one integer whose result is a word whatever the type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Count {
    Ones,
    LeadingZeros,
    /// Position of the most significant bit that differs from the sign.
    FindBit,
    /// The same as the distance to shift it to the top.
    FindShift,
}

/// Functions of two integers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Int2 {
    Add,
    /// Saturating.
    AddSat,
    Sub,
    /// Saturating.
    SubSat,
    MulLow,
    MulHigh,
    Div,
    Rem,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// Shifts; the distance is a word and clamps at the width.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shift {
    Left,
    Right,
}

/// Functions of three integers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Int3 {
    MadLow,
    MadHigh,
    /// `c + |a - b|`.
    AbsoluteDifference,
}

/// Additions that take or leave a carry.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Chain {
    /// `a + b`; `c` is not read.
    Add,
    /// `a - b`; `c` is not read.
    Sub,
    /// Low half of `a·b`, plus `c`.
    MadLow,
    /// High half of `a·b`, plus `c`.
    MadHigh,
}

/// Byte permutations.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Permute {
    Generic,
    Forward4,
    Backward4,
    Replicate8,
    EdgeLeft,
    EdgeRight,
    Replicate16,
}

/// Functions of two predicates.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bool2 {
    And,
    Or,
    Xor,
}

/// Functions of one float.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Float1 {
    Negate,
    Absolute,
    Reciprocal,
    SquareRoot,
    ReciprocalSquareRoot,
    Exp2,
    Log2,
    Sine,
    Cosine,
    Tanh,
}

/// Functions of two floats.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Float2 {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    /// The magnitude of the second with the sign of the first.
    CopySign,
}

/// How a float result is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    Nearest,
    Zero,
    Down,
    Up,
}

/// Deviations from IEEE that an instruction asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FloatMode {
    pub(crate) rounding: Rounding,
    /// Subnormal operands and results become zero.
    pub(crate) flush: bool,
    /// The result is clamped to [0, 1], no number to 0.
    pub(crate) saturate: bool,
}

/// What an atomic access does with the old value and its operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Atomic {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
    /// Stores `c` where the old value equals `b`.
    CompareExchange,
    /// 0 where the old value is at least the operand, else one more.
    Increment,
    /// The operand where the old value is 0 or above it, else one less.
    Decrement,
}

/// Where a shuffle reads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// What a vote leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Vote {
    All,
    Any,
    /// Whether all agree.
    Uniform,
    /// The votes as a mask.
    Ballot,
}
