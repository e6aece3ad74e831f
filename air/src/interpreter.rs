//! Running a [`ConstraintProgram`] on the host, a block of consecutive rows at a time.
//!
//! Each instruction runs over the whole block before the next one, in packed field elements, so that its
//! dispatch is paid once per block. What it reads lies in a frame (`frame`), to which the block's rows are
//! copied first; a block of 64 rows makes a value 512 bytes.

pub(crate) mod frame;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cell::Cell;

use lambda_math::Goldilocks;
use lambda_math::prefetch::prefetch_slice;
use p3_field::{Field, PackedValue, PrimeCharacteristicRing};

use crate::dag::RowOffset;
use crate::program::{ConstraintProgram, Operand};
use frame::{Slot, Step};

/// A SIMD register of base field elements.
pub type Packed = <Goldilocks as Field>::Packing;

/// Rows per block, the last of a table shorter than this excepted. A multiple of every packing width.
pub const BLOCK_ROWS: usize = 64;

/// Leaves between the one that is copied and the one that is fetched: a column's first rows in a block come
/// from memory, and the hardware does not see them coming.
const LEAVES_AHEAD: usize = 8;

/// Consecutive rows of some columns, with the rows after them.
#[derive(Debug)]
pub struct ColumnBlock<'a> {
    columns: &'a [&'a [Goldilocks]],
    start: usize,
    rows: usize,
    /// Next rows of the last block, which wrap to row 0, for the columns that are read at the next row.
    wrapped: BTreeMap<usize, Vec<Packed>>,
}

impl<'a> ColumnBlock<'a> {
    /// Rows `start..start + rows` of `columns`, all of one length. `next_columns` are those that may be read
    /// at the next row. `rows` is a multiple of the packing width.
    pub fn new(columns: &'a [&'a [Goldilocks]], next_columns: &[usize], start: usize, rows: usize) -> Self {
        let height = columns.first().map_or(0, |column| column.len());
        let mut wrapped = BTreeMap::new();
        if start + rows == height {
            for &column in next_columns {
                let values: Vec<Goldilocks> =
                    columns[column][start + 1..].iter().chain(&columns[column][..1]).copied().collect();
                wrapped.insert(column, Packed::pack_slice(&values).to_vec());
            }
        }
        Self { columns, start, rows, wrapped }
    }

    /// The block's rows of `column`, or the rows after them.
    pub fn rows(&self, column: usize, row: RowOffset) -> &[Packed] {
        let first = match row {
            RowOffset::Current => self.start,
            RowOffset::Next => match self.wrapped.get(&column) {
                Some(values) => return values,
                None => self.start + 1,
            },
        };
        Packed::pack_slice(&self.columns[column][first..first + self.rows])
    }
}

/// What a program reads on a block of rows.
#[derive(Debug)]
pub struct RowBlock<'a> {
    /// Main columns.
    pub main: ColumnBlock<'a>,
    /// Preprocessed columns.
    pub preprocessed: ColumnBlock<'a>,
    /// The table's public values.
    pub public_values: &'a [Goldilocks],
    /// First-row, last-row and transition selector on the block's rows.
    pub selectors: [&'a [Packed]; 3],
}

/// Receives what a program computes, in the program's order.
pub trait Sink {
    /// Values of constraint `index`.
    fn constraint(&mut self, index: usize, values: impl Fn(usize) -> Packed);
    /// Values of field `field` of the message of `interaction`.
    fn field(&mut self, interaction: usize, field: usize, values: impl Fn(usize) -> Packed);
    /// Multiplicity of `interaction`, without the sign of its direction.
    fn multiplicity(&mut self, interaction: usize, values: impl Fn(usize) -> Packed);
}

/// Memory of a frame, reused from block to block.
#[derive(Debug, Default)]
pub struct Registers(Vec<Line>);

/// Eight rows of a value: one cache line, whatever the packing.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line([Packed; LINE_PACKS]);

impl Line {
    /// The same value on every row.
    fn of(value: Goldilocks) -> Self {
        Self([value.into(); LINE_PACKS])
    }
}

const LINE_ROWS: usize = 8;
const LINE_PACKS: usize = LINE_ROWS / Packed::WIDTH;

/// Runs `program` on `block`, handing results to `sink`.
///
/// # Panics
/// When the block has another number of rows than 16, 32 or [`BLOCK_ROWS`].
pub fn run(
    program: &ConstraintProgram,
    block: &RowBlock<'_>,
    registers: &mut Registers,
    sink: &mut impl Sink,
) {
    // The number of lines per value is a constant to the compiler, which unrolls every step's loop.
    match block.main.rows {
        BLOCK_ROWS => run_lines::<{ BLOCK_ROWS / LINE_ROWS }>(program, block, registers, sink),
        32 => run_lines::<{ 32 / LINE_ROWS }>(program, block, registers, sink),
        16 => run_lines::<{ 16 / LINE_ROWS }>(program, block, registers, sink),
        rows => panic!("a block has 16, 32 or {BLOCK_ROWS} rows, not {rows}"),
    }
}

fn run_lines<const LINES: usize>(
    program: &ConstraintProgram,
    block: &RowBlock<'_>,
    registers: &mut Registers,
    sink: &mut impl Sink,
) {
    let frame = &program.frame;
    registers.0.resize((frame.registers + frame.leaves.len()) * LINES, Line::of(Goldilocks::ZERO));
    let (slots, _) = registers.0.as_chunks_mut::<LINES>();
    fill(program, block, &mut slots[frame.registers..]);
    let run = Run { slots: Cell::from_mut(slots).as_slice_of_cells() };
    for &step in &frame.steps {
        match step {
            Step::Add { to, a, b } => run.binary(to, a, b, |a, b| a + b),
            Step::Sub { to, a, b } => run.binary(to, a, b, |a, b| a - b),
            Step::Mul { to, a, b } => run.binary(to, a, b, |a, b| a * b),
            Step::Neg { to, a } => run.binary(to, a, a, |a, _| -a),
            Step::Constraint { index, value } => sink.constraint(index as usize, run.get(value)),
            Step::Field { interaction, field, value } => {
                sink.field(interaction as usize, field as usize, run.get(value));
            }
            Step::Multiplicity { interaction, value } => {
                sink.multiplicity(interaction as usize, run.get(value));
            }
        }
    }
}

/// Fills the slots of the leaves.
fn fill<const LINES: usize>(program: &ConstraintProgram, block: &RowBlock<'_>, slots: &mut [[Line; LINES]]) {
    let rows = |leaf| match leaf {
        Operand::Main(column, row) => block.main.rows(column as usize, row),
        Operand::Preprocessed(column, row) => block.preprocessed.rows(column as usize, row),
        Operand::Selector(selector) => block.selectors[selector as usize],
        Operand::Constant(_) | Operand::Public(_) | Operand::Register(_) => &[],
    };
    let leaves = &program.frame.leaves;
    for (index, (slot, &leaf)) in slots.iter_mut().zip(leaves).enumerate() {
        if let Some(&ahead) = leaves.get(index + LEAVES_AHEAD) {
            prefetch_slice(rows(ahead));
        }
        match leaf {
            Operand::Constant(index) => slot.fill(Line::of(program.constants[index as usize])),
            Operand::Public(index) => slot.fill(Line::of(block.public_values[index as usize])),
            _ => {
                let (lines, _) = rows(leaf).as_chunks();
                assert_eq!(lines.len(), LINES, "a column has the block's rows");
                for (line, &values) in slot.iter_mut().zip(lines) {
                    *line = Line(values);
                }
            }
        }
    }
}

struct Run<'a, const LINES: usize> {
    slots: &'a [Cell<[Line; LINES]>],
}

impl<'a, const LINES: usize> Run<'a, LINES> {
    /// The value in `slot`, one SIMD register at a time.
    #[inline(always)]
    fn get(&self, slot: Slot) -> impl Fn(usize) -> Packed + Copy + 'a {
        let lines = self.slots[slot as usize].as_array_of_cells();
        move |i| {
            let line = i / LINE_PACKS;
            lines[line].get().0[i - line * LINE_PACKS]
        }
    }

    /// A pass over the lines, which may be those of an operand too: each is read before it is written.
    #[inline(always)]
    fn binary(&self, to: Slot, a: Slot, b: Slot, op: impl Fn(Packed, Packed) -> Packed) {
        let [to, a, b] = [to, a, b].map(|slot| self.slots[slot as usize].as_array_of_cells());
        for ((to, a), b) in to.iter().zip(a).zip(b) {
            let (a, b) = (a.get().0, b.get().0);
            to.set(Line(core::array::from_fn(|i| op(a[i], b[i]))));
        }
    }
}
