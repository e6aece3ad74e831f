//! Instruction words: the bits of a mnemonic, and one function for each format that adds the operands.
//!
//! Operands that do not fit are a mistake in a test and panic.

/// Mnemonics and the bits that all their words have in common.
macro_rules! mnemonics {
    ($($list:ident: $($name:ident = $bits:literal)*;)*) => {
        $(
            $(
                #[doc = concat!("Bits of `", stringify!($name), "`.")]
                pub const $name: u32 = $bits;
            )*
            #[doc = concat!("Mnemonics and bits, `", stringify!($list), "`.")]
            pub const $list: &[(&str, u32)] = &[$((stringify!($name), $name)),*];
        )*
    };
}

mnemonics! {
    REGISTER:
        ADD = 0x0000_0033 SUB = 0x4000_0033 SLL = 0x0000_1033 SLT = 0x0000_2033 SLTU = 0x0000_3033
        XOR = 0x0000_4033 SRL = 0x0000_5033 SRA = 0x4000_5033 OR = 0x0000_6033 AND = 0x0000_7033
        ADDW = 0x0000_003b SUBW = 0x4000_003b SLLW = 0x0000_103b SRLW = 0x0000_503b SRAW = 0x4000_503b
        MUL = 0x0200_0033 MULH = 0x0200_1033 MULHSU = 0x0200_2033 MULHU = 0x0200_3033 MULW = 0x0200_003b
        DIV = 0x0200_4033 DIVU = 0x0200_5033 REM = 0x0200_6033 REMU = 0x0200_7033
        DIVW = 0x0200_403b DIVUW = 0x0200_503b REMW = 0x0200_603b REMUW = 0x0200_703b;
    IMMEDIATE:
        ADDI = 0x0000_0013 SLTI = 0x0000_2013 SLTIU = 0x0000_3013 XORI = 0x0000_4013 ORI = 0x0000_6013
        ANDI = 0x0000_7013 ADDIW = 0x0000_001b;
    SHIFT:
        SLLI = 0x0000_1013 SRLI = 0x0000_5013 SRAI = 0x4000_5013;
    SHIFT_WORD:
        SLLIW = 0x0000_101b SRLIW = 0x0000_501b SRAIW = 0x4000_501b;
    LOAD:
        LB = 0x0000_0003 LH = 0x0000_1003 LW = 0x0000_2003 LD = 0x0000_3003 LBU = 0x0000_4003
        LHU = 0x0000_5003 LWU = 0x0000_6003;
    STORE:
        SB = 0x0000_0023 SH = 0x0000_1023 SW = 0x0000_2023 SD = 0x0000_3023;
    BRANCH:
        BEQ = 0x0000_0063 BNE = 0x0000_1063 BLT = 0x0000_4063 BGE = 0x0000_5063 BLTU = 0x0000_6063
        BGEU = 0x0000_7063;
    UPPER:
        LUI = 0x0000_0037 AUIPC = 0x0000_0017;
    OTHER:
        JAL = 0x0000_006f JALR = 0x0000_0067 FENCE = 0x0ff0_000f FENCE_TSO = 0x8330_000f ECALL = 0x0000_0073;
}

/// `rd = rs1 op rs2`.
#[must_use]
pub const fn register(bits: u32, rd: u8, rs1: u8, rs2: u8) -> u32 {
    bits | at(rs2, 20) | at(rs1, 15) | at(rd, 7)
}

/// `rd = rs1 op imm`: also loads, JALR, and shifts with their amount.
#[must_use]
pub const fn immediate(bits: u32, rd: u8, rs1: u8, imm: i32) -> u32 {
    assert!(-2048 <= imm && imm <= 2047, "an immediate has 12 bits");
    bits | imm.cast_unsigned() << 20 | at(rs1, 15) | at(rd, 7)
}

/// Stores `rs2` at `rs1 + imm`.
#[must_use]
pub const fn store(bits: u32, rs2: u8, rs1: u8, imm: i32) -> u32 {
    assert!(-2048 <= imm && imm <= 2047, "an immediate has 12 bits");
    let imm = imm.cast_unsigned();
    bits | imm >> 5 << 25 | at(rs2, 20) | at(rs1, 15) | (imm & 0x1f) << 7
}

/// Goes on `offset` bytes from here if `rs1 op rs2`.
#[must_use]
pub const fn branch(bits: u32, rs1: u8, rs2: u8, offset: i32) -> u32 {
    assert!(-4096 <= offset && offset <= 4094 && offset % 2 == 0, "an offset has 13 bits and is even");
    let imm = offset.cast_unsigned();
    let (high, low) = ((imm >> 12 & 1) << 6 | imm >> 5 & 0x3f, imm & 0x1e | imm >> 11 & 1);
    bits | high << 25 | at(rs2, 20) | at(rs1, 15) | low << 7
}

/// LUI and AUIPC: `imm` are the upper 20 bits.
#[must_use]
pub const fn upper(bits: u32, rd: u8, imm: u32) -> u32 {
    assert!(imm < 1 << 20, "an upper immediate has 20 bits");
    bits | imm << 12 | at(rd, 7)
}

/// JAL to `offset` bytes from here.
#[must_use]
pub const fn jump(rd: u8, offset: i32) -> u32 {
    assert!(-(1 << 20) <= offset && offset < 1 << 20 && offset % 2 == 0, "an offset has 21 bits and is even");
    let imm = offset.cast_unsigned();
    JAL | (imm >> 20 & 1) << 31
        | (imm >> 1 & 0x3ff) << 21
        | (imm >> 11 & 1) << 20
        | imm & 0xf_f000
        | at(rd, 7)
}

/// Puts `value` into `rd`: one to eight instructions.
#[must_use]
pub fn constant(rd: u8, value: u64) -> Vec<u32> {
    let value = value.cast_signed();
    let low = (value << 52 >> 52) as i32;
    let rest = value.wrapping_sub(i64::from(low)) >> 12;
    if rest == 0 {
        return vec![immediate(ADDI, rd, 0, low)];
    }
    if i32::try_from(value).is_ok() {
        let high = rest.cast_unsigned() as u32 & 0xf_ffff;
        return vec![upper(LUI, rd, high), immediate(ADDIW, rd, rd, low)];
    }
    let mut words = constant(rd, rest.cast_unsigned());
    words.extend([immediate(SLLI, rd, rd, 12), immediate(ADDI, rd, rd, low)]);
    words
}

/// System call `number`; arguments are in place.
#[must_use]
pub fn system_call(number: u64) -> Vec<u32> {
    let mut words = constant(17, number);
    words.push(ECALL);
    words
}

/// Exits with `code`.
#[must_use]
pub fn exit(code: u64) -> Vec<u32> {
    let mut words = constant(10, code);
    words.extend(system_call(lambda_machine::ecall::EXIT));
    words
}

const fn at(register: u8, bit: u32) -> u32 {
    assert!(register < 32, "there are 32 registers");
    (register as u32) << bit
}
