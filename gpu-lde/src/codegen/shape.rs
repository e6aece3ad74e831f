//! Constraints that differ only in which columns they read.

use std::collections::BTreeMap;
use std::fmt::Write;

use lambda_air::dag::{ConstraintDag, Leaf, Node, NodeId};

/// A constraint's own graph, its columns numbered in the order in which it is visited.
#[derive(Clone, Debug)]
struct Shape {
    nodes: Vec<Node>,
    root: NodeId,
    columns: Vec<u32>,
}

/// The shapes of a table's constraints.
pub struct Shapes(Vec<Shape>);

/// Constraints of one shape.
pub struct Loop {
    /// The shape: column `c` of its graph stands for the `c`-th column of each constraint.
    pub dag: ConstraintDag,
    /// The constraints' numbers and columns.
    pub constraints: Vec<(usize, Vec<u32>)>,
}

impl Shapes {
    /// The shapes of the constraints of `dag`.
    pub fn of(dag: &ConstraintDag) -> Self {
        let classes = classes(dag);
        Self(dag.constraints.iter().map(|&root| Shape::of(dag, &classes, root)).collect())
    }

    /// Operations of all constraints, what they share counted for each.
    pub fn operations(&self) -> usize {
        let operations = |shape: &Shape| shape.nodes.iter().filter(|n| !matches!(n, Node::Leaf(_))).count();
        self.0.iter().map(operations).sum()
    }

    /// The shapes that `count` constraints or more have, and the numbers of the other constraints.
    pub fn split(&self, count: usize) -> (Vec<Loop>, Vec<usize>) {
        let mut groups: BTreeMap<(&[Node], NodeId), Vec<usize>> = BTreeMap::new();
        for (index, shape) in self.0.iter().enumerate() {
            groups.entry((&shape.nodes, shape.root)).or_default().push(index);
        }
        let (mut loops, mut others) = (Vec::new(), Vec::new());
        for ((nodes, root), members) in groups {
            if members.len() < count {
                others.extend(members);
                continue;
            }
            let mut dag = ConstraintDag { nodes: nodes.to_vec(), ..ConstraintDag::default() };
            dag.constraints.push(root);
            let columns = |index: usize| (index, self.0[index].columns.clone());
            loops.push(Loop { dag, constraints: members.into_iter().map(columns).collect() });
        }
        loops.sort_by_key(|group| group.constraints[0].0);
        others.sort_unstable();
        (loops, others)
    }
}

impl Loop {
    /// The table `name` of the loop: per constraint its number, then its columns.
    pub fn table(&self, name: &str) -> String {
        let width = self.constraints[0].1.len() + 1;
        let mut text = format!("\nCONSTANT u16 {name}[{}][{width}] = {{\n", self.constraints.len());
        for (index, columns) in &self.constraints {
            let entries: Vec<String> = std::iter::once(*index)
                .chain(columns.iter().map(|&column| column as usize))
                .map(|entry| u16::try_from(entry).expect("tables have fewer than 2^16 columns").to_string())
                .collect();
            writeln!(text, "    {{{}}},", entries.join(", ")).expect("a string takes all");
        }
        text.push_str("};\n");
        text
    }
}

impl Shape {
    fn of(dag: &ConstraintDag, classes: &[Class], root: NodeId) -> Self {
        let shape = Self { nodes: Vec::new(), root, columns: Vec::new() };
        let mut builder = Builder { dag, classes, shape, ids: BTreeMap::new() };
        builder.shape.root = builder.node(root);
        builder.shape
    }
}

struct Builder<'a> {
    dag: &'a ConstraintDag,
    classes: &'a [Class],
    shape: Shape,
    ids: BTreeMap<NodeId, NodeId>,
}

impl Builder<'_> {
    fn node(&mut self, id: NodeId) -> NodeId {
        if let Some(&own) = self.ids.get(&id) {
            return own;
        }
        let node = match self.dag.nodes[id as usize] {
            Node::Leaf(Leaf::Main(column, row)) => Node::Leaf(Leaf::Main(self.column(column), row)),
            Node::Leaf(Leaf::Preprocessed(column, row)) => {
                Node::Leaf(Leaf::Preprocessed(self.column(column), row))
            }
            Node::Leaf(leaf) => Node::Leaf(leaf),
            Node::Neg(a) => Node::Neg(self.node(a)),
            Node::Sub(a, b) => {
                let (a, b) = self.operands(a, b);
                Node::Sub(a, b)
            }
            Node::Add(a, b) => {
                let (a, b) = self.operands(a, b);
                Node::Add(a.min(b), a.max(b))
            }
            Node::Mul(a, b) => {
                let (a, b) = self.operands(a, b);
                Node::Mul(a.min(b), a.max(b))
            }
        };
        let own = self.shape.nodes.len() as NodeId;
        self.shape.nodes.push(node);
        self.ids.insert(id, own);
        own
    }

    /// Visits the larger operand first, so that which of two columns comes first follows from where else the
    /// constraint reads them, not from their numbers.
    fn operands(&mut self, a: NodeId, b: NodeId) -> (NodeId, NodeId) {
        if self.classes[a as usize] >= self.classes[b as usize] {
            let a = self.node(a);
            (a, self.node(b))
        } else {
            let b = self.node(b);
            (self.node(a), b)
        }
    }

    fn column(&mut self, column: u32) -> u32 {
        self.shape.columns.push(column);
        self.shape.columns.len() as u32 - 1
    }
}

/// Operations below a node, shared ones counted again, and the number of its structure: equal for nodes that
/// differ only in their columns and in the order of commuting operands.
type Class = (u64, usize);

fn classes(dag: &ConstraintDag) -> Vec<Class> {
    let mut structures: BTreeMap<Node, usize> = BTreeMap::new();
    let mut classes: Vec<Class> = Vec::with_capacity(dag.nodes.len());
    for &node in &dag.nodes {
        let structure = |id: NodeId| classes[id as usize].1 as NodeId;
        let anonymous = match node {
            Node::Leaf(Leaf::Main(_, row)) => Node::Leaf(Leaf::Main(0, row)),
            Node::Leaf(Leaf::Preprocessed(_, row)) => Node::Leaf(Leaf::Preprocessed(0, row)),
            Node::Leaf(leaf) => Node::Leaf(leaf),
            Node::Add(a, b) => {
                let (a, b) = (structure(a), structure(b));
                Node::Add(a.min(b), a.max(b))
            }
            Node::Mul(a, b) => {
                let (a, b) = (structure(a), structure(b));
                Node::Mul(a.min(b), a.max(b))
            }
            Node::Sub(a, b) => Node::Sub(structure(a), structure(b)),
            Node::Neg(a) => Node::Neg(structure(a)),
        };
        let size = node.operands().map(|id| classes[id as usize].0).fold(1, u64::saturating_add);
        let next = structures.len();
        classes.push((size, *structures.entry(anonymous).or_insert(next)));
    }
    classes
}
