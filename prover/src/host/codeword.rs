//! Round 06 on the host: committing and folding codewords.
//!
//! A codeword of height `N` is three base columns of `B·N` rows, in slabs, in the variable `y = x/g`.

use lambda_air::interpreter::Packed;
use lambda_math::field::{EXT_DEGREE, ext_from_coefficients};
use lambda_math::hash::hash_rows;
use lambda_math::ntt::intt;
use lambda_math::{Columns, Digest, Ext3, Goldilocks, MerkleTree, domain};
use lambda_verifier::profile::CAP_LOG2;
use p3_field::{BasedVectorSpace, Field, PackedValue, PrimeCharacteristicRing};
use rayon::prelude::*;

use super::domain::points;
use super::lookup::store;
use super::messages::PackedExt;

/// A codeword and its height.
#[derive(Clone, Debug)]
pub struct Codeword {
    /// Three base columns of `B·N` rows.
    pub columns: Columns,
    /// `log2` of `N`.
    pub height_log2: u32,
}

impl Codeword {
    /// `log2` of `B`.
    pub fn blowup_log2(&self) -> u32 {
        self.columns.height().trailing_zeros() - self.height_log2
    }

    /// The tree over cosets of `2^arity_log2` points; a leaf is a coset's values in position order.
    pub fn commit(&self, arity_log2: u32) -> MerkleTree {
        let height = 1usize << self.height_log2;
        let leaves = height >> arity_log2;
        let mut digests = vec![Digest::default(); self.columns.height() >> arity_log2];
        for (slab, digests) in digests.chunks_exact_mut(leaves).enumerate() {
            let slices: Vec<&[Goldilocks]> = (0..1usize << arity_log2)
                .flat_map(|offset| {
                    let first = slab * height + domain::reverse_bits(offset, arity_log2) * leaves;
                    (0..EXT_DEGREE).map(move |k| &self.columns.column(k)[first..first + leaves])
                })
                .collect();
            hash_rows(&slices, digests);
        }
        let leaf_count_log2 = digests.len().trailing_zeros();
        MerkleTree::build(vec![(leaf_count_log2, digests)], self.blowup_log2(), CAP_LOG2)
    }

    /// Folds by `2^arity_log2`: as often by two, with `β`, `β²`, `β⁴`.
    pub fn fold(&self, arity_log2: u32, challenge: Ext3) -> Self {
        let mut folded = self.halve(challenge);
        let mut challenge = challenge;
        for _ in 1..arity_log2 {
            challenge = challenge.square();
            folded = folded.halve(challenge);
        }
        folded
    }

    /// `f'(y²) = (f(y) + f(-y))/2 + β·(f(y) - f(-y))/(2y)`. Entries `j` and `j + N/2` of a slab are `f(y)`
    /// and `f(-y)`.
    fn halve(&self, challenge: Ext3) -> Self {
        let height = 1usize << self.height_log2;
        let half = height / 2;
        let blowup_log2 = self.blowup_log2();
        let mut columns = Columns::scratch(self.columns.height() / 2, EXT_DEGREE);
        let rows = half.min(1 << 12);
        let one_half = Packed::from(Goldilocks::TWO.inverse());
        let factor = PackedExt::from(challenge * Goldilocks::TWO.inverse());
        let slab_root = domain::root_of_unity(self.height_log2 + blowup_log2).inverse();
        let roots: Vec<Goldilocks> = inverse_points(height, half);
        columns.row_blocks_mut(rows).into_par_iter().enumerate().for_each(|(block, mut out)| {
            let (slab, start) = (block * rows / half, block * rows % half);
            let coset = slab_root.exp_u64(domain::reverse_bits(slab, blowup_log2) as u64);
            let read = |first: usize, i: usize| {
                let first = slab * height + first + start + i;
                PackedExt::from_basis_coefficients_fn(|k| {
                    *Packed::from_slice(&self.columns.column(k)[first..first + Packed::WIDTH])
                })
            };
            let values: Vec<PackedExt> = (0..rows)
                .step_by(Packed::WIDTH)
                .map(|i| {
                    let (a, b) = (read(0, i), read(half, i));
                    let inverse = *Packed::from_slice(&roots[start + i..start + i + Packed::WIDTH]);
                    (a + b) * one_half + (a - b) * (inverse * coset) * factor
                })
                .collect();
            store(&values, &mut out);
        });
        Self { columns, height_log2: self.height_log2 - 1 }
    }

    /// Adds `weight · shorter`, a codeword of the same height.
    pub fn join(&mut self, shorter: &Self, weight: Ext3) {
        let weight = PackedExt::from(weight);
        let rows = self.columns.height().min(1 << 12);
        self.columns.row_blocks_mut(rows).into_par_iter().enumerate().for_each(|(block, mut out)| {
            let read = |columns: &[&[Goldilocks]], i: usize| {
                PackedExt::from_basis_coefficients_fn(|k| {
                    *Packed::from_slice(&columns[k][i..i + Packed::WIDTH])
                })
            };
            let theirs: Vec<&[Goldilocks]> =
                (0..EXT_DEGREE).map(|k| &shorter.columns.column(k)[block * rows..][..rows]).collect();
            let ours: Vec<&[Goldilocks]> = out.iter().map(|column| &**column).collect();
            let values: Vec<PackedExt> = (0..rows)
                .step_by(Packed::WIDTH)
                .map(|i| read(&ours, i) + read(&theirs, i) * weight)
                .collect();
            store(&values, &mut out);
        });
    }

    /// Coefficients in `y`, constant term first. In `y`, slab 0 is the subgroup itself.
    pub fn interpolate(&self) -> Vec<Ext3> {
        let height = 1usize << self.height_log2;
        let coefficients: Vec<Vec<Goldilocks>> = (0..EXT_DEGREE)
            .map(|k| {
                let mut values = self.columns.column(k)[..height].to_vec();
                intt(&mut values);
                values
            })
            .collect();
        (0..height).map(|i| ext_from_coefficients([0, 1, 2].map(|k: usize| coefficients[k][i]))).collect()
    }

    /// Values at positions.
    pub fn open(&self, positions: &[usize]) -> Vec<Ext3> {
        positions
            .iter()
            .map(|&position| {
                let (slab, entry) = domain::slab_and_entry(position, self.height_log2);
                let row = (slab << self.height_log2) + entry;
                ext_from_coefficients([0, 1, 2].map(|k| self.columns.column(k)[row]))
            })
            .collect()
    }
}

/// `ω_N^-j` for `j = 0..count`.
fn inverse_points(height: usize, count: usize) -> Vec<Goldilocks> {
    let mut roots = points(height, Goldilocks::ONE);
    roots[1..].reverse();
    roots.truncate(count);
    roots
}
