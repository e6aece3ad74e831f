//! Calls, what they move, and public output.

use lambda_executor::Executor;
use lambda_executor::testing::ElfFile;
use lambda_executor::testing::assembler::{self as asm, constant};
use lambda_executor::testing::elf_file::DATA;
use lambda_machine::ecall::{self, MAX_OUTPUT_BYTES};
use lambda_machine::isa::{Class, MemoryOp};
use lambda_machine::record::{CellAccess, ExecutionRecord, IoKind, MemoryEvent, MisalignedEvent};
use lambda_machine::tables::io::IoColumns;
use lambda_math::Goldilocks;
use p3_field::{Field, PrimeCharacteristicRing};

use crate::forge::{Forged, Run, field, halves, retime, words};
use crate::programs::{EXIT_CODE, call, last};

type Io = IoColumns<Goldilocks>;

const ZERO: Goldilocks = Goldilocks::ZERO;
const ONE: Goldilocks = Goldilocks::ONE;

/// Bytes at [`DATA`].
const BYTES: [u8; 16] = *b"0123456789abcdef";

fn at(offset: u64) -> u64 {
    u64::from(DATA) + offset
}

fn write(offset: u64, length: u64) -> Run {
    call(ecall::WRITE, [ecall::OUTPUT, at(offset), length], &BYTES, &[])
}

/// Row of the call.
fn call_row(run: &Run) -> usize {
    last(run, |class| *class == Class::Ecall) - asm::exit(EXIT_CODE).len()
}

/// The call moves `moved` bytes instead, which are at its address, whatever the tables think of that.
fn moves(run: &Run, record: &mut ExecutionRecord, moved: u32) {
    let event = &mut record.io[0];
    let (address, offset) = (event.address.value as u32, (event.address.value % 8) as usize);
    event.moved = moved;
    event.result = moved.into();
    let bytes = &BYTES[(address - DATA) as usize..][..moved as usize];
    let mut data = [0; 8];
    data[..bytes.len()].copy_from_slice(bytes);
    event.data = u64::from_le_bytes(data);
    let op = if moved == 8 { MemoryOp::Ld } else { MemoryOp::Lbu };
    let cell = |number: usize| {
        let value = u64::from_le_bytes(BYTES[8 * number..][..8].try_into().expect("eight bytes"));
        CellAccess { before: value, after: value, time_before: 0 }
    };
    let first = (address - DATA) as usize / 8;
    let access = MemoryEvent { time: event.clock, op, address, value: event.data, cell: cell(first) };
    record.memory.clear();
    record.subword.clear();
    record.boundary.truncate(1);
    match (moved, offset) {
        (0, _) => record.boundary.clear(),
        (1, _) => record.subword = vec![access],
        (_, 0) => record.memory = vec![access],
        _ => {
            let second = cell(first + 1);
            record.misaligned = vec![MisalignedEvent { access, second }];
            let mut next = record.boundary[0];
            next.cell += 1;
            (next.first, next.last) = (second.before, second.after);
            record.boundary.push(next);
        }
    }
    record.output = bytes.to_vec();
    record.cpu[call_row(run)].c = moved.into();
}

#[test]
fn output_is_what_was_written_in_order() {
    let mut code = Vec::new();
    for offset in [1, 2] {
        let arguments = [(10, ecall::OUTPUT), (11, at(offset)), (12, 1)];
        code.extend(arguments.into_iter().flat_map(|(register, value)| constant(register, value)));
        code.extend(asm::system_call(ecall::WRITE));
    }
    code.extend(asm::exit(EXIT_CODE));
    let run = Run::new(code, BYTES.to_vec(), &[]);
    let honest = run.honest();
    honest.breaks([]);
    assert_eq!(honest.claim.output, b"12");
    for output in [b"".as_slice(), b"1", b"2", b"21", b"13", b"122", b"12\0"] {
        let mut forged = honest.clone();
        forged.claim.output = output.to_vec();
        forged.breaks(["output"]);
    }
    // The bytes change places.
    let mut forged = honest.clone();
    forged.claim.output = b"21".to_vec();
    forged.edit::<Io>(0, |row| row.output_index = ONE);
    forged.edit::<Io>(1, |row| row.output_index = ZERO);
    forged.breaks(["cells"]);
    // The second byte is not put out, or not counted.
    let mut forged = honest.clone();
    forged.claim.output = b"1".to_vec();
    forged.edit::<Io>(1, |row| row.outputs = ZERO).breaks(["io: output is what writes move"]);
    let mut forged = honest.clone();
    forged.claim.output = b"2".to_vec();
    forged.edit::<Io>(0, |row| row.outputs = ZERO);
    forged.edit::<Io>(1, |row| row.output_index = ZERO);
    forged.breaks(["cells", "io: output is what writes move"]);
    // Seven bytes more than are moved.
    let mut forged = honest.clone();
    forged.claim.output = b"12\0\0\0\0\0\0\0".to_vec();
    forged.edit::<Io>(1, |row| row.outputs_cell = ONE);
    assert!(forged.broken().contains("io: a cell of output"));
}

/// The tables of `run` after `change`, in which the row of the call is filled for another length than the
/// call has: a row that is true could not be filled.
fn for_length(run: &Run, length: u64, change: impl FnOnce(&mut ExecutionRecord)) -> Forged<'_> {
    let true_length = run.record.io[0].length.value;
    let mut forged = run.lie(|record| {
        change(record);
        retime(&run.program, record);
        record.io[0].length.value = length;
    });
    forged.edit::<Io>(0, |row| {
        row.length = words(true_length);
        row.rest_low = row.length[0] - row.result[0];
    });
    forged
}

#[test]
fn writes_move_what_address_and_length_say() {
    // A byte where a cell could be moved: the length is not short …
    let run = write(0, 8);
    let byte = || for_length(&run, 7, |record| moves(&run, record, 1));
    byte().breaks(["io: a short length is below 8"]);
    byte().edit::<Io>(0, |row| row.is_short = ZERO).breaks(["io: a byte of output is moved for one reason"]);
    // … and the address has no low bits.
    let unaligned = |quotient: [Goldilocks; 2], bits: [Goldilocks; 3]| {
        move |row: &mut Io| {
            (row.is_short, row.is_unaligned) = (ZERO, ONE);
            [row.quotient_low, row.quotient_high] = quotient;
            row.bits = bits;
            row.bits_inverse = bits.into_iter().sum::<Goldilocks>().try_inverse().unwrap_or(ZERO);
        }
    };
    let quotient = halves(at(0) / 8);
    let (odd, none) = ([ONE, ZERO, ZERO], [ZERO; 3]);
    byte().edit(0, unaligned(quotient, none)).breaks(["io: an unaligned address has low bits"]);
    byte().edit(0, unaligned(quotient, odd)).breaks(["io: an address has a quotient and low bits"]);
    byte().edit(0, unaligned(quotient, [field(2), -ONE, ZERO])).breaks(["io: bits are boolean"]);
    let fraction = (field(at(0)) - ONE) / field(8);
    byte().edit(0, unaligned([fraction, ZERO], odd)).breaks(["range16"]);
    byte().edit(0, unaligned([ZERO, fraction / field(1 << 16)], odd)).breaks(["range16"]);
    // Nothing where something could be moved.
    let nothing = run.retold(|record| moves(&run, record, 0));
    nothing.breaks(["io: a write moves nothing only if its length is zero"]);
    // More than the length.
    let run = write(0, 7);
    for_length(&run, 8, |record| moves(&run, record, 8)).breaks(["range16"]);
    let run = write(0, 0);
    let some = |record: &mut ExecutionRecord| {
        record.boundary = write(0, 1).record.boundary;
        moves(&run, record, 1);
    };
    let mut forged = for_length(&run, 1, some);
    forged.edit::<Io>(0, |row| row.bits = [ZERO; 3]).breaks(["range16"]);
}

#[test]
fn cells_of_output_are_aligned() {
    let run = write(4, 8);
    run.honest().breaks([]);
    let cell = || run.retold(|record| moves(&run, record, 8));
    cell().breaks(["io: a cell of output is aligned"]);
    let quotient = field(at(4)) / field(8);
    let divided = |row: &mut Io| (row.quotient_low, row.quotient_high) = (quotient, ZERO);
    cell().edit::<Io>(0, divided).breaks(["range16"]);
    let high = |row: &mut Io| {
        row.quotient_low = ZERO;
        row.quotient_high = quotient / field(1 << 16);
    };
    cell().edit::<Io>(0, high).breaks(["range16"]);
}

#[test]
fn reads_stay_within_their_buffer() {
    let run = call(ecall::READ, [ecall::INPUT, at(0), 5], &BYTES, &[7; 16]);
    let full = call(ecall::READ, [ecall::INPUT, at(0), 8], &BYTES, &[7; 16]);
    let cell = |record: &mut ExecutionRecord| {
        let length = record.io[0].length;
        *record = ExecutionRecord { registers: record.registers, ..full.record.clone() };
        record.io[0].length = length;
        let set_length = call_row(&run) - 2;
        record.cpu[set_length] = run.record.cpu[set_length];
    };
    assert_eq!(run.record.cpu.len(), full.record.cpu.len());
    for_length(&run, 8, cell).breaks(["range16"]);
}

#[test]
fn other_descriptors_are_refused() {
    // The log as output, and the reverse.
    let run = call(ecall::WRITE, [ecall::LOG, at(0), 0], &BYTES, &[]);
    let forged = run.retold(|record| record.io[0].kind = IoKind::Write);
    forged.breaks(["io: each kind has its descriptor"]);
    let run = write(0, 0);
    let forged = run.retold(|record| record.io[0].kind = IoKind::Log);
    forged.breaks(["io: each kind has its descriptor"]);
    let forged = run.retold(|record| record.io[0].kind = IoKind::Read);
    assert!(forged.broken().contains("io: each kind has its descriptor"));
    let forged = run.lie(|record| record.io[0].descriptor.value += 1 << 32);
    forged.breaks(["cells", "io: a descriptor is one word"]);
    let forged = run.lie(|record| record.io[0].length.value += 1 << 32);
    forged.breaks(["cells", "io: a length is one word"]);
    let run = write(0, 1);
    let forged = run.lie(|record| record.io[0].address.value += 1 << 32);
    forged.breaks(["cells", "io: an address is one word"]);
}

#[test]
fn unknown_calls_have_no_proof() {
    let mut code = asm::system_call(1000);
    code.extend(asm::exit(EXIT_CODE));
    let executor = Executor::from_elf(&ElfFile::new(code).to_bytes()).expect("an executable");
    let error = executor.run(&[]).expect_err("no such call").to_string();
    assert!(error.contains("1000"), "{error}");
    // No table receives it, whatever io says it is.
    let run = call(ecall::INPUT_LENGTH, [0; 3], &[], &[]);
    let row = call_row(&run);
    let mut forged = run.retold(|record| record.cpu[row].a = 1000);
    forged.breaks(["cells", "memory"]);
    for change in
        [(|row: &mut Io| row.is_length = field(1000) / field(ecall::INPUT_LENGTH)) as fn(&mut Io), |row| {
            (row.is_length, row.is_log) = (-ONE, ONE + ONE)
        }]
    {
        forged = run.retold(|record| record.cpu[row].a = 1000);
        assert!(forged.edit(0, change).broken().contains("io: kinds are boolean"));
    }
}

#[test]
fn output_beyond_the_limit_is_refused() {
    let run = write(0, 8);
    let mut forged = run.honest();
    forged.claim.output = vec![0; MAX_OUTPUT_BYTES + 1];
    assert!(forged.statement().expect_err("too much").contains("65537 bytes of public output"));
    // The executor stops there, too.
    let mut code = constant(11, at(0));
    code.extend(constant(12, 8));
    let body = [constant(10, ecall::OUTPUT), asm::system_call(ecall::WRITE)].concat();
    let back = -4 * body.len() as i32;
    code.extend(body);
    code.push(asm::jump(0, back));
    let file = ElfFile { code, data: BYTES.to_vec(), functions: Vec::new() };
    let executor = Executor::from_elf(&file.to_bytes()).expect("an executable");
    let error = executor.run(&[]).expect_err("too much").to_string();
    assert!(error.contains("65536"), "{error}");
}
