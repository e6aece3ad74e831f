//! Programs whose executions are lied about.

use std::sync::LazyLock;

use lambda_executor::testing::assembler::{self as asm, constant, immediate, register};
use lambda_executor::testing::elf_file::DATA;
use lambda_machine::ecall;
use lambda_machine::isa::{AluOp, Class};

use crate::forge::{Forged, ROWS, Run};

/// Register that points to [`DATA`] in programs with data.
pub const BASE: u8 = 5;
/// Registers of operands and result in [`operation`].
pub const A: u8 = 6;
pub const B: u8 = 7;
pub const C: u8 = 8;

/// Exit code of all programs.
pub const EXIT_CODE: u64 = 7;

/// Operands that [`EVERYTHING`] computes with.
const OPERANDS: [[u64; 2]; 6] = [
    [0x8123_4567_89ab_cdef, 0x0000_0003_8000_0011],
    [0xffff_ffff_ffff_fffa, 3],
    [0x0000_0001_7fff_ffff, 0xffff_ffff_8000_0024],
    [0x1234_5678_0000_0000, 0],
    [5, 5],
    [u64::MAX, 0xffff_ffff_ffff_ff20],
];

/// A program in which every table has rows, most of them several instances, and every kind of row occurs:
/// all operations on several operands, branches taken and not, loads and stores of all sizes at all offsets
/// of a cell, cells in the image and above it, all system calls.
pub static EVERYTHING: LazyLock<Run> = LazyLock::new(|| {
    let mut code = constant(BASE, DATA.into());
    for pair in 0..OPERANDS.len() as i32 {
        code.extend([immediate(asm::LD, A, BASE, 16 * pair), immediate(asm::LD, B, BASE, 16 * pair + 8)]);
        let operations = asm::REGISTER.iter().zip((C..C + 8).cycle());
        code.extend(operations.map(|(&(_, bits), rd)| register(bits, rd, A, B)));
        code.extend(asm::BRANCH.iter().map(|&(_, bits)| asm::branch(bits, A, B, 4)));
    }
    code.extend([asm::FENCE, asm::upper(asm::AUIPC, 20, 1), asm::jump(1, 4), asm::jump(0, 4)]);
    // The indirect jump goes to the instruction after it, with bit 0 set.
    code.extend([asm::upper(asm::AUIPC, 20, 0), immediate(asm::JALR, 1, 20, 9)]);
    // Registers are first used, and x0 is read and written.
    code.extend([register(asm::ADD, 0, A, B), register(asm::ADD, 30, 0, 31), register(asm::SUB, A, A, A)]);
    code.extend(accesses());
    code.extend(calls());
    code.extend(asm::exit(EXIT_CODE));
    let data = OPERANDS.as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect();
    Run::new(code, data, b"some input that is read")
});

fn accesses() -> Vec<u32> {
    let mut code = Vec::new();
    // The last cell of memory, and the one before the last but one.
    code.extend(constant(21, 0xffff_fff0));
    code.extend([
        asm::store(asm::SD, 12, 21, 8),
        immediate(asm::LD, 22, 21, 8),
        immediate(asm::LW, 22, 21, -8),
    ]);
    for offset in 0..8 {
        code.extend(asm::LOAD.iter().map(|&(_, bits)| immediate(bits, 22, BASE, offset)));
        code.extend(asm::STORE.iter().map(|&(_, bits)| asm::store(bits, 12, BASE, 64 + offset)));
    }
    code
}

fn calls() -> Vec<u32> {
    let at = |offset: u64| u64::from(DATA) + offset;
    let (read, write) = ((ecall::READ, ecall::INPUT), (ecall::WRITE, ecall::OUTPUT));
    let calls = [
        (read, at(0x800), 8),
        (read, at(0x800), 100),
        (read, at(0x811), 3),
        (read, at(0x820), 0),
        (write, at(0x800), 8),
        (write, at(0x808), 0xffff_ffff),
        (write, at(0x800), 7),
        (write, at(0x805), 20),
        (write, at(0x800), 0),
        ((ecall::WRITE, ecall::LOG), u64::MAX, 5),
        ((ecall::INPUT_LENGTH, 0), 0, 0),
    ];
    let call = |((number, descriptor), address, length)| {
        let arguments = (10..).zip([descriptor, address, length]);
        let mut code: Vec<u32> = arguments.flat_map(|(register, value)| constant(register, value)).collect();
        code.extend(asm::system_call(number));
        code
    };
    calls.into_iter().flat_map(call).collect()
}

/// One call with its arguments, for whose sake the program runs. `data` is at [`DATA`].
pub fn call(number: u64, arguments: [u64; 3], data: &[u8], input: &[u8]) -> Run {
    let mut code: Vec<u32> =
        (10..).zip(arguments).flat_map(|(register, value)| constant(register, value)).collect();
    code.extend(asm::system_call(number));
    code.extend(asm::exit(EXIT_CODE));
    Run::new(code, data.to_vec(), input)
}

/// A program that accesses `DATA + offset` once; `value` is what a store stores.
pub fn access(bits: u32, offset: i32, value: u64, data: &[u8]) -> Run {
    let mut code = constant(BASE, DATA.into());
    code.extend(constant(C, value));
    let is_store = asm::STORE.iter().any(|&(_, store)| store == bits);
    code.push(if is_store { asm::store(bits, C, BASE, offset) } else { immediate(bits, C, BASE, offset) });
    code.extend(asm::exit(EXIT_CODE));
    Run::new(code, data.to_vec(), &[])
}

/// A program that computes `a op b` into a register that nothing reads.
pub fn operation(op: AluOp, a: u64, b: u64) -> Run {
    let mut code = constant(A, a);
    code.extend(constant(B, b));
    code.push(register(word_of(op), C, A, B));
    code.extend(asm::exit(EXIT_CODE));
    let run = Run::of(code);
    assert!(run.record.cpu.len() <= ROWS, "one instance");
    run
}

/// The instruction of an operation; `Eq` has none.
fn word_of(op: AluOp) -> u32 {
    let name = match op {
        AluOp::Ltu => "SLTU".to_owned(),
        AluOp::Lt => "SLT".to_owned(),
        _ => format!("{op:?}").to_uppercase(),
    };
    let found = asm::REGISTER.iter().find(|(mnemonic, _)| *mnemonic == name);
    found.expect("an instruction with the operation's name").1
}

/// Number of the last instruction of `run` that is of a class.
pub fn last(run: &Run, is: impl Fn(&Class) -> bool) -> usize {
    let class = |pc: u32| run.program.code[((pc - run.program.code_base) / 4) as usize].map(|own| own.class);
    let found = run.record.cpu.iter().rposition(|event| class(event.pc).as_ref().is_some_and(&is));
    found.expect("such an instruction was executed")
}

/// The tables of `run`, which computes `op` last, in which the operation's result is `c` and only its own
/// table still says otherwise.
pub fn with_result(run: &Run, op: AluOp, c: u64) -> Forged<'_> {
    let row = last(run, |class| *class == Class::Alu(op));
    run.lie(|record| {
        record.cpu[row].c = c;
        record.registers[usize::from(C)].value = c;
    })
}
