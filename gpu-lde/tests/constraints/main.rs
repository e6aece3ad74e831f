//! Constraints on the device are those of the host: for every table of the machine and of the demo, its own
//! kernels, the interpreter kernel and `lambda_air::interpreter` give the same values, from the committed
//! PTX. Cells are random, so that no constraint holds and every value is compared; `air/tests` compares the
//! host's interpreter with the body itself and with the verifier.

mod case;
#[path = "../../../math-cuda/tests/kernels/kit.rs"]
#[allow(dead_code, reason = "shared with the tests of that crate")]
mod kit;
#[path = "../../../air/tests/legs/mod.rs"]
mod legs;
mod reference;
#[path = "../tables/mod.rs"]
mod tables;

use case::Case;
use lambda_air::ConstraintDag;
use lambda_air::dag::{Leaf, Node};
use lambda_air::program::Roots;
use lambda_gpu_lde::ConstraintEvaluator;
use lambda_math_cuda::Stream;

/// Heights of the tables: less than a block of threads, and several blocks.
const HEIGHTS: [usize; 2] = [16, 512];
/// Operations from which on a table is tested on few rows.
const LARGE: usize = 10_000;

fn cases(height: usize) -> impl Iterator<Item = Case> {
    tables::all().into_iter().zip(1..).filter_map(move |((name, table, dag), seed)| {
        let fits = height == HEIGHTS[0] || dag.nodes.len() < LARGE;
        fits.then(|| Case::new(name, table.air.as_ref(), dag, height, seed))
    })
}

fn check(
    case: &Case,
    stream: &Stream,
    chunk_rows: usize,
    evaluator: impl Fn(&Stream, &ConstraintDag, Roots) -> ConstraintEvaluator,
) {
    for roots in [Roots::Interactions, Roots::All] {
        case.check(stream, &evaluator(stream, &case.dag, roots), roots, chunk_rows);
    }
}

/// Bug: a generated kernel and the host disagree, so that the device's proofs of a table are wrong; or the
/// row after the last one is not the first; or a chunk's rows are not where the next kernel looks for them.
#[test]
fn generated_kernels_are_the_host() {
    let build = |stream: &Stream, dag: &ConstraintDag, roots| {
        let evaluator = ConstraintEvaluator::new(stream, dag, roots).expect("kernels need no memory");
        assert!(evaluator.is_generated());
        evaluator
    };
    for height in HEIGHTS {
        for case in cases(height) {
            // Chunks of equal length, and a last one that is shorter and begins within a block of threads.
            for chunk_rows in [height, height / 3 + 1] {
                kit::each_device(|_, stream| check(&case, stream, chunk_rows, build));
            }
        }
    }
}

/// Bug: the interpreter and the host disagree, so that a table without kernels has wrong proofs.
#[test]
fn the_interpreter_is_the_host() {
    let build = |stream: &Stream, dag: &ConstraintDag, roots| {
        ConstraintEvaluator::interpreted(stream, dag, roots).expect("a program fits")
    };
    for height in [HEIGHTS[0], HEIGHTS[1] / 4] {
        for case in cases(height) {
            kit::each_device(|_, stream| check(&case, stream, height / 3 + 1, build));
        }
    }
}

/// Bug: a table whose body changed keeps the old body's kernels.
#[test]
fn another_body_is_interpreted() {
    let (_, _, mut dag) = tables::all().swap_remove(0);
    let constant = dag.nodes.iter_mut().find_map(|node| match node {
        Node::Leaf(Leaf::Constant(value)) if *value > 2 => Some(value),
        _ => None,
    });
    *constant.expect("the first table has a large constant") += 1;
    kit::each_device(|_, stream| {
        let evaluator = ConstraintEvaluator::new(stream, &dag, Roots::All).expect("a program fits");
        assert!(!evaluator.is_generated());
    });
}

/// Bug: chunks miss rows, overlap, or take more memory than they may.
#[test]
fn chunks_cover_the_rows_within_the_budget() {
    kit::each_device(|_, stream| {
        for (_, _, dag) in tables::all() {
            let evaluator =
                ConstraintEvaluator::new(stream, &dag, Roots::All).expect("kernels need no memory");
            for budget_bytes in [0, 1 << 20, 1 << 40] {
                let height = 1 << 14;
                let mut next = 0;
                for chunk in evaluator.chunks(height, budget_bytes, 0) {
                    assert_eq!(chunk.start, next);
                    assert!(evaluator.chunk_bytes(chunk.len()) <= budget_bytes || chunk.len() == 128);
                    next = chunk.end;
                }
                assert_eq!(next, height);
            }
        }
    });
}
