//! Programs on rows: each operation and operand, registers in shared and in global memory, messages and sums.

use lambda_math::field::EXT_DEGREE;
use lambda_math::{Ext3, Goldilocks};
use lambda_math_cuda::Stream;
use lambda_math_cuda::kernels::lookup::MESSAGE_COLUMNS;
use lambda_math_cuda::kernels::program::{
    BodyInput, BodyOutput, BodyShape, ColumnSlice, HostProgram, Instruction, Operand, Program,
};
use p3_field::PrimeCharacteristicRing;

use crate::kit::{each_device, random, values};

const SHAPE: BodyShape = BodyShape {
    main: 5,
    preprocessed: 3,
    selectors: 3,
    public_values: 2,
    weights: 9,
    interactions: 3,
    sums: true,
};
const CONSTANTS: usize = 4;

/// A program that computes `steps` values from ones drawn at random, adds each to a sum, and sends three
/// messages.
fn program(registers: u32, steps: usize, seed: u64) -> HostProgram {
    let mut state = seed;
    let mut draw = |below: u32| (random(&mut state) % u64::from(below)) as u32;
    let mut instructions = Vec::new();
    let mut written = 0;
    let mut operand = |written: u32| match draw(if written == 0 { 7 } else { 10 }) {
        0 => Operand::Main(draw(5)),
        1 => Operand::MainNext(draw(5)),
        2 => Operand::Preprocessed(draw(3)),
        3 => Operand::PreprocessedNext(draw(3)),
        4 => Operand::Constant(draw(CONSTANTS as u32)),
        5 => Operand::Public(draw(2)),
        6 => Operand::Selector(draw(3)),
        _ => Operand::Register(draw(written)),
    };
    for step in 0..steps as u32 {
        let to = step % registers;
        let (a, b) = (operand(written), operand(written));
        instructions.push(match step % 4 {
            0 => Instruction::Add { to, a, b },
            1 => Instruction::Sub { to, a, b },
            2 => Instruction::Mul { to, a, b },
            _ => Instruction::Neg { to, a },
        });
        written = written.max(to + 1);
        instructions.push(Instruction::Constraint { weight: step % 9, value: Operand::Register(to) });
    }
    for interaction in 0..3 {
        let value = operand(written);
        instructions.push(match interaction {
            1 => Instruction::Receive { interaction, value },
            _ => Instruction::Send { interaction, value },
        });
        for weight in 3..3 + 2 * interaction {
            instructions.push(Instruction::Field { weight, value: operand(written) });
        }
        instructions.push(Instruction::Factor { interaction });
    }
    HostProgram { shape: SHAPE, instructions, constants: values(CONSTANTS, seed), registers }
}

/// Columns of a table of `height` rows, its public values, and weights.
struct Table {
    height: usize,
    columns: [Vec<Vec<Goldilocks>>; 3],
    public_values: Vec<Goldilocks>,
    weights: Vec<Goldilocks>,
}

impl Table {
    fn new(height: usize) -> Self {
        let columns = [SHAPE.main, SHAPE.preprocessed, SHAPE.selectors]
            .map(|count| (0..count).map(|column| values(height, (17 * count + column) as u64)).collect());
        let weights = values(EXT_DEGREE * SHAPE.weights, 5);
        Self { height, columns, public_values: values(SHAPE.public_values, 6), weights }
    }

    /// Messages, four values an interaction, and the sum on row `row`.
    fn row(&self, program: &HostProgram, row: usize) -> Vec<Goldilocks> {
        let next = (row + 1) % self.height;
        let mut registers = vec![Goldilocks::ZERO; program.registers as usize];
        let weight = |index: u32| {
            let [a, b, c] = [0, 1, 2].map(|k| self.weights[EXT_DEGREE * index as usize + k]);
            Ext3::new([a, b, c])
        };
        let (mut sum, mut factor, mut out) = (Ext3::ZERO, Ext3::ZERO, Vec::new());
        let mut multiplicity = Goldilocks::ZERO;
        for &instruction in &program.instructions {
            let read = |operand: Operand| match operand {
                Operand::Register(index) => registers[index as usize],
                Operand::Main(column) => self.columns[0][column as usize][row],
                Operand::MainNext(column) => self.columns[0][column as usize][next],
                Operand::Preprocessed(column) => self.columns[1][column as usize][row],
                Operand::PreprocessedNext(column) => self.columns[1][column as usize][next],
                Operand::Constant(index) => program.constants[index as usize],
                Operand::Public(index) => self.public_values[index as usize],
                Operand::Selector(index) => self.columns[2][index as usize][row],
            };
            match instruction {
                Instruction::Add { to, a, b } => registers[to as usize] = read(a) + read(b),
                Instruction::Sub { to, a, b } => registers[to as usize] = read(a) - read(b),
                Instruction::Mul { to, a, b } => registers[to as usize] = read(a) * read(b),
                Instruction::Neg { to, a } => registers[to as usize] = -read(a),
                Instruction::Constraint { weight: index, value } => sum += weight(index) * read(value),
                Instruction::Send { interaction, value } => {
                    (multiplicity, factor) = (read(value), weight(interaction));
                }
                Instruction::Receive { interaction, value } => {
                    (multiplicity, factor) = (-read(value), weight(interaction));
                }
                Instruction::Field { weight: index, value } => factor += weight(index) * read(value),
                Instruction::Factor { .. } => {
                    out.extend(lambda_math::field::ext_coefficients(factor));
                    out.push(multiplicity);
                }
            }
        }
        out.extend(lambda_math::field::ext_coefficients(sum));
        out
    }

    fn check(&self, stream: &Stream, program: &HostProgram, start: usize, rows: usize) {
        let upload = |values: &[Goldilocks]| stream.upload(values, "test").expect("it fits");
        let columns = self.columns.each_ref().map(|columns| upload(&columns.concat()));
        let [main, preprocessed, selectors] =
            columns.each_ref().map(|values| ColumnSlice { values: values.as_slice(), stride: self.height });
        let (public_values, weights) = (upload(&self.public_values), upload(&self.weights));
        let input = BodyInput {
            main,
            preprocessed: Some(preprocessed),
            selectors: Some(selectors),
            public_values: Some(public_values.as_slice()),
            weights: weights.as_slice(),
            height: self.height,
            start,
            rows,
        };
        let mut messages =
            stream.alloc(SHAPE.interactions * MESSAGE_COLUMNS * rows, "test").expect("it fits");
        let mut sums = stream.alloc(EXT_DEGREE * rows, "test").expect("it fits");
        let mut output =
            BodyOutput { messages: Some(messages.as_slice_mut()), sums: Some(sums.as_slice_mut()) };
        let on_device = Program::upload(stream, program).expect("it fits");
        on_device.run(stream, &input, &mut output).expect("it runs");
        let mut columns: Vec<Goldilocks> = stream.download(&messages).expect("it ran");
        columns.extend(stream.download(&sums).expect("it ran"));
        for row in 0..rows {
            let got: Vec<Goldilocks> = columns.chunks_exact(rows).map(|column| column[row]).collect();
            assert_eq!(got, self.row(program, start + row), "{} registers, row {row}", program.registers);
        }
    }
}

/// Bug: an operation, an operand or an output is wrong; registers of two threads share memory, wherever
/// they are.
#[test]
fn programs_give_what_they_say() {
    let table = Table::new(512);
    // Registers in shared memory with 128, 64 and 32 threads a block, and in global memory.
    for registers in [1, 3, 48, 49, 97, 192, 193] {
        let program = program(registers, 60.max(registers as usize + 7), registers.into());
        each_device(|_, stream| {
            for (start, rows) in [(0, 1), (511, 1), (100, 33), (255, 257)] {
                table.check(stream, &program, start, rows);
            }
        });
    }
}

/// Bug: a thread takes a second row while it has registers of its first one, or rows are left out, where
/// there are more rows than threads with registers.
#[test]
fn threads_take_several_rows() {
    let table = Table::new(1024);
    let program = program(20_000, 30, 3);
    each_device(|_, stream| table.check(stream, &program, 0, 1024));
}

/// Bug: a program that is wrong reads other memory than it was given.
#[test]
fn programs_that_leave_their_shape_are_refused() {
    let bad = [
        Instruction::Neg { to: 4, a: Operand::Main(0) },
        Instruction::Neg { to: 0, a: Operand::Main(5) },
        Instruction::Neg { to: 0, a: Operand::PreprocessedNext(3) },
        Instruction::Neg { to: 0, a: Operand::Constant(4) },
        Instruction::Neg { to: 0, a: Operand::Public(2) },
        Instruction::Neg { to: 0, a: Operand::Selector(3) },
        Instruction::Neg { to: 0, a: Operand::Register(1) },
        Instruction::Constraint { weight: 9, value: Operand::Main(0) },
        Instruction::Field { weight: 9, value: Operand::Main(0) },
        Instruction::Send { interaction: 3, value: Operand::Main(0) },
        Instruction::Factor { interaction: 3 },
    ];
    each_device(|_, stream| {
        for instruction in bad {
            let mut program = program(4, 0, 1);
            program.instructions.push(instruction);
            let upload = std::panic::AssertUnwindSafe(|| Program::upload(stream, &program).map(drop));
            assert!(std::panic::catch_unwind(upload).is_err(), "{instruction:?}");
        }
    });
}
