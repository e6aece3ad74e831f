//! Bug: one way of evaluating a body differs from another, so that an honest proof fails or a wrong trace
//! passes.

mod legs;

use std::sync::Arc;

use lambda_air::bus::Direction;
use lambda_air::capture::{Capture, CapturedInteraction, Expression};
use lambda_air::dag::{Leaf, Node, RowOffset};
use lambda_air::program::Roots;
use lambda_air::{AnyAir, Bus, ConstraintDag, ConstraintProgram, TableBuilder};
use lambda_math::Goldilocks;
use lambda_math::field::ORDER;
use legs::{Trace, Values, body, interpret, point, walk};
use p3_air::{Air, BaseAir, BaseEntry, BaseLeaf, SymbolicExpr, SymbolicVariable, WindowAccess};
use proptest::prelude::*;

const WIDTHS: [usize; 3] = [3, 2, 2];
const BUS: Bus = Bus::new(9, "pairs", &[64, 64]);

/// One step of a body; operands are earlier steps, modulo their number.
#[derive(Clone, Copy, Debug)]
enum Step {
    Constant(u64),
    Main(usize, RowOffset),
    Preprocessed(usize, RowOffset),
    Public(usize),
    FirstRow,
    LastRow,
    Transition,
    Add(usize, usize),
    Sub(usize, usize),
    Mul(usize, usize),
    Neg(usize),
}

/// A body made of steps: some are asserted to vanish, some are put on a bus.
#[derive(Clone, Debug)]
struct StepsAir {
    steps: Vec<Step>,
    constraints: Vec<usize>,
    /// Direction, multiplicity, message.
    interactions: Vec<(bool, usize, [usize; 2])>,
}

impl StepsAir {
    /// A step by its number, modulo the number of steps.
    fn pick<T: Clone>(values: &[T], index: usize) -> T {
        values[index % values.len()].clone()
    }

    /// The body as trees without any of the simplifications that p3's operators make.
    fn unsimplified(&self) -> Capture {
        let variable =
            |entry, index| SymbolicExpr::Leaf(BaseLeaf::Variable(SymbolicVariable::new(entry, index)));
        let degree_multiple = 0;
        let mut values: Vec<Arc<Expression>> = Vec::new();
        for &step in &self.steps {
            let of = |index| Self::pick(&values, index);
            let value = match step {
                Step::Constant(c) => SymbolicExpr::Leaf(BaseLeaf::Constant(Goldilocks::new(c))),
                Step::Main(index, row) => variable(BaseEntry::Main { offset: row as usize }, index),
                Step::Preprocessed(index, row) => {
                    variable(BaseEntry::Preprocessed { offset: row as usize }, index)
                }
                Step::Public(index) => variable(BaseEntry::Public, index),
                Step::FirstRow => SymbolicExpr::Leaf(BaseLeaf::IsFirstRow),
                Step::LastRow => SymbolicExpr::Leaf(BaseLeaf::IsLastRow),
                Step::Transition => SymbolicExpr::Leaf(BaseLeaf::IsTransition),
                Step::Add(a, b) => SymbolicExpr::Add { x: of(a), y: of(b), degree_multiple },
                Step::Sub(a, b) => SymbolicExpr::Sub { x: of(a), y: of(b), degree_multiple },
                Step::Mul(a, b) => SymbolicExpr::Mul { x: of(a), y: of(b), degree_multiple },
                Step::Neg(a) => SymbolicExpr::Neg { x: of(a), degree_multiple },
            };
            values.push(Arc::new(value));
        }
        let of = |index: usize| Self::pick(&values, index).as_ref().clone();
        Capture {
            constraints: self.constraints.iter().map(|&index| of(index)).collect(),
            names: self.constraints.iter().map(|index| index.to_string()).collect(),
            interactions: self
                .interactions
                .iter()
                .map(|&(send, multiplicity, fields)| CapturedInteraction {
                    direction: if send { Direction::Send } else { Direction::Receive },
                    bus: BUS,
                    multiplicity: of(multiplicity),
                    fields: fields.map(of).to_vec(),
                })
                .collect(),
        }
    }
}

impl BaseAir<Goldilocks> for StepsAir {
    fn width(&self) -> usize {
        WIDTHS[0]
    }
    fn preprocessed_width(&self) -> usize {
        WIDTHS[1]
    }
    fn num_public_values(&self) -> usize {
        WIDTHS[2]
    }
}

impl<AB: TableBuilder> Air<AB> for StepsAir {
    fn eval(&self, builder: &mut AB) {
        let (main, preprocessed) = (builder.main(), builder.preprocessed().clone());
        let row = |current: &[AB::Var], next: &[AB::Var], index: usize, offset| match offset {
            RowOffset::Current => current[index].into(),
            RowOffset::Next => next[index].into(),
        };
        let mut values: Vec<AB::Expr> = Vec::new();
        for &step in &self.steps {
            let of = |index| Self::pick(&values, index);
            values.push(match step {
                Step::Constant(c) => AB::Expr::from(Goldilocks::new(c)),
                Step::Main(index, offset) => row(main.current_slice(), main.next_slice(), index, offset),
                Step::Preprocessed(index, offset) => {
                    row(preprocessed.current_slice(), preprocessed.next_slice(), index, offset)
                }
                Step::Public(index) => builder.public_values()[index].into(),
                Step::FirstRow => builder.is_first_row(),
                Step::LastRow => builder.is_last_row(),
                Step::Transition => builder.is_transition(),
                Step::Add(a, b) => of(a) + of(b),
                Step::Sub(a, b) => of(a) - of(b),
                Step::Mul(a, b) => of(a) * of(b),
                Step::Neg(a) => -of(a),
            });
        }
        for &index in &self.constraints {
            builder.assert_zero(Self::pick(&values, index));
        }
        for &(send, multiplicity, fields) in &self.interactions {
            let multiplicity = Self::pick(&values, multiplicity);
            let fields = fields.map(|index| Self::pick(&values, index));
            if send {
                builder.send(&BUS, multiplicity, fields);
            } else {
                builder.receive(&BUS, multiplicity, fields);
            }
        }
    }
}

/// Field elements, half of them at the edges where reductions and simplifications happen.
fn element() -> impl Strategy<Value = u64> {
    prop_oneof![
        prop::sample::select(vec![0, 1, ORDER - 1, (1 << 32) - 1, 1 << 32, ORDER - (1 << 32)]),
        0..ORDER,
    ]
}

fn leaf() -> impl Strategy<Value = Step> {
    let offset = || prop_oneof![Just(RowOffset::Current), Just(RowOffset::Next)];
    prop_oneof![
        2 => element().prop_map(Step::Constant),
        2 => (0..WIDTHS[0], offset()).prop_map(|(index, row)| Step::Main(index, row)),
        2 => (0..WIDTHS[1], offset()).prop_map(|(index, row)| Step::Preprocessed(index, row)),
        1 => (0..WIDTHS[2]).prop_map(Step::Public),
        1 => prop::sample::select(vec![Step::FirstRow, Step::LastRow, Step::Transition]),
    ]
}

fn operation() -> impl Strategy<Value = Step> {
    let index = || any::<usize>();
    prop_oneof![
        3 => (index(), index()).prop_map(|(a, b)| Step::Add(a, b)),
        3 => (index(), index()).prop_map(|(a, b)| Step::Sub(a, b)),
        3 => (index(), index()).prop_map(|(a, b)| Step::Mul(a, b)),
        1 => index().prop_map(Step::Neg),
    ]
}

fn air() -> impl Strategy<Value = StepsAir> {
    let steps = prop::collection::vec(prop_oneof![leaf(), operation()], 0..40);
    let constraints = prop::collection::vec(any::<usize>(), 1..8);
    let interaction = (any::<bool>(), any::<usize>(), any::<[usize; 2]>());
    (leaf(), steps, constraints, prop::collection::vec(interaction, 0..4)).prop_map(
        |(first, rest, constraints, interactions)| StepsAir {
            steps: std::iter::once(first).chain(rest).collect(),
            constraints,
            interactions,
        },
    )
}

/// A trace of edge-biased cells from a seed.
fn trace(height: usize, seed: u64) -> Trace {
    const EDGES: [u64; 6] = [0, 1, ORDER - 1, (1 << 32) - 1, 1 << 32, ORDER - (1 << 32)];
    let mut state = seed;
    Trace::generate(height, WIDTHS, || {
        // An LCG (Knuth's MMIX constants); its high bits choose between an edge and the state itself.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let edge = EDGES.get((state >> 60) as usize).copied();
        Goldilocks::new(edge.unwrap_or(state % ORDER))
    })
}

/// Columns that any node of `dag` reads at the next row.
fn next_columns(dag: &ConstraintDag) -> [Vec<usize>; 2] {
    let mut next = [Vec::new(), Vec::new()];
    for node in &dag.nodes {
        match *node {
            Node::Leaf(Leaf::Main(column, RowOffset::Next)) => next[0].push(column as usize),
            Node::Leaf(Leaf::Preprocessed(column, RowOffset::Next)) => next[1].push(column as usize),
            _ => {}
        }
    }
    next
}

/// Whether every leg computes what the body does, on all rows.
fn legs_agree(air: &StepsAir, trace: &Trace) -> Result<(), TestCaseError> {
    let expected: Vec<Values> = (0..trace.height()).map(|row| body(air, trace, row)).collect();
    for dag in [ConstraintDag::new(&air.capture()), ConstraintDag::new(&air.unsimplified())] {
        let program = ConstraintProgram::new(&dag, Roots::All);
        let [main_next, preprocessed_next] = next_columns(&dag);
        let interpreted = interpret(&dag, &program, trace, [&main_next, &preprocessed_next]);
        for (row, (expected, interpreted)) in expected.iter().zip(&interpreted).enumerate() {
            prop_assert_eq!(expected, interpreted, "program on row {}", row);
            prop_assert_eq!(expected, &walk(&dag, trace, row), "graph on row {}", row);
        }
        let lookups = ConstraintProgram::new(&dag, Roots::Interactions);
        let messages = interpret(&dag, &lookups, trace, [&main_next, &preprocessed_next]);
        for (row, (expected, messages)) in expected.iter().zip(&messages).enumerate() {
            prop_assert_eq!(&expected.multiplicities, &messages.multiplicities, "row {}", row);
            prop_assert_eq!(&expected.fields, &messages.fields, "row {}", row);
        }
    }
    for row in [0, trace.height() / 2, trace.height() - 1] {
        prop_assert_eq!(&expected[row], &point(air, trace, row), "point on row {}", row);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Bug: a simplification that changes a value, a register overwritten while it is needed, a block that
    /// reads the wrong next row at its end or at the table's.
    #[test]
    fn every_leg_computes_the_body(
        air in air(),
        seed in any::<u64>(),
        height in prop::sample::select(vec![16, 32, 128, 256]),
    ) {
        legs_agree(&air, &trace(height, seed))?;
    }
}

/// Bug: an instruction handles some combination of operand kinds (register, slice, scalar) wrongly. Two
/// operands of every kind are combined by every operation.
#[test]
fn every_pair_of_operand_kinds() {
    let operands = [
        Step::Constant(ORDER - (1 << 32)),
        Step::Public(0),
        Step::Public(1),
        Step::Main(0, RowOffset::Current),
        Step::Main(1, RowOffset::Next),
        Step::Preprocessed(0, RowOffset::Current),
        Step::Preprocessed(1, RowOffset::Next),
        Step::FirstRow,
        Step::LastRow,
        Step::Transition,
        Step::Mul(0, 3),
        Step::Mul(1, 2),
    ];
    let mut steps = operands.to_vec();
    for a in 0..operands.len() {
        for b in 0..operands.len() {
            steps.extend([Step::Add(a, b), Step::Sub(a, b), Step::Mul(a, b)]);
        }
        steps.push(Step::Neg(a));
    }
    // Operands of a step are taken modulo the steps before it, which are never fewer than the operands here.
    let air =
        StepsAir { constraints: (0..steps.len()).collect(), steps, interactions: vec![(true, 1, [3, 10])] };
    for height in [16, 128, 256] {
        legs_agree(&air, &trace(height, 7)).expect("the legs agree");
    }
}
