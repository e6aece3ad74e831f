//! First and last values, cells, times, places.

use lambda_executor::testing::assembler::{self as asm, constant, immediate};
use lambda_executor::testing::elf_file::DATA;
use lambda_machine::ecall;
use lambda_machine::isa::{Class, MemoryOp};
use lambda_machine::record::{BoundaryCell, CellAccess, ExecutionRecord, MemoryEvent, MisalignedEvent};
use lambda_machine::tables::TableId;
use lambda_machine::tables::boundary::BoundaryColumns;
use lambda_machine::tables::cpu::CpuColumns;
use lambda_machine::tables::io::IoColumns;
use lambda_machine::tables::memory::MemoryColumns;
use lambda_machine::tables::misaligned::MisalignedColumns;
use lambda_machine::tables::registers::RegistersColumns;
use lambda_machine::tables::subword::SubwordColumns;
use lambda_math::Goldilocks;
use p3_field::PrimeCharacteristicRing;

use crate::forge::{Forged, Run, field, halves, words};
use crate::programs::{A, B, BASE, C, EXIT_CODE, access, call, last};

type Boundary = BoundaryColumns<Goldilocks>;
type Memory = MemoryColumns<Goldilocks>;
type Subword = SubwordColumns<Goldilocks>;
type Misaligned = MisalignedColumns<Goldilocks>;

const WORD: u64 = 1 << 32;
const ZERO: Goldilocks = Goldilocks::ZERO;
const ONE: Goldilocks = Goldilocks::ONE;

/// Bytes at [`DATA`].
const BYTES: [u8; 16] = *b"0123456789abcdef";
/// Offset of a cell that is not in the image.
const ABOVE: i32 = 2040;

/// Row of the last load or store.
fn access_row(run: &Run) -> usize {
    last(run, |class| matches!(class, Class::Load(_) | Class::Store(_)))
}

/// The only load of eight bytes, into [`C`], gets `value`, which its cell starts with.
fn starts_as(run: &Run, value: u64) -> Forged<'_> {
    run.retold(|record| {
        let event = &mut record.memory[0];
        event.value = value;
        (event.cell.before, event.cell.after) = (value, value);
        (record.boundary[0].first, record.boundary[0].last) = (value, value);
        record.cpu[access_row(run)].c = value;
    })
}

#[test]
fn first_values_are_the_programs() {
    starts_as(&access(asm::LD, 0, 0, &BYTES), 5).breaks(["image"]);
    let above = access(asm::LD, ABOVE, 0, &BYTES);
    starts_as(&above, 5).breaks(["boundary: memory outside of the image starts as zero"]);
    // Registers.
    let mut code = vec![immediate(asm::ADDI, C, 31, 1)];
    code.extend(asm::exit(EXIT_CODE));
    let run = Run::of(code);
    run.retold(|record| (record.cpu[0].a, record.cpu[0].c) = (5, 6)).breaks(["cells"]);
}

#[test]
fn cells_do_not_occur_twice() {
    // The load does not see what is stored, but a chain of its own.
    let mut code = constant(BASE, DATA.into());
    code.extend(constant(A, 9));
    code.extend([asm::store(asm::SD, A, BASE, ABOVE), immediate(asm::LD, C, BASE, ABOVE)]);
    code.extend(asm::exit(EXIT_CODE));
    let run = Run::new(code, BYTES.to_vec(), &[]);
    let cell = run.record.boundary[0].cell;
    let (stored, loaded) = (run.record.memory[0], run.record.memory[1]);
    let mut forged = run.retold(|record| {
        let event = &mut record.memory[1];
        event.value = 0;
        event.cell = CellAccess::default();
        record.cpu[access_row(&run)].c = 0;
        let chain = |cell, last, last_time| BoundaryCell { cell, first: 0, last, last_time };
        record.boundary = vec![chain(cell, 9, stored.time), chain(cell + 1, 0, loaded.time)];
    });
    forged.claim.boundary_ends = vec![u64::from(cell) + 1];
    let first: Boundary = forged.row(0);
    for row in 1..16 {
        forged.edit::<Boundary>(row, |row| row.cell = first.cell);
    }
    forged.edit::<Boundary>(1, |row| row.above_low = first.above_low);
    forged.breaks(["boundary: cells ascend"]);
    forged.edit::<Boundary>(1, |row| row.step[0] = -ONE).breaks(["range16"]);
    // The second one comes after padding.
    let chain: Boundary = forged.row(1);
    forged.edit::<Boundary>(1, |row| *row = Boundary { cell: first.cell, ..Default::default() });
    forged.edit::<Boundary>(2, |row| *row = chain);
    forged.breaks(["boundary: no cell comes after padding", "range16"]);
}

#[test]
fn boundary_joints_ascend() {
    // 40 cells in two instances.
    let mut code = constant(BASE, DATA.into());
    code.extend((0..40).map(|i| immediate(asm::LD, C, BASE, 8 * i)));
    code.extend(asm::exit(EXIT_CODE));
    let run = Run::new(code, BYTES.to_vec(), &[]);
    let honest = run.honest();
    honest.breaks([]);
    let [end, last] = honest.claim.boundary_ends[..] else { panic!("two instances") };
    // Another joint: cells of the second instance that are not after the first's.
    let mut forged = honest.clone();
    forged.claim.boundary_ends[0] = end - 1;
    forged.breaks([
        "boundary: the end is after the last cell",
        "boundary: the first cell is not below the start",
    ]);
    // Bounds that are not those of the cells.
    let run = access(asm::LD, 0, 0, &BYTES);
    let mut forged = run.honest();
    forged.claim.program.image_start += 1;
    forged.breaks(["boundary: the first cell is not below the start"]);
    let mut forged = run.honest();
    forged.claim.boundary_ends[0] += 1;
    forged.breaks(["boundary: the end is after the last cell"]);
    // A joint that goes back.
    let mut forged = honest.clone();
    for ends in [[last + 1, last], [u64::from(honest.run.program.image_base) - 1, last]] {
        forged.claim.boundary_ends = ends.to_vec();
        assert!(broken_claim(&forged).contains("do not ascend"));
    }
    forged.claim.boundary_ends = vec![end, (1 << 29) + 1];
    assert!(broken_claim(&forged).contains("within the address space"));
    forged.claim.boundary_ends = vec![last];
    assert!(broken_claim(&forged).contains("values join the instances"));
    // The last cell of the first instance starts the second one, too.
    let mut forged = honest.clone();
    let last: Boundary = forged.row(31);
    forged.edit::<Boundary>(32, |row| {
        row.cell = last.cell;
        row.step = [-ONE, ZERO];
        row.above_low = last.above_low;
    });
    forged.edit::<Boundary>(33, |row| row.step[0] = ONE);
    let broken = forged.broken();
    assert!(broken.contains("range16") && broken.contains("cells"), "{broken:?}");
}

fn broken_claim(forged: &Forged<'_>) -> String {
    forged.statement().expect_err("a claim about no execution")
}

/// Loads eight bytes into [`C`] from the address in [`A`], which it reads from the input.
fn pointer(address: u64) -> Run {
    let mut code = constant(BASE, DATA.into());
    let arguments = [(10, ecall::INPUT), (11, DATA.into()), (12, 8)];
    code.extend(arguments.into_iter().flat_map(|(register, value)| constant(register, value)));
    code.extend(asm::system_call(ecall::READ));
    code.extend([immediate(asm::LD, A, BASE, 0), immediate(asm::LD, C, A, 0)]);
    code.extend(asm::exit(EXIT_CODE));
    Run::new(code, BYTES.to_vec(), &address.to_le_bytes())
}

/// The record in which [`pointer`] has read another address. What is there is not changed.
fn points_to(run: &Run, record: &mut ExecutionRecord, address: u64) {
    record.io[0].data = address;
    let [stored, loaded, ..] = &mut record.memory[..] else { panic!("a read and a load") };
    (stored.value, stored.cell.after) = (address, address);
    (loaded.value, loaded.cell.before, loaded.cell.after) = (address, address, address);
    record.boundary.iter_mut().find(|cell| cell.cell == DATA / 8).expect("the cell").last = address;
    let row = access_row(run);
    record.cpu[row - 1].c = address;
    record.cpu[row].a = address;
}

#[test]
fn cells_outside_of_memory_do_not_exist() {
    let run = pointer(u64::from(DATA) + ABOVE as u64);
    run.honest().breaks([]);
    // A cell below the image, without a first value …
    let below = |record: &mut ExecutionRecord| {
        points_to(&run, record, 8);
        record.memory[2].address = 8;
        record.boundary.pop();
    };
    run.retold(below).breaks(["cells"]);
    // … and with one: it is not above the start.
    let honest = run.honest();
    let mut low = run.retold(|record| {
        points_to(&run, record, 8);
        record.memory[2].address = 8;
    });
    let start = Goldilocks::from_u32(run.program.image_base);
    let data: Boundary = honest.row(0);
    let above: Boundary = honest.row(1);
    low.edit::<Boundary>(0, |row| {
        *row = Boundary { cell: ONE, step: [ONE - start, ZERO], ..above };
        row.above_low = ZERO;
    });
    let step = u64::from(DATA / 8) - 2;
    let data = Boundary { last: words(8), step: halves(step), ..data };
    low.edit::<Boundary>(1, |row| *row = data);
    for row in 2..16 {
        low.edit::<Boundary>(row, |row| row.cell = data.cell);
    }
    low.claim.boundary_ends = vec![u64::from(DATA / 8) + 1];
    low.breaks(["range16"]);
    low.edit::<Boundary>(0, |row| row.step = halves(0));
    low.breaks(["boundary: the first cell is not below the start", "range16"]);

    // A cell beyond the address space, reached from the last one.
    let run = pointer(0xffff_fff8);
    let beyond = |record: &mut ExecutionRecord| {
        points_to(&run, record, 0xffff_fffc);
        let access = record.memory.pop().expect("the load");
        let access = MemoryEvent { address: 0xffff_fffc, ..access };
        record.misaligned = vec![MisalignedEvent { access, second: CellAccess::default() }];
    };
    run.retold(beyond).breaks(["cells"]);
    let mut forged = run.retold(|record| {
        beyond(record);
        let last = *record.boundary.last().expect("the last cell");
        record.boundary.push(BoundaryCell { cell: 1 << 29, ..last });
    });
    assert!(broken_claim(&forged).contains("within the address space"));
    forged.claim.boundary_ends = vec![1 << 29];
    let broken = forged.broken();
    assert!(broken.contains("boundary: the end is after the last cell"), "{broken:?}");
}

#[test]
fn cells_of_the_image_are_looked_up() {
    let run = access(asm::LD, 0, 0, &BYTES);
    let mut forged = starts_as(&run, 0);
    forged.edit::<Boundary>(0, |row| row.in_image = ZERO).breaks(["range16"]);
    let image_end = run.program.image_base + run.program.image.len() as u32;
    let below = Goldilocks::from_u32(DATA / 8) - Goldilocks::from_u32(image_end);
    forged.edit::<Boundary>(0, |row| row.above_low = below).breaks(["range16"]);
}

#[test]
fn chains_end_with_their_last_value() {
    let run = access(asm::SD, 0, 9, &BYTES);
    run.honest().edit::<Boundary>(0, |row| row.last[0] += ONE).breaks(["cells"]);
    run.honest().edit::<Boundary>(0, |row| row.last_time += ONE).breaks(["cells"]);
    run.honest().edit::<RegistersColumns<Goldilocks>>(C.into(), |row| row.last[0] += ONE).breaks(["cells"]);
    run.honest().edit::<RegistersColumns<Goldilocks>>(40, |row| row.last_time += ONE).breaks(["cells"]);
}

#[test]
fn loads_change_nothing() {
    let run = access(asm::LD, 0, 0, &BYTES);
    let mut forged = run.retold(|record| {
        (record.memory[0].cell.after, record.memory[0].value) = (5, 5);
        record.boundary[0].last = 5;
        record.cpu[access_row(&run)].c = 5;
    });
    forged.breaks(["memory: a load changes nothing"]);
    forged = run.lie(|record| record.boundary[0].last = 5);
    forged.edit::<Memory>(0, |row| row.after = words(5));
    assert!(forged.broken().contains("memory"));

    // The unit, and the word that does not hold it.
    let run = access(asm::LBU, 0, 0, &BYTES);
    let before = run.record.subword[0].cell.before;
    let mut forged = run.lie(|record| record.boundary[0].last = before + 1);
    forged.edit::<Subword>(0, |row| {
        row.after[0] += ONE;
        row.word_after += ONE;
        row.change = ONE;
    });
    forged.breaks(["subword: a load changes nothing"]);
    let mut forged = run.lie(|record| record.boundary[0].last = before + WORD);
    forged.edit::<Subword>(0, |row| row.after[1] += ONE);
    forged.breaks(["subword: the other word is unchanged"]);
    let mut forged = run.lie(|record| record.boundary[0].last = before + 1);
    forged.edit::<Subword>(0, |row| {
        row.after[0] += ONE;
        row.word_after += ONE;
    });
    forged.breaks(["subword: a store changes the word in the unit's place"]);

    let run = access(asm::LHU, 1, 0, &BYTES);
    let before = run.record.misaligned[0].access.cell.before;
    let mut forged = run.lie(|record| record.boundary[0].last = before + 256);
    forged.edit::<Misaligned>(0, |row| {
        row.after[0] += field(256);
        row.change[0] = ONE;
    });
    forged.breaks(["misaligned: a store replaces the bytes that it moves"]);
    let mut forged = run.lie(|record| record.boundary[0].last = before + 256);
    forged.edit::<Misaligned>(0, |row| row.after[0] += field(256));
    forged.breaks(["misaligned: the window's changes are the cells'"]);
}

#[test]
fn stored_values_are_words() {
    let run = access(asm::SD, 0, 5, &BYTES);
    let value = [field(5) - field(WORD), ONE];
    let mut forged = run.honest();
    let store = access_row(&run);
    forged.edit::<CpuColumns<Goldilocks>>(store - 1, |row| {
        row.carry[0] = ONE;
        row.c = value;
    });
    forged.edit::<CpuColumns<Goldilocks>>(store, |row| {
        row.b = value;
        row.c = value;
    });
    forged.edit::<RegistersColumns<Goldilocks>>(C.into(), |row| row.last = value);
    forged.edit::<Memory>(0, |row| row.after = value);
    forged.edit::<Boundary>(0, |row| row.last = value);
    forged.breaks(["range16"]);
    // What is read from the input.
    let run = call(ecall::READ, [ecall::INPUT, DATA.into(), 8], &BYTES, &[7; 8]);
    let mut forged = run.honest();
    forged.edit::<IoColumns<Goldilocks>>(0, |row| row.bytes[3] = field(256));
    let value = field((256 << 24) | 0x7_0707);
    forged.edit::<Memory>(0, |row| row.after[0] = value);
    forged.edit::<Boundary>(0, |row| row.last[0] = value);
    forged.breaks(["byte_pair"]);
}

#[test]
fn addresses_do_not_wrap() {
    let address = u64::from(DATA) + 8;
    let run = pointer(address);
    run.retold(|record| points_to(&run, record, address + WORD)).breaks(["cpu: a + imm is below 2^32"]);
    // An address that is no multiple of 8, divided by 8 modulo p.
    let run = access(asm::LD, 4, 0, &BYTES);
    let aligned = run.record.misaligned[0].access;
    let cell = field(u64::from(DATA) + 4) / field(8);
    let alias = |record: &mut ExecutionRecord| {
        record.misaligned.clear();
        record.memory = vec![MemoryEvent { cell: CellAccess::default(), address: DATA, value: 0, ..aligned }];
        record.boundary.clear();
        record.cpu[access_row(&run)].c = 0;
    };
    let mut forged = run.retold(alias);
    forged.edit::<Memory>(0, |row| row.cell = cell).breaks(["cells"]);
    // With a first value of its own: the step to it is no word, nor is that to the end.
    let mut forged = run.retold(|record| {
        alias(record);
        let last_time = aligned.time;
        record.boundary = vec![BoundaryCell { cell: DATA / 8 + 4, first: 0, last: 0, last_time }];
    });
    forged.edit::<Memory>(0, |row| row.cell = cell);
    let start = Goldilocks::from_u32(run.program.image_base);
    let end = field(forged.claim.boundary_ends[0]);
    forged.edit::<Boundary>(0, |row| {
        row.cell = cell;
        row.step = [cell - start, ZERO];
    });
    forged.edit::<Boundary>(1, |row| {
        row.is_real = ONE;
        row.cell = end - ONE;
        row.step = [row.cell - cell - ONE, ZERO];
    });
    let broken = forged.broken();
    assert!(broken.contains("range16") && !broken.contains("cells"), "{broken:?}");
}

#[test]
fn times_increase() {
    let mut code = constant(BASE, DATA.into());
    code.extend(constant(A, 9));
    code.extend([immediate(asm::LD, C, BASE, ABOVE), asm::store(asm::SD, A, BASE, ABOVE)]);
    code.extend(asm::exit(EXIT_CODE));
    let run = Run::new(code, BYTES.to_vec(), &[]);
    let [loaded, stored] = [0, 1].map(|row| run.record.memory[row]);
    // The load sees what is stored after it.
    let mut forged = run.retold(|record| {
        record.memory[0].value = 9;
        record.memory[0].cell = CellAccess { before: 9, after: 9, time_before: 0 };
        record.memory[1].cell.time_before = 0;
        record.boundary[0].last_time = loaded.time;
        record.cpu[access_row(&run) - 1].c = 9;
    });
    let future = Goldilocks::from_u32(stored.time);
    let gap = Goldilocks::from_u32(loaded.time) - future - ONE;
    forged.edit::<Memory>(0, |row| {
        row.time_before = future;
        row.gap_low = gap;
    });
    forged.breaks(["range16"]);
    // The gap is 2^32·k more than a word.
    forged.edit::<Memory>(0, |row| row.gap_low = field(0xffff)).breaks(["range16"]);
    // A load is its own predecessor, of a cell without any other.
    let run = access(asm::LD, ABOVE, 0, &BYTES);
    let time = Goldilocks::from_u32(run.record.memory[0].time);
    let mut forged = run.retold(|record| {
        record.memory[0].value = 5;
        record.memory[0].cell = CellAccess { before: 5, after: 5, time_before: 0 };
        record.boundary.clear();
        record.cpu[access_row(&run)].c = 5;
    });
    forged.edit::<Memory>(0, |row| {
        row.time_before = time;
        row.gap_low = -ONE;
    });
    forged.breaks(["range16"]);
    // Registers: the second operand is read before the first one.
    let mut code = constant(A, 9);
    code.push(asm::register(asm::ADD, C, A, A));
    code.extend(asm::exit(EXIT_CODE));
    let run = Run::of(code);
    let mut forged = run.honest();
    let CpuColumns { clock, time_before, .. } = forged.row::<CpuColumns<Goldilocks>>(1);
    forged.edit::<CpuColumns<Goldilocks>>(1, |row| {
        row.time_before = [clock + ONE, time_before[0], time_before[2]];
        row.gap_low = [-field(2), clock + ONE - time_before[0] - ONE, row.gap_low[2]];
    });
    forged.edit::<RegistersColumns<Goldilocks>>(A.into(), |row| row.last_time = clock);
    forged.breaks(["range16"]);
}

#[test]
fn spaces_are_not_exchanged() {
    // A load from cell B gets register B.
    let run = pointer(u64::from(DATA) + ABOVE as u64);
    let address = 8 * u64::from(B);
    let forged = run.retold(|record| {
        points_to(&run, record, address);
        record.memory[2].address = address as u32;
        let before = record.registers[usize::from(B)];
        record.memory[2].cell.time_before = before.time;
        record.registers[usize::from(B)].time = record.memory[2].time;
        record.boundary.pop();
    });
    forged.breaks(["cells"]);
}

/// The only load, which `bits` at `offset` is, in the table `subword` as if it were at `at`.
fn as_subword(bits: u32, op: MemoryOp, offset: i32, at: u32) -> (Run, u64) {
    let run = access(bits, offset, 0, &BYTES);
    let aligned = access(bits, at as i32, 0, &BYTES);
    let value = aligned.record.subword[0].value;
    assert_eq!(aligned.record.subword[0].op, op);
    (run, value)
}

#[test]
fn subword_places_are_the_address() {
    // A half at the odd address 1, read from 2.
    let (run, value) = as_subword(asm::LHU, MemoryOp::Lhu, 1, 2);
    let moved = |record: &mut ExecutionRecord, at: u32, value: u64| {
        let MisalignedEvent { access, .. } = record.misaligned.pop().expect("the load");
        record.subword = vec![MemoryEvent { address: DATA + at, value, ..access }];
        record.cpu[access_row(&run)].c = value;
    };
    let mut forged = run.retold(|record| moved(record, 2, value));
    forged.edit::<Subword>(0, |row| {
        row.at_odd_byte = ZERO;
        core::mem::swap(&mut row.byte, &mut row.other_byte);
    });
    forged.breaks(["subword: a half or word ends at an odd byte"]);
    // A word at 2, read from 4.
    let (run, value) = as_subword(asm::LWU, MemoryOp::Lwu, 2, 4);
    let mut forged = run.retold(|record| {
        let MisalignedEvent { access, .. } = record.misaligned.pop().expect("the load");
        record.subword = vec![MemoryEvent { address: DATA + 4, value, ..access }];
        record.cpu[access_row(&run)].c = value;
    });
    forged.edit::<Subword>(0, |row| {
        row.in_high_half = ZERO;
        core::mem::swap(&mut row.half, &mut row.other_half);
        let low = row.half;
        row.byte = field(u64::from(BYTES[5]));
        row.other_byte = field(u64::from(BYTES[4]));
        assert_eq!(low, row.other_byte + field(256) * row.byte);
    });
    forged.breaks(["subword: a word ends in a high half"]);
    // Another byte than that of the address.
    let run = access(asm::LBU, 3, 0, &BYTES);
    let other = access(asm::LBU, 2, 0, &BYTES).honest().row::<Subword>(0);
    let row = access_row(&run);
    let lie = |record: &mut ExecutionRecord| record.cpu[row].c = BYTES[2].into();
    run.retold(lie).edit::<Subword>(0, |row| *row = other).breaks(["memory"]);
    let mut forged = run.retold(lie);
    forged.edit::<Subword>(0, |row| *row = Subword { cell: other.cell + ONE / field(8), ..other });
    forged.breaks(["cells"]);
    // A store whose place is another one's.
    let run = access(asm::SB, 3, 7, &BYTES);
    let mut forged = run.lie(|record| {
        record.boundary[0].last = record.boundary[0].first - u64::from(BYTES[3]) + 7;
    });
    forged.edit::<Subword>(0, |row| {
        row.place = ONE;
        row.word_after = row.word + row.change;
        row.after[0] = row.word_after;
    });
    forged.breaks(["subword: place of the unit in its word"]);
}

#[test]
fn second_cells_are_accessed_where_they_are_moved() {
    let crosses = ["misaligned: the access crosses where it ends in the second cell"];
    // The second cell is left out, so that its bytes may be any.
    let run = access(asm::LD, 4, 0, &BYTES);
    let mut forged = run.retold(|record| {
        let MisalignedEvent { access, second } = &mut record.misaligned[0];
        access.value &= 0xffff_ffff;
        *second = CellAccess::default();
        record.cpu[access_row(&run)].c &= 0xffff_ffff;
        record.boundary.pop();
    });
    forged.edit::<Misaligned>(0, |row| row.crosses = ZERO).breaks(crosses);
    // One is accessed that no byte is moved in.
    let run = access(asm::LHU, 1, 0, &BYTES[..8]);
    let mut forged = run.lie(|record| {
        let BoundaryCell { cell, last_time, .. } = record.boundary[0];
        record.boundary.push(BoundaryCell { cell: cell + 1, first: 0, last: 0, last_time });
    });
    forged.edit::<Misaligned>(0, |row| {
        row.crosses = ONE;
        row.gap_low[1] = row.time - ONE;
    });
    forged.breaks(crosses);
}

#[test]
fn op_numbers_of_kinds_do_not_meet() {
    // A store of a byte that is answered as an unsigned load of eight bytes.
    let value = u64::from_le_bytes(BYTES[1..9].try_into().expect("eight bytes"));
    let run = access(asm::SB, 1, value, &BYTES);
    let loaded = access(asm::LD, 1, 0, &BYTES);
    let time = run.record.subword[0].time;
    let mut forged = run.retold(|record| {
        record.subword.clear();
        let MisalignedEvent { mut access, second } = loaded.record.misaligned[0];
        access.time = time;
        record.misaligned = vec![MisalignedEvent { access, second }];
        record.boundary = loaded.record.boundary.clone();
        record.boundary.iter_mut().for_each(|cell| cell.last_time = time);
    });
    forged.edit::<Misaligned>(0, |row| {
        row.is_signed = ZERO;
        row.is_unsigned = ONE;
    });
    forged.breaks(["misaligned: a load of eight bytes counts as signed"]);
    assert_eq!(forged.claim.instances[TableId::Subword.index()], 0);
}
