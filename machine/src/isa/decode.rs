//! From instruction words to [`Instruction`]: the user-level instructions of RV64IM and nothing else.
//!
//! Encodings are those of the RISC-V unprivileged specification, chapters RV32I, RV64I, Zifencei (refused)
//! and M. Reserved and custom encodings, other extensions, EBREAK and privileged instructions give `None`.
//! Hints are ordinary instructions. FENCE ignores its fields, reserved ones included, as the specification
//! asks of simple machines.

use super::{AluOp, Class, Instruction, MemoryOp};

/// ECALL has a single encoding.
const ECALL: u32 = 0x0000_0073;

/// Register of a system call's number, `a7`.
const CALL_NUMBER: u8 = 17;
/// Register of a system call's first argument and result, `a0`.
const CALL_VALUE: u8 = 10;

/// The instruction that `word` is at address `pc`; `None` where it is none.
///
/// A jump or branch whose target is not below 2^32 is none, wherever it would go, and so is a jump in the
/// last word of memory, after which there is no address.
#[must_use]
pub const fn decode(word: u32, pc: u32) -> Option<Instruction> {
    let fields = Fields(word);
    match word & 0x7f {
        0x37 => Some(fields.constant(fields.imm_u())),
        0x17 => Some(fields.constant(fields.imm_u().wrapping_add(pc as u64))),
        0x6f => fields.jal(pc),
        0x67 if fields.funct3() == 0 && has_link(pc) => Some(fields.with_immediate(Class::Jalr)),
        0x63 => fields.branch(pc),
        0x03 => fields.load(),
        0x23 => fields.store(),
        0x13 => fields.immediate(),
        0x1b => fields.immediate_word(),
        0x33 => fields.register(),
        0x3b => fields.register_word(),
        0x0f if fields.funct3() == 0 => Some(NOTHING),
        _ if word == ECALL => Some(CALL),
        _ => None,
    }
}

/// Adds 0 to `x0` and writes nothing: FENCE.
const NOTHING: Instruction =
    Instruction { class: Class::Add, rs1: 0, rs2: 0, rd: 0, reads_rs2: false, imm: 0 };

const CALL: Instruction = Instruction {
    class: Class::Ecall,
    rs1: CALL_NUMBER,
    rs2: CALL_VALUE,
    rd: CALL_VALUE,
    reads_rs2: true,
    imm: 0,
};

/// The fields of an instruction word, wherever its format has them.
#[derive(Clone, Copy)]
struct Fields(u32);

impl Fields {
    const fn rd(self) -> u8 {
        (self.0 >> 7 & 0x1f) as u8
    }

    const fn funct3(self) -> u32 {
        self.0 >> 12 & 7
    }

    const fn rs1(self) -> u8 {
        (self.0 >> 15 & 0x1f) as u8
    }

    const fn rs2(self) -> u8 {
        (self.0 >> 20 & 0x1f) as u8
    }

    const fn funct7(self) -> u32 {
        self.0 >> 25
    }

    const fn imm_i(self) -> u64 {
        sign_extend(self.0 >> 20, 12)
    }

    const fn imm_s(self) -> u64 {
        sign_extend(self.0 >> 25 << 5 | self.0 >> 7 & 0x1f, 12)
    }

    const fn imm_b(self) -> u64 {
        let word = self.0;
        let bits =
            word >> 31 << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 0x3f) << 5 | (word >> 8 & 0xf) << 1;
        sign_extend(bits, 13)
    }

    const fn imm_u(self) -> u64 {
        sign_extend(self.0 & 0xffff_f000, 32)
    }

    const fn imm_j(self) -> u64 {
        let word = self.0;
        let high = word >> 31 << 20 | (word >> 12 & 0xff) << 12;
        sign_extend(high | (word >> 20 & 1) << 11 | (word >> 21 & 0x3ff) << 1, 21)
    }

    /// LUI and AUIPC: `x0 + value`.
    const fn constant(self, value: u64) -> Instruction {
        Instruction { class: Class::Add, rs1: 0, rs2: 0, rd: self.rd(), reads_rs2: false, imm: value }
    }

    /// An instruction of format I.
    const fn with_immediate(self, class: Class) -> Instruction {
        let (rs1, rd) = (self.rs1(), self.rd());
        Instruction { class, rs1, rs2: 0, rd, reads_rs2: false, imm: self.imm_i() }
    }

    /// A shift by a constant.
    const fn with_amount(self, op: AluOp, amount: u32) -> Instruction {
        Instruction { imm: amount as u64, ..self.with_immediate(Class::Alu(op)) }
    }

    /// An instruction of format R.
    const fn with_registers(self, class: Class) -> Instruction {
        let (rs1, rs2, rd) = (self.rs1(), self.rs2(), self.rd());
        Instruction { class, rs1, rs2, rd, reads_rs2: true, imm: 0 }
    }

    const fn jal(self, pc: u32) -> Option<Instruction> {
        let Some(imm) = target(pc, self.imm_j()) else { return None };
        if !has_link(pc) {
            return None;
        }
        Some(Instruction { class: Class::Jal, imm, ..self.constant(0) })
    }

    const fn branch(self, pc: u32) -> Option<Instruction> {
        let (op, invert) = match self.funct3() {
            0 => (AluOp::Eq, false),
            1 => (AluOp::Eq, true),
            4 => (AluOp::Lt, false),
            5 => (AluOp::Lt, true),
            6 => (AluOp::Ltu, false),
            7 => (AluOp::Ltu, true),
            _ => return None,
        };
        let Some(imm) = target(pc, self.imm_b()) else { return None };
        Some(Instruction { rd: 0, imm, ..self.with_registers(Class::Branch { op, invert }) })
    }

    const fn load(self) -> Option<Instruction> {
        let op = match self.funct3() {
            0 => MemoryOp::Lb,
            1 => MemoryOp::Lh,
            2 => MemoryOp::Lw,
            3 => MemoryOp::Ld,
            4 => MemoryOp::Lbu,
            5 => MemoryOp::Lhu,
            6 => MemoryOp::Lwu,
            _ => return None,
        };
        Some(self.with_immediate(Class::Load(op)))
    }

    const fn store(self) -> Option<Instruction> {
        let op = match self.funct3() {
            0 => MemoryOp::Sb,
            1 => MemoryOp::Sh,
            2 => MemoryOp::Sw,
            3 => MemoryOp::Sd,
            _ => return None,
        };
        Some(Instruction { rd: 0, imm: self.imm_s(), ..self.with_registers(Class::Store(op)) })
    }

    /// Operations on a register and an immediate, 64 bits. Shift amounts have 6 bits.
    const fn immediate(self) -> Option<Instruction> {
        let amount = self.0 >> 20 & 0x3f;
        Some(match (self.funct3(), self.0 >> 26) {
            (0, _) => self.with_immediate(Class::Add),
            (1, 0) => self.with_amount(AluOp::Sll, amount),
            (2, _) => self.with_immediate(Class::Alu(AluOp::Lt)),
            (3, _) => self.with_immediate(Class::Alu(AluOp::Ltu)),
            (4, _) => self.with_immediate(Class::Alu(AluOp::Xor)),
            (5, 0) => self.with_amount(AluOp::Srl, amount),
            (5, 0x10) => self.with_amount(AluOp::Sra, amount),
            (6, _) => self.with_immediate(Class::Alu(AluOp::Or)),
            (7, _) => self.with_immediate(Class::Alu(AluOp::And)),
            _ => return None,
        })
    }

    /// Operations on a register and an immediate, 32 bits. Shift amounts have 5 bits.
    const fn immediate_word(self) -> Option<Instruction> {
        let amount = self.0 >> 20 & 0x1f;
        Some(match (self.funct3(), self.funct7()) {
            (0, _) => self.with_immediate(Class::Alu(AluOp::Addw)),
            (1, 0) => self.with_amount(AluOp::Sllw, amount),
            (5, 0) => self.with_amount(AluOp::Srlw, amount),
            (5, 0x20) => self.with_amount(AluOp::Sraw, amount),
            _ => return None,
        })
    }

    /// Operations on two registers, 64 bits.
    const fn register(self) -> Option<Instruction> {
        let op = match (self.funct7(), self.funct3()) {
            (0x00, 0) => return Some(self.with_registers(Class::Add)),
            (0x20, 0) => return Some(self.with_registers(Class::Sub)),
            (0x00, 1) => AluOp::Sll,
            (0x00, 2) => AluOp::Lt,
            (0x00, 3) => AluOp::Ltu,
            (0x00, 4) => AluOp::Xor,
            (0x00, 5) => AluOp::Srl,
            (0x20, 5) => AluOp::Sra,
            (0x00, 6) => AluOp::Or,
            (0x00, 7) => AluOp::And,
            (0x01, 0) => AluOp::Mul,
            (0x01, 1) => AluOp::Mulh,
            (0x01, 2) => AluOp::Mulhsu,
            (0x01, 3) => AluOp::Mulhu,
            (0x01, 4) => AluOp::Div,
            (0x01, 5) => AluOp::Divu,
            (0x01, 6) => AluOp::Rem,
            (0x01, 7) => AluOp::Remu,
            _ => return None,
        };
        Some(self.with_registers(Class::Alu(op)))
    }

    /// Operations on two registers, 32 bits.
    const fn register_word(self) -> Option<Instruction> {
        let op = match (self.funct7(), self.funct3()) {
            (0x00, 0) => AluOp::Addw,
            (0x20, 0) => AluOp::Subw,
            (0x00, 1) => AluOp::Sllw,
            (0x00, 5) => AluOp::Srlw,
            (0x20, 5) => AluOp::Sraw,
            (0x01, 0) => AluOp::Mulw,
            (0x01, 4) => AluOp::Divw,
            (0x01, 5) => AluOp::Divuw,
            (0x01, 6) => AluOp::Remw,
            (0x01, 7) => AluOp::Remuw,
            _ => return None,
        };
        Some(self.with_registers(Class::Alu(op)))
    }
}

/// Whether the address after `pc`, a jump's result, is one: no jump is in the last word of memory.
const fn has_link(pc: u32) -> bool {
    pc != u32::MAX - 3
}

/// `pc + offset` where it is an address.
const fn target(pc: u32, offset: u64) -> Option<u64> {
    let target = (pc as u64).wrapping_add(offset);
    if target >> 32 == 0 { Some(target) } else { None }
}

/// The low `bits` bits of `value`, sign-extended.
const fn sign_extend(value: u32, bits: u32) -> u64 {
    let unused = 32 - bits;
    ((value << unused).cast_signed() >> unused) as i64 as u64
}

#[cfg(test)]
mod tests;
