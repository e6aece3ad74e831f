//! System calls (`lambda_machine::ecall`): input, public output, log.

use std::collections::VecDeque;

use lambda_machine::ecall::{self, MAX_OUTPUT_BYTES};
use lambda_machine::isa::MemoryOp;
use lambda_machine::memory::CELL_BYTES;
use lambda_machine::record::IoKind;

use crate::error::Trap;
use crate::memory::Memory;
use crate::watch::{Call, Registers, Watch};

/// Bytes of the log that are kept, the last ones.
pub const LOG_BYTES: usize = 1 << 20;

/// How a system call ended.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    /// The program goes on with this in `x10`.
    Result(u64),
    /// The program has exited with this code.
    Exit(u64),
}

/// What a program talks to.
#[derive(Debug)]
pub struct System<'a> {
    input: &'a [u8],
    /// Bytes of input read.
    position: usize,
    output: Vec<u8>,
    log: VecDeque<u8>,
}

impl<'a> System<'a> {
    pub const fn new(input: &'a [u8]) -> Self {
        Self { input, position: 0, output: Vec::new(), log: VecDeque::new() }
    }

    /// Public output and log.
    pub fn into_parts(self) -> (Vec<u8>, Vec<u8>) {
        (self.output, self.log.into())
    }

    /// Does the call that the registers ask for.
    pub fn call<W: Watch>(
        &mut self,
        registers: &Registers,
        memory: &mut Memory,
        watch: &mut W,
    ) -> Result<Outcome, Trap> {
        let (number, arguments) = (registers[17], [registers[10], registers[11], registers[12]]);
        let [descriptor, ..] = arguments;
        let output_index = self.output.len() as u64;
        let done = match (number, descriptor) {
            (ecall::EXIT, code) => return Ok(Outcome::Exit(code)),
            (ecall::INPUT_LENGTH, _) => Done::nothing(IoKind::InputLength, self.input.len() as u64),
            (ecall::READ, ecall::INPUT) => self.read(arguments, memory, watch)?,
            (ecall::WRITE, ecall::OUTPUT) => self.write(arguments, memory, watch)?,
            (ecall::WRITE, ecall::LOG) => self.log(arguments, memory)?,
            (ecall::READ | ecall::WRITE, _) => return Err(Trap::Descriptor { number, descriptor }),
            _ => return Err(Trap::SystemCall { number }),
        };
        let Done { kind, moved, data, result } = done;
        watch.called(Call { kind, arguments, moved, data, result, output_index });
        Ok(Outcome::Result(result))
    }

    fn read<W: Watch>(
        &mut self,
        [_, address, length]: [u64; 3],
        memory: &mut Memory,
        watch: &mut W,
    ) -> Result<Done, Trap> {
        check_length(length)?;
        let rest = &self.input[self.position..];
        let (op, data) = match (rest, amount(address, length)) {
            ([], _) | (_, None) => return Ok(Done::nothing(IoKind::Read, 0)),
            ([first, ..], amount) => match (rest.first_chunk(), amount) {
                (Some(cell), Some(Amount::Cell)) => (MemoryOp::Sd, u64::from_le_bytes(*cell)),
                _ => (MemoryOp::Sb, u64::from(*first)),
            },
        };
        memory.store(op, address, data, watch)?;
        self.position += op.bytes() as usize;
        Ok(Done::moved(IoKind::Read, op, data))
    }

    fn write<W: Watch>(
        &mut self,
        [_, address, length]: [u64; 3],
        memory: &Memory,
        watch: &mut W,
    ) -> Result<Done, Trap> {
        check_length(length)?;
        let op = match amount(address, length) {
            None => return Ok(Done::nothing(IoKind::Write, 0)),
            Some(Amount::Byte) => MemoryOp::Lbu,
            Some(Amount::Cell) => MemoryOp::Ld,
        };
        let data = memory.load(op, address, watch)?;
        self.output.extend(&data.to_le_bytes()[..op.bytes() as usize]);
        if self.output.len() > MAX_OUTPUT_BYTES {
            return Err(Trap::OutputLimit { limit_bytes: MAX_OUTPUT_BYTES });
        }
        Ok(Done::moved(IoKind::Write, op, data))
    }

    /// Takes everything at once, since nothing of it is proven; what does not exist is left out.
    fn log(&mut self, [_, address, length]: [u64; 3], memory: &Memory) -> Result<Done, Trap> {
        check_length(length)?;
        let skipped = length.saturating_sub(LOG_BYTES as u64);
        self.log.extend(memory.bytes_at(address.saturating_add(skipped), length - skipped));
        self.log.drain(..self.log.len().saturating_sub(LOG_BYTES));
        Ok(Done::nothing(IoKind::Log, length))
    }
}

/// How much one call moves.
enum Amount {
    Byte,
    Cell,
}

/// What a call asks for that moves `length` bytes at most, if anything.
const fn amount(address: u64, length: u64) -> Option<Amount> {
    let cell_bytes = CELL_BYTES as u64;
    match length {
        0 => None,
        _ if address.is_multiple_of(cell_bytes) && length >= cell_bytes => Some(Amount::Cell),
        _ => Some(Amount::Byte),
    }
}

const fn check_length(length: u64) -> Result<(), Trap> {
    if length >> 32 == 0 { Ok(()) } else { Err(Trap::Length { length }) }
}

/// What a call did.
struct Done {
    kind: IoKind,
    moved: u32,
    data: u64,
    result: u64,
}

impl Done {
    const fn nothing(kind: IoKind, result: u64) -> Self {
        Self { kind, moved: 0, data: 0, result }
    }

    const fn moved(kind: IoKind, op: MemoryOp, data: u64) -> Self {
        let moved = op.bytes();
        Self { kind, moved, data, result: moved as u64 }
    }
}
