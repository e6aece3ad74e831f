//! Constraints that do not vanish.

use std::collections::BTreeSet;

use lambda_air::ConstraintDag;
use lambda_air::dag::{Leaf, Node, NodeId};
use lambda_air::rows::Selectors;
use lambda_math::Goldilocks;
use p3_field::PrimeCharacteristicRing;

use super::Limits;
use super::report::{ConstraintFailure, Reading, RowFailure, TableFailure};
use super::rows::TableRows;

/// Where the constraints of a table fail, over consecutive rows.
pub struct Tally(Vec<FailingRows>);

#[derive(Clone, Default)]
struct FailingRows {
    first: Vec<usize>,
    count: usize,
}

impl Tally {
    /// No failures yet.
    pub fn new(constraints: usize) -> Self {
        Self(vec![FailingRows::default(); constraints])
    }

    /// Adds the constraints' values on `row`; the first `limit` failing rows of each are kept.
    pub fn add(&mut self, row: usize, values: &[Goldilocks], limit: usize) {
        for (failing, &value) in self.0.iter_mut().zip(values) {
            if value != Goldilocks::ZERO {
                failing.count += 1;
                if failing.first.len() < limit {
                    failing.first.push(row);
                }
            }
        }
    }

    /// Appends the tally of the rows after these.
    pub fn merge(mut self, later: Self, limit: usize) -> Self {
        for (failing, later) in self.0.iter_mut().zip(later.0) {
            let room = limit - failing.first.len();
            failing.first.extend(later.first.into_iter().take(room));
            failing.count += later.count;
        }
        self
    }
}

/// What the report says of a table, `None` where nothing fails.
pub fn explain(index: usize, table: &TableRows<'_>, tally: Tally, limits: &Limits) -> Option<TableFailure> {
    let failing: Vec<(usize, FailingRows)> =
        tally.0.into_iter().enumerate().filter(|(_, failing)| failing.count > 0).collect();
    let failing_constraints = failing.len();
    let constraints = failing
        .into_iter()
        .take(limits.constraints)
        .map(|(constraint, failing)| ConstraintFailure {
            constraint,
            name: table.dag().names[constraint].clone(),
            rows: failing.first.iter().map(|&row| explain_row(table, constraint, row, limits)).collect(),
            failing_rows: failing.count,
        })
        .collect();
    (failing_constraints > 0).then_some(TableFailure { table: index, constraints, failing_constraints })
}

fn explain_row(table: &TableRows<'_>, constraint: usize, row: usize, limits: &Limits) -> RowFailure {
    let leaves = leaves(table.dag(), table.dag().constraints[constraint]);
    let exact = table.selectors(row);
    let is_transition = Goldilocks::from_bool(exact.is_transition != Goldilocks::ZERO);
    let scaled = Selectors { is_transition, ..exact };
    // Values are easier to read with a transition selector of 0 or 1. A constraint that does more than
    // multiply by the selector can hold with that and still fail; it is shown with the selector that the
    // proof has.
    let (value, selectors) = match table.constraints_at(row, scaled)[constraint] {
        value if value == Goldilocks::ZERO => (table.constraints_at(row, exact)[constraint], exact),
        value => (value, scaled),
    };
    let readings = leaves
        .iter()
        .take(limits.readings)
        .map(|&leaf| Reading { leaf, value: table.read(leaf, row, selectors) })
        .collect();
    RowFailure { row, value, readings, total_readings: leaves.len() }
}

/// What the node `root` reads, constants left out.
fn leaves(dag: &ConstraintDag, root: NodeId) -> BTreeSet<Leaf> {
    let mut reached = BTreeSet::new();
    let mut pending = vec![root];
    let mut leaves = BTreeSet::new();
    while let Some(id) = pending.pop() {
        if !reached.insert(id) {
            continue;
        }
        match dag.nodes[id as usize] {
            Node::Leaf(Leaf::Constant(_)) => {}
            Node::Leaf(leaf) => {
                leaves.insert(leaf);
            }
            node => pending.extend(node.operands()),
        }
    }
    leaves
}
