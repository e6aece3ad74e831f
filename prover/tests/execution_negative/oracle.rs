//! Whether what a row tells the other tables is true, whatever it is made of.
//!
//! A row that breaks nothing must tell the truth, or something that no other row answers: a message whose
//! fields are not what its sender shows them to be. The buses' chapter says who shows what.

use lambda_air::Direction;
use lambda_air::rows::Interaction;
use lambda_machine::buses::{ALU, CELLS, MEMORY, OUTPUT, PROGRAM};
use lambda_machine::ecall;
use lambda_machine::isa::{AluOp, Class, Instruction, MemoryOp};
use lambda_machine::memory::{HALT_PC, OUTPUT_INDEX};
use lambda_machine::tables::{TableId, boundary, cpu};
use lambda_math::Goldilocks;
use p3_field::{PrimeCharacteristicRing, PrimeField64};

use crate::forge::Run;
use crate::judge::{Evaluated, Place};

/// What a row says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// Nothing.
    Nothing,
    /// Something that nobody answers.
    Unheard,
    /// The truth.
    Truth,
    /// Something false.
    Lie,
}

/// A message, sent or received once.
struct Message {
    bus: u32,
    is_sent: bool,
    fields: Vec<u64>,
}

/// An access to a cell.
struct Access {
    space: u64,
    cell: u64,
    before: u64,
    after: u64,
    time_before: u64,
    time: u64,
}

/// What a field is when it is not what it should be: nobody answers, or it is false.
type Outcome<T> = Result<T, Says>;

/// Judges the row at `place`, `row`, that says `evaluated`, all of whose lookups are entries.
pub fn judge(run: &Run, place: Place<'_>, rows: [&[Goldilocks]; 2], evaluated: &Evaluated) -> Says {
    if !is_linked(place, rows) {
        return Says::Lie;
    }
    let all = evaluated.messages.iter().chain(&evaluated.lookups);
    let spoken: Vec<&Interaction<Goldilocks>> = all.collect();
    if spoken.is_empty() {
        return Says::Nothing;
    }
    if spoken.iter().any(|message| message.multiplicity != Goldilocks::ONE) {
        return Says::Lie;
    }
    let messages: Vec<Message> = spoken
        .into_iter()
        .map(|own| Message {
            bus: own.bus.id,
            is_sent: own.direction == Direction::Send,
            fields: own.fields.iter().map(Goldilocks::as_canonical_u64).collect(),
        })
        .collect();
    let truth = match place.table {
        TableId::Cpu => instruction(run, place, rows[0], &messages),
        TableId::Memory | TableId::Subword | TableId::Misaligned => load_or_store(&messages),
        TableId::Io => system_call(&messages),
        TableId::Boundary => cell(run, place, rows[0], &messages),
        _ => operation(&messages),
    };
    match truth {
        Ok(true) => Says::Truth,
        Ok(false) => Says::Lie,
        Err(says) => says,
    }
}

/// Whether the row follows from what is before it and leads to what is after it, in tables whose rows are in
/// order. Rows after the last instruction stay at [`HALT_PC`], those after the last cell at that cell.
fn is_linked(place: Place<'_>, [row, next]: [&[Goldilocks]; 2]) -> bool {
    let Place { table, row: index, height, public_values } = place;
    let (is_first, is_last) = (index == 0, index + 1 == height);
    match table {
        TableId::Cpu => {
            let [row, next] = [row, next].map(cpu::CpuColumns::from_row);
            let publics = cpu::PublicValues::new(core::array::from_fn(|i| public_values[i]));
            let is_halted = row.flags[..10].iter().all(|flag| *flag == Goldilocks::ZERO);
            let halt = Goldilocks::from_u64(HALT_PC);
            (!is_first || (row.pc, row.clock) == (publics.first_pc, publics.first_clock))
                && (!is_halted || (row.pc, row.next_pc) == (halt, halt))
                && if is_last {
                    row.next_pc == publics.last_pc
                } else {
                    (next.pc, next.clock) == (row.next_pc, row.clock + Goldilocks::from_u8(4))
                }
        }
        TableId::Boundary => {
            let [row, next] = [row, next].map(boundary::BoundaryColumns::from_row);
            let publics = boundary::PublicValues::new(core::array::from_fn(|i| public_values[i]));
            // The cell after the last one so far.
            let after =
                |row: &boundary::BoundaryColumns<Goldilocks>| (row.cell + Goldilocks::ONE).as_canonical_u64();
            let is_step = |before: u64, row: &boundary::BoundaryColumns<Goldilocks>| {
                let is_padding = row.is_real == Goldilocks::ZERO;
                if is_padding { after(row) == before } else { row.cell.as_canonical_u64() >= before }
            };
            (!is_first || is_step(publics.start.as_canonical_u64(), &row))
                && if is_last {
                    after(&row) == publics.end.as_canonical_u64()
                } else {
                    is_step(after(&row), &next)
                        && (row.is_real != Goldilocks::ZERO || next.is_real == Goldilocks::ZERO)
                }
        }
        _ => true,
    }
}

fn word(field: u64) -> Outcome<u64> {
    if field >> 32 == 0 { Ok(field) } else { Err(Says::Unheard) }
}

fn double(fields: &[u64]) -> Outcome<u64> {
    Ok(word(fields[0])? | word(fields[1])? << 32)
}

fn on(messages: &[Message], bus: u32, is_sent: bool) -> Vec<&[u64]> {
    let found = messages.iter().filter(|message| message.bus == bus && message.is_sent == is_sent);
    found.map(|message| &*message.fields).collect()
}

/// The accesses, in order; a token that is received is followed by the one that is sent.
fn accesses(messages: &[Message]) -> Outcome<Vec<Access>> {
    let tokens: Vec<&Message> = messages.iter().filter(|message| message.bus == CELLS.id).collect();
    let pairs = tokens.chunks(2).map(|pair| {
        let [received, sent] = pair else { return Err(Says::Lie) };
        let (before, after) = (&received.fields, &sent.fields);
        if received.is_sent || !sent.is_sent || before[..2] != after[..2] {
            return Err(Says::Lie);
        }
        let limit = if before[0] == 0 { 1 << 29 } else { 64 };
        if before[1] >= limit {
            return Err(Says::Unheard);
        }
        Ok(Access {
            space: before[0],
            cell: before[1],
            before: double(&before[2..])?,
            after: double(&after[2..])?,
            time_before: word(before[4])?,
            time: word(after[4])?,
        })
    });
    let accesses: Vec<Access> = pairs.collect::<Result<_, _>>()?;
    if accesses.iter().all(|access| access.time_before < access.time) { Ok(accesses) } else { Err(Says::Lie) }
}

fn operation(messages: &[Message]) -> Outcome<bool> {
    let [message] = on(messages, ALU.id, false)[..] else { return Ok(false) };
    let op = AluOp::ALL.into_iter().find(|&op| op as u64 == message[0]).ok_or(Says::Unheard)?;
    let [a, b, c] = [double(&message[1..])?, double(&message[3..])?, double(&message[5..])?];
    Ok(op.apply(a, b) == c)
}

fn load_or_store(messages: &[Message]) -> Outcome<bool> {
    let [message] = on(messages, MEMORY.id, false)[..] else { return Ok(false) };
    let accesses = accesses(messages)?;
    if message[0] == u64::from(MemoryOp::ECALL) {
        return Ok(false);
    }
    let op = MemoryOp::ALL.into_iter().find(|&op| op as u64 == message[0]).ok_or(Says::Unheard)?;
    let (time, address, value) = (word(message[1])?, message[2], double(&message[3..])?);
    let bytes = u64::from(op.bytes());
    let touched: Vec<u64> = accesses.iter().map(|access| access.cell).collect();
    let last = address.wrapping_add(bytes - 1);
    if last < address || !(touched == [address / 8] || touched == [address / 8, last / 8]) {
        return Ok(false);
    }
    if (touched.len() == 2) != (address / 8 != last / 8) {
        return Ok(false);
    }
    let in_memory = |access: &Access| access.space == 0 && access.time == time;
    let pack = |part: fn(&Access) -> u64| {
        accesses.iter().rev().fold(0, |wide: u128, access| wide << 64 | u128::from(part(access)))
    };
    let (before, after) = (pack(|access| access.before), pack(|access| access.after));
    let shift = 8 * (address % 8);
    let mask = ((1u128 << (8 * bytes)) - 1) << shift;
    let holds = if op.is_store() {
        after == before & !mask | u128::from(value) << shift & mask
    } else {
        after == before && value == op.extend(((before & mask) >> shift) as u64)
    };
    Ok(holds && accesses.iter().all(in_memory))
}

fn system_call(messages: &[Message]) -> Outcome<bool> {
    let [message] = on(messages, MEMORY.id, false)[..] else { return Ok(false) };
    let accesses = accesses(messages)?;
    let (clock, number) = (word(message[1])?, message[2]);
    let result = double(&message[3..])?;
    if message[0] != u64::from(MemoryOp::ECALL) || accesses.len() < 3 {
        return Ok(false);
    }
    let (registers, counter) = accesses.split_at(3);
    let read = |(access, register): (&Access, u64)| {
        access.space == 1 && access.cell == register && access.before == access.after
    };
    let at_once = accesses.iter().all(|access| access.time == clock + 2);
    if !registers.iter().zip(10..).all(read) || !at_once {
        return Ok(false);
    }
    let [descriptor, address, length] = [0, 1, 2].map(|i| registers[i].before);
    let request = on(messages, MEMORY.id, true);
    let output = on(messages, OUTPUT.id, true);
    let (moved, data) = match request[..] {
        [] => (0, 0),
        [request] => {
            let moved = match request[0] {
                op if op == MemoryOp::Sd as u64 || op == MemoryOp::Ld as u64 => 8,
                _ => 1,
            };
            if request[1] != clock || request[2] != address {
                return Ok(false);
            }
            (moved, double(&request[3..])?)
        }
        _ => return Ok(false),
    };
    let asks = |cell: MemoryOp, byte: MemoryOp| match moved {
        8 => request[0][0] == cell as u64,
        1 => request[0][0] == byte as u64,
        _ => true,
    };
    let silent = output.is_empty() && counter.is_empty();
    Ok(match (number, descriptor) {
        (ecall::READ, ecall::INPUT) => {
            silent
                && length >> 32 == 0
                && moved <= length
                && result == moved
                && asks(MemoryOp::Sd, MemoryOp::Sb)
        }
        (ecall::WRITE, ecall::OUTPUT) => {
            let [counter] = counter else { return Ok(false) };
            let expected = match length {
                0 => 0,
                8.. if address % 8 == 0 => 8,
                _ => 1,
            };
            let bytes = (0..moved).map(|i| [counter.before + i, data >> (8 * i) & 0xff]);
            length >> 32 == 0
                && moved == expected
                && result == moved
                && asks(MemoryOp::Ld, MemoryOp::Lbu)
                && (counter.space, counter.cell) == (1, OUTPUT_INDEX.into())
                && counter.after == counter.before + moved
                && bytes.eq(output.iter().map(|fields| [fields[0], fields[1]]))
        }
        (ecall::WRITE, ecall::LOG) => silent && moved == 0 && length >> 32 == 0 && result == length,
        (ecall::INPUT_LENGTH, _) => silent && moved == 0,
        _ => false,
    })
}

fn cell(run: &Run, place: Place<'_>, row: &[Goldilocks], messages: &[Message]) -> Outcome<bool> {
    let [first] = on(messages, CELLS.id, true)[..] else { return Ok(false) };
    let [last] = on(messages, CELLS.id, false)[..] else { return Ok(false) };
    if first[0] != 0 || first[..2] != last[..2] || first[4] != 0 {
        return Ok(false);
    }
    let row = boundary::BoundaryColumns::from_row(row);
    let publics = core::array::from_fn(|i| place.public_values[i].as_canonical_u64());
    let boundary::PublicValues { start, end, .. } = boundary::PublicValues::new(publics);
    let index = first[1].wrapping_sub(run.program.image_base.into());
    let initial = run.program.image.get(index as usize).copied();
    double(&last[2..])?;
    word(last[4])?;
    Ok(row.cell.as_canonical_u64() == first[1]
        && (start..end).contains(&first[1])
        && initial.unwrap_or(0) == double(&first[2..])?)
}

fn instruction(run: &Run, place: Place<'_>, row: &[Goldilocks], messages: &[Message]) -> Outcome<bool> {
    let row = cpu::CpuColumns::from_row(row);
    let next_pc = row.next_pc.as_canonical_u64();
    let [fetched] = on(messages, PROGRAM.id, true)[..] else { return Ok(false) };
    let index = (fetched[0] - u64::from(run.program.code_base)) / 4;
    let Instruction { class, rs1, rs2, rd, reads_rs2, imm } =
        run.program.code[index as usize].expect("what is fetched is an instruction");
    let (pc, clock) = (row.pc.as_canonical_u64(), word(row.clock.as_canonical_u64())?);
    let accesses = accesses(messages)?;
    let mut expected = vec![(u64::from(rs1), clock)];
    expected.extend(reads_rs2.then_some((u64::from(rs2), clock + 1)));
    expected.extend((rd != 0).then_some((u64::from(rd), clock + 3)));
    let got = accesses.iter().map(|access| (access.cell, access.time));
    if pc != fetched[0] || !got.eq(expected) || accesses.iter().any(|access| access.space != 1) {
        return Ok(false);
    }
    let a = accesses[0].before;
    let b = if reads_rs2 { accesses[1].before } else { imm };
    let reads = 1 + usize::from(reads_rs2);
    if accesses[..reads].iter().any(|access| access.before != access.after) {
        return Ok(false);
    }
    let c = double(&row.c.map(|word| word.as_canonical_u64()))?;
    if rd != 0 && accesses[reads].after != c {
        return Ok(false);
    }
    let operations = on(messages, ALU.id, true);
    let requests = on(messages, MEMORY.id, true);
    let halves = |value: u64| [value & 0xffff_ffff, value >> 32];
    let asks_alu = |op: AluOp| {
        let [message] = operations[..] else { return false };
        message == [&[op as u64], &halves(a)[..], &halves(b), &halves(c)].concat() && requests.is_empty()
    };
    let asks_memory = |op: u64, address: u64| -> Outcome<bool> {
        let [message] = requests[..] else { return Ok(false) };
        // An address that is no word has no cell, and is no call's number.
        word(message[2])?;
        Ok(message == [&[op, clock, address], &halves(c)[..]].concat() && operations.is_empty())
    };
    let silent = operations.is_empty() && requests.is_empty();
    let address = a.wrapping_add(imm);
    let link = pc + 4;
    Ok(match class {
        Class::Add => silent && c == a.wrapping_add(b) && next_pc == link,
        Class::Sub => silent && c == a.wrapping_sub(b) && next_pc == link,
        Class::Alu(op) => asks_alu(op) && next_pc == link,
        Class::Branch { op, invert } => {
            // The table of comparisons answers 0 or 1 only.
            if c > 1 {
                return Err(Says::Unheard);
            }
            asks_alu(op) && next_pc == if (c == 1) == invert { link } else { imm }
        }
        Class::Jal => silent && c == link && next_pc == imm,
        Class::Jalr => {
            // No instruction is elsewhere.
            if next_pc >> 32 != 0 || !next_pc.is_multiple_of(4) {
                return Err(Says::Unheard);
            }
            silent && c == link && next_pc == address & !1
        }
        Class::Load(op) => asks_memory(op as u64, address)? && next_pc == link,
        Class::Store(op) => asks_memory(op as u64, address)? && c == b && next_pc == link,
        Class::Ecall if row.is_exit == Goldilocks::ONE => {
            let code = [3, 4].map(|i| place.public_values[i].as_canonical_u64());
            silent && a == ecall::EXIT && b == double(&code)? && c == b && next_pc == HALT_PC
        }
        Class::Ecall => {
            // Nobody receives another number.
            if ![ecall::READ, ecall::WRITE, ecall::INPUT_LENGTH].contains(&a) && !requests.is_empty() {
                return Err(Says::Unheard);
            }
            asks_memory(u64::from(MemoryOp::ECALL), a)? && next_pc == link
        }
    })
}
