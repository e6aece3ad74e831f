//! The form in which the host runs a program: everything an instruction reads is a slot of one array.
//!
//! A frame has the program's registers first and then a slot for each leaf that it reads, filled once per
//! block. Columns lie a power of two apart, so that the same rows of all of them compete for a few sets of
//! each cache; slots lie side by side. And steps need not tell kinds of operands apart.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::program::{Instruction, Operand};

/// A value's place in a frame.
pub type Slot = u32;

/// An [`Instruction`] on slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Add { to: Slot, a: Slot, b: Slot },
    Sub { to: Slot, a: Slot, b: Slot },
    Mul { to: Slot, a: Slot, b: Slot },
    Neg { to: Slot, a: Slot },
    Constraint { index: u32, value: Slot },
    Field { interaction: u32, field: u32, value: Slot },
    Multiplicity { interaction: u32, value: Slot },
}

/// A program's steps and what their frame holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameProgram {
    /// Steps in order.
    pub steps: Vec<Step>,
    /// Slots of values that are computed; the leaves' come after them.
    pub registers: usize,
    /// The leaves, in the order of their slots; none is a register.
    pub leaves: Vec<Operand>,
}

impl FrameProgram {
    /// Gives every leaf of `instructions`, which use `registers` registers, a slot.
    pub fn new(instructions: &[Instruction], registers: usize) -> Self {
        let is_leaf = |operand: &Operand| !matches!(operand, Operand::Register(_));
        let mut leaves: Vec<Operand> =
            instructions.iter().flat_map(|instruction| instruction.operands()).filter(is_leaf).collect();
        leaves.sort_unstable();
        leaves.dedup();
        let slots: BTreeMap<Operand, Slot> = leaves.iter().copied().zip(registers as Slot..).collect();
        let slot = |operand| match operand {
            Operand::Register(register) => register,
            leaf => slots[&leaf],
        };
        let step = |&instruction: &Instruction| match instruction {
            Instruction::Add { to, a, b } => Step::Add { to, a: slot(a), b: slot(b) },
            Instruction::Sub { to, a, b } => Step::Sub { to, a: slot(a), b: slot(b) },
            Instruction::Mul { to, a, b } => Step::Mul { to, a: slot(a), b: slot(b) },
            Instruction::Neg { to, a } => Step::Neg { to, a: slot(a) },
            Instruction::Constraint { index, value } => Step::Constraint { index, value: slot(value) },
            Instruction::Field { interaction, field, value } => {
                Step::Field { interaction, field, value: slot(value) }
            }
            Instruction::Multiplicity { interaction, value } => {
                Step::Multiplicity { interaction, value: slot(value) }
            }
        };
        Self { steps: instructions.iter().map(step).collect(), registers, leaves }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dag::RowOffset::{Current, Next};

    /// The bug: two leaves in one slot, or a leaf in a register's; each would be computed with the other.
    #[test]
    fn every_leaf_has_its_own_slot() {
        let [main, next, other] =
            [Operand::Main(7, Current), Operand::Main(7, Next), Operand::Preprocessed(7, Current)];
        let instructions = [
            Instruction::Mul { to: 0, a: main, b: next },
            Instruction::Add { to: 1, a: other, b: main },
            Instruction::Sub { to: 0, a: Operand::Register(1), b: Operand::Register(0) },
            Instruction::Constraint { index: 0, value: Operand::Register(0) },
        ];
        let program = FrameProgram::new(&instructions, 2);
        assert_eq!(program.leaves, [main, next, other]);
        let steps = [
            Step::Mul { to: 0, a: 2, b: 3 },
            Step::Add { to: 1, a: 4, b: 2 },
            Step::Sub { to: 0, a: 1, b: 0 },
            Step::Constraint { index: 0, value: 0 },
        ];
        assert_eq!(program.steps, steps);
    }
}
