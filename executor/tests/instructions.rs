//! Every instruction on edge values, with every way in which its registers can coincide.
//!
//! Expected values come from mathematical integers (`i128`, reduced modulo a power of two), not from the
//! machine's own operations. One program does all cases of an instruction and leaves its results in the log.

use lambda_executor::testing::assembler::{self as asm, constant, immediate, register};
use lambda_executor::testing::check_record;
use lambda_executor::testing::elf_file::{CODE, DATA, ElfFile};
use lambda_executor::{Executor, Limits};
use lambda_machine::ecall;

/// Both signs' limits of 8, 16, 32 and 64 bits, and what surrounds them.
const EDGES: [u64; 22] = [
    0,
    1,
    2,
    63,
    64,
    0x7f,
    0x80,
    0x7fff,
    0x8000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_8000_0000,
    0x0123_4567_89ab_cdef,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0xffff_ffff_0000_0000,
    0xffff_ffff_7fff_ffff,
    0xffff_ffff_ffff_fffe,
    0xffff_ffff_ffff_ffff,
];

/// Register that points to the results.
const RESULTS: u8 = 31;
/// `(rd, rs1, rs2)` with every coincidence, `x0` included.
const REGISTERS: [(u8, u8, u8); 9] =
    [(5, 6, 7), (5, 5, 7), (5, 6, 5), (5, 6, 6), (5, 5, 5), (0, 6, 7), (5, 0, 7), (5, 6, 0), (10, 17, 11)];

fn signed(value: u64) -> i128 {
    i128::from(value.cast_signed())
}

fn unsigned(value: u64) -> i128 {
    i128::from(value)
}

/// The low 64 bits of an integer.
fn wrap(value: i128) -> u64 {
    (value & i128::from(u64::MAX)) as u64
}

/// The low 32 bits of an integer, as a signed number.
fn word(value: i128) -> i128 {
    let low = value & 0xffff_ffff;
    if low < 1 << 31 { low } else { low - (1 << 32) }
}

/// The quotient rounded to zero and the remainder; what the specification says for a divisor of zero.
fn divide(a: i128, b: i128) -> (i128, i128) {
    if b == 0 { (-1, a) } else { (a / b, a % b) }
}

/// `name a, b`, by the words of the specification.
fn expected(name: &str, a: u64, b: u64) -> u64 {
    let (sa, sb, ua, ub) = (signed(a), signed(b), unsigned(a), unsigned(b));
    let (wa, wb) = (word(ua), word(ub));
    let (uwa, uwb) = (ua & 0xffff_ffff, ub & 0xffff_ffff);
    let (amount, word_amount) = (ub % 64, ub % 32);
    wrap(match name {
        "ADD" | "ADDI" => sa + sb,
        "SUB" => sa - sb,
        "SLT" | "SLTI" => i128::from(sa < sb),
        "SLTU" | "SLTIU" => i128::from(ua < ub),
        "AND" | "ANDI" => (0..64).filter(|i| ua >> i & ub >> i & 1 == 1).map(|i| 1 << i).sum(),
        "OR" | "ORI" => (0..64).filter(|i| (ua >> i & 1) + (ub >> i & 1) > 0).map(|i| 1 << i).sum(),
        "XOR" | "XORI" => (0..64).filter(|i| (ua >> i & 1) + (ub >> i & 1) == 1).map(|i| 1 << i).sum(),
        // Shifts multiply, or divide and round down.
        "SLL" | "SLLI" => (0..amount).fold(ua, |value, _| value * 2 % (1 << 64)),
        "SRL" | "SRLI" => ua.div_euclid(1 << amount),
        "SRA" | "SRAI" => sa.div_euclid(1 << amount),
        "ADDW" | "ADDIW" => word(wa + wb),
        "SUBW" => word(wa - wb),
        "SLLW" | "SLLIW" => word(uwa * (1 << word_amount)),
        "SRLW" | "SRLIW" => word(uwa.div_euclid(1 << word_amount)),
        "SRAW" | "SRAIW" => wa.div_euclid(1 << word_amount),
        "MUL" => product(ua, ub).1,
        "MULH" => product(sa, sb).0,
        "MULHSU" => product(sa, ub).0,
        "MULHU" => product(ua, ub).0,
        "MULW" => word(wa * wb),
        "DIV" => divide(sa, sb).0,
        "DIVU" => divide(ua, ub).0,
        "REM" => divide(sa, sb).1,
        "REMU" => divide(ua, ub).1,
        "DIVW" => word(divide(wa, wb).0),
        "DIVUW" => word(divide(uwa, uwb).0),
        "REMW" => word(divide(wa, wb).1),
        "REMUW" => word(divide(uwa, uwb).1),
        _ => panic!("no such instruction: {name}"),
    })
}

/// High and low 64 bits of a product, by schoolbook multiplication of 32-bit digits: the product itself may
/// have 128 bits and a sign.
fn product(a: i128, b: i128) -> (i128, i128) {
    let digit = 1_i128 << 32;
    let (a1, a0, b1, b0) =
        (a.div_euclid(digit), a.rem_euclid(digit), b.div_euclid(digit), b.rem_euclid(digit));
    let low = a0 * b0;
    let middle = a1 * b0 + a0 * b1 + low.div_euclid(digit);
    (a1 * b1 + middle.div_euclid(digit), middle.rem_euclid(digit) * digit + low.rem_euclid(digit))
}

/// Runs code that leaves 8-byte results from [`RESULTS`] on, and compares them. The record is checked too.
fn compare(name: &str, code: Vec<u32>, expected: &[(String, u64)]) {
    let bytes = 8 * expected.len();
    let mut program = constant(RESULTS, u64::from(DATA));
    program.extend(code);
    for (register, value) in [(10, ecall::LOG), (11, u64::from(DATA)), (12, bytes as u64)] {
        program.extend(constant(register, value));
    }
    program.extend(asm::system_call(ecall::WRITE));
    program.extend(asm::exit(0));
    let elf = ElfFile { code: program, data: vec![0xa5; bytes], functions: Vec::new() };
    // A wrong jump must not run forever.
    let limits = Limits { cycles: 1_000_000, ..Limits::default() };
    let executor = Executor::from_elf(&elf.to_bytes()).expect("valid").with_limits(limits);
    let (execution, record) = executor.record(&[]).unwrap_or_else(|error| panic!("{name}: {error}"));
    check_record(executor.program(), &record);
    let (results, _) = execution.log.as_chunks();
    assert_eq!(results.len(), expected.len());
    for (got, (case, expected)) in results.iter().zip(expected) {
        let got = u64::from_le_bytes(*got);
        assert_eq!(got, *expected, "{case}: got {got:#x}, expected {expected:#x}");
    }
}

/// Address of the first instruction of the code given to [`compare`].
fn first_pc() -> u64 {
    u64::from(CODE) + 4 * constant(RESULTS, u64::from(DATA)).len() as u64
}

/// Stores `register` as the next result.
fn store_result(register: u8) -> [u32; 2] {
    [asm::store(asm::SD, register, RESULTS, 0), immediate(asm::ADDI, RESULTS, RESULTS, 8)]
}

#[test]
fn operations_on_registers() {
    for (name, bits) in asm::REGISTER {
        let (mut code, mut results) = (Vec::new(), Vec::new());
        for (a, b) in EDGES.iter().flat_map(|a| EDGES.map(|b| (*a, b))) {
            let (rd, rs1, rs2) = REGISTERS[results.len() % REGISTERS.len()];
            code.extend([constant(5, 77), constant(rs1, a), constant(rs2, b)].concat());
            code.push(register(*bits, rd, rs1, rs2));
            code.extend(store_result(rd));
            // `rs2` is set last; nothing sets `x0`.
            let b = if rs2 == 0 { 0 } else { b };
            let a = if rs1 == rs2 {
                b
            } else if rs1 == 0 {
                0
            } else {
                a
            };
            let value = if rd == 0 { 0 } else { expected(name, a, b) };
            results.push((format!("{name} x{rd}, x{rs1}, x{rs2} of {a:#x}, {b:#x}"), value));
        }
        compare(name, code, &results);
    }
}

#[test]
fn operations_with_immediates() {
    let ordinary =
        asm::IMMEDIATE.iter().map(|entry| (entry, vec![-2048, -2047, -1, 0, 1, 2, 1024, 2046, 2047]));
    let shifts = asm::SHIFT.iter().map(|entry| (entry, (0..64).collect()));
    let word_shifts = asm::SHIFT_WORD.iter().map(|entry| (entry, (0..32).collect()));
    for ((name, bits), immediates) in ordinary.chain(shifts).chain(word_shifts) {
        let (mut code, mut results) = (Vec::new(), Vec::new());
        for (a, imm) in EDGES.iter().flat_map(|a| immediates.iter().map(|imm: &i32| (*a, *imm))) {
            let (rd, rs1, _) = REGISTERS[results.len() % REGISTERS.len()];
            code.extend([constant(5, 77), constant(rs1, a)].concat());
            code.push(immediate(*bits, rd, rs1, imm));
            code.extend(store_result(rd));
            let a = if rs1 == 0 { 0 } else { a };
            let value = if rd == 0 { 0 } else { expected(name, a, i64::from(imm).cast_unsigned()) };
            results.push((format!("{name} x{rd}, x{rs1}, {imm} of {a:#x}"), value));
        }
        compare(name, code, &results);
    }
}

#[test]
fn upper_immediates_and_the_pc() {
    let (mut code, mut results) = (Vec::new(), Vec::new());
    let first_pc = first_pc();
    for imm in [0_u32, 1, 0x7_ffff, 0x8_0000, 0xf_ffff] {
        for (rd, bits, name) in [(5, asm::LUI, "lui"), (6, asm::AUIPC, "auipc"), (0, asm::AUIPC, "auipc")] {
            let pc = if bits == asm::LUI { 0 } else { first_pc + 4 * code.len() as u64 };
            code.push(asm::upper(bits, rd, imm));
            code.extend(store_result(rd));
            let value = wrap(word(i128::from(imm) << 12) + unsigned(pc));
            results.push((format!("{name} x{rd}, {imm:#x}"), if rd == 0 { 0 } else { value }));
        }
    }
    for word in [asm::FENCE, asm::FENCE_TSO, asm::FENCE | 7 << 7 | 7 << 15] {
        code.extend(constant(7, 0x1234));
        code.push(word);
        code.extend(store_result(7));
        results.push((format!("fence {word:#x}"), 0x1234));
    }
    compare("upper", code, &results);
}

/// Each branch, taken and not, forward and backward.
#[test]
fn branches() {
    for (name, bits) in asm::BRANCH {
        let (mut code, mut results) = (Vec::new(), Vec::new());
        for (a, b) in EDGES.iter().flat_map(|a| EDGES.map(|b| (*a, b))) {
            let taken = match *name {
                "BEQ" => a == b,
                "BNE" => a != b,
                "BLT" => signed(a) < signed(b),
                "BGE" => signed(a) >= signed(b),
                "BLTU" => a < b,
                _ => a >= b,
            };
            code.extend([constant(5, 1), constant(6, a), constant(7, b)].concat());
            if results.len() % 2 == 0 {
                code.push(asm::branch(*bits, 6, 7, 8));
                code.push(immediate(asm::ADDI, 5, 5, 1));
            } else {
                // Over two instructions, back to the first of them if taken, which jumps over the branch.
                code.push(asm::jump(0, 12));
                code.push(asm::jump(0, 16));
                code.push(immediate(asm::ADDI, 0, 0, 0));
                code.push(asm::branch(*bits, 6, 7, -8));
                code.push(immediate(asm::ADDI, 5, 5, 1));
            }
            code.extend(store_result(5));
            results.push((format!("{name} of {a:#x}, {b:#x}"), if taken { 1 } else { 2 }));
        }
        compare(name, code, &results);
    }
}

#[test]
fn jumps_and_their_links() {
    let (mut code, mut results) = (Vec::new(), Vec::new());
    let first_pc = first_pc();
    for (rd, base, low) in [(1, 5, 0), (5, 5, 0), (0, 5, 0), (1, 5, 1), (5, 5, 1)] {
        let pc = first_pc + 4 * code.len() as u64;
        code.extend([asm::jump(rd, 8), asm::ECALL]);
        code.extend(store_result(rd));
        results.push((format!("jal x{rd}"), if rd == 0 { 0 } else { pc + 4 }));

        let pc = first_pc + 4 * code.len() as u64;
        // Base and immediate have opposite signs, and the lowest bit of the sum is ignored.
        code.extend([
            asm::upper(asm::AUIPC, base, 0),
            immediate(asm::ADDI, base, base, 2047),
            immediate(asm::JALR, rd, base, 16 + low - 2047),
            asm::ECALL,
        ]);
        code.extend(store_result(rd));
        results.push((format!("jalr x{rd}, x{base}"), if rd == 0 { 0 } else { pc + 12 }));
    }
    compare("jumps", code, &results);
}

/// Bytes that a load or store moves.
fn width(name: &str) -> usize {
    match name.as_bytes()[1] {
        b'B' => 1,
        b'H' => 2,
        b'W' => 4,
        _ => 8,
    }
}

/// Every load and store at every offset within two cells, so also across them.
#[test]
fn loads_and_stores() {
    /// Where memory is accessed, and what is there.
    const PLACE: u64 = 0x100_0000;
    let before: [u8; 24] = core::array::from_fn(|i| (0x71 + 13 * i) as u8);
    let stored = 0x8192_a3b4_c5d6_e7f8_u64;
    let prepare = || {
        let mut code = constant(6, PLACE);
        for (i, cell) in before.as_chunks().0.iter().enumerate() {
            code.extend(constant(7, u64::from_le_bytes(*cell)));
            code.push(asm::store(asm::SD, 7, 6, 8 * i as i32));
        }
        code
    };
    for (name, bits) in asm::LOAD {
        let (mut code, mut results) = (prepare(), Vec::new());
        for offset in 0..16 {
            for (rd, base) in [(5, 6), (5, 5), (0, 6)] {
                code.extend(constant(base, PLACE + 30));
                code.push(immediate(*bits, rd, base, offset - 30));
                code.extend(store_result(rd));
                let width = width(name);
                let read = &before[offset as usize..][..width];
                let value = read.iter().rev().fold(0, |value, byte| value << 8 | i128::from(*byte));
                let sign = if name.contains('U') { 0 } else { value >> (8 * width - 1) << (8 * width) };
                let value = wrap(value - sign);
                results.push((format!("{name} x{rd}, x{base} at {offset}"), if rd == 0 { 0 } else { value }));
            }
        }
        compare(name, code, &results);
    }
    for (name, bits) in asm::STORE {
        let (mut code, mut results) = (Vec::new(), Vec::new());
        for offset in 0..16 {
            code.extend(prepare());
            code.extend([constant(6, PLACE), constant(7, stored)].concat());
            code.push(asm::store(*bits, 7, 6, offset));
            let width = width(name);
            let mut after = before;
            after[offset as usize..][..width].copy_from_slice(&stored.to_le_bytes()[..width]);
            for (i, cell) in after.as_chunks().0.iter().enumerate() {
                code.push(immediate(asm::LD, 5, 6, 8 * i as i32));
                code.extend(store_result(5));
                results.push((format!("{name} at {offset}, cell {i}"), u64::from_le_bytes(*cell)));
            }
        }
        compare(name, code, &results);
    }
}
