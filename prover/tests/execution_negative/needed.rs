//! Rows that differ from honest ones in several cells: what breaks nothing tells the truth, and each
//! constraint is needed for that.
//!
//! The tables of operations have the same test, with rows of their own, beside them.

use std::collections::BTreeSet;

use lambda_executor::testing::assembler as asm;
use lambda_executor::testing::elf_file::DATA;
use lambda_executor::testing::random::Random;
use lambda_machine::tables::TableId;
use lambda_machine::tables::boundary::BoundaryColumns;
use lambda_machine::tables::cpu::CpuColumns;
use lambda_machine::tables::io::IoColumns;
use lambda_machine::tables::memory::MemoryColumns;
use lambda_machine::tables::misaligned::MisalignedColumns;
use lambda_machine::tables::subword::SubwordColumns;
use lambda_math::Goldilocks;
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use rayon::prelude::*;

use crate::cells::others;
use crate::forge::{ROWS, TableRow, column_names, field, words};
use crate::instance::{Instance, Outcome};
use crate::judge::constraints;
use crate::oracle::Says;
use crate::programs::{EVERYTHING, access};

const ZERO: Goldilocks = Goldilocks::ZERO;
const ONE: Goldilocks = Goldilocks::ONE;

/// Random changes of a table's rows, beside those of all pairs of cells.
const TRIES: usize = 4_000;
/// Rows of a table of which all pairs of cells are changed.
const PAIRED_ROWS: usize = 6;

/// By how much two cells are changed together: what one limb has less, another one has more.
fn pairs() -> impl Iterator<Item = [Goldilocks; 2]> {
    let one = Goldilocks::ONE;
    let weights = [0, 8, 15, 16, 32].map(|bits| field(1 << bits));
    weights
        .into_iter()
        .flat_map(move |weight| [[one, weight], [one, -weight], [weight, -one], [-weight, -one]])
}

/// Rows like `row` in which some cells differ.
fn neighbours(row: &[Goldilocks], others: &[&[Goldilocks]], random: &mut Random) -> Vec<Goldilocks> {
    let mut changed = row.to_vec();
    let mut below = |end: usize| random.below(end as u64) as usize;
    match below(3) {
        // Cells of another row.
        0 => {
            let other = others[below(others.len())];
            for _ in 0..1 + below(6) {
                let cell = below(row.len());
                changed[cell] = other[cell];
            }
        }
        // Flags that are set and not, and what follows.
        1 => {
            let flags: Vec<usize> = (0..row.len()).filter(|&cell| row[cell].as_canonical_u64() < 2).collect();
            if flags.is_empty() {
                return changed;
            }
            for _ in 0..1 + below(4) {
                let flag = flags[below(flags.len())];
                changed[flag] = Goldilocks::ONE - changed[flag];
            }
        }
        _ => {
            for _ in 0..2 + below(3) {
                let cell = below(row.len());
                let weight = field([1, 2, 1 << 8, 1 << 16, 1 << 32, 0xffff_ffff][below(6)]);
                changed[cell] += if below(2) == 0 { weight } else { -weight };
            }
        }
    }
    changed
}

/// Constraints without which a false row near an honest one would pass. Panics at a false row that passes.
fn needed(instances: &[&Instance], table: TableId) -> BTreeSet<String> {
    let mut needed = BTreeSet::new();
    let mut examine = |instance: &Instance, row: usize, changed: &[Goldilocks]| {
        let Outcome { constraints, missing, says, .. } = instance.replaced(row, changed);
        if !missing.is_empty() || says != Says::Lie || constraints.len() > 1 {
            return;
        }
        let Some(constraint) = constraints.into_iter().next() else {
            let names = column_names(table);
            let cells: Vec<_> = names.iter().zip(&instance.rows[row]).zip(changed).collect();
            panic!("a false row of {table:?}, with honest cells: {cells:#?}");
        };
        needed.insert(constraint);
    };
    let mut random = Random::new(table.index() as u64);
    let rows: Vec<(&Instance, usize)> =
        instances.iter().flat_map(|own| (0..own.rows.len()).map(move |row| (*own, row))).collect();
    let donors: Vec<&[Goldilocks]> = rows.iter().map(|(instance, row)| &*instance.rows[*row]).collect();
    for &(instance, row) in &rows {
        let honest = &instance.rows[row];
        for column in 0..honest.len() {
            let mut changed = honest.clone();
            for other in others(honest[column]).take(5) {
                changed[column] = other;
                examine(instance, row, &changed);
            }
        }
    }
    for paired in 0..PAIRED_ROWS {
        let (instance, row) = rows[paired * rows.len() / PAIRED_ROWS];
        let mut changed = instance.rows[row].clone();
        for first in 0..changed.len() {
            for second in 0..first {
                let honest = [changed[first], changed[second]];
                for [one, other] in pairs() {
                    (changed[first], changed[second]) = (honest[0] + one, honest[1] + other);
                    examine(instance, row, &changed);
                }
                [changed[first], changed[second]] = honest;
            }
        }
    }
    for _ in 0..TRIES {
        let (instance, row) = rows[random.below(rows.len() as u64) as usize];
        let changed = neighbours(&instance.rows[row], &donors, &mut random);
        examine(instance, row, &changed);
    }
    needed
}

/// A false row that one constraint alone keeps out.
struct Forgery {
    constraint: &'static str,
    table: TableId,
    /// The row that is replaced, counted over all instances.
    row: usize,
    cells: Vec<Goldilocks>,
}

fn forgery<R: TableRow>(constraint: &'static str, row: usize, columns: R) -> Forgery {
    let mut cells = Vec::new();
    columns.for_each(&mut |cell| cells.push(cell));
    Forgery { constraint, table: R::TABLE, row, cells }
}

/// The row of the only load of a program.
fn loaded<R: TableRow>(bits: u32, offset: i32, data: &[u8], change: impl FnOnce(&mut R)) -> R {
    let run = access(bits, offset, 0, data);
    let mut row = run.honest().row(0);
    change(&mut row);
    row
}

fn fraction(numerator: i64, denominator: u64) -> Goldilocks {
    let magnitude = field(numerator.unsigned_abs()) / field(denominator);
    if numerator < 0 { -magnitude } else { magnitude }
}

/// An access at time 8 to a cell that was not accessed before.
fn first_access<R: Default>(fill: impl FnOnce(&mut R, Goldilocks, Goldilocks, Goldilocks)) -> R {
    let mut row = R::default();
    fill(&mut row, field(u64::from(DATA) / 8), field(8), field(7));
    row
}

fn memory_forgeries() -> Vec<Forgery> {
    let numbers: Vec<u8> = (1..17).collect();
    vec![
        // A load of eight bytes is answered as one of a byte: 4·10/7 - 11·3/7 = 1.
        forgery(
            "memory: flags are boolean",
            0,
            loaded::<MemoryColumns<Goldilocks>>(asm::LD, 0, &numbers, |row| {
                (row.is_load, row.is_store) = (fraction(10, 7), fraction(-3, 7));
            }),
        ),
        // A byte that is not loaded is 0.
        forgery(
            "subword: a row with a kind has one size",
            0,
            loaded::<SubwordColumns<Goldilocks>>(asm::LB, 3, &numbers, |row| {
                row.size = [ZERO; 3];
                row.place = ZERO;
                row.value = words(0);
            }),
        ),
        forgery(
            "subword: a word has two halves",
            0,
            loaded::<SubwordColumns<Goldilocks>>(asm::LBU, 3, &numbers, |row| {
                row.byte += ONE;
                row.half += field(256);
                row.value[0] += ONE;
            }),
        ),
        // Two bytes less a half are eight bytes of the next cell.
        forgery(
            "subword: sizes are boolean",
            0,
            loaded::<SubwordColumns<Goldilocks>>(asm::LBU, 7, &[0; 16], |row| {
                row.size = [ONE + ONE, -ONE, ZERO];
                row.place = field((2 << 24) - (1 << 16));
            }),
        ),
        // A load that extends the sign and with zeros, of a byte and a half, is there twice.
        forgery(
            "subword: a row has at most one kind",
            0,
            first_access::<SubwordColumns<Goldilocks>>(|row, cell, time, gap| {
                (row.cell, row.time, row.gap_low) = (cell, time, gap);
                (row.is_signed, row.is_unsigned, row.size) = (ONE, ONE, [ONE, ONE, ZERO]);
                (row.at_odd_byte, row.place) = (ONE, field(257));
            }),
        ),
        forgery(
            "misaligned: a row has at most one kind",
            0,
            first_access::<MisalignedColumns<Goldilocks>>(|row, cell, time, gap| {
                (row.cell, row.time, row.gap_low[0]) = (cell, time, gap);
                (row.is_signed, row.is_unsigned, row.size) = (ONE, ONE, [ONE, ONE, ZERO]);
                (row.offset[0], row.offset[1]) = (ONE, ONE);
            }),
        ),
        // 8/3 unsigned loads of a half and -5/3 stores are a load of a byte.
        forgery(
            "misaligned: kinds are boolean",
            0,
            loaded::<MisalignedColumns<Goldilocks>>(asm::LHU, 1, &numbers, |row| {
                (row.is_unsigned, row.is_store) = (fraction(8, 3), fraction(-5, 3));
                row.stored[..2].copy_from_slice(&row.window[..2]);
            }),
        ),
        // Twice what is at offset 1 less what is at offset 2, from offset 0.
        forgery(
            "misaligned: offsets are boolean",
            0,
            first_access::<MisalignedColumns<Goldilocks>>(|row, cell, time, gap| {
                (row.cell, row.time, row.gap_low[0]) = (cell, time, gap);
                (row.is_unsigned, row.size) = (ONE, [ONE, ZERO, ZERO]);
                (row.offset[0], row.offset[1]) = (ONE + ONE, -ONE);
                (row.bytes[1], row.after[0]) = (ONE, field(256));
                (row.window[0], row.value[0]) = (field(2), field(2));
            }),
        ),
        // Two halves less a word are a byte.
        forgery(
            "misaligned: sizes are boolean",
            0,
            first_access::<MisalignedColumns<Goldilocks>>(|row, cell, time, gap| {
                (row.cell, row.time, row.gap_low[0]) = (cell, time, gap);
                (row.is_unsigned, row.size, row.offset[0]) = (ONE, [ONE + ONE, -ONE, ZERO], ONE);
                let bytes = [field(3), field(5)];
                row.bytes[1..3].copy_from_slice(&bytes);
                row.window[..2].copy_from_slice(&bytes);
                row.after[0] = field(0x5_0300);
                (row.value[0], row.sign_byte) = (field(0x503), field(10));
            }),
        ),
        forgery(
            "misaligned: the sign is in the last byte",
            0,
            loaded::<MisalignedColumns<Goldilocks>>(asm::LH, 1, &[0x80; 16], |row| {
                (row.sign_byte, row.extends_ones, row.value) = (ZERO, ZERO, words(0x8080));
            }),
        ),
    ]
}

fn other_forgeries() -> Vec<Forgery> {
    let honest = EVERYTHING.honest();
    let cell = EVERYTHING.record.boundary.len() - 1;
    let exit = EVERYTHING.record.cpu.len() - 1;
    let (last_instance, _) = honest.place(TableId::Cpu, exit);
    let last_row = ROWS * (exit / ROWS) + honest.traces[last_instance].height() - 1;
    let mut padding: CpuColumns<Goldilocks> = honest.row(last_row);
    assert_eq!(padding.flags, [ZERO; 12], "the last row is padding");
    let gap = padding.clock.as_canonical_u64() + 2;
    padding.flags[11] = ONE;
    padding.gap_low[2] = field(gap & 0xffff);
    let mut code: CpuColumns<Goldilocks> = honest.row(exit);
    code.a[1] = field(0xffff_ffff);
    code.carry = [ONE; 2];
    let mut twice: BoundaryColumns<Goldilocks> = honest.row(cell);
    assert_eq!(twice.step, [ONE, ZERO], "a cell is between them");
    (twice.is_real, twice.step) = (ONE + ONE, [ZERO; 2]);
    vec![
        // A row after the exit writes a register.
        forgery("cpu: padding neither jumps nor accesses registers", last_row, padding),
        // An exit whose number is 93 less 2^32.
        forgery("cpu: the number of exit is one word", exit, code),
        // Two chains for one cell.
        forgery("boundary: flags are boolean", cell, twice),
        // Nine bytes at once.
        forgery(
            "io: a cell or a byte is moved",
            0,
            IoColumns {
                is_read: ONE,
                clock: field(8),
                length: words(9),
                gap_low: [field(9); 3],
                moves_cell: ONE,
                moves_byte: ONE,
                request: field(19),
                result: words(9),
                ..Default::default()
            },
        ),
    ]
}

/// Constraints that follow from others.
const IMPLIED: &[(&str, &str)] = &[
    ("boundary: cells of the image are cells", "a row that is no cell sends no token"),
    ("boundary: no cell comes after padding", "cells ascend over padding, too"),
    ("cpu: a row has at most one class", "no entry of `rom` has two"),
    ("cpu: exit is a system call", "the row would receive on `memory` what nobody sends"),
    ("io: amounts are boolean", "no other amount and request are words and have an operation"),
    ("io: reasons are boolean", "a reason that is not 0 has to be true, whatever it is"),
    ("io: where no cell is moved the upper bytes are zero", "`Lbu` loads zeros, `Sb` stores the lowest byte"),
    ("io: where nothing is moved there is no byte", "nothing is sent"),
    ("misaligned: extension is boolean", "128 times it is looked up as 0 or 128"),
    ("misaligned: only signed loads extend with ones", "the lookup is of 0 where the load is not signed"),
    ("subword: only signed loads extend with ones", "the lookup is of 0 where the load is not signed"),
];

/// Tests that break constraints of whole executions, one at a time.
const SOURCES: [&str; 5] = [
    include_str!("claim.rs"),
    include_str!("cpu.rs"),
    include_str!("memory.rs"),
    include_str!("io.rs"),
    include_str!("jumps.rs"),
];

#[test]
fn each_constraint_is_needed() {
    let honest = EVERYTHING.honest();
    let instances = Instance::all(&honest);
    let of = |table: TableId| instances.iter().filter(|own| own.table == table).collect::<Vec<&Instance>>();
    let mut needed: BTreeSet<String> = TableId::ALL
        .into_par_iter()
        .filter(|table| table.is_chunked())
        .flat_map_iter(|table| needed(&of(table), table))
        .collect();
    for Forgery { constraint, table, row, cells } in memory_forgeries().into_iter().chain(other_forgeries()) {
        let instance = of(table)[row / ROWS];
        let Outcome { constraints, missing, says, .. } = instance.replaced(row % ROWS, &cells);
        assert_eq!(constraints, [constraint.to_owned()].into());
        assert!(missing.is_empty() && says == Says::Lie, "{constraint}: {missing:?}, {says:?}");
        needed.insert(constraint.to_owned());
    }
    let tables = [
        TableId::Cpu,
        TableId::Memory,
        TableId::Subword,
        TableId::Misaligned,
        TableId::Io,
        TableId::Boundary,
    ];
    let idle = tables.into_iter().flat_map(constraints).filter(|name| {
        let alone = format!("[\"{name}\"]");
        !needed.contains(name) && !SOURCES.iter().any(|source| source.contains(&alone))
    });
    let implied = IMPLIED.iter().map(|(name, _)| (*name).to_owned());
    assert_eq!(idle.collect::<BTreeSet<_>>(), implied.collect());
}
