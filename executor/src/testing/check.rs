//! Checks a record by running its program once more, with another interpreter: byte by byte, from a map of
//! cells, and without a thought for speed. Every event must be the next one that this interpreter wants.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::slice::Iter;

use lambda_machine::ecall;
use lambda_machine::isa::{AluOp, Class, Instruction, MemoryOp};
use lambda_machine::memory::{HALT_PC, REGISTER_CELLS};
use lambda_machine::program::Program;
use lambda_machine::record::{
    AluEvent, BoundaryCell, CellAccess, CpuEvent, ExecutionRecord, IoEvent, IoKind, MemoryEvent,
    MisalignedEvent, RegisterRead, RegisterState,
};

/// Checks that `record` is that of an execution of `program` from start to exit.
///
/// # Panics
/// At the first event that is not what it should be, naming its instruction.
pub fn check_record(program: &Program, record: &ExecutionRecord) {
    let mut checker = Checker::new(program, record);
    let last = record.cpu.len() - 1;
    for (index, event) in record.cpu.iter().enumerate() {
        checker.clock = 4 * (index as u32 + 1);
        checker.instruction(event);
        assert_eq!(checker.pc == HALT_PC, index == last, "instruction {index} and the exit");
    }
    checker.finish();
}

/// A cell that was accessed.
#[derive(Clone, Copy, Debug)]
struct Cell {
    first: u64,
    value: u64,
    time: u32,
}

struct Checker<'a> {
    program: &'a Program,
    record: &'a ExecutionRecord,
    clock: u32,
    pc: u64,
    registers: [RegisterState; REGISTER_CELLS],
    cells: BTreeMap<u32, Cell>,
    output: Vec<u8>,
    compare: Iter<'a, AluEvent>,
    bitwise: Iter<'a, AluEvent>,
    shift: Iter<'a, AluEvent>,
    word: Iter<'a, AluEvent>,
    mul: Iter<'a, AluEvent>,
    divrem: Iter<'a, AluEvent>,
    memory: Iter<'a, MemoryEvent>,
    subword: Iter<'a, MemoryEvent>,
    misaligned: Iter<'a, MisalignedEvent>,
    io: Iter<'a, IoEvent>,
}

impl<'a> Checker<'a> {
    fn new(program: &'a Program, record: &'a ExecutionRecord) -> Self {
        Self {
            program,
            record,
            clock: 0,
            pc: u64::from(program.entry),
            registers: [RegisterState::default(); REGISTER_CELLS],
            cells: BTreeMap::new(),
            output: Vec::new(),
            compare: record.compare.iter(),
            bitwise: record.bitwise.iter(),
            shift: record.shift.iter(),
            word: record.word.iter(),
            mul: record.mul.iter(),
            divrem: record.divrem.iter(),
            memory: record.memory.iter(),
            subword: record.subword.iter(),
            misaligned: record.misaligned.iter(),
            io: record.io.iter(),
        }
    }

    #[track_caller]
    fn same<T: PartialEq + Debug>(&self, what: &str, got: &T, expected: &T) {
        assert_eq!(got, expected, "{what} of the instruction at {:#x}, clock {}", self.pc, self.clock);
    }

    /// Accesses a register; gives value and time before.
    fn register(&mut self, number: u8, tick: u32) -> RegisterState {
        let state = &mut self.registers[usize::from(number)];
        let before = *state;
        assert!(before.time < self.clock + tick, "time goes on for x{number}");
        state.time = self.clock + tick;
        before
    }

    fn instruction(&mut self, event: &CpuEvent) {
        self.same("pc", &u64::from(event.pc), &self.pc);
        let instruction = self.program.code[((event.pc - self.program.code_base) / 4) as usize];
        let Instruction { class, rs1, rs2, rd, reads_rs2, imm } = instruction.expect("an instruction");
        let first = self.register(rs1, 0);
        self.same("a and the time before", &(event.a, event.rs1_before), &(first.value, first.time));
        let second = if reads_rs2 { self.register(rs2, 1) } else { RegisterState { value: imm, time: 0 } };
        self.same("b and the time before", &(event.b, event.rs2_before), &(second.value, second.time));
        let (a, b) = (first.value, second.value);
        let link = self.pc + 4;
        let address = a.wrapping_add(imm);
        let (result, next_pc) = match class {
            Class::Add => (a.wrapping_add(b), link),
            Class::Sub => (a.wrapping_sub(b), link),
            Class::Alu(op) => (self.alu(op, a, b), link),
            Class::Branch { op, invert } => {
                let result = self.alu(op, a, b);
                (result, if (result == 1) == invert { link } else { imm })
            }
            Class::Jal => (link, imm),
            Class::Jalr => (link, address & !1),
            Class::Load(op) => (self.load(op, address), link),
            Class::Store(op) => {
                self.store(op, address, b);
                (b, link)
            }
            Class::Ecall if a == ecall::EXIT => (b, HALT_PC),
            Class::Ecall => (self.io(a), link),
        };
        self.same("result", &event.c, &result);
        self.same("next pc", &event.next_pc, &next_pc);
        if rd == 0 {
            self.same("rd before", &(event.rd_before, event.rd_before_time), &(0, 0));
        } else {
            let before = self.register(rd, 3);
            self.same("rd before", &(event.rd_before, event.rd_before_time), &(before.value, before.time));
            self.registers[usize::from(rd)].value = result;
        }
        self.pc = next_pc;
    }

    fn alu(&mut self, op: AluOp, a: u64, b: u64) -> u64 {
        let events = match op as u8 {
            1..=3 => &mut self.compare,
            4..=6 => &mut self.bitwise,
            7..=12 => &mut self.shift,
            13..=14 => &mut self.word,
            15..=19 => &mut self.mul,
            _ => &mut self.divrem,
        };
        let event = events.next().copied();
        self.same("operation", &event, &Some(AluEvent { op, a, b }));
        op.apply(a, b)
    }

    /// The cell `number`, as it is before an access.
    fn cell(&mut self, number: u32) -> &mut Cell {
        let index = number.checked_sub(self.program.image_base).expect("no cell is below the image");
        let first = self.program.image.get(index as usize).copied().unwrap_or(0);
        self.cells.entry(number).or_insert(Cell { first, value: first, time: 0 })
    }

    /// Writes `bytes`, at most 8, from `address` and gives the accesses to both cells; only the first, if
    /// there are no bytes in the second.
    fn access(&mut self, address: u32, bytes: &[u8]) -> [CellAccess; 2] {
        let mut accesses = [CellAccess::default(); 2];
        let (mut offset, clock) = (address as usize % 8, self.clock);
        let (in_first, in_second) = bytes.split_at(bytes.len().min(8 - offset));
        for (i, part) in [in_first, in_second].into_iter().enumerate().filter(|(_, part)| !part.is_empty()) {
            let cell = self.cell(address / 8 + i as u32);
            let mut value = cell.value.to_le_bytes();
            value[offset..offset + part.len()].copy_from_slice(part);
            let after = u64::from_le_bytes(value);
            accesses[i] = CellAccess { before: cell.value, after, time_before: cell.time };
            (cell.value, cell.time) = (after, clock);
            offset = 0;
        }
        accesses
    }

    /// Bytes from `address`, as they are.
    fn bytes(&mut self, address: u32, count: u32) -> Vec<u8> {
        let byte = |address: u32| self.cell(address / 8).value.to_le_bytes()[address as usize % 8];
        (address..=address + (count - 1)).map(byte).collect()
    }

    fn load(&mut self, op: MemoryOp, address: u64) -> u64 {
        let address = u32::try_from(address).expect("an address is below 2^32");
        let bytes = self.bytes(address, op.bytes());
        let mut value = [0; 8];
        value[..bytes.len()].copy_from_slice(&bytes);
        let is_signed = matches!(op, MemoryOp::Lb | MemoryOp::Lh | MemoryOp::Lw);
        if is_signed && bytes[bytes.len() - 1] >= 0x80 {
            value[bytes.len()..].fill(0xff);
        }
        let value = u64::from_le_bytes(value);
        self.memory_event(op, address, value, &bytes);
        value
    }

    fn store(&mut self, op: MemoryOp, address: u64, value: u64) {
        let address = u32::try_from(address).expect("an address is below 2^32");
        let bytes = &value.to_le_bytes()[..op.bytes() as usize];
        self.memory_event(op, address, value, bytes);
    }

    fn memory_event(&mut self, op: MemoryOp, address: u32, value: u64, bytes: &[u8]) {
        let [cell, second] = self.access(address, bytes);
        let expected = MemoryEvent { time: self.clock, op, address, value, cell };
        if !(address as usize).is_multiple_of(bytes.len()) {
            let event = self.misaligned.next().copied();
            self.same("misaligned access", &event, &Some(MisalignedEvent { access: expected, second }));
        } else if bytes.len() == 8 {
            let event = self.memory.next().copied();
            self.same("access", &event, &Some(expected));
        } else {
            let event = self.subword.next().copied();
            self.same("access", &event, &Some(expected));
        }
    }

    /// A system call other than exit; gives its result.
    fn io(&mut self, number: u64) -> u64 {
        let event = *self.io.next().expect("an event for each system call");
        let [descriptor, address, length] = [10, 11, 12].map(|number| {
            let RegisterState { value, time } = self.register(number, 2);
            RegisterRead { value, time_before: time }
        });
        let (kind, moved) = match (number, descriptor.value) {
            (ecall::INPUT_LENGTH, _) => (IoKind::InputLength, 0),
            (ecall::WRITE, ecall::LOG) => (IoKind::Log, 0),
            (ecall::WRITE, ecall::OUTPUT) => (IoKind::Write, wanted(address.value, length.value)),
            // How much is read is up to the input.
            (ecall::READ, ecall::INPUT) => {
                let most = wanted(address.value, length.value);
                assert!([0, 1, most].contains(&event.moved) && event.moved <= most, "{event:?}");
                (IoKind::Read, event.moved)
            }
            other => panic!("there is no system call {other:?}"),
        };
        let result = match kind {
            IoKind::InputLength => event.result,
            IoKind::Log => length.value,
            IoKind::Read | IoKind::Write => u64::from(moved),
        };
        let output_index = if kind == IoKind::Write {
            let RegisterState { value, time } = self.register(32, 2);
            RegisterRead { value, time_before: time }
        } else {
            RegisterRead::default()
        };
        let data = match (kind, moved) {
            (_, 0) => 0,
            (IoKind::Read, 8) => {
                self.store(MemoryOp::Sd, address.value, event.data);
                event.data
            }
            (IoKind::Read, _) => {
                assert!(event.data < 256, "{event:?}");
                self.store(MemoryOp::Sb, address.value, event.data);
                event.data
            }
            (_, 8) => self.load(MemoryOp::Ld, address.value),
            _ => self.load(MemoryOp::Lbu, address.value),
        };
        if kind == IoKind::Write {
            self.output.extend(&data.to_le_bytes()[..moved as usize]);
            self.registers[32].value = self.output.len() as u64;
        }
        let clock = self.clock;
        let expected =
            IoEvent { clock, kind, descriptor, address, length, moved, data, result, output_index };
        self.same("system call", &event, &expected);
        result
    }

    fn finish(mut self) {
        let left = [
            self.compare.next(),
            self.bitwise.next(),
            self.shift.next(),
            self.word.next(),
            self.mul.next(),
            self.divrem.next(),
        ];
        assert_eq!(left, [None; 6], "operations of no instruction");
        assert_eq!(self.memory.next(), None, "an access of no instruction");
        assert_eq!(self.subword.next(), None, "an access of no instruction");
        assert_eq!(self.misaligned.next(), None, "an access of no instruction");
        assert_eq!(self.io.next(), None, "a system call of no instruction");
        let boundary: Vec<BoundaryCell> = self
            .cells
            .iter()
            .map(|(&cell, state)| BoundaryCell {
                cell,
                first: state.first,
                last: state.value,
                last_time: state.time,
            })
            .collect();
        assert_eq!(self.record.boundary, boundary, "memory cells at the end");
        assert_eq!(self.record.registers, self.registers, "registers at the end");
        assert_eq!(self.record.output, self.output, "public output");
        assert_eq!(self.record.exit_code, self.registers[10].value, "exit code");
    }
}

/// Bytes that a call moves which may move `length`.
const fn wanted(address: u64, length: u64) -> u32 {
    match length {
        0 => 0,
        8.. if address.is_multiple_of(8) => 8,
        _ => 1,
    }
}
