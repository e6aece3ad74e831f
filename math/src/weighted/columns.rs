//! Column-wise sums: one weight per row.

use p3_field::{PackedValue, PrimeCharacteristicRing};

use super::COLUMNS_AHEAD;
use super::sum::{Sum, Vector, Widest};
use crate::field::{EXT_DEGREE, Ext3, Goldilocks, ext_from_coefficients};
use crate::prefetch::prefetch;

/// Vectors of rows that a sum has room for, if it is to be added up over its lanes.
const RUN: usize = Widest::CAPACITY / Vector::WIDTH;

/// Weights of a block of rows, prepared for many columns.
///
/// They take 96 bytes a row with AVX-512: blocks of 128 to 512 rows leave room for the columns in the first
/// two cache levels.
#[derive(Clone, Debug)]
pub struct RowWeights {
    weights: Vec<[<Widest as Sum>::Weight; EXT_DEGREE]>,
}

impl RowWeights {
    /// Row `i` has the weight with coefficients `weights[0][i]`, `weights[1][i]`, `weights[2][i]`. The
    /// number of rows is a multiple of the packing width (eight suits all machines).
    pub fn new(weights: [&[Goldilocks]; EXT_DEGREE]) -> Self {
        let [c0, c1, c2] = weights.map(Vector::pack_slice);
        assert!(c0.len() == c1.len() && c0.len() == c2.len(), "each row has all coefficients");
        let rows = c0.iter().zip(c1).zip(c2);
        Self { weights: rows.map(|((&c0, &c1), &c2)| [c0, c1, c2].map(Widest::weight)).collect() }
    }

    /// `Σ_i w_i·column[i]` over the block's rows.
    ///
    /// [`Self::add_dots`] is faster for several columns.
    pub fn dot(&self, column: &[Goldilocks]) -> Ext3 {
        let [dot] = self.dots([column], [column]);
        dot
    }

    /// Adds `Σ_i w_i·columns[k][i]`, over the block's rows, to `sums[k]` for every `k`.
    pub fn add_dots(&self, sums: &mut [Ext3], columns: &[&[Goldilocks]]) {
        assert_eq!(sums.len(), columns.len(), "one sum per column");
        let ahead = |k: usize| *columns.get(k + COLUMNS_AHEAD).unwrap_or(&columns[k]);
        let (pairs, last) = sums.as_chunks_mut::<2>();
        for (pair, [sum_0, sum_1]) in pairs.iter_mut().enumerate() {
            let k = 2 * pair;
            let [dot_0, dot_1] = self.dots([columns[k], columns[k + 1]], [ahead(k), ahead(k + 1)]);
            *sum_0 += dot_0;
            *sum_1 += dot_1;
        }
        if let ([sum], [.., column]) = (last, columns) {
            *sum += self.dot(column);
        }
    }

    /// The dot products of `columns`, which share the loads of the weights, while `ahead` come into the
    /// cache.
    #[inline(always)]
    fn dots<const N: usize>(&self, columns: [&[Goldilocks]; N], ahead: [&[Goldilocks]; N]) -> [Ext3; N] {
        let rows = self.weights.len();
        let vectors = |column| {
            let column = Vector::pack_slice(column);
            assert_eq!(column.len(), rows, "columns have the block's rows");
            column
        };
        let (columns, ahead) = (columns.map(vectors), ahead.map(vectors));
        let mut totals = [Ext3::ZERO; N];
        for first in (0..rows).step_by(RUN) {
            let mut sums = [[Widest::new(Vector::ZERO); EXT_DEGREE]; N];
            for i in first..rows.min(first.saturating_add(RUN)) {
                for ((sums, column), ahead) in sums.iter_mut().zip(columns).zip(ahead) {
                    prefetch(&ahead[i]);
                    let value = Widest::value(column[i]);
                    for (sum, weight) in sums.iter_mut().zip(&self.weights[i]) {
                        sum.add_product(value, weight);
                    }
                }
            }
            for (total, sums) in totals.iter_mut().zip(sums) {
                *total += ext_from_coefficients(sums.map(Widest::total));
            }
        }
        totals
    }
}
