//! The demo system against its own constraints: shapes, honest traces, and cells that are wrong.

use std::collections::BTreeMap;

use lambda_air::dag::ConstraintDag;
use lambda_air::rows::{RowPair, Selectors};
use lambda_air::{AnyAir, Direction, RowBuilder, TableShape};
use lambda_demo::{DemoInput, RANGE16, TABLE_NAMES, fibonacci, range16, tables, traces};
use lambda_math::field::ORDER;
use lambda_math::{Columns, Goldilocks};
use p3_field::PrimeCharacteristicRing;
use proptest::prelude::*;

const FIBONACCI: usize = 0;
const KECCAK: usize = 1;
const RANGE: usize = 2;

const SMALL: DemoInput = DemoInput { fibonacci_log2: 5, keccak_permutations: 2, seed: 7 };

/// What a message on the range bus is worth in total: sent minus received, by value; zeros left out.
type Balance = BTreeMap<Goldilocks, Goldilocks>;

fn shape(table: usize) -> TableShape {
    let air = &*tables().remove(table).air;
    let preprocessed = air.preprocessed().map_or(0, |columns| columns.values.len() / columns.height);
    TableShape::new(air, &ConstraintDag::new(&air.capture()), preprocessed).expect("a valid table")
}

/// Evaluates every row. Adds what is put on the bus to `balance` and returns how many constraints fail.
fn check(air: &dyn AnyAir, trace: &Columns, public_values: &[Goldilocks], balance: &mut Balance) -> usize {
    let preprocessed = air.preprocessed().map(|own| Columns::from_values(own.values, own.height));
    let preprocessed = preprocessed.unwrap_or_default();
    let height = trace.height();
    let flag = |is_set: bool| Goldilocks::from_bool(is_set);
    let mut failed = 0;
    for row in 0..height {
        let rows = [row, (row + 1) % height];
        let main = rows.map(|row| trace.row(row));
        let fixed = rows.map(|row| preprocessed.row(row));
        let mut builder = RowBuilder::new(RowPair {
            main: [&main[0], &main[1]],
            preprocessed: [&fixed[0], &fixed[1]],
            public_values,
            selectors: Selectors {
                is_first_row: flag(row == 0),
                is_last_row: flag(row + 1 == height),
                is_transition: flag(row + 1 != height),
            },
        });
        air.eval_row(&mut builder);
        failed += builder.constraints.iter().filter(|&&value| value != Goldilocks::ZERO).count();
        for interaction in builder.interactions {
            assert_eq!(interaction.bus, RANGE16);
            let worth = balance.entry(interaction.fields[0]).or_default();
            match interaction.direction {
                Direction::Send => *worth += interaction.multiplicity,
                Direction::Receive => *worth -= interaction.multiplicity,
            }
        }
    }
    balance.retain(|_, worth| *worth != Goldilocks::ZERO);
    failed
}

/// Failing constraints of each table, and whether the bus balances.
fn verdict(traces: &[Columns], public_values: &[Vec<Goldilocks>]) -> (Vec<usize>, bool) {
    let mut balance = Balance::new();
    let failed = tables()
        .iter()
        .zip(traces.iter().zip(public_values))
        .map(|(table, (trace, public_values))| check(&*table.air, trace, public_values, &mut balance))
        .collect();
    (failed, balance.is_empty())
}

/// A column that is read at the next row by mistake costs an opening; a degree too high costs a quotient
/// part.
#[test]
fn shapes_are_as_small_as_intended() {
    let names: Vec<String> = tables().into_iter().map(|table| table.name).collect();
    assert_eq!(names, TABLE_NAMES);

    let fibonacci = shape(FIBONACCI);
    assert_eq!((fibonacci.main_width, fibonacci.preprocessed_width), (4, 0));
    assert_eq!((fibonacci.public_values, fibonacci.constraints, fibonacci.interactions), (3, 7, 2));
    assert_eq!(fibonacci.main_next, [0, 1, 2, 3]);
    assert_eq!((fibonacci.lookup_columns(), fibonacci.degree, fibonacci.quotient_parts()), (1, 3, 2));

    let keccak = shape(KECCAK);
    assert_eq!((keccak.main_width, keccak.preprocessed_width), (2633, 0));
    assert_eq!((keccak.public_values, keccak.interactions), (0, 4));
    assert_eq!(keccak.main_next.len(), 24 + 100 + 100, "flags, preimage and round input");
    assert_eq!((keccak.lookup_columns(), keccak.degree, keccak.quotient_parts()), (2, 3, 2));

    let range = shape(RANGE);
    assert_eq!((range.main_width, range.preprocessed_width), (1, 1));
    assert_eq!((range.public_values, range.constraints, range.interactions), (0, 0, 1));
    assert!(range.main_next.is_empty() && range.preprocessed_next.is_empty());
    assert_eq!((range.lookup_columns(), range.degree, range.quotient_parts()), (1, 2, 1));
}

/// The body of the Fibonacci table has degree 2; only its lookup constraint, of two interactions, has 3.
#[test]
fn the_recurrence_has_degree_two() {
    let dag = ConstraintDag::new(&tables()[FIBONACCI].air.capture());
    let degrees = dag.degrees();
    let degree = |&root: &u32| degrees[root as usize].constraint_degree();
    assert_eq!(dag.constraints.iter().map(degree).max(), Some(2));
    assert!(dag.names.iter().all(|name| !name.starts_with('#')), "every constraint says what it claims");
}

#[test]
fn honest_traces_satisfy_everything() {
    for (fibonacci_log2, keccak_permutations) in [(4, 1), (5, 2), (9, 5)] {
        let (traces, public_values) = traces(&DemoInput { fibonacci_log2, keccak_permutations, seed: 1 });
        let heights: Vec<usize> = traces.iter().map(Columns::height).collect();
        let keccak_height = (24 * keccak_permutations).next_power_of_two();
        assert_eq!(heights, [1 << fibonacci_log2, keccak_height, 1 << 16]);
        assert_eq!(verdict(&traces, &public_values), (vec![0, 0, 0], true));
    }
}

#[test]
fn row_numbers_above_16_bits_carry_into_the_high_limb() {
    let trace = fibonacci::trace(Goldilocks::ZERO, Goldilocks::ONE, 17);
    let air = &*tables().remove(FIBONACCI).air;
    let public_values = fibonacci::public_values(Goldilocks::ZERO, Goldilocks::ONE, 17);
    let mut balance = Balance::new();
    assert_eq!(check(air, &trace, &public_values, &mut balance), 0);
    let counts = range16::trace(fibonacci::range_lookups(&trace));
    let range = &*tables().remove(RANGE).air;
    assert_eq!(check(range, &counts, &[], &mut balance), 0);
    assert!(balance.is_empty());
}

#[test]
fn seeds_determine_traces() {
    let other = DemoInput { seed: 8, ..SMALL };
    assert_eq!(traces(&SMALL), traces(&SMALL));
    let ((ours, _), (theirs, _)) = (traces(&SMALL), traces(&other));
    assert_ne!(ours[FIBONACCI], theirs[FIBONACCI]);
    assert_ne!(ours[KECCAK], theirs[KECCAK]);
}

/// The constraints alone accept a row number whose limbs overflow: the bus has to catch it.
#[test]
fn overflowing_limbs_are_caught_by_the_bus_alone() {
    let (mut traces, public_values) = traces(&SMALL);
    traces[FIBONACCI].column_mut(2)[3] += Goldilocks::from_u32(1 << 16);
    traces[FIBONACCI].column_mut(3)[3] -= Goldilocks::ONE;
    assert_eq!(verdict(&traces, &public_values), (vec![0, 0, 0], false));
}

#[test]
fn a_wrong_count_unbalances_the_bus() {
    let (mut traces, public_values) = traces(&SMALL);
    traces[RANGE].column_mut(0)[0xffff] += Goldilocks::ONE;
    assert_eq!(verdict(&traces, &public_values), (vec![0, 0, 0], false));
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn a_value_above_16_bits_cannot_be_counted() {
    range16::trace([Goldilocks::from_u32(1 << 16)]);
}

#[test]
fn a_wrong_public_value_fails_one_constraint() {
    let (traces, public_values) = traces(&SMALL);
    for index in 0..3 {
        let mut wrong = public_values.clone();
        wrong[FIBONACCI][index] += Goldilocks::ONE;
        assert_eq!(verdict(&traces, &wrong), (vec![1, 0, 0], true));
    }
}

/// Differences at the edges of the field's representation, and any other; never zero.
fn difference() -> impl Strategy<Value = Goldilocks> {
    let edges = [1, 0xffff_ffff, 1 << 32, ORDER - 1, ORDER - (1 << 32)];
    prop_oneof![prop::sample::select(edges.to_vec()), 1..ORDER].prop_map(Goldilocks::new)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_changed_fibonacci_cell_fails(row in 0usize..32, column in 0usize..4, by in difference()) {
        let (mut traces, public_values) = traces(&SMALL);
        traces[FIBONACCI].column_mut(column)[row] += by;
        let (trace, public_values) = (&traces[FIBONACCI], &public_values[FIBONACCI]);
        let failed = check(&*tables()[FIBONACCI].air, trace, public_values, &mut Balance::new());
        prop_assert!(failed > 0);
    }

    /// `export` (column 24) is left out: a prover may export what it likes.
    #[test]
    fn a_changed_keccak_cell_fails(
        row in 0usize..64,
        column in (0usize..2633).prop_filter("export is free", |&column| column != 24),
        by in difference(),
    ) {
        let mut trace = lambda_demo::keccak::trace(vec![[0x0123_4567_89ab_cdef; 25], [u64::MAX; 25]]);
        trace.column_mut(column)[row] += by;
        prop_assert!(check(&*tables()[KECCAK].air, &trace, &[], &mut Balance::new()) > 0);
    }

    /// The closed form against the definition.
    #[test]
    fn terms_follow_the_recurrence(first: u64, second: u64, index in 0u64..300) {
        let (first, second) = (Goldilocks::from_u64(first), Goldilocks::from_u64(second));
        let (mut at, mut after) = (first, second);
        for _ in 0..index {
            (at, after) = (after, at + after);
        }
        prop_assert_eq!(fibonacci::term(first, second, index), at);
    }
}

#[test]
fn far_terms_are_within_reach() {
    let term = |index| fibonacci::term(Goldilocks::ZERO, Goldilocks::ONE, index);
    assert_eq!(term(90), Goldilocks::from_u64(2_880_067_194_370_816_120));
    assert_eq!(term(u64::MAX), term(u64::MAX - 1) + term(u64::MAX - 2));
}
