//! The register program: how many registers, instructions and constants it takes.

mod legs;

use std::collections::BTreeSet;

use lambda_air::program::{Instruction, Operand, Roots};
use lambda_air::{AnyAir, Bus, ConstraintDag, ConstraintProgram, TableBuilder};
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;

const BUS: Bus = Bus::new(1, "values", &[64, 64]);

/// Bodies whose number of live values is known.
#[derive(Clone, Copy)]
enum Body {
    /// `(((x·y + x)·y + x)·y + …)`: one value alive.
    Horner(usize),
    /// Many constraints of their own.
    Independent(usize),
    /// Values all of which are used again in reverse order: all alive at once.
    Reversed(usize),
    /// A long constraint and a short message.
    Message,
}

impl BaseAir<Goldilocks> for Body {
    fn width(&self) -> usize {
        4
    }
}

impl<AB: TableBuilder> Air<AB> for Body {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let [x, y, z, w] = [0, 1, 2, 3].map(|column| main.current_slice()[column]);
        let horner = |length: usize| (0..length).fold(x.into(), |sum: AB::Expr, _| sum * y + x);
        match *self {
            Self::Horner(length) => builder.assert_zero(horner(length)),
            Self::Independent(count) => {
                for index in 0..count {
                    let constant = AB::Expr::from_usize(index + 2);
                    builder.assert_zero((x * constant.clone() + y) * (z * constant + w));
                }
            }
            Self::Reversed(count) => {
                let mut powers: Vec<AB::Expr> = vec![x * y];
                for index in 1..count {
                    powers.push(powers[index - 1].clone() * x);
                }
                let last = powers.pop().unwrap_or_default();
                builder.assert_zero(powers.into_iter().rev().fold(last, |sum, power| sum * y - power));
            }
            Self::Message => {
                builder.assert_zero(horner(50) * AB::Expr::from_usize(7));
                builder.send(&BUS, z, [z * w, w * AB::Expr::from_usize(5)]);
            }
        }
    }
}

fn program(air: Body, roots: Roots) -> ConstraintProgram {
    ConstraintProgram::new(&ConstraintDag::new(&air.capture()), roots)
}

/// Bug: registers are never freed, so that a long body needs as many as it has nodes and spills out of the
/// cache.
#[test]
fn registers_are_reused() {
    assert_eq!(program(Body::Horner(1000), Roots::All).registers, 1);
    assert!(program(Body::Independent(500), Roots::All).registers <= 2);
}

/// Bug: a register is freed while its value is still to be read. Here nothing dies before the last value
/// exists.
#[test]
fn live_values_keep_their_registers() {
    let count = 40;
    let registers = program(Body::Reversed(count), Roots::All).registers;
    assert!((count - 1..=count + 1).contains(&registers), "{registers} registers");
}

/// Bug: an instruction reads a register that no earlier instruction wrote, or one outside of the declared
/// number.
#[test]
fn registers_are_written_before_they_are_read() {
    for air in [Body::Horner(10), Body::Independent(10), Body::Reversed(10), Body::Message] {
        let program = program(air, Roots::All);
        let mut written = BTreeSet::new();
        for instruction in &program.instructions {
            let (to, reads) = match *instruction {
                Instruction::Add { to, a, b }
                | Instruction::Sub { to, a, b }
                | Instruction::Mul { to, a, b } => (Some(to), vec![a, b]),
                Instruction::Neg { to, a } => (Some(to), vec![a]),
                Instruction::Constraint { value, .. }
                | Instruction::Field { value, .. }
                | Instruction::Multiplicity { value, .. } => (None, vec![value]),
            };
            for read in reads {
                match read {
                    Operand::Register(index) => assert!(written.contains(&index)),
                    Operand::Constant(index) => assert!((index as usize) < program.constants.len()),
                    _ => {}
                }
            }
            written.extend(to);
        }
        assert_eq!(written.len(), program.registers);
        assert!(written.iter().all(|&index| (index as usize) < program.registers));
    }
}

/// Bug: a node is computed once per use; a constant is stored once per use.
#[test]
fn nothing_is_computed_or_stored_twice() {
    let count = 20;
    let program = program(Body::Independent(count), Roots::All);
    let constraints =
        program.instructions.iter().filter(|i| matches!(i, Instruction::Constraint { .. })).count();
    assert_eq!(constraints, count);
    assert_eq!(program.instructions.len() - constraints, 5 * count);
    assert_eq!(program.constants.len(), count);
}

/// Bug: the lookup program computes the constraints too.
#[test]
fn the_lookup_program_computes_messages_only() {
    let all = program(Body::Message, Roots::All);
    let lookup = program(Body::Message, Roots::Interactions);
    assert_eq!(lookup.constants, [Goldilocks::from_usize(5)]);
    // Two products, the multiplicity, two fields.
    assert_eq!(lookup.instructions.len(), 5);
    assert_eq!(all.instructions.len(), 5 + 2 * 50 + 2);
}
