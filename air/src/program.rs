//! Lowering a [`ConstraintDag`] to a flat register program.
//!
//! Nodes are computed in the order in which the roots need them, once each; a register is free again after
//! its value's last use, so the number of registers is the largest number of values alive at once. Leaves
//! are operands and take no register. The program has no branches and the same instructions for every row,
//! so the host runs it on vectors of rows ([`interpreter`](crate::interpreter)) and a device on a thread
//! per row.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use lambda_math::Goldilocks;

use crate::dag::{ConstraintDag, Leaf, Node, NodeId, RowOffset, Selector};
use crate::interpreter::frame::FrameProgram;

/// Where an instruction reads a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operand {
    /// A register written before.
    Register(u32),
    /// A main column.
    Main(u32, RowOffset),
    /// A preprocessed column.
    Preprocessed(u32, RowOffset),
    /// Index into [`ConstraintProgram::constants`].
    Constant(u32),
    /// A public value.
    Public(u32),
    /// A row selector.
    Selector(Selector),
}

/// One step of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant's formula names its fields")]
pub enum Instruction {
    /// `registers[to] = a + b`
    Add { to: u32, a: Operand, b: Operand },
    /// `registers[to] = a - b`
    Sub { to: u32, a: Operand, b: Operand },
    /// `registers[to] = a · b`
    Mul { to: u32, a: Operand, b: Operand },
    /// `registers[to] = -a`
    Neg { to: u32, a: Operand },
    /// `value` is constraint `index`.
    Constraint { index: u32, value: Operand },
    /// `value` is field `field` of the message of `interaction`.
    Field { interaction: u32, field: u32, value: Operand },
    /// `value` is the multiplicity of `interaction`, before the sign of its direction.
    Multiplicity { interaction: u32, value: Operand },
}

impl Instruction {
    /// What it reads.
    pub fn operands(self) -> impl Iterator<Item = Operand> {
        let (a, b) = match self {
            Self::Add { a, b, .. } | Self::Sub { a, b, .. } | Self::Mul { a, b, .. } => (a, Some(b)),
            Self::Neg { a, .. } => (a, None),
            Self::Constraint { value, .. } | Self::Field { value, .. } | Self::Multiplicity { value, .. } => {
                (value, None)
            }
        };
        [a].into_iter().chain(b)
    }
}

/// What a program is to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Roots {
    /// Constraints and interactions: the composition.
    All,
    /// Interactions only: the lookup columns.
    Interactions,
}

/// A branch-free register program (module docs).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintProgram {
    /// Steps in order.
    pub instructions: Vec<Instruction>,
    /// Registers it uses.
    pub registers: usize,
    /// Its constants.
    pub constants: Vec<Goldilocks>,
    /// The instructions as the host runs them.
    pub(crate) frame: FrameProgram,
}

impl ConstraintProgram {
    /// Lowers `dag`.
    pub fn new(dag: &ConstraintDag, roots: Roots) -> Self {
        let schedule = Schedule::new(dag, roots);
        Lowering::new(dag, &schedule).finish(&schedule)
    }
}

/// A step before registers are assigned.
enum Step {
    Compute(NodeId),
    Constraint(u32, NodeId),
    Field(u32, u32, NodeId),
    Multiplicity(u32, NodeId),
}

impl Step {
    fn reads(&self, dag: &ConstraintDag) -> impl Iterator<Item = NodeId> {
        let (root, node) = match *self {
            Self::Compute(id) => (None, Some(dag.nodes[id as usize])),
            Self::Constraint(_, id) | Self::Field(_, _, id) | Self::Multiplicity(_, id) => (Some(id), None),
        };
        root.into_iter().chain(node.into_iter().flat_map(Node::operands))
    }
}

struct Schedule {
    steps: Vec<Step>,
    /// Steps that still read each node.
    uses: Vec<u32>,
}

impl Schedule {
    fn new(dag: &ConstraintDag, roots: Roots) -> Self {
        let mut schedule = Self { steps: Vec::new(), uses: alloc::vec![0; dag.nodes.len()] };
        let mut scheduled = alloc::vec![false; dag.nodes.len()];
        if roots == Roots::All {
            for (index, &root) in dag.constraints.iter().enumerate() {
                schedule.compute(dag, &mut scheduled, root);
                schedule.steps.push(Step::Constraint(index as u32, root));
            }
        }
        for (index, interaction) in dag.interactions.iter().enumerate() {
            schedule.compute(dag, &mut scheduled, interaction.multiplicity);
            schedule.steps.push(Step::Multiplicity(index as u32, interaction.multiplicity));
            for (field, &root) in interaction.fields.iter().enumerate() {
                schedule.compute(dag, &mut scheduled, root);
                schedule.steps.push(Step::Field(index as u32, field as u32, root));
            }
        }
        for step in &schedule.steps {
            for id in step.reads(dag) {
                schedule.uses[id as usize] += 1;
            }
        }
        schedule
    }

    /// Schedules `root` and what it needs, operands first.
    fn compute(&mut self, dag: &ConstraintDag, scheduled: &mut [bool], root: NodeId) {
        let mut pending = alloc::vec![(root, false)];
        while let Some((id, operands_done)) = pending.pop() {
            let node = dag.nodes[id as usize];
            if scheduled[id as usize] || matches!(node, Node::Leaf(_)) {
                continue;
            }
            if operands_done {
                scheduled[id as usize] = true;
                self.steps.push(Step::Compute(id));
            } else {
                pending.push((id, true));
                pending.extend(node.operands().map(|operand| (operand, false)));
            }
        }
    }
}

struct Lowering<'a> {
    dag: &'a ConstraintDag,
    uses: Vec<u32>,
    register_of: Vec<Option<u32>>,
    free: Vec<u32>,
    registers: u32,
    constants: Vec<Goldilocks>,
    constant_ids: BTreeMap<u64, u32>,
    instructions: Vec<Instruction>,
}

impl<'a> Lowering<'a> {
    fn new(dag: &'a ConstraintDag, schedule: &Schedule) -> Self {
        Self {
            dag,
            uses: schedule.uses.clone(),
            register_of: alloc::vec![None; dag.nodes.len()],
            free: Vec::new(),
            registers: 0,
            constants: Vec::new(),
            constant_ids: BTreeMap::new(),
            instructions: Vec::with_capacity(schedule.steps.len()),
        }
    }

    fn finish(mut self, schedule: &Schedule) -> ConstraintProgram {
        for step in &schedule.steps {
            let instruction = match *step {
                Step::Constraint(index, id) => Instruction::Constraint { index, value: self.read(id) },
                Step::Field(interaction, field, id) => {
                    Instruction::Field { interaction, field, value: self.read(id) }
                }
                Step::Multiplicity(interaction, id) => {
                    Instruction::Multiplicity { interaction, value: self.read(id) }
                }
                Step::Compute(id) => self.compute(id),
            };
            self.instructions.push(instruction);
        }
        ConstraintProgram {
            frame: FrameProgram::new(&self.instructions, self.registers as usize),
            instructions: self.instructions,
            registers: self.registers as usize,
            constants: self.constants,
        }
    }

    /// The result may take the register of an operand that dies here: instructions read before they write.
    fn compute(&mut self, id: NodeId) -> Instruction {
        match self.dag.nodes[id as usize] {
            Node::Add(a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                Instruction::Add { to: self.allocate(id), a, b }
            }
            Node::Sub(a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                Instruction::Sub { to: self.allocate(id), a, b }
            }
            Node::Mul(a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                Instruction::Mul { to: self.allocate(id), a, b }
            }
            Node::Neg(a) => {
                let a = self.read(a);
                Instruction::Neg { to: self.allocate(id), a }
            }
            Node::Leaf(_) => unreachable!("leaves are operands and are never scheduled"),
        }
    }

    fn allocate(&mut self, id: NodeId) -> u32 {
        let register = self.free.pop().unwrap_or_else(|| {
            self.registers += 1;
            self.registers - 1
        });
        self.register_of[id as usize] = Some(register);
        register
    }

    fn read(&mut self, id: NodeId) -> Operand {
        let leaf = match self.dag.nodes[id as usize] {
            Node::Leaf(leaf) => leaf,
            _ => return Operand::Register(self.read_register(id)),
        };
        match leaf {
            Leaf::Constant(c) => Operand::Constant(self.constant(c)),
            Leaf::Main(column, row) => Operand::Main(column, row),
            Leaf::Preprocessed(column, row) => Operand::Preprocessed(column, row),
            Leaf::Public(index) => Operand::Public(index),
            Leaf::Selector(selector) => Operand::Selector(selector),
        }
    }

    fn read_register(&mut self, id: NodeId) -> u32 {
        let register = self.register_of[id as usize].expect("a node is computed before it is read");
        self.uses[id as usize] -= 1;
        if self.uses[id as usize] == 0 {
            self.free.push(register);
        }
        register
    }

    fn constant(&mut self, value: u64) -> u32 {
        let next = self.constants.len() as u32;
        let index = *self.constant_ids.entry(value).or_insert(next);
        if index == next {
            self.constants.push(Goldilocks::new(value));
        }
        index
    }
}
