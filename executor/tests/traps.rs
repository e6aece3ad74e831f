//! What the machine cannot do stops the execution at the right instruction, with the numbers to act on.

use lambda_executor::testing::assembler::{self as asm, constant, immediate};
use lambda_executor::testing::elf_file::{CODE, DATA, ElfFile};
use lambda_executor::{ExecutionError, Executor, Limits, Trap};
use lambda_machine::ecall;
use lambda_machine::isa::MemoryOp;

const NOP: u32 = asm::ADDI;

fn executor(code: Vec<u32>) -> Executor {
    let file = ElfFile { code, data: vec![0xff; 64], functions: Vec::new() };
    Executor::from_elf(&file.to_bytes()).expect("valid")
}

/// The error of a program that is `code` and then exits.
fn error(code: Vec<u32>) -> ExecutionError {
    executor([code, asm::exit(0)].concat()).run(&[]).expect_err("it cannot be done")
}

/// A class of words that are no instruction, executed after two that are.
#[test]
fn refused_words_trap_where_they_are() {
    let words = [
        (0x0000_0000, "unimp"),
        (0xc000_1073, "unimp"),
        (0xffff_ffff, "reserved encoding"),
        (0x0001_0001, "compressed instruction"),
        (0x0010_0073, "ebreak"),
        (0x1050_0073, "privileged instruction"),
        (0x3020_0073, "privileged instruction"),
        (0xc000_2573, "csr instruction"),
        (0x0000_100f, "fence.i"),
        (0x00b5_202f, "atomic instruction"),
        (0x0005_3507, "floating-point or vector instruction"),
        (0x02b5_7553, "floating-point or vector instruction"),
        (0x0220_8057, "vector instruction"),
        (0x0200_1013 | 1 << 26, "reserved encoding"),
        (asm::SLLIW | 1 << 25, "reserved encoding"),
        (asm::ADD | 1 << 26, "reserved encoding"),
        (asm::jump(0, -(1 << 20)), "invalid branch, or target outside the address space"),
    ];
    for (word, name) in words {
        let error = error(vec![NOP, NOP, word]);
        assert_eq!(error.trap, Trap::Illegal, "{word:#010x}");
        assert_eq!((error.pc, error.word, error.cycles), (u64::from(CODE) + 8, Some(word), 2));
        assert!(error.to_string().contains(&format!("\"{name}\"")), "{error}");
    }
    // They do no harm where they are not reached.
    let skipped = executor([vec![asm::jump(0, 8), 0], asm::exit(3)].concat()).run(&[]);
    assert_eq!(skipped.map(|execution| execution.exit_code), Ok(3));
}

/// Leaving the code is reported at the instruction that does so.
#[test]
fn execution_stays_in_the_code() {
    let (start, end) = (u64::from(CODE), u64::from(CODE) + 4 * (3 + asm::exit(0).len() as u64));
    let cases = [
        (vec![NOP, asm::jump(0, 6)], start + 10),
        (vec![NOP, asm::jump(0, -8)], start - 4),
        (vec![NOP, asm::branch(asm::BEQ, 0, 0, 2)], start + 6),
        (vec![asm::jump(0, 4094)], start + 4094),
    ];
    let indirect = [0, u64::from(DATA), start + 2, 1 << 32 | start, u64::MAX - 1].map(|target| {
        let code = [constant(5, target), vec![immediate(asm::JALR, 1, 5, 0)]].concat();
        (code, target)
    });
    for (code, target) in cases.into_iter().chain(indirect) {
        let pc = start + 4 * (code.len() as u64 - 1);
        let error = error(code);
        assert_eq!((&error.trap, error.pc), (&Trap::NoCode { target }, pc), "{error}");
    }
    let error = executor(vec![NOP; 3 + asm::exit(0).len()]).run(&[]).expect_err("there is no exit");
    assert_eq!((error.trap, error.pc), (Trap::NoCode { target: end }, end - 4));
}

/// Memory starts with the image's first cell and ends at 2^32; addresses have 64 bits.
#[test]
fn memory_has_two_ends() {
    let start = u64::from(CODE);
    let load = |bits, address: u64| [constant(5, address), vec![immediate(bits, 6, 5, 0)]].concat();
    let save = |bits, address: u64| [constant(5, address), vec![asm::store(bits, 6, 5, 0)]].concat();
    let outside = [
        (load(asm::LD, 0), MemoryOp::Ld, 0),
        (load(asm::LBU, start - 1), MemoryOp::Lbu, start - 1),
        (load(asm::LW, start - 2), MemoryOp::Lw, start - 2),
        (load(asm::LB, 1 << 32), MemoryOp::Lb, 1 << 32),
        (load(asm::LD, (1 << 32) - 4), MemoryOp::Ld, (1 << 32) - 4),
        (load(asm::LH, (1 << 32) - 1), MemoryOp::Lh, (1 << 32) - 1),
        (load(asm::LD, 1 << 32 | start), MemoryOp::Ld, 1 << 32 | start),
        (load(asm::LD, u64::MAX - 3), MemoryOp::Ld, u64::MAX - 3),
        (save(asm::SB, start - 1), MemoryOp::Sb, start - 1),
        (save(asm::SD, u64::MAX - 7), MemoryOp::Sd, u64::MAX - 7),
        (save(asm::SW, (1 << 32) - 3), MemoryOp::Sw, (1 << 32) - 3),
    ];
    for (code, op, address) in outside {
        let pc = start + 4 * (code.len() as u64 - 1);
        let error = error(code);
        assert_eq!(error.trap, Trap::Address { op, address, start }, "{error}");
        assert_eq!(error.pc, pc, "{error}");
    }
    let inside = [
        load(asm::LD, start),
        load(asm::LD, start + 1),
        load(asm::LD, (1 << 32) - 8),
        load(asm::LW, (1 << 32) - 4),
        save(asm::SB, (1 << 32) - 1),
        save(asm::SD, 0x8000_0000 - 4),
    ];
    for code in inside {
        assert!(executor([code, asm::exit(0)].concat()).run(&[]).is_ok());
    }
}

/// The sum of base and offset wraps around at 2^64, as the specification has it.
#[test]
fn addresses_wrap_around() {
    let start = u64::from(CODE);
    let code = [constant(5, 8_u64.wrapping_neg()), vec![asm::store(asm::SB, 0, 5, 2047)]].concat();
    assert_eq!(error(code).trap, Trap::Address { op: MemoryOp::Sb, address: 2039, start });
    let code = [constant(5, 8), vec![immediate(asm::LB, 6, 5, -9)]].concat();
    assert_eq!(error(code).trap, Trap::Address { op: MemoryOp::Lb, address: u64::MAX, start });
}

/// Code is what was loaded: stores to its addresses change memory only.
#[test]
fn stores_do_not_change_code() {
    let stored = [constant(5, u64::from(CODE)), vec![asm::store(asm::SD, 0, 5, 0), asm::jump(0, 4)]].concat();
    let again = asm::branch(asm::BEQ, 7, 0, -4 * (stored.len() as i32 + 1));
    let code =
        [stored, vec![immediate(asm::ADDI, 7, 7, 1), asm::branch(asm::BNE, 7, 0, 8), again], asm::exit(4)];
    assert_eq!(executor(code.concat()).run(&[]).map(|execution| execution.exit_code), Ok(4));
}

fn call(number: u64, arguments: [u64; 3]) -> Vec<u32> {
    let mut code = Vec::new();
    for (register, value) in (10..).zip(arguments) {
        code.extend(constant(register, value));
    }
    [code, asm::system_call(number)].concat()
}

#[test]
fn system_calls_are_checked() {
    let data = u64::from(DATA);
    let start = u64::from(CODE);
    let cases = [
        (0, [0, 0, 0], Trap::SystemCall { number: 0 }),
        (0x1001, [0, 0, 0], Trap::SystemCall { number: 0x1001 }),
        (ecall::EXIT + (1 << 32), [0, 0, 0], Trap::SystemCall { number: ecall::EXIT + (1 << 32) }),
        (ecall::READ, [1, data, 1], Trap::Descriptor { number: ecall::READ, descriptor: 1 }),
        (ecall::WRITE, [0, data, 1], Trap::Descriptor { number: ecall::WRITE, descriptor: 0 }),
        (ecall::WRITE, [3, data, 1], Trap::Descriptor { number: ecall::WRITE, descriptor: 3 }),
        (ecall::WRITE, [1 << 32 | 1, data, 1], Trap::Descriptor { number: 64, descriptor: 1 << 32 | 1 }),
        (ecall::READ, [0, data, 1 << 32], Trap::Length { length: 1 << 32 }),
        (ecall::WRITE, [1, data, 1 << 32], Trap::Length { length: 1 << 32 }),
        (ecall::WRITE, [2, data, u64::MAX], Trap::Length { length: u64::MAX }),
        (ecall::WRITE, [1, 8, 8], Trap::Address { op: MemoryOp::Ld, address: 8, start }),
        (ecall::WRITE, [1, 1 << 32, 1], Trap::Address { op: MemoryOp::Lbu, address: 1 << 32, start }),
        (ecall::READ, [0, 9, 1], Trap::Address { op: MemoryOp::Sb, address: 9, start }),
    ];
    for (number, arguments, trap) in cases {
        let code = call(number, arguments);
        let pc = start + 4 * (code.len() as u64 - 1);
        let error = executor([code, asm::exit(0)].concat()).run(&[1; 8]).expect_err("it cannot be done");
        assert_eq!((error.trap, error.pc), (trap, pc));
    }
}

#[test]
fn output_is_limited() {
    let cells = |count: u64| {
        let again = call(ecall::WRITE, [ecall::OUTPUT, u64::from(DATA), 8]);
        let back = -4 * (again.len() as i32 + 1);
        let looped = [immediate(asm::ADDI, 5, 5, -1), asm::branch(asm::BNE, 5, 0, back)];
        [constant(5, count), again, looped.to_vec(), asm::exit(0)].concat()
    };
    let most = executor(cells(8192)).run(&[]).expect("it fits");
    assert_eq!(most.output, vec![0xff; 1 << 16]);
    let error = executor(cells(8193)).run(&[]).expect_err("it does not fit");
    assert_eq!(error.trap, Trap::OutputLimit { limit_bytes: 1 << 16 });
}

#[test]
fn instructions_are_limited() {
    let exit = asm::exit(0);
    let cycles = exit.len() as u64;
    let limited = |cycles| executor(exit.clone()).with_limits(Limits { cycles, ..Limits::default() });
    assert_eq!(limited(cycles).run(&[]).map(|execution| execution.cycles), Ok(cycles));
    let error = limited(cycles - 1).run(&[]).expect_err("one is missing");
    assert_eq!((error.trap, error.cycles), (Trap::CycleLimit { limit: cycles - 1 }, cycles - 1));
    let endless = executor(vec![asm::jump(0, 0)]).with_limits(Limits { cycles: 1000, ..Limits::default() });
    assert_eq!(endless.record(&[]).map_err(|error| error.cycles), Err(1000));
}

/// Pages of code and data, and one for each place that is stored to.
#[test]
fn memory_is_limited() {
    let save = |address: u64| [constant(5, address), vec![asm::store(asm::SB, 5, 5, 0)]].concat();
    let code = [save(0x1000_0000), save(0x1000_fff0), save(0x2000_0000), asm::exit(0)].concat();
    let limited = |pages: u64| {
        let limits = Limits { memory_bytes: pages << 16, ..Limits::default() };
        executor(code.clone()).with_limits(limits).run(&[])
    };
    assert_eq!(limited(4).map(|execution| execution.memory_bytes), Ok(4 << 16));
    let error = limited(3).expect_err("one page is missing");
    assert_eq!(error.trap, Trap::MemoryLimit { limit_bytes: 3 << 16 });
    assert!(matches!(limited(1), Err(ExecutionError { trap: Trap::MemoryLimit { .. }, cycles: 0, .. })));
}

/// A trap tells the function, and what the program said before.
#[test]
fn errors_tell_where_and_what_was_said() {
    let words = call(ecall::WRITE, [ecall::LOG, u64::from(DATA), 5]);
    let main = words.len() as u32;
    let file = ElfFile {
        code: [words, vec![NOP, immediate(asm::LD, 10, 0, 16)]].concat(),
        data: b"hello".to_vec(),
        functions: vec![("start", 0, main), ("_ZN5guest4main17h0123456789abcdefE", main, 2)],
    };
    let error = Executor::from_elf(&file.to_bytes()).expect("valid").run(&[]).expect_err("null");
    assert_eq!(error.location.as_ref().map(ToString::to_string).as_deref(), Some("guest::main+0x4"));
    assert_eq!(error.log, b"hello");
    let pc = CODE + 4 * main + 4;
    let expected = format!(
        "trap at {pc:#x} (guest::main+0x4), 0x01003503 \"ld a0, 16(zero)\" after {} instructions: it loads 8 \
         bytes at 0x10; memory goes from 0x10000 to 0xffffffff",
        main + 1
    );
    assert_eq!(error.to_string(), expected);
}
