//! Both sums against the extension field's own arithmetic.

use core::array;

use p3_field::{PrimeCharacteristicRing, PrimeField64};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::field::{EXT_DEGREE, Ext3, Goldilocks, ORDER, ext_coefficients, ext_from_coefficients};

/// Any representative, often one at an edge.
pub(super) fn element() -> impl Strategy<Value = Goldilocks> {
    let epsilon = u64::from(u32::MAX);
    let edges = vec![0, 1, epsilon, 1 << 32, 1 << 52, ORDER - epsilon - 1, ORDER - 1, ORDER, u64::MAX];
    prop_oneof![any::<u64>(), select(edges)].prop_map(Goldilocks::new)
}

/// Weights whose products with a value of all ones fill the limbs of a sum.
pub(super) fn filling_weights() -> [Goldilocks; 3] {
    // Both halves of the value times the lowest 52 bits of `w` and of `2^32·w`, modulo 2^52: the first is
    // 2^52 - 1 as (2^32 - 1)·(2^32 + 1) = -1 modulo 2^52, for the second we try the other bits of `w`.
    let with_top = |top: u64| Goldilocks::new((top << 52) + (1 << 32) + 1);
    let second = |&top: &u64| {
        let shifted = with_top(top) * Goldilocks::new(1 << 32);
        shifted.as_canonical_u64().wrapping_mul(u64::from(u32::MAX)) % (1 << 52)
    };
    let fullest = (0..1 << 12).max_by_key(second).expect("there are candidates");
    [with_top(fullest), Goldilocks::new(ORDER - 1), Goldilocks::new(u64::MAX)]
}

fn extension_element() -> impl Strategy<Value = Ext3> {
    [element(), element(), element()].prop_map(ext_from_coefficients)
}

/// Whole vectors of every packing.
fn row_count(most: usize) -> impl Strategy<Value = usize> {
    (1..=most / 8).prop_map(|vectors| vectors * 8)
}

/// Columns of `rows` rows, each with a weight.
fn weighted_columns(rows: usize, count: usize) -> impl Strategy<Value = Vec<(Vec<Goldilocks>, Ext3)>> {
    vec((vec(element(), rows), extension_element()), 0..=count)
}

fn add(sums: &mut WeightedRows, group: &[(Vec<Goldilocks>, Ext3)]) {
    let columns: Vec<&[Goldilocks]> = group.iter().map(|(column, _)| &column[..]).collect();
    let weights: Vec<Ext3> = group.iter().map(|&(_, weight)| weight).collect();
    sums.add(&columns, &weights);
}

fn take(sums: &mut WeightedRows, rows: usize) -> Vec<Ext3> {
    let [mut c0, mut c1, mut c2] = array::from_fn(|_| vec![Goldilocks::NEG_ONE; rows]);
    sums.take([&mut c0, &mut c1, &mut c2]);
    (0..rows).map(|i| ext_from_coefficients([c0[i], c1[i], c2[i]])).collect()
}

fn row_weights(weights: &[Ext3]) -> RowWeights {
    let coefficients: [Vec<Goldilocks>; EXT_DEGREE] =
        array::from_fn(|k| weights.iter().map(|&weight| ext_coefficients(weight)[k]).collect());
    RowWeights::new(coefficients.each_ref().map(|coefficients| &coefficients[..]))
}

fn naive_dot(weights: &[Ext3], column: &[Goldilocks]) -> Ext3 {
    weights.iter().zip(column).map(|(&weight, &value)| weight * value).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Terms lost between groups or left over from earlier sums.
    #[test]
    fn rows_add_up_over_groups(
        (rows, first, groups) in row_count(64).prop_flat_map(|rows| {
            (Just(rows), weighted_columns(rows, 2), vec(weighted_columns(rows, 17), 0..4))
        }),
    ) {
        let mut sums = WeightedRows::new(rows);
        for groups in [core::slice::from_ref(&first), &groups] {
            for group in groups {
                add(&mut sums, group);
            }
            let expected = |i: usize| -> Ext3 {
                groups.iter().flatten().map(|(column, weight)| *weight * column[i]).sum()
            };
            prop_assert_eq!(take(&mut sums, rows), (0..rows).map(expected).collect::<Vec<_>>());
        }
        prop_assert_eq!(take(&mut sums, rows), vec![Ext3::ZERO; rows]);
    }

    /// Columns without a partner, sums that are overwritten.
    #[test]
    fn dots_add_to_sums(
        (weights, columns) in row_count(1024).prop_flat_map(|rows| {
            (vec(extension_element(), rows), weighted_columns(rows, 9))
        }),
    ) {
        let rows = row_weights(&weights);
        let (columns, mut sums): (Vec<_>, Vec<Ext3>) =
            columns.iter().map(|(column, sum)| (&column[..], *sum)).unzip();
        let dots: Vec<Ext3> = columns.iter().map(|column| naive_dot(&weights, column)).collect();
        prop_assert_eq!(&columns.iter().map(|column| rows.dot(column)).collect::<Vec<_>>(), &dots);
        let expected: Vec<Ext3> = sums.iter().zip(dots).map(|(&sum, dot)| sum + dot).collect();
        rows.add_dots(&mut sums, &columns);
        prop_assert_eq!(sums, expected);
    }
}

/// Several times what a sum has room for: limbs that are reduced too late or not counted.
const MANY: usize = 10_000;

#[test]
fn rows_take_any_number_of_columns() {
    for weight in filling_weights() {
        let value = Goldilocks::new(u64::MAX);
        let weight = ext_from_coefficients([weight; 3]);
        let mut sums = WeightedRows::new(8);
        for count in [MANY, 1] {
            // Groups of 7 do not end where the sums are full.
            let group = vec![(vec![value; 8], weight); 7];
            (0..count / 7).for_each(|_| add(&mut sums, &group));
            add(&mut sums, &group[..count % 7]);
            let sum = weight * value * Goldilocks::new(count as u64);
            assert_eq!(take(&mut sums, 8), vec![sum; 8]);
        }
    }
}

#[test]
fn dots_take_any_number_of_rows() {
    for rows in [512, 1024, 2048, 2056, 4096, 8 * MANY] {
        let column = vec![Goldilocks::new(u64::MAX); rows];
        for weight in filling_weights().map(|w| ext_from_coefficients([w; 3])) {
            let sum = weight * column[0] * Goldilocks::new(rows as u64);
            assert_eq!(row_weights(&vec![weight; rows]).dot(&column), sum, "{rows} rows");
        }
    }
}

#[test]
#[should_panic(expected = "columns have the block's rows")]
fn short_columns_do_not_pass_as_zeros() {
    let column = [Goldilocks::ONE; 8];
    WeightedRows::new(16).add(&[&column], &[Ext3::ONE]);
}

#[test]
#[should_panic(expected = "columns have the block's rows")]
fn short_columns_have_no_dot() {
    let _ = row_weights(&[Ext3::ONE; 16]).dot(&[Goldilocks::ONE; 8]);
}
