//! Operations of the ALU tables and of memory, and their numbers on the buses.

/// An operation `c = op(a, b)` that an ALU table proves.
///
/// The discriminant is the operation's number on the ALU bus and in the ROM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum AluOp {
    /// 1 where `a < b`, unsigned.
    Ltu = 1,
    /// 1 where `a < b`, signed.
    Lt,
    /// 1 where `a = b`.
    Eq,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// `a << (b mod 64)`.
    Sll,
    /// `a >> (b mod 64)`, zeros shifted in.
    Srl,
    /// `a >> (b mod 64)`, the sign shifted in.
    Sra,
    /// [`AluOp::Sll`] on the low words, `b mod 32`, sign-extended.
    Sllw,
    /// [`AluOp::Srl`] on the low words, `b mod 32`, sign-extended.
    Srlw,
    /// [`AluOp::Sra`] on the low words, `b mod 32`, sign-extended.
    Sraw,
    /// Sum of the low words, sign-extended.
    Addw,
    /// Difference of the low words, sign-extended.
    Subw,
    /// Low 64 bits of the product.
    Mul,
    /// High 64 bits of the signed product.
    Mulh,
    /// High 64 bits of the product, `a` signed and `b` unsigned.
    Mulhsu,
    /// High 64 bits of the unsigned product.
    Mulhu,
    /// Low 32 bits of the product, sign-extended.
    Mulw,
    /// Signed quotient, rounded to zero; all ones for a divisor of 0.
    Div,
    /// Unsigned quotient; all ones for a divisor of 0.
    Divu,
    /// Signed remainder, with the dividend's sign; the dividend for a divisor of 0.
    Rem,
    /// Unsigned remainder; the dividend for a divisor of 0.
    Remu,
    /// [`AluOp::Div`] on the low words, sign-extended.
    Divw,
    /// [`AluOp::Divu`] on the low words, sign-extended.
    Divuw,
    /// [`AluOp::Rem`] on the low words, sign-extended.
    Remw,
    /// [`AluOp::Remu`] on the low words, sign-extended.
    Remuw,
}

impl AluOp {
    /// All operations, in the order of their numbers.
    pub const ALL: [Self; 27] = [
        Self::Ltu,
        Self::Lt,
        Self::Eq,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Sll,
        Self::Srl,
        Self::Sra,
        Self::Sllw,
        Self::Srlw,
        Self::Sraw,
        Self::Addw,
        Self::Subw,
        Self::Mul,
        Self::Mulh,
        Self::Mulhsu,
        Self::Mulhu,
        Self::Mulw,
        Self::Div,
        Self::Divu,
        Self::Rem,
        Self::Remu,
        Self::Divw,
        Self::Divuw,
        Self::Remw,
        Self::Remuw,
    ];

    /// The result for operands `a` and `b` (RISC-V unprivileged specification, chapters RV64I and M).
    #[inline]
    #[must_use]
    pub const fn apply(self, a: u64, b: u64) -> u64 {
        let (sa, sb) = (a.cast_signed(), b.cast_signed());
        let (wa, wb) = (a as u32, b as u32);
        match self {
            Self::Ltu => (a < b) as u64,
            Self::Lt => (sa < sb) as u64,
            Self::Eq => (a == b) as u64,
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
            Self::Sll => a << (b & 63),
            Self::Srl => a >> (b & 63),
            Self::Sra => (sa >> (b & 63)).cast_unsigned(),
            Self::Sllw => sign_extend(wa << (b & 31)),
            Self::Srlw => sign_extend(wa >> (b & 31)),
            Self::Sraw => sign_extend((wa.cast_signed() >> (b & 31)).cast_unsigned()),
            Self::Addw => sign_extend(wa.wrapping_add(wb)),
            Self::Subw => sign_extend(wa.wrapping_sub(wb)),
            Self::Mul => a.wrapping_mul(b),
            Self::Mulh => ((sa as i128 * sb as i128) >> 64) as u64,
            Self::Mulhsu => ((sa as i128 * b as i128) >> 64) as u64,
            Self::Mulhu => ((a as u128 * b as u128) >> 64) as u64,
            Self::Mulw => sign_extend(wa.wrapping_mul(wb)),
            Self::Div if b == 0 => u64::MAX,
            Self::Div => sa.wrapping_div(sb).cast_unsigned(),
            Self::Divu if b == 0 => u64::MAX,
            Self::Divu => a / b,
            Self::Rem if b == 0 => a,
            Self::Rem => sa.wrapping_rem(sb).cast_unsigned(),
            Self::Remu if b == 0 => a,
            Self::Remu => a % b,
            Self::Divw if wb == 0 => u64::MAX,
            Self::Divw => sign_extend(wa.cast_signed().wrapping_div(wb.cast_signed()).cast_unsigned()),
            Self::Divuw if wb == 0 => u64::MAX,
            Self::Divuw => sign_extend(wa / wb),
            Self::Remw if wb == 0 => sign_extend(wa),
            Self::Remw => sign_extend(wa.cast_signed().wrapping_rem(wb.cast_signed()).cast_unsigned()),
            Self::Remuw if wb == 0 => sign_extend(wa),
            Self::Remuw => sign_extend(wa % wb),
        }
    }
}

const fn sign_extend(word: u32) -> u64 {
    (word.cast_signed() as i64).cast_unsigned()
}

/// A load or store, or the hand-over of a system call, on the memory bus.
///
/// The discriminant is the operation's number on the memory bus and in the ROM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum MemoryOp {
    /// Loads a byte, sign-extended.
    Lb = 1,
    /// Loads two bytes, sign-extended.
    Lh,
    /// Loads four bytes, sign-extended.
    Lw,
    /// Loads eight bytes.
    Ld,
    /// Loads a byte, zero-extended.
    Lbu,
    /// Loads two bytes, zero-extended.
    Lhu,
    /// Loads four bytes, zero-extended.
    Lwu,
    /// Stores the low byte.
    Sb,
    /// Stores the low two bytes.
    Sh,
    /// Stores the low four bytes.
    Sw,
    /// Stores eight bytes.
    Sd,
}

impl MemoryOp {
    /// All operations, in the order of their numbers.
    pub const ALL: [Self; 11] = [
        Self::Lb,
        Self::Lh,
        Self::Lw,
        Self::Ld,
        Self::Lbu,
        Self::Lhu,
        Self::Lwu,
        Self::Sb,
        Self::Sh,
        Self::Sw,
        Self::Sd,
    ];

    /// Number of a system call on the memory bus, beside those of loads and stores.
    pub const ECALL: u8 = 12;

    /// Bytes that it moves.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Lb | Self::Lbu | Self::Sb => 1,
            Self::Lh | Self::Lhu | Self::Sh => 2,
            Self::Lw | Self::Lwu | Self::Sw => 4,
            Self::Ld | Self::Sd => 8,
        }
    }

    /// Whether it writes memory.
    #[must_use]
    pub const fn is_store(self) -> bool {
        matches!(self, Self::Sb | Self::Sh | Self::Sw | Self::Sd)
    }

    /// The register value of a load from the bytes read, lowest byte first, zero-extended.
    #[inline]
    #[must_use]
    pub const fn extend(self, bytes: u64) -> u64 {
        match self {
            Self::Lb => (bytes as u8).cast_signed() as i64 as u64,
            Self::Lh => (bytes as u16).cast_signed() as i64 as u64,
            Self::Lw => (bytes as u32).cast_signed() as i64 as u64,
            _ => bytes,
        }
    }
}
