//! Row-wise sums: one weight per column.

use p3_field::{PackedValue, PrimeCharacteristicRing};

use super::COLUMNS_AHEAD;
use super::sum::{Sum, Vector, Widest};
use crate::field::{EXT_DEGREE, Ext3, Goldilocks, ext_coefficients};
use crate::prefetch::prefetch;

/// `Σ_k w_k·f_k` on a block of rows, for columns that come one after the other.
///
/// The sums take 48 bytes a row with AVX-512: blocks of 128 to 512 rows leave room for the columns in the
/// first-level cache.
#[derive(Clone, Debug)]
pub struct WeightedRows {
    sums: Vec<[Widest; EXT_DEGREE]>,
    /// Terms in each sum.
    terms: usize,
}

impl WeightedRows {
    /// Zero sums on `rows` rows, a multiple of the packing width (eight suits all machines).
    pub fn new(rows: usize) -> Self {
        assert!(rows.is_multiple_of(Vector::WIDTH), "rows come in whole vectors");
        Self { sums: vec![[Widest::new(Vector::ZERO); EXT_DEGREE]; rows / Vector::WIDTH], terms: 0 }
    }

    /// Adds `weights[k]·columns[k]` for every `k`; each column has the block's rows.
    ///
    /// Many columns in one call are faster than one: those ahead are brought into the cache.
    pub fn add(&mut self, columns: &[&[Goldilocks]], weights: &[Ext3]) {
        let rows = self.sums.len() * Vector::WIDTH;
        assert_eq!(columns.len(), weights.len(), "one weight per column");
        assert!(columns.iter().all(|column| column.len() == rows), "columns have the block's rows");
        for (k, (column, &weight)) in columns.iter().zip(weights).enumerate() {
            let ahead = columns.get(k + COLUMNS_AHEAD).unwrap_or(column);
            let (column, ahead) = (Vector::pack_slice(column), Vector::pack_slice(ahead));
            self.make_room();
            let weight =
                ext_coefficients(weight).map(|coefficient| Widest::weight(Vector::from(coefficient)));
            for ((sums, &value), ahead) in self.sums.iter_mut().zip(column).zip(ahead) {
                prefetch(ahead);
                let value = Widest::value(value);
                for (sum, coefficient) in sums.iter_mut().zip(&weight) {
                    sum.add_product(value, coefficient);
                }
            }
        }
    }

    /// Counts one more term, after reducing the sums if they are full.
    fn make_room(&mut self) {
        if self.terms == Widest::CAPACITY {
            for sum in self.sums.as_flattened_mut() {
                *sum = Widest::new(sum.lanes());
            }
            self.terms = 1;
        }
        self.terms += 1;
    }

    /// Writes the sums' coefficients to `out`, which have the block's rows, and starts again from zero.
    pub fn take(&mut self, out: [&mut [Goldilocks]; EXT_DEGREE]) {
        let [c0, c1, c2] = out.map(Vector::pack_slice_mut);
        let rows = self.sums.len();
        assert!([&c0, &c1, &c2].iter().all(|out| out.len() == rows), "outputs have the block's rows");
        for (((sums, c0), c1), c2) in self.sums.iter_mut().zip(c0).zip(c1).zip(c2) {
            [*c0, *c1, *c2] = sums.map(Widest::lanes);
            *sums = [Widest::new(Vector::ZERO); EXT_DEGREE];
        }
        self.terms = 0;
    }
}
