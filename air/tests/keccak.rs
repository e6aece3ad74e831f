//! Plonky3's Keccak-f AIR, unchanged: a wide table that was not written for this crate.

mod legs;

use lambda_air::program::Roots;
use lambda_air::{AnyAir, ConstraintDag, ConstraintProgram, TableShape};
use lambda_math::Goldilocks;
use lambda_math::field::ORDER;
use legs::{Trace, Values, body, interpret, point, walk};
use p3_field::{PrimeCharacteristicRing, PrimeField64};
use p3_keccak_air::{KeccakAir, NUM_KECCAK_COLS, generate_trace_rows};
use p3_matrix::Matrix;

struct Keccak {
    dag: ConstraintDag,
    shape: TableShape,
    program: ConstraintProgram,
}

fn keccak() -> Keccak {
    let dag = ConstraintDag::new(&KeccakAir {}.capture());
    let shape = TableShape::new(&KeccakAir {}, &dag, 0).expect("a table");
    Keccak { program: ConstraintProgram::new(&dag, Roots::All), dag, shape }
}

/// Bug: a change to the capture or the graph drops constraints of a body that has not changed, or changes
/// every verifying key unnoticed. The numbers are those of p3-keccak-air 0.8.0.
#[test]
fn snapshot() {
    let Keccak { dag, shape, program } = keccak();
    assert_eq!(shape.main_width, NUM_KECCAK_COLS);
    assert_eq!(shape.degree, 3);
    assert_eq!(shape.quotient_parts(), 2);
    assert_eq!(shape.lookup_columns(), 0);
    let digest = dag.encode().into_iter().fold(Goldilocks::ZERO, |sum, word| {
        sum * Goldilocks::from_u64(0x9e37_79b9_7f4a_7c15) + Goldilocks::from_u64(word)
    });
    let summary = [shape.constraints, dag.nodes.len(), shape.main_next.len(), program.registers];
    assert_eq!(summary, [3182, 35467, 224, 259], "constraints, nodes, next-row columns, registers");
    assert_eq!(digest.as_canonical_u64(), 10_055_143_349_916_149_006);
}

/// Bug: the legs differ on a body of thousands of columns and constraints. Random cells, so that no
/// constraint holds and every value is compared.
#[test]
fn legs_agree() {
    let Keccak { dag, shape, program } = keccak();
    let mut state = 3u64;
    let trace = Trace::generate(256, [NUM_KECCAK_COLS, 0, 0], || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Goldilocks::new(state % ORDER)
    });
    let interpreted = interpret(&dag, &program, &trace, [&shape.main_next, &shape.preprocessed_next]);
    for row in [0, 1, 126, 127, 128, 254, 255] {
        let expected = body(&KeccakAir {}, &trace, row);
        assert_eq!(expected.constraints.len(), shape.constraints);
        assert!(expected == walk(&dag, &trace, row), "graph on row {row}");
        assert!(expected == interpreted[row], "program on row {row}");
        assert!(expected == point(&KeccakAir {}, &trace, row), "point on row {row}");
    }
}

/// Bug: the capture asserts something that a correct trace does not satisfy, or columns are numbered
/// differently.
#[test]
fn an_honest_trace_satisfies_it() {
    let Keccak { dag, shape, program } = keccak();
    let rows = generate_trace_rows::<Goldilocks>(vec![[0x0123_4567_89ab_cdef; 25]], 0);
    let height = rows.height();
    let mut trace = Trace::generate(height, [0, 0, 0], || Goldilocks::ONE);
    trace.main = (0..NUM_KECCAK_COLS)
        .map(|column| rows.values[column..].iter().step_by(NUM_KECCAK_COLS).copied().collect())
        .collect();
    let [first, last, transition] = &mut trace.selectors;
    *first = unit(height, 0);
    *last = unit(height, height - 1);
    transition[height - 1] = Goldilocks::ZERO;
    let interpreted = interpret(&dag, &program, &trace, [&shape.main_next, &shape.preprocessed_next]);
    let zero = |values: &Values| values.constraints.iter().all(|&value| value == Goldilocks::ZERO);
    assert!(interpreted.iter().all(zero));
    trace.main[0][0] += Goldilocks::ONE;
    let interpreted = interpret(&dag, &program, &trace, [&shape.main_next, &shape.preprocessed_next]);
    assert!(!zero(&interpreted[0]));
}

fn unit(height: usize, row: usize) -> Vec<Goldilocks> {
    let mut column = vec![Goldilocks::ZERO; height];
    column[row] = Goldilocks::ONE;
    column
}
