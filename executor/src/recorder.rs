//! Builds the [`ExecutionRecord`]: every event with the values and times that the cells had before.

use lambda_machine::isa::{AluOp, Class, INSTRUCTION_BYTES, Instruction, MemoryOp};
use lambda_machine::memory::{
    CELL_BYTES, FIRST_CLOCK, OUTPUT_INDEX, REGISTER_CELLS, TICK_ECALL, TICK_RD, TICK_RS1, TICK_RS2, TICKS,
};
use lambda_machine::program::Program;
use lambda_machine::record::{
    AluEvent, BoundaryCell, CellAccess, CpuEvent, ExecutionRecord, IoEvent, IoKind, MemoryEvent,
    MisalignedEvent, RegisterRead, RegisterState,
};

use crate::hart::Exit;
use crate::memory::Memory;
use crate::pages::Pages;
use crate::watch::{Access, Call, Change, Retired, Watch};

/// Watches an execution and remembers all of it.
#[derive(Debug)]
pub struct Recorder<'a> {
    program: &'a Program,
    record: ExecutionRecord,
    /// Clock of the instruction at hand.
    clock: u32,
    /// Time of the last access to each register cell.
    register_times: [u32; REGISTER_CELLS],
    /// Time of the last access to each memory cell.
    times: Pages<u32>,
    /// The system call of the instruction at hand.
    call: Option<Call>,
}

impl<'a> Recorder<'a> {
    pub fn new(program: &'a Program) -> Self {
        let record = ExecutionRecord {
            cpu: Vec::new(),
            compare: Vec::new(),
            bitwise: Vec::new(),
            shift: Vec::new(),
            word: Vec::new(),
            mul: Vec::new(),
            divrem: Vec::new(),
            memory: Vec::new(),
            subword: Vec::new(),
            misaligned: Vec::new(),
            io: Vec::new(),
            boundary: Vec::new(),
            registers: [RegisterState::default(); REGISTER_CELLS],
            output: Vec::new(),
            exit_code: 0,
        };
        let (register_times, times) = ([0; REGISTER_CELLS], Pages::new());
        Self { program, record, clock: FIRST_CLOCK, register_times, times, call: None }
    }

    /// The record of an execution that has ended.
    pub fn finish(mut self, exit: &Exit, memory: &Memory, output: &[u8]) -> ExecutionRecord {
        let touched = self.times.cells().filter(|(_, time)| *time != 0);
        self.record.boundary = touched
            .map(|(address, last_time)| {
                let cell = address / CELL_BYTES;
                let in_image = (cell - self.program.image_base) as usize;
                let first = self.program.image.get(in_image).copied().unwrap_or(0);
                BoundaryCell { cell, first, last: memory.cell(address), last_time }
            })
            .collect();
        let states = self.record.registers.iter_mut().zip(&self.register_times).zip(&exit.registers);
        for ((state, &time), &value) in states.take(32) {
            *state = RegisterState { value, time };
        }
        let time = self.register_times[OUTPUT_INDEX as usize];
        self.record.registers[OUTPUT_INDEX as usize] = RegisterState { value: output.len() as u64, time };
        self.record.output = output.to_vec();
        self.record.exit_code = exit.code;
        self.record
    }

    /// Accesses a register cell; gives the time of the access before.
    #[inline(always)]
    fn register(&mut self, register: u8, tick: u32) -> u32 {
        let time = &mut self.register_times[usize::from(register) % REGISTER_CELLS];
        core::mem::replace(time, self.clock + tick)
    }

    /// Accesses the memory cell around `address`.
    #[inline(always)]
    fn cell(&mut self, address: u32, Change { before, after }: Change) -> CellAccess {
        let time_before = core::mem::replace(self.times.get_or_insert(address), self.clock);
        CellAccess { before, after, time_before }
    }

    fn memory_event(&mut self, access: Access) -> MemoryEvent {
        let Access { op, address, value, cell } = access;
        MemoryEvent { time: self.clock, op, address, value, cell: self.cell(address, cell) }
    }

    fn alu(&mut self, op: AluOp, a: u64, b: u64) {
        let events = match op {
            AluOp::Ltu | AluOp::Lt | AluOp::Eq => &mut self.record.compare,
            AluOp::And | AluOp::Or | AluOp::Xor => &mut self.record.bitwise,
            AluOp::Sll | AluOp::Srl | AluOp::Sra | AluOp::Sllw | AluOp::Srlw | AluOp::Sraw => {
                &mut self.record.shift
            }
            AluOp::Addw | AluOp::Subw => &mut self.record.word,
            AluOp::Mul | AluOp::Mulh | AluOp::Mulhsu | AluOp::Mulhu | AluOp::Mulw => &mut self.record.mul,
            AluOp::Div
            | AluOp::Divu
            | AluOp::Rem
            | AluOp::Remu
            | AluOp::Divw
            | AluOp::Divuw
            | AluOp::Remw
            | AluOp::Remuw => &mut self.record.divrem,
        };
        events.push(AluEvent { op, a, b });
    }

    fn io(&mut self, call: &Call) {
        let Call { kind, arguments, moved, data, result, output_index } = *call;
        let mut argument = |value, register| {
            let time_before = self.register(register, TICK_ECALL);
            RegisterRead { value, time_before }
        };
        let [descriptor, address, length] = arguments;
        let (descriptor, address) = (argument(descriptor, 10), argument(address, 11));
        let length = argument(length, 12);
        let output_index = match kind {
            IoKind::Write => argument(output_index, OUTPUT_INDEX as u8),
            IoKind::Read | IoKind::Log | IoKind::InputLength => RegisterRead::default(),
        };
        let clock = self.clock;
        let event = IoEvent { clock, kind, descriptor, address, length, moved, data, result, output_index };
        self.record.io.push(event);
    }
}

impl Watch for Recorder<'_> {
    #[inline(always)]
    fn aligned(&mut self, access: Access) {
        let event = self.memory_event(access);
        match access.op {
            MemoryOp::Ld | MemoryOp::Sd => self.record.memory.push(event),
            _ => self.record.subword.push(event),
        }
    }

    fn misaligned(&mut self, access: Access, second: Option<Change>) {
        let access = self.memory_event(access);
        let second = second.map(|change| self.cell(access.address + CELL_BYTES, change)).unwrap_or_default();
        self.record.misaligned.push(MisalignedEvent { access, second });
    }

    fn called(&mut self, call: Call) {
        self.call = Some(call);
    }

    #[inline(always)]
    fn retired(&mut self, retired: &Retired) {
        let &Retired { index, next_pc, rs1, rs2, result, rd_before } = retired;
        let Some(Some(instruction)) = self.program.code.get(index) else {
            unreachable!("only instructions retire")
        };
        let &Instruction { class, rs1: source, rs2: second, rd, reads_rs2, imm } = instruction;
        let b = if reads_rs2 { rs2 } else { imm };
        let rs1_before = self.register(source, TICK_RS1);
        let rs2_before = if reads_rs2 { self.register(second, TICK_RS2) } else { 0 };
        match class {
            Class::Alu(op) | Class::Branch { op, .. } => self.alu(op, rs1, b),
            Class::Ecall => {
                if let Some(call) = self.call.take() {
                    self.io(&call);
                }
            }
            _ => {}
        }
        let (rd_before, rd_before_time) =
            if instruction.writes() { (rd_before, self.register(rd, TICK_RD)) } else { (0, 0) };
        let pc = self.program.code_base + INSTRUCTION_BYTES * index as u32;
        let (a, c) = (rs1, result);
        let event = CpuEvent { pc, next_pc, a, b, c, rd_before, rs1_before, rs2_before, rd_before_time };
        self.record.cpu.push(event);
        self.clock += TICKS;
    }
}
