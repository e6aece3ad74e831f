//! Branches, jumps, the exit and what comes after it.

use lambda_executor::testing::assembler::{self as asm, constant, immediate};
use lambda_executor::testing::elf_file::{CODE, DATA};
use lambda_machine::ecall;
use lambda_machine::isa::{AluOp, Class, decode};
use lambda_machine::memory::HALT_PC;
use lambda_machine::record::{CpuEvent, ExecutionRecord};
use lambda_machine::tables::cpu::{self, CpuColumns};
use lambda_machine::tables::registers::RegistersColumns;
use lambda_math::Goldilocks;
use p3_field::{PrimeCharacteristicRing, PrimeField64};

use crate::forge::{Run, field};
use crate::programs::{BASE, C, EXIT_CODE, call, last, operation};

type Cpu = CpuColumns<Goldilocks>;

const WORD: u64 = 1 << 32;

/// A program that goes left or right, depending on what it reads; both ways are as long.
struct Fork {
    left: Run,
    right: Run,
    /// The instruction that goes there.
    row: usize,
}

const TARGET: u8 = 9;

impl Fork {
    /// A jump to the address that is read.
    fn jump() -> Self {
        let mut code = Self::reading();
        code.push(immediate(asm::JALR, 1, TARGET, 0));
        let left = CODE + 4 * code.len() as u32;
        Self::new(code, [left, left + 8].map(u64::from), |class| *class == Class::Jalr)
    }

    /// A branch that is taken if what is read is 0.
    fn branch() -> Self {
        let mut code = Self::reading();
        code.push(asm::branch(asm::BEQ, TARGET, 0, 12));
        Self::new(code, [1, 0], |class| matches!(class, Class::Branch { .. }))
    }

    /// Reads a number into [`TARGET`].
    fn reading() -> Vec<u32> {
        let mut code = constant(BASE, DATA.into());
        let arguments = [(10, ecall::INPUT), (11, DATA.into()), (12, 8)];
        code.extend(arguments.into_iter().flat_map(|(register, value)| constant(register, value)));
        code.extend(asm::system_call(ecall::READ));
        code.extend(constant(10, EXIT_CODE));
        code.extend(constant(17, ecall::EXIT));
        code.push(immediate(asm::LD, TARGET, BASE, 0));
        code
    }

    /// Two instructions to the left, two to the right, the exit.
    fn new(mut code: Vec<u32>, inputs: [u64; 2], is: fn(&Class) -> bool) -> Self {
        let ways =
            [immediate(asm::ADDI, C, 0, 1), asm::jump(0, 12), immediate(asm::ADDI, C, 0, 2), asm::jump(0, 4)];
        code.extend(ways);
        code.push(asm::ECALL);
        let [left, right] = inputs.map(|input| Run::new(code.clone(), vec![0; 8], &input.to_le_bytes()));
        let row = last(&left, is);
        assert_eq!(left.record.cpu.len(), right.record.cpu.len());
        assert_ne!(left.record.cpu[row].next_pc, right.record.cpu[row].next_pc);
        Self { left, right, row }
    }

    /// Goes right where it says left.
    fn goes_right(&self, record: &mut ExecutionRecord) {
        record.cpu.truncate(self.row + 1);
        record.cpu.extend_from_slice(&self.right.record.cpu[self.row + 1..]);
        record.cpu[self.row].next_pc = self.right.record.cpu[self.row].next_pc;
    }
}

#[test]
fn branches_are_taken_by_their_comparison() {
    let fork = Fork::branch();
    let mut forged = fork.left.retold(|record| fork.goes_right(record));
    forged.breaks(["cpu: a branch goes to its target if taken"]);
    forged.edit::<Cpu>(fork.row, |row| row.bit = Goldilocks::ONE);
    forged.breaks(["cpu: a branch is taken by its comparison"]);
}

#[test]
fn indirect_jumps_go_where_they_say() {
    let fork = Fork::jump();
    let Fork { left, right, row } = &fork;
    let row = *row;
    left.honest().breaks([]);
    let goes_elsewhere = |record: &mut ExecutionRecord| fork.goes_right(record);
    left.retold(goes_elsewhere).breaks(["cpu: an indirect jump goes to a + imm without bit 0"]);
    // Bit 0 is not that of an address.
    let distance = field(left.record.cpu[row].next_pc) - field(right.record.cpu[row].next_pc);
    let mut forged = left.retold(goes_elsewhere);
    forged.edit::<Cpu>(row, |row| row.bit = distance).breaks(["cpu: exit and bit are boolean"]);
    // Bit 0 of an address that has none, or the reverse: no instruction is there.
    let mut forged = left.honest();
    forged.edit::<Cpu>(row, |row| {
        row.bit = Goldilocks::ONE;
        row.next_pc -= Goldilocks::ONE;
    });
    forged.edit::<Cpu>(row + 1, |row| {
        row.pc -= Goldilocks::ONE;
        row.next_pc -= Goldilocks::ONE;
    });
    assert!(forged.broken().contains("program"));
    // An address that is 2^32 more.
    let more = |value: &mut u64| *value += WORD;
    left.retold(|record| {
        more(&mut record.io[0].data);
        let [stored, loaded] = &mut record.memory[..] else { panic!("a read and a load") };
        more(&mut stored.value);
        more(&mut stored.cell.after);
        more(&mut loaded.value);
        more(&mut loaded.cell.before);
        more(&mut loaded.cell.after);
        let cell = record.boundary.iter_mut().find(|cell| cell.cell == DATA / 8).expect("the cell");
        more(&mut cell.last);
        more(&mut record.cpu[row - 1].c);
        more(&mut record.cpu[row].a);
    })
    .breaks(["cpu: a + imm is below 2^32"]);
    // What is linked.
    left.retold(|record| record.cpu[row].c += 4).breaks(["cpu: a jump's result is the address after it"]);
    left.retold(|record| record.cpu[row].c += WORD).breaks(["cpu: the address after a jump is one word"]);
}

/// Some additions and an exit.
fn additions(count: usize) -> Run {
    let mut code: Vec<u32> = (0..count).map(|_| immediate(asm::ADDI, C, C, 1)).collect();
    code.extend(asm::exit(EXIT_CODE));
    Run::of(code)
}

#[test]
fn padding_before_the_exit_is_refused() {
    let without_exit = |record: &mut ExecutionRecord| record.cpu.truncate(record.cpu.len() - 1);
    let run = additions(10);
    run.retold(without_exit).breaks(["cpu: the next row is the next instruction"]);
    run.retold(|record| {
        without_exit(record);
        record.cpu.last_mut().expect("not empty").next_pc = HALT_PC;
    })
    .breaks(["cpu: the next instruction follows"]);
    // Without padding, so that the last row is an instruction.
    let run = additions(16 - 2);
    run.retold(without_exit).breaks(["cpu: the last row leads to the public pc"]);
    // Padding in the exit's place.
    let run = additions(10);
    let exit = field(run.record.cpu.last().expect("the exit").pc.into());
    let mut forged = run.retold(without_exit);
    forged.edit::<Cpu>(run.record.cpu.len() - 1, |row| row.pc = exit);
    forged.breaks(["cpu: padding comes after the exit"]);
    // Padding that waits before the exit.
    let run = additions(10);
    let mut forged = run.retold(without_exit);
    let exit = field(run.record.cpu.last().expect("the exit").pc.into());
    for row in run.record.cpu.len() - 1..16 {
        forged.edit::<Cpu>(row, |own| {
            own.pc = exit;
            own.next_pc = if row == 15 { field(HALT_PC) } else { exit };
        });
    }
    forged.breaks(["cpu: padding comes after the exit", "cpu: padding stays after the exit"]);
}

#[test]
fn no_jump_reaches_the_end() {
    let indirect = [asm::upper(asm::AUIPC, 20, 0), immediate(asm::JALR, 1, 20, 8)];
    let jumps: [(&[u32], [&str; 1]); 3] = [
        (&[asm::jump(1, 4)], ["cpu: a jump goes to its target"]),
        (&indirect, ["cpu: an indirect jump goes to a + imm without bit 0"]),
        (&[asm::branch(asm::BEQ, 0, 0, 4)], ["cpu: a branch goes to its target if taken"]),
    ];
    for (jump, broken) in jumps {
        let mut code = constant(10, EXIT_CODE);
        code.extend(constant(17, ecall::EXIT));
        code.extend(jump);
        code.push(asm::ECALL);
        let run = Run::of(code);
        let ends = |record: &mut ExecutionRecord| {
            record.cpu.pop();
            record.cpu.last_mut().expect("the jump").next_pc = HALT_PC;
        };
        run.retold(ends).breaks(broken);
    }
}

#[test]
fn an_execution_exits_once() {
    let mut code = asm::exit(EXIT_CODE);
    code.extend([immediate(asm::ADDI, C, 0, 1), asm::ECALL]);
    let run = Run::of(code);
    let goes_on = |record: &mut ExecutionRecord| {
        let exit = *record.cpu.last().expect("the exit");
        let (next, last) = (exit.pc + 4, exit.pc + 8);
        record.cpu.last_mut().expect("the exit").next_pc = next.into();
        record.cpu.push(CpuEvent { pc: next, next_pc: last.into(), a: 0, b: 1, c: 1, ..exit });
        record.cpu.push(CpuEvent { pc: last, ..exit });
    };
    run.retold(goes_on).breaks(["cpu: nothing comes after exit"]);
    // What follows comes after padding.
    let mut code = asm::exit(EXIT_CODE);
    code.extend([immediate(asm::ADDI, C, C, 1), immediate(asm::ADDI, C + 1, 0, 1), asm::ECALL]);
    let run = Run::of(code);
    let exit = run.record.cpu.len() - 1;
    let mut forged = run.retold(|record| {
        let event = record.cpu[exit];
        for (index, (a, b, c)) in [(0, 1, 1), (0, 1, 1), (event.a, event.b, event.c)].into_iter().enumerate()
        {
            let pc = event.pc + 4 * (1 + index as u32);
            record.cpu.push(CpuEvent { pc, next_pc: u64::from(pc) + 4, a, b, c, ..event });
        }
        record.cpu.last_mut().expect("the last exit").next_pc = HALT_PC;
    });
    let clock = forged.row::<Cpu>(exit + 1).clock;
    forged.edit::<Cpu>(exit + 1, |row| {
        let following = row.next_pc;
        *row = cpu::padding(clock.as_canonical_u64() as u32);
        row.next_pc = following;
    });
    forged.edit::<RegistersColumns<Goldilocks>>(C.into(), |row| *row = Default::default());
    forged.breaks(["cpu: padding stays after the exit"]);
    // The first exit is passed off as another call.
    let mut code = asm::exit(EXIT_CODE);
    code.extend([immediate(asm::ADDI, C, 0, 1), asm::ECALL]);
    let run = Run::of(code);
    let exit = run.record.cpu.len() - 1;
    run.retold(goes_on).edit::<Cpu>(exit, |row| row.is_exit = Goldilocks::ZERO).breaks(["memory"]);
    // Another call is passed off as the exit.
    let run = call(ecall::WRITE, [ecall::LOG, 0, 5], &[], &[]);
    let row = run.record.cpu.iter().position(|event| event.a == ecall::WRITE).expect("the call");
    let mut forged = run.retold(|record| {
        record.cpu.truncate(row + 1);
        record.cpu[row].next_pc = HALT_PC;
        record.cpu[row].c = ecall::LOG;
        record.io.clear();
        record.exit_code = ecall::LOG;
    });
    forged.edit::<Cpu>(row, |row| row.is_exit = Goldilocks::ONE).breaks(["cpu: exit has its number"]);
    // Any other instruction is: 93 & 13 is 13.
    let run = operation(AluOp::And, ecall::EXIT, 13);
    let row = last(&run, |class| *class == Class::Alu(AluOp::And));
    let mut forged = run.retold(|record| {
        record.cpu.truncate(row + 1);
        record.cpu[row].next_pc = HALT_PC;
        record.exit_code = 13;
    });
    forged.edit::<Cpu>(row, |row| row.is_exit = Goldilocks::ONE);
    forged.breaks(["cpu: exit is a system call", "memory"]);
}

/// Their `pc + 4` would be 2^32.
#[test]
fn jumps_in_the_last_word_are_no_instructions() {
    let words =
        [asm::jump(1, -4), asm::jump(0, -4), immediate(asm::JALR, 1, 5, 0), immediate(asm::JALR, 0, 5, 0)];
    for word in words {
        assert!(decode(word, 0xffff_fff8).is_some());
        assert_eq!(decode(word, 0xffff_fffc), None);
    }
    // Others may be there; what follows them is no instruction.
    assert!(decode(immediate(asm::ADDI, C, 0, 1), 0xffff_fffc).is_some());
}
