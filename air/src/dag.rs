//! An AIR's body as a directed acyclic graph: constants folded, common subexpressions shared.
//!
//! Nodes are hash-consed in topological order (operands have smaller ids). Simplifications: constant
//! arithmetic; `x+0`, `x-0`, `0-x`, `x-x`, `x·0`, `x·1`, `x·-1`, `--x`; `x+(-y)`, `x-(-y)` and `(-x)+y`
//! lose their negation; operands of `+` and `·` are ordered.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use lambda_math::Goldilocks;
use p3_air::{BaseEntry, BaseLeaf, SymbolicExpr};
use p3_field::{PrimeCharacteristicRing, PrimeField64};

use crate::bus::{Bus, Direction};
use crate::capture::{Capture, Expression};

/// Index of a node in [`ConstraintDag::nodes`].
pub type NodeId = u32;

/// Which of the two rows a column is read at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowOffset {
    /// The row the constraint is about.
    Current,
    /// The row after it, cyclically.
    Next,
}

/// The three row selectors (their polynomials: [`Selectors`](crate::rows::Selectors)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Selector {
    /// One on the first row, zero elsewhere.
    FirstRow,
    /// One on the last row, zero elsewhere.
    LastRow,
    /// Zero on the last row only.
    Transition,
}

/// A value that is read, not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Leaf {
    /// A field constant, canonical.
    Constant(u64),
    /// A main column.
    Main(u32, RowOffset),
    /// A preprocessed column.
    Preprocessed(u32, RowOffset),
    /// A public value.
    Public(u32),
    /// A row selector.
    Selector(Selector),
}

/// A node: a leaf or an operation on earlier nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// Read.
    Leaf(Leaf),
    /// Sum.
    Add(NodeId, NodeId),
    /// Difference.
    Sub(NodeId, NodeId),
    /// Product.
    Mul(NodeId, NodeId),
    /// Negation.
    Neg(NodeId),
}

impl Node {
    /// The nodes this one reads.
    pub fn operands(self) -> impl Iterator<Item = NodeId> {
        let (a, b) = match self {
            Self::Leaf(_) => (None, None),
            Self::Neg(a) => (Some(a), None),
            Self::Add(a, b) | Self::Sub(a, b) | Self::Mul(a, b) => (Some(a), Some(b)),
        };
        a.into_iter().chain(b)
    }
}

/// A bus interaction whose expressions are nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DagInteraction {
    /// Side of the bus.
    pub direction: Direction,
    /// The bus.
    pub bus: Bus,
    /// How often.
    pub multiplicity: NodeId,
    /// The message.
    pub fields: Vec<NodeId>,
}

/// Most transition selectors that a constraint may multiply: fewer than the rows of the shortest table.
pub const MAX_TRANSITIONS: usize = 15;

/// Degree of a node as a polynomial in `x`, for a table of height `N`: at most `columns·(N-1) + transitions`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Degree {
    /// Factors of degree `N-1` (columns, first- and last-row selectors).
    pub columns: usize,
    /// Linear factors (transition selectors).
    pub transitions: usize,
}

impl Degree {
    /// The degree as a constraint's: a quotient by `x^N - 1` has degree below `(d-1)·N`, or below `N` where
    /// `d < 2`.
    ///
    /// `columns·(N-1) + transitions - N` is below `(columns-1)·N` when `transitions < columns`, and below
    /// `columns·N` when `transitions < columns + N`, which [`MAX_TRANSITIONS`] ensures for every height.
    pub const fn constraint_degree(self) -> usize {
        if self.transitions == 0 || self.transitions < self.columns { self.columns } else { self.columns + 1 }
    }

    fn join(self, other: Self) -> Self {
        Self {
            columns: self.columns.max(other.columns),
            transitions: self.transitions.max(other.transitions),
        }
    }

    const fn product(self, other: Self) -> Self {
        Self { columns: self.columns + other.columns, transitions: self.transitions + other.transitions }
    }
}

/// The graph and its roots.
#[derive(Clone, Debug, Default)]
pub struct ConstraintDag {
    /// Nodes; operands precede their users.
    pub nodes: Vec<Node>,
    /// Roots that vanish on every row, in program order.
    pub constraints: Vec<NodeId>,
    /// The claim each constraint makes.
    pub names: Vec<String>,
    /// Bus interactions in program order.
    pub interactions: Vec<DagInteraction>,
}

impl ConstraintDag {
    /// The graph of a captured body.
    pub fn new(capture: &Capture) -> Self {
        let mut builder = Builder::default();
        let constraints = capture.constraints.iter().map(|e| builder.expression(e)).collect();
        let interactions = capture
            .interactions
            .iter()
            .map(|interaction| DagInteraction {
                direction: interaction.direction,
                bus: interaction.bus,
                multiplicity: builder.expression(&interaction.multiplicity),
                fields: interaction.fields.iter().map(|e| builder.expression(e)).collect(),
            })
            .collect();
        Self { nodes: builder.nodes, constraints, names: capture.names.clone(), interactions }
    }

    /// Degree of every node.
    pub fn degrees(&self) -> Vec<Degree> {
        let mut degrees: Vec<Degree> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let degree = match *node {
                Node::Leaf(Leaf::Constant(_) | Leaf::Public(_)) => Degree::default(),
                Node::Leaf(Leaf::Selector(Selector::Transition)) => Degree { columns: 0, transitions: 1 },
                Node::Leaf(_) => Degree { columns: 1, transitions: 0 },
                Node::Add(a, b) | Node::Sub(a, b) => degrees[a as usize].join(degrees[b as usize]),
                Node::Mul(a, b) => degrees[a as usize].product(degrees[b as usize]),
                Node::Neg(a) => degrees[a as usize],
            };
            degrees.push(degree);
        }
        degrees
    }

    /// A canonical encoding of what the table asserts and exchanges (names left out), for the verifying key.
    pub fn encode(&self) -> Vec<u64> {
        let mut words = Vec::new();
        words.push(self.nodes.len() as u64);
        for node in &self.nodes {
            words.extend(match *node {
                Node::Leaf(Leaf::Constant(c)) => [0, c, 0],
                Node::Leaf(Leaf::Main(column, offset)) => [1, column.into(), offset as u64],
                Node::Leaf(Leaf::Preprocessed(column, offset)) => [2, column.into(), offset as u64],
                Node::Leaf(Leaf::Public(index)) => [3, index.into(), 0],
                Node::Leaf(Leaf::Selector(selector)) => [4, selector as u64, 0],
                Node::Add(a, b) => [5, a.into(), b.into()],
                Node::Sub(a, b) => [6, a.into(), b.into()],
                Node::Mul(a, b) => [7, a.into(), b.into()],
                Node::Neg(a) => [8, a.into(), 0],
            });
        }
        words.push(self.constraints.len() as u64);
        words.extend(self.constraints.iter().map(|&id| u64::from(id)));
        words.push(self.interactions.len() as u64);
        for interaction in &self.interactions {
            words.extend([interaction.direction as u64, interaction.bus.id.into()]);
            words.extend([interaction.multiplicity.into(), interaction.fields.len() as u64]);
            words.extend(interaction.fields.iter().map(|&id| u64::from(id)));
        }
        words
    }
}

#[derive(Default)]
struct Builder {
    nodes: Vec<Node>,
    ids: BTreeMap<Node, NodeId>,
    /// Shared subtrees of the captured expressions, by address; the capture outlives the builder.
    seen: BTreeMap<usize, NodeId>,
}

impl Builder {
    fn expression(&mut self, expression: &Expression) -> NodeId {
        match expression {
            SymbolicExpr::Leaf(leaf) => self.leaf(leaf),
            SymbolicExpr::Add { x, y, .. } => {
                let (a, b) = (self.shared(x), self.shared(y));
                self.add(a, b)
            }
            SymbolicExpr::Sub { x, y, .. } => {
                let (a, b) = (self.shared(x), self.shared(y));
                self.sub(a, b)
            }
            SymbolicExpr::Mul { x, y, .. } => {
                let (a, b) = (self.shared(x), self.shared(y));
                self.mul(a, b)
            }
            SymbolicExpr::Neg { x, .. } => {
                let a = self.shared(x);
                self.neg(a)
            }
        }
    }

    fn shared(&mut self, expression: &Arc<Expression>) -> NodeId {
        let address = Arc::as_ptr(expression) as usize;
        if let Some(&id) = self.seen.get(&address) {
            return id;
        }
        let id = self.expression(expression);
        self.seen.insert(address, id);
        id
    }

    fn leaf(&mut self, leaf: &BaseLeaf<Goldilocks>) -> NodeId {
        let row = |offset: usize| match offset {
            0 => RowOffset::Current,
            1 => RowOffset::Next,
            _ => unreachable!("the capture's windows have two rows"),
        };
        let leaf = match leaf {
            BaseLeaf::Constant(c) => Leaf::Constant(c.as_canonical_u64()),
            BaseLeaf::IsFirstRow => Leaf::Selector(Selector::FirstRow),
            BaseLeaf::IsLastRow => Leaf::Selector(Selector::LastRow),
            BaseLeaf::IsTransition => Leaf::Selector(Selector::Transition),
            BaseLeaf::Variable(variable) => match variable.entry {
                BaseEntry::Main { offset } => Leaf::Main(variable.index as u32, row(offset)),
                BaseEntry::Preprocessed { offset } => Leaf::Preprocessed(variable.index as u32, row(offset)),
                BaseEntry::Public => Leaf::Public(variable.index as u32),
                BaseEntry::Periodic => unreachable!("the capture offers no periodic columns"),
            },
        };
        self.intern(Node::Leaf(leaf))
    }

    fn intern(&mut self, node: Node) -> NodeId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = self.nodes.len() as NodeId;
        self.nodes.push(node);
        self.ids.insert(node, id);
        id
    }

    fn constant(&mut self, value: Goldilocks) -> NodeId {
        self.intern(Node::Leaf(Leaf::Constant(value.as_canonical_u64())))
    }

    fn as_constant(&self, id: NodeId) -> Option<Goldilocks> {
        match self.nodes[id as usize] {
            Node::Leaf(Leaf::Constant(c)) => Some(Goldilocks::new(c)),
            _ => None,
        }
    }

    fn negated(&self, id: NodeId) -> Option<NodeId> {
        match self.nodes[id as usize] {
            Node::Neg(a) => Some(a),
            _ => None,
        }
    }

    fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(x), Some(y)) => return self.constant(x + y),
            (Some(x), None) if x == Goldilocks::ZERO => return b,
            (None, Some(y)) if y == Goldilocks::ZERO => return a,
            _ => {}
        }
        if let Some(b) = self.negated(b) {
            return self.sub(a, b);
        }
        if let Some(a) = self.negated(a) {
            return self.sub(b, a);
        }
        self.intern(Node::Add(a.min(b), a.max(b)))
    }

    fn sub(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if a == b {
            return self.constant(Goldilocks::ZERO);
        }
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(x), Some(y)) => return self.constant(x - y),
            (Some(x), None) if x == Goldilocks::ZERO => return self.neg(b),
            (None, Some(y)) if y == Goldilocks::ZERO => return a,
            _ => {}
        }
        if let Some(b) = self.negated(b) {
            return self.add(a, b);
        }
        self.intern(Node::Sub(a, b))
    }

    fn mul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (constant, other) = match (self.as_constant(a), self.as_constant(b)) {
            (Some(x), Some(y)) => return self.constant(x * y),
            (Some(x), None) => (x, b),
            (None, Some(y)) => (y, a),
            (None, None) => return self.intern(Node::Mul(a.min(b), a.max(b))),
        };
        if constant == Goldilocks::ZERO {
            self.constant(Goldilocks::ZERO)
        } else if constant == Goldilocks::ONE {
            other
        } else if constant == Goldilocks::NEG_ONE {
            self.neg(other)
        } else {
            self.intern(Node::Mul(a.min(b), a.max(b)))
        }
    }

    fn neg(&mut self, a: NodeId) -> NodeId {
        if let Some(x) = self.as_constant(a) {
            return self.constant(-x);
        }
        match self.negated(a) {
            Some(inner) => inner,
            None => self.intern(Node::Neg(a)),
        }
    }
}
