//! Running a [`ConstraintProgram`] on the host, a block of consecutive rows at a time.
//!
//! Each instruction runs over the whole block before the next one, in packed field elements, so that its
//! dispatch is paid once per block; a block of 64 rows makes a register 512 bytes.

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
pub const BLOCK_ROWS: usize = 64;

/// Instructions between the one that runs and the one whose columns are fetched: a column's first rows in a
/// block come from memory, and the hardware does not see them coming.
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

/// A value over a block of `PACKS` SIMD registers.
#[derive(Clone, Copy, Debug)]
enum Source<'a, const PACKS: usize> {
    /// Contents of a register.
    Register(&'a [Cell<Packed>; PACKS]),
    /// Rows of a column.
    Slice(&'a [Packed; PACKS]),
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
///
/// # Panics
/// When the block has another number of rows than [`BLOCK_ROWS`] or a power of two from 16.
pub fn run(
    program: &ConstraintProgram,
    block: &RowBlock<'_>,
    registers: &mut Registers,
    sink: &mut impl Sink,
) {
    // The number of registers per value is a constant to the compiler, which unrolls every instruction's
    // loop.
    const FULL: usize = BLOCK_ROWS / Packed::WIDTH;
    const HALF: usize = 32 / Packed::WIDTH;
    const QUARTER: usize = 16 / Packed::WIDTH;
    match block.main.rows / Packed::WIDTH {
        FULL => run_packs::<FULL>(program, block, registers, sink),
        HALF => run_packs::<HALF>(program, block, registers, sink),
        QUARTER => run_packs::<QUARTER>(program, block, registers, sink),
        packs => panic!("a block has 16, 32 or {BLOCK_ROWS} rows, not {packs} SIMD registers"),
    }
}

fn run_packs<const PACKS: usize>(
    program: &ConstraintProgram,
    block: &RowBlock<'_>,
    registers: &mut Registers,
    sink: &mut impl Sink,
) {
    registers.0.resize(program.registers * PACKS, Packed::ZERO);
    let (cells, _) = Cell::from_mut(registers.0.as_mut_slice()).as_slice_of_cells().as_chunks();
    let run = Run::<PACKS> { program, block, cells };
    let mut reads = program.cold_reads.iter().peekable();
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

struct Run<'a, const PACKS: usize> {
    program: &'a ConstraintProgram,
    block: &'a RowBlock<'a>,
    cells: &'a [[Cell<Packed>; PACKS]],
}

impl<'a, const PACKS: usize> Run<'a, PACKS> {
    #[inline(always)]
    fn source(&self, operand: Operand) -> Source<'a, PACKS> {
        match operand {
            Operand::Register(index) => Source::Register(&self.cells[index as usize]),
            Operand::Main(column, row) => Self::column(self.block.main.rows(column as usize, row)),
            Operand::Preprocessed(column, row) => {
                Self::column(self.block.preprocessed.rows(column as usize, row))
            }
            Operand::Constant(index) => Source::Scalar(self.program.constants[index as usize].into()),
            Operand::Public(index) => Source::Scalar(self.block.public_values[index as usize].into()),
            Operand::Selector(selector) => Self::column(match selector {
                Selector::FirstRow => self.block.selectors[0],
                Selector::LastRow => self.block.selectors[1],
                Selector::Transition => self.block.selectors[2],
            }),
        }
    }

    #[inline(always)]
    fn column(rows: &'a [Packed]) -> Source<'a, PACKS> {
        Source::Slice(rows.first_chunk().expect("a column has the block's rows"))
    }

    /// Computes the whole value before it is stored: the target may be an operand too.
    #[inline(always)]
    fn write(&self, to: u32, value: impl Fn(usize) -> Packed) {
        let values: [Packed; PACKS] = core::array::from_fn(value);
        for (cell, value) in self.cells[to as usize].iter().zip(values) {
            cell.set(value);
        }
    }

    #[inline(always)]
    fn binary(&self, to: u32, a: Operand, b: Operand, op: impl Fn(Packed, Packed) -> Packed + Copy) {
        with_source!(self.source(a), a => {
            with_source!(self.source(b), b => self.write(to, |i| op(a(i), b(i))));
        });
    }
}
