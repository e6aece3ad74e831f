//! Sums of values and products that are reduced once (`math-cuda/kernels/products.cuh`).
//!
//! `a·b + c·d - 4·e + 5` takes three multiplications and one reduction instead of six reductions. A
//! subtracted value is added as its complement: `~x = 2^64 - 1 - x`, so that the sum is off by a constant,
//! which is known here and part of where the sum starts. A subtracted product has one operand negated.

use lambda_air::dag::{ConstraintDag, Leaf, Node, NodeId};
use lambda_math::Goldilocks;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField64};

/// `2^64` in the field.
const WORD: Goldilocks = Goldilocks::new(0xffff_ffff);

/// Values from which on a sum without products pays for its reduction.
const WIDE_VALUES: usize = 5;

/// A summand that depends on the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// A value.
    Plus(NodeId),
    /// A value subtracted.
    Minus(NodeId),
    /// A value with a coefficient.
    Scaled(Goldilocks, NodeId),
    /// A product that nothing else needs, `count` times.
    Product { count: usize, a: NodeId, b: NodeId },
    /// A product subtracted `count` times; its second operand is negated as cheaply as its first.
    MinusProduct { count: usize, a: NodeId, b: NodeId },
}

/// A node as a sum: of `first`, the terms and a constant.
#[derive(Clone, Debug)]
pub struct Sum {
    /// A value to start with.
    pub first: Option<NodeId>,
    /// The other summands.
    pub terms: Vec<Term>,
    constant: Goldilocks,
}

impl Sum {
    /// Node `id`, its inner sums and constant factors opened where nothing else uses them.
    pub fn of(uses: &Uses<'_>, id: NodeId) -> Self {
        let mut sum = Self { first: None, terms: Vec::new(), constant: Goldilocks::ZERO };
        sum.open(uses, id, Goldilocks::ONE);
        sum
    }

    fn open(&mut self, uses: &Uses<'_>, id: NodeId, factor: Goldilocks) {
        match uses.dag.nodes[id as usize] {
            Node::Leaf(Leaf::Constant(value)) => self.constant += factor * Goldilocks::new(value),
            Node::Leaf(_) => self.value(id, factor),
            Node::Neg(a) => self.operand(uses, a, -factor, 1),
            Node::Add(a, b) if a == b => self.operand(uses, a, factor.double(), 2),
            Node::Add(a, b) => {
                self.operand(uses, a, factor, 1);
                self.operand(uses, b, factor, 1);
            }
            Node::Sub(a, b) => {
                self.operand(uses, a, factor, 1);
                self.operand(uses, b, -factor, 1);
            }
            Node::Mul(a, b) => match (uses.constant(a), uses.constant(b)) {
                (Some(constant), _) => self.operand(uses, b, factor * constant, 1),
                (_, Some(constant)) => self.operand(uses, a, factor * constant, 1),
                (None, None) => self.product(uses, id, a, b, factor),
            },
        }
    }

    /// Operand `id` of an opened node that uses it `own` times.
    fn operand(&mut self, uses: &Uses<'_>, id: NodeId, factor: Goldilocks, own: u32) {
        if uses.of(id) == own || uses.constant(id).is_some() {
            self.open(uses, id, factor);
        } else {
            self.value(id, factor);
        }
    }

    fn value(&mut self, id: NodeId, factor: Goldilocks) {
        if factor == Goldilocks::ONE && self.first.is_none() {
            self.first = Some(id);
        } else if factor == Goldilocks::ONE {
            self.terms.push(Term::Plus(id));
        } else if factor == Goldilocks::NEG_ONE {
            self.terms.push(Term::Minus(id));
        } else {
            self.terms.push(Term::Scaled(factor, id));
        }
    }

    /// `factor·a·b`, which is node `id`; an operand `y + y` that nothing else uses counts as `2·y`.
    fn product(&mut self, uses: &Uses<'_>, id: NodeId, a: NodeId, b: NodeId, factor: Goldilocks) {
        let halved = |operand: NodeId| match uses.dag.nodes[operand as usize] {
            Node::Add(x, y) if x == y && uses.of(operand) == 1 => (x, Goldilocks::TWO),
            _ => (operand, Goldilocks::ONE),
        };
        let ((x, two_x), (y, two_y)) = (halved(a), halved(b));
        let whole = factor * two_x * two_y;
        let count = |x: Goldilocks| [Goldilocks::ONE, Goldilocks::TWO].iter().position(|&n| n == x);
        let (a, b, factor) =
            if count(whole).or(count(-whole)).is_some() { (x, y, whole) } else { (a, b, factor) };
        let (a, b) = if uses.cheap_to_negate(a) { (b, a) } else { (a, b) };
        self.terms.push(match (count(factor), count(-factor)) {
            (Some(more), _) => Term::Product { count: more + 1, a, b },
            (_, Some(more)) => Term::MinusProduct { count: more + 1, a, b },
            _ => Term::Scaled(factor, id),
        });
    }

    /// Whether one reduction at the end is cheaper than one a step.
    pub fn is_wide(&self) -> bool {
        let is_product = |term: &Term| !matches!(term, Term::Plus(_) | Term::Minus(_));
        self.terms.len() + 1 >= WIDE_VALUES || self.terms.iter().any(is_product)
    }

    /// The constant to start with, the complements' share taken off, divided by 2^64.
    pub fn constant_by_word(&self) -> u64 {
        let complements = self.terms.iter().filter(|term| matches!(term, Term::Minus(_))).count();
        let start = self.constant - Goldilocks::from_usize(complements) * (WORD - Goldilocks::ONE);
        (start * WORD.inverse()).as_canonical_u64()
    }
}

/// A graph and how often its nodes are used by what some roots need.
pub struct Uses<'a> {
    /// The graph.
    pub dag: &'a ConstraintDag,
    counts: Vec<u32>,
}

impl<'a> Uses<'a> {
    /// Counts the uses by `roots`, and each root itself as one.
    pub fn new(dag: &'a ConstraintDag, roots: impl Iterator<Item = NodeId>) -> Self {
        let mut counts = vec![0; dag.nodes.len()];
        for root in roots {
            counts[root as usize] += 1;
        }
        // Users follow their operands.
        for id in (0..dag.nodes.len()).rev() {
            if counts[id] > 0 {
                for operand in dag.nodes[id].operands() {
                    counts[operand as usize] += 1;
                }
            }
        }
        Self { dag, counts }
    }

    /// Users of `id`.
    pub fn of(&self, id: NodeId) -> u32 {
        self.counts[id as usize]
    }

    /// The value of a constant.
    pub fn constant(&self, id: NodeId) -> Option<Goldilocks> {
        match self.dag.nodes[id as usize] {
            Node::Leaf(Leaf::Constant(value)) => Some(Goldilocks::new(value)),
            _ => None,
        }
    }

    /// Whether `id` is a difference that may be computed the other way round.
    pub fn cheap_to_negate(&self, id: NodeId) -> bool {
        matches!(self.dag.nodes[id as usize], Node::Sub(..)) && self.of(id) == 1
    }
}
