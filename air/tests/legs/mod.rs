//! The ways of evaluating a table's body, which must agree: the body over trace rows, the body at a point, a
//! walk over its graph, its register program. Each test binary uses its part of this module.
#![allow(dead_code, reason = "shared by test binaries")]

use lambda_air::dag::{Leaf, Node, RowOffset, Selector};
use lambda_air::interpreter::{BLOCK_ROWS, ColumnBlock, Packed, Registers, RowBlock, Sink, run};
use lambda_air::rows::{RowPair, Selectors, Value};
use lambda_air::{AnyAir, ConstraintDag, ConstraintProgram, RowBuilder};
use lambda_math::field::{ext_coefficients, ext_from_coefficients};
use lambda_math::{Ext3, Goldilocks};
use p3_field::{PackedValue, PrimeCharacteristicRing};

/// A trace with everything that a body may read.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Main columns.
    pub main: Vec<Vec<Goldilocks>>,
    /// Preprocessed columns.
    pub preprocessed: Vec<Vec<Goldilocks>>,
    /// Public values.
    pub public_values: Vec<Goldilocks>,
    /// First-row, last-row and transition selector: any values, the legs only have to agree.
    pub selectors: [Vec<Goldilocks>; 3],
}

impl Trace {
    /// A trace of `height` rows whose cells come from `cell`, called once a cell.
    pub fn generate(
        height: usize,
        [main, preprocessed, public_values]: [usize; 3],
        mut cell: impl FnMut() -> Goldilocks,
    ) -> Self {
        let mut column = |length: usize| (0..length).map(|_| cell()).collect::<Vec<_>>();
        Self {
            main: (0..main).map(|_| column(height)).collect(),
            preprocessed: (0..preprocessed).map(|_| column(height)).collect(),
            public_values: column(public_values),
            selectors: [column(height), column(height), column(height)],
        }
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.selectors[0].len()
    }

    fn rows(&self, columns: &[Vec<Goldilocks>], row: usize) -> [Vec<Goldilocks>; 2] {
        let at = |row: usize| columns.iter().map(|column| column[row]).collect();
        [at(row), at((row + 1) % self.height())]
    }

    fn evaluate<E: Value>(
        &self,
        row: usize,
        lift: impl Fn(Goldilocks) -> E + Copy,
        eval: impl FnOnce(&mut RowBuilder<'_, E>),
    ) -> Values<E> {
        let lifted =
            |rows: [Vec<Goldilocks>; 2]| rows.map(|row| row.into_iter().map(lift).collect::<Vec<E>>());
        let main = lifted(self.rows(&self.main, row));
        let preprocessed = lifted(self.rows(&self.preprocessed, row));
        let [first, last, transition] = &self.selectors;
        let mut builder = RowBuilder::new(RowPair {
            main: [&main[0], &main[1]],
            preprocessed: [&preprocessed[0], &preprocessed[1]],
            public_values: &self.public_values,
            selectors: Selectors {
                is_first_row: lift(first[row]),
                is_last_row: lift(last[row]),
                is_transition: lift(transition[row]),
            },
        });
        eval(&mut builder);
        Values {
            multiplicities: builder.interactions.iter().map(|i| i.multiplicity).collect(),
            fields: builder.interactions.into_iter().map(|i| i.fields).collect(),
            constraints: builder.constraints,
        }
    }
}

/// What a body computes on one row, in program order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values<E = Goldilocks> {
    /// Constraints.
    pub constraints: Vec<E>,
    /// Multiplicities of the interactions, without the direction's sign.
    pub multiplicities: Vec<E>,
    /// Messages of the interactions.
    pub fields: Vec<Vec<E>>,
}

impl<E: Clone> Values<E> {
    fn map<T>(&self, f: impl Fn(&E) -> T) -> Values<T> {
        let each = |values: &Vec<E>| values.iter().map(&f).collect::<Vec<T>>();
        Values {
            constraints: each(&self.constraints),
            multiplicities: each(&self.multiplicities),
            fields: self.fields.iter().map(each).collect(),
        }
    }
}

/// The body on row `row` and its successor.
pub fn body(air: &dyn AnyAir, trace: &Trace, row: usize) -> Values {
    trace.evaluate(row, |x| x, |builder| air.eval_row(builder))
}

/// The body as the verifier runs it, on constants: polynomials that take the row's values everywhere.
pub fn point(air: &dyn AnyAir, trace: &Trace, row: usize) -> Values {
    let values = trace.evaluate(row, Ext3::from, |builder| air.eval_point(builder));
    values.map(|&value| {
        let [constant, ..] = ext_coefficients(value);
        assert_eq!(value, ext_from_coefficients([constant, Goldilocks::ZERO, Goldilocks::ZERO]));
        constant
    })
}

/// Every node of `dag` on row `row`, operands first.
pub fn walk(dag: &ConstraintDag, trace: &Trace, row: usize) -> Values {
    let at = |offset: RowOffset| match offset {
        RowOffset::Current => row,
        RowOffset::Next => (row + 1) % trace.height(),
    };
    let mut values: Vec<Goldilocks> = Vec::with_capacity(dag.nodes.len());
    for node in &dag.nodes {
        let value = |id: u32| values[id as usize];
        values.push(match *node {
            Node::Leaf(Leaf::Constant(c)) => Goldilocks::new(c),
            Node::Leaf(Leaf::Main(column, offset)) => trace.main[column as usize][at(offset)],
            Node::Leaf(Leaf::Preprocessed(column, offset)) => trace.preprocessed[column as usize][at(offset)],
            Node::Leaf(Leaf::Public(index)) => trace.public_values[index as usize],
            Node::Leaf(Leaf::Selector(Selector::FirstRow)) => trace.selectors[0][row],
            Node::Leaf(Leaf::Selector(Selector::LastRow)) => trace.selectors[1][row],
            Node::Leaf(Leaf::Selector(Selector::Transition)) => trace.selectors[2][row],
            Node::Add(a, b) => value(a) + value(b),
            Node::Sub(a, b) => value(a) - value(b),
            Node::Mul(a, b) => value(a) * value(b),
            Node::Neg(a) => -value(a),
        });
    }
    Values {
        constraints: dag.constraints.iter().map(|&id| values[id as usize]).collect(),
        multiplicities: dag.interactions.iter().map(|i| values[i.multiplicity as usize]).collect(),
        fields: dag
            .interactions
            .iter()
            .map(|i| i.fields.iter().map(|&id| values[id as usize]).collect())
            .collect(),
    }
}

/// The program on every row, block after block. `next` are the main and preprocessed columns that the last
/// block wraps.
pub fn interpret(
    dag: &ConstraintDag,
    program: &ConstraintProgram,
    trace: &Trace,
    [main_next, preprocessed_next]: [&[usize]; 2],
) -> Vec<Values> {
    let empty = Values {
        constraints: vec![Goldilocks::ZERO; dag.constraints.len()],
        multiplicities: vec![Goldilocks::ZERO; dag.interactions.len()],
        fields: dag.interactions.iter().map(|i| vec![Goldilocks::ZERO; i.fields.len()]).collect(),
    };
    let height = trace.height();
    let mut collected = Collected { rows: vec![empty; height], start: 0, packs: 0 };
    let main: Vec<&[Goldilocks]> = trace.main.iter().map(Vec::as_slice).collect();
    let preprocessed: Vec<&[Goldilocks]> = trace.preprocessed.iter().map(Vec::as_slice).collect();
    let mut registers = Registers::default();
    let rows = BLOCK_ROWS.min(height);
    for start in (0..height).step_by(rows) {
        let selector = |index: usize| Packed::pack_slice(&trace.selectors[index][start..start + rows]);
        let block = RowBlock {
            main: ColumnBlock::new(&main, main_next, start, rows),
            preprocessed: ColumnBlock::new(&preprocessed, preprocessed_next, start, rows),
            public_values: &trace.public_values,
            selectors: [selector(0), selector(1), selector(2)],
        };
        collected.start = start;
        collected.packs = rows / Packed::WIDTH;
        run(program, &block, &mut registers, &mut collected);
    }
    collected.rows
}

struct Collected {
    rows: Vec<Values>,
    start: usize,
    packs: usize,
}

impl Collected {
    fn put(&mut self, values: impl Fn(usize) -> Packed, cell: impl Fn(&mut Values) -> &mut Goldilocks) {
        let values: Vec<Packed> = (0..self.packs).map(values).collect();
        for (row, &value) in self.rows[self.start..].iter_mut().zip(Packed::unpack_slice(&values)) {
            *cell(row) = value;
        }
    }
}

impl Sink for Collected {
    fn constraint(&mut self, index: usize, values: impl Fn(usize) -> Packed) {
        self.put(values, |row| &mut row.constraints[index]);
    }

    fn field(&mut self, interaction: usize, field: usize, values: impl Fn(usize) -> Packed) {
        self.put(values, |row| &mut row.fields[interaction][field]);
    }

    fn multiplicity(&mut self, interaction: usize, values: impl Fn(usize) -> Packed) {
        self.put(values, |row| &mut row.multiplicities[interaction]);
    }
}
