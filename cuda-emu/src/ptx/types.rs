//! Scalar types, state spaces and the other small words of PTX.

/// The type an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Pred,
    B8,
    B16,
    B32,
    B64,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F32,
    F64,
}

impl Type {
    /// The type that `word` (without its dot) names.
    pub(super) fn named(word: &str) -> Option<Self> {
        Some(match word {
            "pred" => Self::Pred,
            "b8" => Self::B8,
            "b16" => Self::B16,
            "b32" => Self::B32,
            "b64" => Self::B64,
            "u8" => Self::U8,
            "u16" => Self::U16,
            "u32" => Self::U32,
            "u64" => Self::U64,
            "s8" => Self::S8,
            "s16" => Self::S16,
            "s32" => Self::S32,
            "s64" => Self::S64,
            "f32" => Self::F32,
            "f64" => Self::F64,
            _ => return None,
        })
    }

    /// Bytes in memory; 0 for a predicate.
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Self::Pred => 0,
            Self::B8 | Self::U8 | Self::S8 => 1,
            Self::B16 | Self::U16 | Self::S16 => 2,
            Self::B32 | Self::U32 | Self::S32 | Self::F32 => 4,
            Self::B64 | Self::U64 | Self::S64 | Self::F64 => 8,
        }
    }

    /// Whether the type is a signed integer.
    pub(crate) fn signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }

    /// Whether the type is a float.
    pub(super) fn float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// The bank whose rows hold registers of this type.
    pub(super) fn bank(self) -> Bank {
        match self.bytes() {
            0 => Bank::Predicate,
            8 => Bank::Wide,
            _ => Bank::Word,
        }
    }
}

/// Where a register's 32 lanes are kept. Registers of up to 32 bits share one bank, zero-extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bank {
    /// One bit a lane.
    Predicate,
    /// 32 bits a lane.
    Word,
    /// 64 bits a lane.
    Wide,
}

/// Integer types that arithmetic is specialised for; bits (`.b32`) count as unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Int {
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
}

impl Int {
    /// The integer type of the same width and sign as `ty`.
    pub(crate) fn of(ty: Type) -> Option<Self> {
        Some(match ty {
            Type::B16 | Type::U16 => Self::U16,
            Type::S16 => Self::S16,
            Type::B32 | Type::U32 => Self::U32,
            Type::S32 => Self::S32,
            Type::B64 | Type::U64 => Self::U64,
            Type::S64 => Self::S64,
            _ => return None,
        })
    }
}

/// The state space of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// Any of the others, told apart by the address.
    Generic,
    /// Device memory.
    Global,
    /// Memory of the block.
    Shared,
    /// Memory of the thread.
    Local,
    /// The module's constants.
    Const,
}

/// A comparison. On floats the unordered forms are true where an operand is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    Num,
    Nan,
}

impl Compare {
    /// The comparison that `word` names. `lo`, `ls`, `hi` and `hs` are the unsigned spellings.
    pub(super) fn named(word: &str) -> Option<Self> {
        Some(match word {
            "eq" => Self::Eq,
            "ne" => Self::Ne,
            "lt" | "lo" => Self::Lt,
            "le" | "ls" => Self::Le,
            "gt" | "hi" => Self::Gt,
            "ge" | "hs" => Self::Ge,
            "equ" => Self::Equ,
            "neu" => Self::Neu,
            "ltu" => Self::Ltu,
            "leu" => Self::Leu,
            "gtu" => Self::Gtu,
            "geu" => Self::Geu,
            "num" => Self::Num,
            "nan" => Self::Nan,
            _ => return None,
        })
    }
}
