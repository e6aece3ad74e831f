//! The decoder against a table of mask and match, in the manner of the opcode lists of assemblers: a word
//! is an instruction if its masked bits match.

use super::decode;
use crate::isa::AluOp::*;
use crate::isa::Class::{self, Add, Alu, Branch, Ecall, Jal, Jalr, Load, Store, Sub};
use crate::isa::{AluOp, Instruction, MemoryOp::*};

/// In the middle of the address space, so that every target exists.
const PC: u32 = 0x8000_0000;

const fn branch(op: AluOp, invert: bool) -> Class {
    Branch { op, invert }
}

/// `(mask, match, class)`, straight from the listings of the unprivileged specification.
const ENCODINGS: [(u32, u32, Class); 64] = [
    (0x0000_007f, 0x0000_0037, Add), // lui
    (0x0000_007f, 0x0000_0017, Add), // auipc
    (0x0000_007f, 0x0000_006f, Jal),
    (0x0000_707f, 0x0000_0067, Jalr),
    (0x0000_707f, 0x0000_0063, branch(Eq, false)),
    (0x0000_707f, 0x0000_1063, branch(Eq, true)),
    (0x0000_707f, 0x0000_4063, branch(Lt, false)),
    (0x0000_707f, 0x0000_5063, branch(Lt, true)),
    (0x0000_707f, 0x0000_6063, branch(Ltu, false)),
    (0x0000_707f, 0x0000_7063, branch(Ltu, true)),
    (0x0000_707f, 0x0000_0003, Load(Lb)),
    (0x0000_707f, 0x0000_1003, Load(Lh)),
    (0x0000_707f, 0x0000_2003, Load(Lw)),
    (0x0000_707f, 0x0000_3003, Load(Ld)),
    (0x0000_707f, 0x0000_4003, Load(Lbu)),
    (0x0000_707f, 0x0000_5003, Load(Lhu)),
    (0x0000_707f, 0x0000_6003, Load(Lwu)),
    (0x0000_707f, 0x0000_0023, Store(Sb)),
    (0x0000_707f, 0x0000_1023, Store(Sh)),
    (0x0000_707f, 0x0000_2023, Store(Sw)),
    (0x0000_707f, 0x0000_3023, Store(Sd)),
    (0x0000_707f, 0x0000_0013, Add), // addi
    (0x0000_707f, 0x0000_2013, Alu(Lt)),
    (0x0000_707f, 0x0000_3013, Alu(Ltu)),
    (0x0000_707f, 0x0000_4013, Alu(Xor)),
    (0x0000_707f, 0x0000_6013, Alu(Or)),
    (0x0000_707f, 0x0000_7013, Alu(And)),
    (0xfc00_707f, 0x0000_1013, Alu(Sll)),
    (0xfc00_707f, 0x0000_5013, Alu(Srl)),
    (0xfc00_707f, 0x4000_5013, Alu(Sra)),
    (0x0000_707f, 0x0000_001b, Alu(Addw)),
    (0xfe00_707f, 0x0000_101b, Alu(Sllw)),
    (0xfe00_707f, 0x0000_501b, Alu(Srlw)),
    (0xfe00_707f, 0x4000_501b, Alu(Sraw)),
    (0xfe00_707f, 0x0000_0033, Add),
    (0xfe00_707f, 0x4000_0033, Sub),
    (0xfe00_707f, 0x0000_1033, Alu(Sll)),
    (0xfe00_707f, 0x0000_2033, Alu(Lt)),
    (0xfe00_707f, 0x0000_3033, Alu(Ltu)),
    (0xfe00_707f, 0x0000_4033, Alu(Xor)),
    (0xfe00_707f, 0x0000_5033, Alu(Srl)),
    (0xfe00_707f, 0x4000_5033, Alu(Sra)),
    (0xfe00_707f, 0x0000_6033, Alu(Or)),
    (0xfe00_707f, 0x0000_7033, Alu(And)),
    (0xfe00_707f, 0x0000_003b, Alu(Addw)),
    (0xfe00_707f, 0x4000_003b, Alu(Subw)),
    (0xfe00_707f, 0x0000_103b, Alu(Sllw)),
    (0xfe00_707f, 0x0000_503b, Alu(Srlw)),
    (0xfe00_707f, 0x4000_503b, Alu(Sraw)),
    (0xfe00_707f, 0x0200_0033, Alu(Mul)),
    (0xfe00_707f, 0x0200_1033, Alu(Mulh)),
    (0xfe00_707f, 0x0200_2033, Alu(Mulhsu)),
    (0xfe00_707f, 0x0200_3033, Alu(Mulhu)),
    (0xfe00_707f, 0x0200_4033, Alu(Div)),
    (0xfe00_707f, 0x0200_5033, Alu(Divu)),
    (0xfe00_707f, 0x0200_6033, Alu(Rem)),
    (0xfe00_707f, 0x0200_7033, Alu(Remu)),
    (0xfe00_707f, 0x0200_003b, Alu(Mulw)),
    (0xfe00_707f, 0x0200_403b, Alu(Divw)),
    (0xfe00_707f, 0x0200_503b, Alu(Divuw)),
    (0xfe00_707f, 0x0200_603b, Alu(Remw)),
    (0xfe00_707f, 0x0200_703b, Alu(Remuw)),
    (0x0000_707f, 0x0000_000f, Add), // fence
    (0xffff_ffff, 0x0000_0073, Ecall),
];

fn class(word: u32) -> Option<Class> {
    decode(word, PC).map(|instruction| instruction.class)
}

/// Every opcode, funct3 and funct7, with registers at their edges and in the middle.
#[test]
fn exactly_the_listed_words_decode() {
    let registers = [(0, 0, 0), (1, 1, 1), (31, 31, 31), (10, 17, 5), (0, 31, 16), (21, 10, 0)];
    for selector in 0..1_u32 << 17 {
        let (opcode, funct3, funct7) = (selector & 0x7f, selector >> 7 & 7, selector >> 10);
        for (rd, rs1, rs2) in registers {
            let word = funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
            let listed = ENCODINGS.iter().find(|(mask, bits, _)| word & mask == *bits);
            assert_eq!(class(word), listed.map(|entry| entry.2), "{word:#010x}");
        }
    }
}

/// Privileged and other near misses of ECALL: one bit away, and the instructions that share its opcode.
#[test]
fn only_one_word_is_a_system_call() {
    for bit in 0..32 {
        assert_ne!(class(0x73 ^ 1 << bit), Some(Ecall), "bit {bit}");
    }
    let others = [
        ("ebreak", 0x0010_0073),
        ("mret", 0x3020_0073),
        ("sret", 0x1020_0073),
        ("wfi", 0x1050_0073),
        ("csrrw", 0x3000_1073),
        ("unimp", 0xc000_1073),
        ("sfence.vma", 0x1200_0073),
    ];
    for (name, word) in others {
        assert_eq!(decode(word, PC), None, "{name}");
    }
}

#[test]
fn other_extensions_are_refused() {
    let words = [
        ("zeros", 0x0000_0000),
        ("ones", 0xffff_ffff),
        ("c.nop, c.nop", 0x0001_0001),
        ("fence.i", 0x0000_100f),
        ("amoadd.w", 0x00b5_202f),
        ("lr.d", 0x1005_302f),
        ("flw", 0x0005_2007),
        ("fsd", 0x00a5_3027),
        ("fadd.d", 0x02b5_7553),
        ("andn, Zbb", 0x40b5_7533),
        ("sh1add, Zba", 0x20b5_2533),
        ("add.uw, Zba", 0x08b5_053b),
        ("rori, Zbb", 0x6015_5513),
        ("vadd.vv", 0x0220_8057),
    ];
    for (name, word) in words {
        assert_eq!(decode(word, PC), None, "{name}");
    }
}

const fn instruction(class: Class, rd: u8, rs1: u8, imm: u64) -> Instruction {
    Instruction { class, rs1, rs2: 0, rd, reads_rs2: false, imm }
}

/// Words from an assembler's listing, with what they mean.
#[test]
fn fields_are_extracted() {
    let negative = |value: u64| value.wrapping_neg();
    let immediates = [
        (0x8000_0537, instruction(Add, 10, 0, 0xffff_ffff_8000_0000)), // lui a0, 0x80000
        (0x7fff_f537, instruction(Add, 10, 0, 0x7fff_f000)),
        (0x0000_1517, instruction(Add, 10, 0, 0x8000_1000)), // auipc a0, 1
        (0x8000_0517, instruction(Add, 10, 0, 0)),           // auipc a0, 0x80000
        (0xfff5_8513, instruction(Add, 10, 11, u64::MAX)),   // addi a0, a1, -1
        (0x8005_8513, instruction(Add, 10, 11, negative(2048))),
        (0x7ff5_8513, instruction(Add, 10, 11, 2047)),
        (0x03f5_9513, instruction(Alu(Sll), 10, 11, 63)),
        (0x43f5_d513, instruction(Alu(Sra), 10, 11, 63)),
        (0x41f5_d51b, instruction(Alu(Sraw), 10, 11, 31)),
        (0x7e05_b503, instruction(Load(Ld), 10, 11, 2016)),
        (0xff81_3083, instruction(Load(Ld), 1, 2, negative(8))),
        (0x0000_8067, instruction(Jalr, 0, 1, 0)), // ret
        (0xffdf_f0ef, instruction(Jal, 1, 0, 0x7fff_fffc)),
        (0x8000_006f, instruction(Jal, 0, 0, 0x7ff0_0000)),
        (0x7fff_f06f, instruction(Jal, 0, 0, 0x800f_fffe)),
        (0x0ff0_000f, instruction(Add, 0, 0, 0)), // fence
        (0x8330_000f, instruction(Add, 0, 0, 0)), // fence.tso
    ];
    for (word, expected) in immediates {
        assert_eq!(decode(word, PC), Some(expected), "{word:#010x}");
    }
    let two = |class, rd, rs1, rs2, imm| Instruction { class, rs1, rs2, rd, reads_rs2: true, imm };
    let registers = [
        (0x40c5_8533, two(Sub, 10, 11, 12, 0)),
        (0x02c5_d53b, two(Alu(Divuw), 10, 11, 12, 0)),
        (0xfea1_3c23, two(Store(Sd), 0, 2, 10, negative(8))),
        (0x7ea1_0fa3, two(Store(Sb), 0, 2, 10, 2047)),
        (0xfeb5_0ee3, two(branch(Eq, false), 0, 10, 11, 0x7fff_fffc)),
        (0x7eb5_1fe3, two(branch(Eq, true), 0, 10, 11, 0x8000_0ffe)),
        (0x8005_5063, two(branch(Lt, true), 0, 10, 0, 0x7fff_f000)),
        (0x0000_0073, two(Ecall, 10, 17, 10, 0)),
    ];
    for (word, expected) in registers {
        assert_eq!(decode(word, PC), Some(expected), "{word:#010x}");
    }
}

/// The bug: a target that wraps around, and a constant that must not.
#[test]
fn targets_stay_below_4_gib() {
    let (back, forth) = (0xffdf_f06f, 0x0040_006f); // j -4, j 4
    assert_eq!(decode(back, 0), None);
    assert_eq!(decode(back, 4).map(|jump| jump.imm), Some(0));
    assert_eq!(decode(forth, u32::MAX - 3), None);
    assert_eq!(decode(forth, u32::MAX - 7).map(|jump| jump.imm), Some(0xffff_fffc));
    let branch_back = 0xfe00_0ee3; // beqz zero, -4
    assert_eq!(decode(branch_back, 0), None);
    let auipc = 0x7fff_f517;
    assert_eq!(decode(auipc, u32::MAX - 3).map(|sum| sum.imm), Some(0x1_7fff_effc));
    let auipc_back = 0xffff_f517;
    assert_eq!(decode(auipc_back, 0).map(|sum| sum.imm), Some(0xffff_ffff_ffff_f000));
}

/// The bug: a jump's result that is no address, which no row of the CPU table has.
#[test]
fn jumps_in_the_last_word_are_no_instructions() {
    let (back, indirect) = (0xffdf_f06f, 0x0000_8067); // j -4, jalr zero, 0(ra)
    for jump in [back, indirect] {
        assert!(decode(jump, u32::MAX - 7).is_some());
        assert_eq!(decode(jump, u32::MAX - 3), None);
    }
}
