//! Statements that compute nodes of a graph.

use lambda_air::Direction;
use lambda_air::dag::{ConstraintDag, DagInteraction, Leaf, Node, NodeId, RowOffset, Selector};
use p3_field::PrimeField64;

use super::sum::{Sum, Term, Uses};
use crate::weights::WeightLayout;

/// How a column's number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// As it is.
    Literal,
    /// As an index into the loop's table, whose entry 0 is the constraint's number.
    Table,
}

/// The statements so far, and which nodes they compute: node `n` as the variable `vn`.
pub struct Body<'a> {
    uses: Uses<'a>,
    columns: Columns,
    computed: Vec<bool>,
    lines: Vec<String>,
}

impl<'a> Body<'a> {
    /// A body that will compute `constraints` and `interactions` of `dag`, and nothing else.
    pub fn new(
        dag: &'a ConstraintDag,
        constraints: &[NodeId],
        interactions: &[DagInteraction],
        columns: Columns,
    ) -> Self {
        let messages = interactions.iter().flat_map(|i| i.fields.iter().chain([&i.multiplicity]));
        let uses = Uses::new(dag, constraints.iter().chain(messages).copied());
        Self { uses, columns, computed: vec![false; dag.nodes.len()], lines: Vec::new() }
    }

    /// The statements.
    pub fn into_lines(self) -> Vec<String> {
        self.lines
    }

    /// Adds a statement.
    pub fn line(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// An expression for node `id`, after the statements that compute it.
    pub fn value(&mut self, id: NodeId) -> String {
        if let Node::Leaf(leaf) = self.node(id) {
            return self.leaf(leaf);
        }
        if !self.computed[id as usize] {
            self.compute(id);
            self.computed[id as usize] = true;
        }
        format!("v{id}")
    }

    /// Writes the factor and the multiplicity of interaction `index`.
    pub fn interaction(&mut self, index: u32, interaction: &DagInteraction, weights: &WeightLayout) {
        let multiplicity = match interaction.direction {
            Direction::Send => self.value(interaction.multiplicity),
            Direction::Receive => self.negated(interaction.multiplicity),
        };
        self.line(format!("out.multiplicity({index}, {multiplicity});"));
        self.line(format!("ExtProducts f{index}(weights, {});", weights.interaction(index)));
        for (field, &id) in (0..).zip(&interaction.fields) {
            if self.node(id) != Node::Leaf(Leaf::Constant(0)) {
                let (value, weight) = (self.value(id), weights.field(field));
                self.line(format!("f{index}.add({value}, weights, {weight});"));
            }
        }
        self.line(format!("out.factor({index}, f{index});"));
    }

    fn node(&self, id: NodeId) -> Node {
        self.uses.dag.nodes[id as usize]
    }

    fn leaf(&self, leaf: Leaf) -> String {
        let column = |column: u32| match self.columns {
            Columns::Literal => column.to_string(),
            Columns::Table => format!("column[{}]", column + 1),
        };
        match leaf {
            Leaf::Constant(value) => literal(value),
            Leaf::Main(c, RowOffset::Current) => format!("row.main({})", column(c)),
            Leaf::Main(c, RowOffset::Next) => format!("row.main_next({})", column(c)),
            Leaf::Preprocessed(c, RowOffset::Current) => format!("row.preprocessed({})", column(c)),
            Leaf::Preprocessed(c, RowOffset::Next) => format!("row.preprocessed_next({})", column(c)),
            Leaf::Public(index) => format!("row.public_value({index})"),
            Leaf::Selector(Selector::FirstRow) => "row.selector(0)".to_owned(),
            Leaf::Selector(Selector::LastRow) => "row.selector(1)".to_owned(),
            Leaf::Selector(Selector::Transition) => "row.selector(2)".to_owned(),
        }
    }

    fn compute(&mut self, id: NodeId) {
        let sum = Sum::of(&self.uses, id);
        let value = match self.node(id) {
            Node::Mul(a, b) if sum.terms.len() == 1 && sum.first.is_none() => self.product(a, b),
            _ if sum.is_wide() => self.wide(id, &sum),
            Node::Mul(a, b) => self.product(a, b),
            Node::Add(a, b) => self.binary("field_add", a, b),
            Node::Sub(a, b) => self.binary("field_sub", a, b),
            Node::Neg(a) => format!("field_minus({})", self.value(a)),
            Node::Leaf(_) => unreachable!("leaves are not computed"),
        };
        self.line(format!("const u64 v{id} = {value};"));
    }

    fn product(&mut self, a: NodeId, b: NodeId) -> String {
        let x = self.value(a);
        if a == b {
            return format!("field_square({x})");
        }
        let y = self.value(b);
        format!("field_mul({x}, {y})")
    }

    /// A constant is subtracted, which is shorter: it is canonical.
    fn binary(&mut self, operation: &str, a: NodeId, b: NodeId) -> String {
        let is_sum = operation == "field_add";
        let (a, b) = if is_sum && self.uses.constant(a).is_some() { (b, a) } else { (a, b) };
        let x = self.value(a);
        match self.uses.constant(b) {
            Some(value) => {
                let subtracted = if is_sum { -value } else { value };
                format!("field_sub_canonical({x}, {})", literal(subtracted.as_canonical_u64()))
            }
            None => format!("{operation}({x}, {})", self.value(b)),
        }
    }

    fn wide(&mut self, id: NodeId, sum: &Sum) -> String {
        let first = sum.first.map_or_else(|| literal(0), |first| self.value(first));
        self.line(format!("Products s{id}({first}, {});", literal(sum.constant_by_word())));
        for &term in &sum.terms {
            let (count, added) = match term {
                Term::Plus(a) => (1, self.value(a)),
                Term::Minus(a) => (1, format!("~{}", self.value(a))),
                Term::Scaled(factor, a) => {
                    (1, format!("{}, {}", self.value(a), literal(factor.as_canonical_u64())))
                }
                Term::Product { count, a, b } => (count, format!("{}, {}", self.value(a), self.value(b))),
                Term::MinusProduct { count, a, b } => {
                    (count, format!("{}, {}", self.value(a), self.negated(b)))
                }
            };
            for _ in 0..count {
                self.line(format!("s{id}.add({added});"));
            }
        }
        format!("s{id}.reduce()")
    }

    /// An expression for `-id`.
    fn negated(&mut self, id: NodeId) -> String {
        if let Some(value) = self.uses.constant(id) {
            return literal((-value).as_canonical_u64());
        }
        match self.node(id) {
            Node::Sub(a, b) if self.uses.cheap_to_negate(id) => self.binary("field_sub", b, a),
            _ => format!("field_minus({})", self.value(id)),
        }
    }
}

/// A constant of the kernels' language.
fn literal(value: u64) -> String {
    if value < 1 << 16 { format!("{value}") } else { format!("{value:#x}ull") }
}
