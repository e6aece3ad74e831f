//! Which constraints could hold modulo p without holding over the integers.
//!
//! Each column has its largest value: what it is looked up as, what the caller knows, else 1. Interval
//! arithmetic gives the largest magnitude of a constraint; below p, it vanishes modulo p only if it does over
//! the integers. Of a product, each factor is a claim of its own. Magnitudes are doubles: they decide nothing
//! that is within a rounding of p.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use lambda_air::ConstraintDag;
use lambda_air::dag::{Leaf, Node, NodeId};
use lambda_math::Goldilocks;
use p3_field::PrimeField64;

use crate::buses::{BYTE_AND, POWER, RANGE16};

/// Smallest and largest value.
type Interval = (f64, f64);

/// Indices of the constraints of `dag` that could wrap, with `known` largest values of columns.
pub fn could_wrap(dag: &ConstraintDag, known: impl Iterator<Item = (usize, u64)>) -> Vec<usize> {
    let mut largest: BTreeMap<usize, f64> = looked_up(dag);
    largest.extend(known.map(|(column, value)| (column, value as f64)));
    let mut intervals: Vec<Interval> = Vec::with_capacity(dag.nodes.len());
    for node in &dag.nodes {
        let at = |id: NodeId| intervals[id as usize];
        let interval = match *node {
            Node::Leaf(Leaf::Main(column, _)) => {
                (0.0, largest.get(&(column as usize)).copied().unwrap_or(1.0))
            }
            Node::Leaf(Leaf::Constant(value)) => {
                let value = centered(value);
                (value, value)
            }
            Node::Leaf(_) => panic!("a table with a row per operation reads main columns only"),
            Node::Add(a, b) => (at(a).0 + at(b).0, at(a).1 + at(b).1),
            Node::Sub(a, b) => (at(a).0 - at(b).1, at(a).1 - at(b).0),
            Node::Neg(a) => (-at(a).1, -at(a).0),
            Node::Mul(a, b) => product(at(a), at(b)),
        };
        intervals.push(interval);
    }
    let wraps = |root: NodeId| {
        factors(dag, root).iter().any(|&factor| {
            let (low, high) = intervals[factor as usize];
            low.abs().max(high.abs()) >= Goldilocks::ORDER_U64 as f64
        })
    };
    (0..dag.constraints.len()).filter(|&index| wraps(dag.constraints[index])).collect()
}

/// Largest values of the columns that are looked up as they are.
fn looked_up(dag: &ConstraintDag) -> BTreeMap<usize, f64> {
    let mut largest = BTreeMap::new();
    for interaction in &dag.interactions {
        let bounds: &[u32] = match interaction.bus.id {
            id if id == RANGE16.id => &[0xffff],
            id if id == BYTE_AND.id => &[0xff; 3],
            id if id == POWER.id => &[16, 1 << 16],
            _ => continue,
        };
        for (&field, &bound) in interaction.fields.iter().zip(bounds) {
            if let Node::Leaf(Leaf::Main(column, _)) = dag.nodes[field as usize] {
                largest.insert(column as usize, bound.into());
            }
        }
    }
    largest
}

/// The factors that `root` is a product of.
fn factors(dag: &ConstraintDag, root: NodeId) -> Vec<NodeId> {
    match dag.nodes[root as usize] {
        Node::Mul(a, b) => [a, b].into_iter().flat_map(|factor| factors(dag, factor)).collect(),
        _ => [root].into(),
    }
}

/// A field element as the integer nearest to 0.
fn centered(value: u64) -> f64 {
    if value > Goldilocks::ORDER_U64 / 2 { -((Goldilocks::ORDER_U64 - value) as f64) } else { value as f64 }
}

fn product(a: Interval, b: Interval) -> Interval {
    let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
    (corners.into_iter().fold(f64::INFINITY, f64::min), corners.into_iter().fold(f64::NEG_INFINITY, f64::max))
}
