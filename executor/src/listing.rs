//! Instruction words and functions as text, for messages.

use lambda_machine::elf::Symbol;
use lambda_machine::isa::{AluOp, Class, Instruction, MemoryOp, decode};

/// Names of the registers in the calling convention.
const NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6",
    "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

/// What `word` at `pc` is, in the manner of an assembler: the normalised instruction, or to which part of
/// the instruction set a refused word belongs.
pub fn text(word: u32, pc: u32) -> String {
    match decode(word, pc) {
        Some(instruction) => instruction_text(&instruction),
        None => String::from(refused(word)),
    }
}

/// The name of a function as its source has it.
pub fn function_name(symbol: &Symbol) -> String {
    // The alternate form leaves out the hash.
    format!("{:#}", rustc_demangle::demangle(&symbol.name))
}

fn instruction_text(instruction: &Instruction) -> String {
    let Instruction { class, rs1, rs2, rd, reads_rs2, imm } = *instruction;
    let [rd, rs1, rs2] = [rd, rs1, rs2].map(|register| NAMES[usize::from(register) % 32]);
    let offset = imm.cast_signed();
    let three = |name: &str| {
        if reads_rs2 { format!("{name} {rd}, {rs1}, {rs2}") } else { format!("{name} {rd}, {rs1}, {offset}") }
    };
    match class {
        Class::Add => three("add"),
        Class::Sub => three("sub"),
        Class::Alu(op) => three(&lower(&op)),
        Class::Branch { op, invert } => {
            let name = match (op, invert) {
                (AluOp::Eq, false) => "beq",
                (AluOp::Eq, true) => "bne",
                (AluOp::Lt, false) => "blt",
                (AluOp::Lt, true) => "bge",
                (_, false) => "bltu",
                (_, true) => "bgeu",
            };
            format!("{name} {rs1}, {rs2}, {imm:#x}")
        }
        Class::Jal => format!("jal {rd}, {imm:#x}"),
        Class::Jalr => format!("jalr {rd}, {offset}({rs1})"),
        Class::Load(op) => format!("{} {rd}, {offset}({rs1})", lower::<MemoryOp>(&op)),
        Class::Store(op) => format!("{} {rs2}, {offset}({rs1})", lower::<MemoryOp>(&op)),
        Class::Ecall => String::from("ecall"),
    }
}

/// Operations are named like instructions, but for their case.
fn lower<T: core::fmt::Debug>(op: &T) -> String {
    format!("{op:?}").to_lowercase()
}

/// The extension of a refused word, by opcode (unprivileged specification, chapter "RV32/64G Instruction Set
/// Listings").
const fn refused(word: u32) -> &'static str {
    match (word & 0x7f, word >> 12 & 7) {
        _ if word == 0 || word == 0xc000_1073 => "unimp",
        _ if word & 3 != 3 => "compressed instruction",
        (0x07 | 0x27 | 0x43 | 0x47 | 0x4b | 0x4f | 0x53, _) => "floating-point or vector instruction",
        (0x57, _) => "vector instruction",
        (0x2f, _) => "atomic instruction",
        (0x0f, 1) => "fence.i",
        (0x73, 0) if word == 0x0010_0073 => "ebreak",
        (0x73, 0 | 4) => "privileged instruction",
        (0x73, _) => "csr instruction",
        (0x63 | 0x6f, _) => "invalid branch, or target outside the address space",
        _ => "reserved encoding",
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn words_read_like_assembly() {
        let words = [
            (0xfff5_8513, "add a0, a1, -1"),
            (0x40c5_8533, "sub a0, a1, a2"),
            (0x02c5_d53b, "divuw a0, a1, a2"),
            (0xff81_3083, "ld ra, -8(sp)"),
            (0xfea1_3c23, "sd a0, -8(sp)"),
            (0xfeb5_0ee3, "beq a0, a1, 0xffc"),
            (0x0080_00ef, "jal ra, 0x1008"),
            (0x0000_8067, "jalr zero, 0(ra)"),
            (0x0000_0073, "ecall"),
            (0x0000_0000, "unimp"),
            (0x0010_0073, "ebreak"),
            (0x0000_4501, "compressed instruction"),
            (0x00b5_202f, "atomic instruction"),
            (0x02b5_7553, "floating-point or vector instruction"),
            (0x3000_1073, "csr instruction"),
            (0x3020_0073, "privileged instruction"),
        ];
        for (word, expected) in words {
            assert_eq!(text(word, 0x1000), expected, "{word:#010x}");
        }
    }
}
