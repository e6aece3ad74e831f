//! The graph: each simplification, sharing, degrees.

use std::sync::Arc;

use lambda_air::ConstraintDag;
use lambda_air::capture::{Capture, Expression};
use lambda_air::dag::{Degree, Leaf, MAX_TRANSITIONS, Node, RowOffset};
use lambda_math::Goldilocks;
use lambda_math::field::ORDER;
use p3_air::{BaseEntry, BaseLeaf, SymbolicExpr, SymbolicVariable};

/// Nodes of the trees here are built by hand, so that p3's own simplifications stay out of the way.
const DEGREE: usize = 0;

fn constant(value: u64) -> Expression {
    SymbolicExpr::Leaf(BaseLeaf::Constant(Goldilocks::new(value)))
}

fn main(index: usize) -> Expression {
    SymbolicExpr::Leaf(BaseLeaf::Variable(SymbolicVariable::new(BaseEntry::Main { offset: 0 }, index)))
}

fn transition() -> Expression {
    SymbolicExpr::Leaf(BaseLeaf::IsTransition)
}

fn add(x: Expression, y: Expression) -> Expression {
    SymbolicExpr::Add { x: Arc::new(x), y: Arc::new(y), degree_multiple: DEGREE }
}

fn sub(x: Expression, y: Expression) -> Expression {
    SymbolicExpr::Sub { x: Arc::new(x), y: Arc::new(y), degree_multiple: DEGREE }
}

fn mul(x: Expression, y: Expression) -> Expression {
    SymbolicExpr::Mul { x: Arc::new(x), y: Arc::new(y), degree_multiple: DEGREE }
}

fn neg(x: Expression) -> Expression {
    SymbolicExpr::Neg { x: Arc::new(x), degree_multiple: DEGREE }
}

fn dag(constraints: Vec<Expression>) -> ConstraintDag {
    let names = vec![String::new(); constraints.len()];
    ConstraintDag::new(&Capture { constraints, names, interactions: Vec::new() })
}

/// Bug: a rule is missing or simplifies to the wrong side. In each pair the two must become one node.
#[test]
fn simplifications() {
    let (x, y) = (|| main(0), || main(1));
    let rules = [
        ("constant sum", add(constant(ORDER - 1), constant(3)), constant(2)),
        ("constant difference", sub(constant(1), constant(2)), constant(ORDER - 1)),
        ("constant product", mul(constant(ORDER - 1), constant(ORDER - 1)), constant(1)),
        ("constant negation", neg(constant(0)), constant(0)),
        ("x+0", add(x(), constant(0)), x()),
        ("0+x", add(constant(0), x()), x()),
        ("x-0", sub(x(), constant(0)), x()),
        ("0-x", sub(constant(0), x()), neg(x())),
        ("x-x", sub(x(), x()), constant(0)),
        ("x·0", mul(x(), constant(0)), constant(0)),
        ("0·x", mul(constant(0), x()), constant(0)),
        ("x·1", mul(x(), constant(1)), x()),
        ("1·x", mul(constant(1), x()), x()),
        ("x·-1", mul(x(), constant(ORDER - 1)), neg(x())),
        ("--x", neg(neg(x())), x()),
        ("x+(-y)", add(x(), neg(y())), sub(x(), y())),
        ("(-x)+y", add(neg(x()), y()), sub(y(), x())),
        ("x-(-y)", sub(x(), neg(y())), add(x(), y())),
        ("x+(-x)", add(x(), neg(x())), constant(0)),
        ("y+x", add(y(), x()), add(x(), y())),
        ("y·x", mul(y(), x()), mul(x(), y())),
    ];
    for (rule, left, right) in rules {
        let dag = dag(vec![left, right]);
        assert_eq!(dag.constraints[0], dag.constraints[1], "{rule}");
    }
}

/// Bug: sums or products that differ are taken for one another.
#[test]
fn different_expressions_stay_apart() {
    let expressions = [
        add(main(0), main(1)),
        sub(main(0), main(1)),
        sub(main(1), main(0)),
        mul(main(0), main(1)),
        neg(main(0)),
        main(0),
        sub(constant(1), main(0)),
        sub(main(0), constant(1)),
        add(neg(main(0)), neg(main(1))),
    ];
    let count = expressions.len();
    let dag = dag(expressions.into());
    let distinct: std::collections::BTreeSet<_> = dag.constraints.iter().collect();
    assert_eq!(distinct.len(), count);
}

/// Bug: the same subexpression, written twice or cloned, is computed twice.
#[test]
fn common_subexpressions_are_shared() {
    let square = || mul(add(main(0), main(1)), add(main(1), main(0)));
    let dag = dag(vec![add(square(), constant(5)), sub(square(), main(2)), square()]);
    let count = |test: fn(&Node) -> bool| dag.nodes.iter().filter(|node| test(node)).count();
    assert_eq!(count(|node| matches!(node, Node::Mul(..))), 1);
    // The sum inside of the square, and the one with the constant.
    assert_eq!(count(|node| matches!(node, Node::Add(..))), 2);
    assert_eq!(count(|node| matches!(node, Node::Leaf(_))), 4);
}

/// Bug: a capture that shares subtrees is expanded into a tree, which takes time exponential in its depth.
#[test]
fn shared_subtrees_are_visited_once() {
    let squarings = 60;
    let mut power = main(0);
    for _ in 0..squarings {
        power = mul(power.clone(), power);
    }
    assert_eq!(dag(vec![power]).nodes.len(), 1 + squarings);
}

/// Bug: an operand has a larger id than its user, so that one pass over the nodes reads a value before it
/// exists.
#[test]
fn operands_precede_their_users() {
    let dag = dag(vec![sub(mul(main(3), add(main(2), main(1))), neg(main(0)))]);
    for (id, node) in dag.nodes.iter().enumerate() {
        assert!(node.operands().all(|operand| (operand as usize) < id), "node {id}");
    }
}

/// Bug: two bodies that assert different things have one encoding, hence one verifying key.
#[test]
fn encodings_differ() {
    let next =
        SymbolicExpr::Leaf(BaseLeaf::Variable(SymbolicVariable::new(BaseEntry::Main { offset: 1 }, 0)));
    let fixed = SymbolicExpr::Leaf(BaseLeaf::Variable(SymbolicVariable::new(
        BaseEntry::Preprocessed { offset: 0 },
        0,
    )));
    let public = SymbolicExpr::Leaf(BaseLeaf::Variable(SymbolicVariable::new(BaseEntry::Public, 0)));
    let first = SymbolicExpr::Leaf(BaseLeaf::IsFirstRow);
    let last = SymbolicExpr::Leaf(BaseLeaf::IsLastRow);
    let bodies = [
        vec![],
        vec![constant(0)],
        vec![constant(1)],
        vec![main(0)],
        vec![main(1)],
        vec![next],
        vec![fixed],
        vec![public],
        vec![first],
        vec![last],
        vec![transition()],
        vec![neg(main(0))],
        vec![main(0), main(1)],
        vec![main(1), main(0)],
        vec![add(main(0), main(1))],
        vec![sub(main(0), main(1))],
        vec![mul(main(0), main(1))],
    ];
    let encodings: std::collections::BTreeSet<Vec<u64>> =
        bodies.iter().map(|b| dag(b.clone()).encode()).collect();
    assert_eq!(encodings.len(), bodies.len());
}

fn degree_of(expression: Expression) -> Degree {
    let dag = dag(vec![expression]);
    dag.degrees()[dag.constraints[0] as usize]
}

/// Bug: a node's degree is that of one operand, or a product's is their maximum.
#[test]
fn degrees() {
    let selector = |leaf| SymbolicExpr::Leaf(leaf);
    let cases = [
        (constant(3), (0, 0)),
        (main(0), (1, 0)),
        (selector(BaseLeaf::IsFirstRow), (1, 0)),
        (selector(BaseLeaf::IsLastRow), (1, 0)),
        (transition(), (0, 1)),
        (mul(constant(3), main(0)), (1, 0)),
        (mul(main(0), main(1)), (2, 0)),
        (add(mul(main(0), main(1)), main(2)), (2, 0)),
        (sub(main(2), mul(main(0), mul(main(1), main(2)))), (3, 0)),
        (neg(mul(main(0), main(0))), (2, 0)),
        (mul(transition(), main(0)), (1, 1)),
        (mul(transition(), mul(main(0), main(1))), (2, 1)),
        (add(mul(transition(), main(0)), mul(main(0), main(1))), (2, 1)),
        (mul(transition(), mul(transition(), main(0))), (1, 2)),
    ];
    for (expression, (columns, transitions)) in cases {
        assert_eq!(degree_of(expression.clone()), Degree { columns, transitions }, "{expression:?}");
    }
}

/// Bug: the transition selector is counted as free where its linear factor makes the quotient one
/// coefficient too long for its parts. `d` is right when the quotient of a polynomial of the largest degree
/// by `x^N - 1` has fewer than `(d-1)·N` coefficients, for every height, and `d-1` would not do for some
/// height.
#[test]
fn constraint_degree_is_the_smallest_that_fits() {
    for columns in 0..6 {
        for transitions in 0..=MAX_TRANSITIONS {
            let degree = Degree { columns, transitions }.constraint_degree();
            let fits = |degree: usize, height: usize| {
                let coefficients = (columns * (height - 1) + transitions + 1).saturating_sub(height);
                coefficients <= degree.saturating_sub(1) * height
            };
            let heights = || (4..=24).map(|log2| 1usize << log2);
            assert!(
                heights().all(|height| fits(degree, height)),
                "({columns}, {transitions}): {degree} is too small"
            );
            if degree > columns.max(1) {
                assert!(
                    !heights().all(|height| fits(degree - 1, height)),
                    "({columns}, {transitions}): {degree}"
                );
            } else {
                assert_eq!(degree, columns.max(usize::from(transitions > 0)));
            }
        }
    }
}

/// Bug: a capture reads the next row as the current one.
#[test]
fn leaves_keep_their_row() {
    let at = |offset| {
        SymbolicExpr::Leaf(BaseLeaf::Variable(SymbolicVariable::new(BaseEntry::Preprocessed { offset }, 2)))
    };
    let dag = dag(vec![at(0), at(1)]);
    let leaves = [
        Node::Leaf(Leaf::Preprocessed(2, RowOffset::Current)),
        Node::Leaf(Leaf::Preprocessed(2, RowOffset::Next)),
    ];
    assert_eq!(dag.nodes, leaves);
}
