//! A table's register program as the device's interpreter takes it (`lambda_math_cuda::kernels::program`).

use lambda_air::dag::{ConstraintDag, RowOffset, Selector};
use lambda_air::program::{Instruction as Step, Operand as Read};
use lambda_air::{ConstraintProgram, Direction};
use lambda_math_cuda::kernels::program::{BodyShape, HostProgram, Instruction, Operand};

use crate::weights::WeightLayout;

/// Encodes `program`, which is one of `dag`.
pub fn encode(dag: &ConstraintDag, program: &ConstraintProgram) -> HostProgram {
    let weights = WeightLayout::new(dag);
    let mut instructions = Vec::with_capacity(program.instructions.len() + dag.interactions.len());
    let mut fields_left = 0;
    for &step in &program.instructions {
        instructions.push(match step {
            Step::Add { to, a, b } => Instruction::Add { to, a: operand(a), b: operand(b) },
            Step::Sub { to, a, b } => Instruction::Sub { to, a: operand(a), b: operand(b) },
            Step::Mul { to, a, b } => Instruction::Mul { to, a: operand(a), b: operand(b) },
            Step::Neg { to, a } => Instruction::Neg { to, a: operand(a) },
            Step::Constraint { index, value } => {
                Instruction::Constraint { weight: weights.constraint(index), value: operand(value) }
            }
            Step::Multiplicity { interaction, value } => {
                let value = operand(value);
                fields_left = dag.interactions[interaction as usize].fields.len();
                match dag.interactions[interaction as usize].direction {
                    Direction::Send => Instruction::Send { interaction, value },
                    Direction::Receive => Instruction::Receive { interaction, value },
                }
            }
            Step::Field { field, value, .. } => {
                fields_left -= 1;
                Instruction::Field { weight: weights.field(field), value: operand(value) }
            }
        });
        // A program computes the interactions one after the other, the multiplicity of each before its
        // fields.
        if let Step::Multiplicity { interaction, .. } | Step::Field { interaction, .. } = step
            && fields_left == 0
        {
            instructions.push(Instruction::Factor { interaction });
        }
    }
    HostProgram {
        shape: shape(dag, program),
        instructions,
        constants: program.constants.clone(),
        registers: program.registers as u32,
    }
}

/// What `program`, which is one of `dag`, reads and writes.
pub fn shape(dag: &ConstraintDag, program: &ConstraintProgram) -> BodyShape {
    let weights = WeightLayout::new(dag);
    let mut shape = BodyShape { weights: weights.constraint(0) as usize, ..BodyShape::default() };
    for step in &program.instructions {
        match step {
            Step::Constraint { .. } => shape.sums = true,
            Step::Multiplicity { .. } => shape.interactions += 1,
            _ => {}
        }
        for read in step.operands() {
            let (count, index) = match read {
                Read::Main(column, _) => (&mut shape.main, column),
                Read::Preprocessed(column, _) => (&mut shape.preprocessed, column),
                Read::Public(index) => (&mut shape.public_values, index),
                Read::Selector(selector) => (&mut shape.selectors, selector_index(selector)),
                Read::Register(_) | Read::Constant(_) => continue,
            };
            *count = (*count).max(index as usize + 1);
        }
    }
    if shape.sums {
        shape.weights = weights.len() as usize;
    }
    shape
}

fn operand(read: Read) -> Operand {
    match read {
        Read::Register(index) => Operand::Register(index),
        Read::Main(column, RowOffset::Current) => Operand::Main(column),
        Read::Main(column, RowOffset::Next) => Operand::MainNext(column),
        Read::Preprocessed(column, RowOffset::Current) => Operand::Preprocessed(column),
        Read::Preprocessed(column, RowOffset::Next) => Operand::PreprocessedNext(column),
        Read::Constant(index) => Operand::Constant(index),
        Read::Public(index) => Operand::Public(index),
        Read::Selector(selector) => Operand::Selector(selector_index(selector)),
    }
}

/// Its column among the three of a table.
pub const fn selector_index(selector: Selector) -> u32 {
    match selector {
        Selector::FirstRow => 0,
        Selector::LastRow => 1,
        Selector::Transition => 2,
    }
}
