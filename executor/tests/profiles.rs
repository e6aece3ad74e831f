//! Profiles count every instruction once, for the stack that it ran with.

use lambda_executor::Executor;
use lambda_executor::testing::assembler::{self as asm, constant, immediate};
use lambda_executor::testing::elf_file::ElfFile;

const NOP: u32 = asm::ADDI;
const RETURN: u32 = asm::JALR | 1 << 15;

/// `main` calls `outer` twice; `outer` calls `inner` and goes on to `tail` instead of returning.
#[test]
fn calls_returns_and_tail_calls() {
    let exit = asm::exit(0);
    let main = [
        vec![asm::jump(1, 16 + 4 * exit.len() as i32), asm::jump(1, 12 + 4 * exit.len() as i32), NOP, NOP],
        exit,
    ];
    let main = main.concat();
    let outer = [
        immediate(asm::ADDI, 8, 1, 0), // keeps the return address
        asm::jump(1, 20),              // inner
        NOP,
        immediate(asm::ADDI, 1, 8, 0),
        asm::jump(0, 20), // tail
        NOP,
    ];
    let inner = [NOP, NOP, RETURN];
    let tail = [NOP, RETURN];
    let code = [main.clone(), outer.to_vec(), inner.to_vec(), tail.to_vec()].concat();
    let at = main.len() as u32;
    let functions = vec![("main", 0, at), ("outer", at, 6), ("inner", at + 6, 3), ("tail", at + 9, 2)];
    let file = ElfFile { code, data: Vec::new(), functions };
    let executor = Executor::from_elf(&file.to_bytes()).expect("valid");
    let (execution, profile) = executor.profile(&[]).expect("runs");
    let expected = format!("main {}\nmain;outer 10\nmain;outer;inner 6\nmain;tail 4\n", main.len());
    assert_eq!(profile.folded(), expected);
    assert_eq!(execution.cycles, main.len() as u64 + 20);
}

/// A function that leaves over its caller's head, and one that no symbol names.
#[test]
fn returns_skip_frames() {
    let exit = asm::exit(0);
    let main_words = 2 + exit.len() as u32;
    let code = [
        vec![asm::jump(1, 4 * main_words as i32), NOP],
        exit,
        vec![immediate(asm::ADDI, 9, 1, 0), asm::jump(1, 8), asm::ECALL], // middle calls what has no symbol
        vec![immediate(asm::ADDI, 1, 9, 0), RETURN],
    ];
    let functions = vec![("main", 0, main_words), ("middle;", main_words, 3)];
    let file = ElfFile { code: code.concat(), data: Vec::new(), functions };
    let (_, profile) = Executor::from_elf(&file.to_bytes()).expect("valid").profile(&[]).expect("runs");
    assert_eq!(profile.folded(), format!("main {main_words}\nmain;middle: 2\nmain;middle:;? 2\n"));
}

/// Without an end, recursion must not make stacks without end.
#[test]
fn deep_recursion_is_cut() {
    let body = [immediate(asm::ADDI, 5, 5, -1), asm::branch(asm::BEQ, 5, 0, 8), asm::jump(1, -8)];
    let prologue = constant(5, 100_000);
    let first = prologue.len() as u32;
    let code = [prologue, body.to_vec(), asm::exit(0)].concat();
    let file = ElfFile { code, data: Vec::new(), functions: vec![("start", 0, first), ("deep", first, 3)] };
    let (execution, profile) =
        Executor::from_elf(&file.to_bytes()).expect("valid").profile(&[]).expect("runs");
    let counted: u64 = profile.stacks.iter().map(|(_, count)| count).sum();
    assert_eq!(counted, execution.cycles);
    assert!(profile.stacks.iter().all(|(stack, _)| stack.len() <= 512));
}
