//! Running a [`ConstraintProgram`] on the host, a block of consecutive rows at a time.
//!
//! Each instruction runs over the whole block before the next one, in packed field elements, so that its dispatch is paid
//! once per block; a block of 128 rows makes a register 1 KiB.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cell::Cell;

use lambda_math::Goldilocks;
use lambda_math::prefetch::prefetch_slice;
use p3_field::{Field, PackedValue, PrimeCharacteristicRing};

use crate::dag::{RowOffset, Selector};
use crate::program::{ConstraintProgram, Instruction, Operand};

/// A SIMD register of base field elements.
pub type Packed = <Goldilocks as Field>::Packing;

/// Rows per block, the last of a table shorter than this excepted. A multiple of every packing width.
pub const BLOCK_ROWS: usize = 128;

/// Instructions between the one that runs and the one whose columns are fetched: a column's first rows in a block come from
/// memory, and the hardware does not see them coming.
const INSTRUCTIONS_AHEAD: usize = 24;

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

    fn source(&self, column: u32, row: RowOffset) -> Source<'_> {
        Source::Slice(self.rows(column as usize, row))
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

/// A value over a block of rows.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// Contents of a register.
    Register(&'a [Cell<Packed>]),
    /// Rows of a column.
    Slice(&'a [Packed]),
    /// The same value on every row.
    Scalar(Packed),
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

/// Calls `$body` with `$get` bound to an accessor specialised to what the source is.
macro_rules! with_source {
    ($source:expr, $get:ident => $body:expr) => {
        match $source {
            Source::Register(cells) => {
                let $get = |i: usize| cells[i].get();
                $body
            }
            Source::Slice(values) => {
                let $get = |i: usize| values[i];
                $body
            }
            Source::Scalar(value) => {
                let $get = |_: usize| value;
                $body
            }
        }
    };
}

/// Memory of a program's registers, reused from block to block.
#[derive(Debug, Default)]
pub struct Registers(Vec<Packed>);

/// Runs `program` on `block`, handing results to `sink`.
pub fn run(
    program: &ConstraintProgram,
    block: &RowBlock<'_>,
    registers: &mut Registers,
    sink: &mut impl Sink,
) {
    let packs = block.main.rows / Packed::WIDTH;
    registers.0.resize(program.registers * packs, Packed::ZERO);
    let run =
        Run { program, block, cells: Cell::from_mut(registers.0.as_mut_slice()).as_slice_of_cells(), packs };
    let mut reads = program.first_reads.iter().peekable();
    for (index, instruction) in program.instructions.iter().enumerate() {
        while let Some((_, operand)) = reads.next_if(|(read, _)| *read <= index + INSTRUCTIONS_AHEAD) {
            if let Source::Slice(values) = run.source(*operand) {
                prefetch_slice(values);
            }
        }
        match *instruction {
            Instruction::Add { to, a, b } => run.binary(to, a, b, |a, b| a + b),
            Instruction::Sub { to, a, b } => run.binary(to, a, b, |a, b| a - b),
            Instruction::Mul { to, a, b } => run.binary(to, a, b, |a, b| a * b),
            Instruction::Neg { to, a } => {
                with_source!(run.source(a), get => run.write(to, |i| -get(i)));
            }
            Instruction::Constraint { index, value } => {
                with_source!(run.source(value), get => sink.constraint(index as usize, get));
            }
            Instruction::Field { interaction, field, value } => {
                with_source!(run.source(value), get => sink.field(interaction as usize, field as usize, get));
            }
            Instruction::Multiplicity { interaction, value } => {
                with_source!(run.source(value), get => sink.multiplicity(interaction as usize, get));
            }
        }
    }
}

struct Run<'a> {
    program: &'a ConstraintProgram,
    block: &'a RowBlock<'a>,
    cells: &'a [Cell<Packed>],
    packs: usize,
}

impl<'a> Run<'a> {
    fn register(&self, index: u32) -> &'a [Cell<Packed>] {
        &self.cells[index as usize * self.packs..][..self.packs]
    }

    fn source(&self, operand: Operand) -> Source<'a> {
        match operand {
            Operand::Register(index) => Source::Register(self.register(index)),
            Operand::Main(column, row) => self.block.main.source(column, row),
            Operand::Preprocessed(column, row) => self.block.preprocessed.source(column, row),
            Operand::Constant(index) => Source::Scalar(self.program.constants[index as usize].into()),
            Operand::Public(index) => Source::Scalar(self.block.public_values[index as usize].into()),
            Operand::Selector(selector) => Source::Slice(match selector {
                Selector::FirstRow => self.block.selectors[0],
                Selector::LastRow => self.block.selectors[1],
                Selector::Transition => self.block.selectors[2],
            }),
        }
    }

    #[inline(always)]
    fn write(&self, to: u32, value: impl Fn(usize) -> Packed) {
        for (i, cell) in self.register(to).iter().enumerate() {
            cell.set(value(i));
        }
    }

    #[inline(always)]
    fn binary(&self, to: u32, a: Operand, b: Operand, op: impl Fn(Packed, Packed) -> Packed + Copy) {
        with_source!(self.source(a), a => with_source!(self.source(b), b => self.write(to, |i| op(a(i), b(i)))));
    }
}
