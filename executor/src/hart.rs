//! The interpreter.

use lambda_machine::isa::{AluOp, INSTRUCTION_BYTES, MemoryOp};
use lambda_machine::memory::HALT_PC;

use crate::error::Trap;
use crate::memory::Memory;
use crate::step::{Operation, Step};
use crate::system::{Outcome, System};
use crate::watch::{Registers, Retired, Watch};

/// Code as the interpreter wants it.
#[derive(Clone, Debug)]
pub struct Code {
    /// Address of the first step.
    pub base: u32,
    /// One for each word.
    pub steps: Vec<Step>,
}

impl Code {
    /// Index of the step at `pc`. Where there is none, because `pc` is no multiple of 4 or outside the code,
    /// the index is out of range, and [`pc`](Self::pc) still gives back `pc`.
    #[inline(always)]
    const fn index(&self, pc: u64) -> u64 {
        pc.wrapping_sub(self.base as u64).rotate_right(INSTRUCTION_BYTES.trailing_zeros())
    }

    /// Address of the step with an index.
    #[inline(always)]
    pub const fn pc(&self, index: u64) -> u64 {
        (self.base as u64).wrapping_add(index.rotate_left(INSTRUCTION_BYTES.trailing_zeros()))
    }
}

/// Where and why an execution stopped without an exit.
#[derive(Debug)]
pub struct Stop {
    /// Address of the instruction that could not be done.
    pub pc: u64,
    /// Instructions done before it.
    pub cycles: u64,
    pub trap: Trap,
}

/// A program that has exited.
#[derive(Debug)]
pub struct Exit {
    pub code: u64,
    /// Instructions done, exit included.
    pub cycles: u64,
    pub registers: Registers,
}

/// Runs from `entry` until the program exits, for `cycle_limit` instructions at most.
pub fn run<W: Watch>(
    code: &Code,
    entry: u32,
    cycle_limit: u64,
    memory: &mut Memory,
    system: &mut System<'_>,
    watch: &mut W,
) -> Result<Exit, Stop> {
    let mut registers: Registers = [0; 256];
    let mut cycles = 0;
    let mut index = code.index(u64::from(entry));
    // The instruction that leads to `index`.
    let mut last = index;
    loop {
        let stop = |index, trap| Stop { pc: code.pc(index), cycles, trap };
        let Some(step) = usize::try_from(index).ok().and_then(|index| code.steps.get(index)) else {
            return Err(stop(last, Trap::NoCode { target: code.pc(index) }));
        };
        if cycles == cycle_limit {
            return Err(stop(index, Trap::CycleLimit { limit: cycle_limit }));
        }
        let rs1 = registers[usize::from(step.rs1)];
        let rs2 = registers[usize::from(step.rs2)];
        // One of the two is zero in steps that use this.
        let b = rs2.wrapping_add(step.imm);
        let address = rs1.wrapping_add(step.imm);
        let mut next = index.wrapping_add(1);

        macro_rules! branch {
            ($op:ident, $taken:literal) => {{
                let result = AluOp::$op.apply(rs1, rs2);
                if result == $taken {
                    next = code.index(step.imm);
                }
                result
            }};
        }
        macro_rules! load {
            ($op:ident) => {
                match memory.load(MemoryOp::$op, address, watch) {
                    Ok(value) => value,
                    Err(trap) => return Err(stop(index, trap)),
                }
            };
        }
        macro_rules! store {
            ($op:ident) => {
                match memory.store(MemoryOp::$op, address, rs2, watch) {
                    Ok(()) => rs2,
                    Err(trap) => return Err(stop(index, trap)),
                }
            };
        }
        let result = match step.operation {
            Operation::Illegal => return Err(stop(index, Trap::Illegal)),
            Operation::Add => rs1.wrapping_add(b),
            Operation::Sub => rs1.wrapping_sub(b),
            Operation::Ltu => AluOp::Ltu.apply(rs1, b),
            Operation::Lt => AluOp::Lt.apply(rs1, b),
            Operation::Eq => AluOp::Eq.apply(rs1, b),
            Operation::And => AluOp::And.apply(rs1, b),
            Operation::Or => AluOp::Or.apply(rs1, b),
            Operation::Xor => AluOp::Xor.apply(rs1, b),
            Operation::Sll => AluOp::Sll.apply(rs1, b),
            Operation::Srl => AluOp::Srl.apply(rs1, b),
            Operation::Sra => AluOp::Sra.apply(rs1, b),
            Operation::Sllw => AluOp::Sllw.apply(rs1, b),
            Operation::Srlw => AluOp::Srlw.apply(rs1, b),
            Operation::Sraw => AluOp::Sraw.apply(rs1, b),
            Operation::Addw => AluOp::Addw.apply(rs1, b),
            Operation::Subw => AluOp::Subw.apply(rs1, b),
            Operation::Mul => AluOp::Mul.apply(rs1, b),
            Operation::Mulh => AluOp::Mulh.apply(rs1, b),
            Operation::Mulhsu => AluOp::Mulhsu.apply(rs1, b),
            Operation::Mulhu => AluOp::Mulhu.apply(rs1, b),
            Operation::Mulw => AluOp::Mulw.apply(rs1, b),
            Operation::Div => AluOp::Div.apply(rs1, b),
            Operation::Divu => AluOp::Divu.apply(rs1, b),
            Operation::Rem => AluOp::Rem.apply(rs1, b),
            Operation::Remu => AluOp::Remu.apply(rs1, b),
            Operation::Divw => AluOp::Divw.apply(rs1, b),
            Operation::Divuw => AluOp::Divuw.apply(rs1, b),
            Operation::Remw => AluOp::Remw.apply(rs1, b),
            Operation::Remuw => AluOp::Remuw.apply(rs1, b),
            Operation::Beq => branch!(Eq, 1),
            Operation::Bne => branch!(Eq, 0),
            Operation::Blt => branch!(Lt, 1),
            Operation::Bge => branch!(Lt, 0),
            Operation::Bltu => branch!(Ltu, 1),
            Operation::Bgeu => branch!(Ltu, 0),
            Operation::Jal => {
                next = code.index(step.imm);
                code.pc(index.wrapping_add(1))
            }
            Operation::Jalr => {
                next = code.index(address & !1);
                code.pc(index.wrapping_add(1))
            }
            Operation::Lb => load!(Lb),
            Operation::Lh => load!(Lh),
            Operation::Lw => load!(Lw),
            Operation::Ld => load!(Ld),
            Operation::Lbu => load!(Lbu),
            Operation::Lhu => load!(Lhu),
            Operation::Lwu => load!(Lwu),
            Operation::Sb => store!(Sb),
            Operation::Sh => store!(Sh),
            Operation::Sw => store!(Sw),
            Operation::Sd => store!(Sd),
            Operation::Ecall => match system.call(&registers, memory, watch) {
                Ok(Outcome::Result(result)) => result,
                Ok(Outcome::Exit(code)) => {
                    let (index, rd_before) = (index as usize, registers[usize::from(step.rd)]);
                    watch.retired(&Retired { index, next_pc: HALT_PC, rs1, rs2, result: code, rd_before });
                    registers[usize::from(step.rd)] = code;
                    return Ok(Exit { code, cycles: cycles + 1, registers });
                }
                Err(trap) => return Err(stop(index, trap)),
            },
        };
        let rd = &mut registers[usize::from(step.rd)];
        let next_pc = code.pc(next);
        watch.retired(&Retired { index: index as usize, next_pc, rs1, rs2, result, rd_before: *rd });
        *rd = result;
        cycles += 1;
        last = index;
        index = next;
    }
}
