//! Points, selectors and denominators of a domain as columns.

use lambda_air::dag::{ConstraintDag, Leaf, Node, Selector};
use lambda_air::interpreter::Packed;
use lambda_math::field::EXT_DEGREE;
use lambda_math::{Columns, Ext3, Goldilocks, domain};
use lambda_verifier::key::TableKey;
use p3_field::{Field, PackedFieldExtension, PackedValue, PrimeCharacteristicRing};
use rayon::prelude::*;

use super::lookup::store;
use super::messages::PackedExt;

/// Rows that one task fills.
const CHUNK_ROWS: usize = 1 << 12;

/// `shift·ω_N^j` for `j = 0..height`.
pub fn points(height: usize, shift: Goldilocks) -> Vec<Goldilocks> {
    let root = domain::root_of_unity(height.trailing_zeros());
    let mut points = Goldilocks::zero_vec(height);
    points.par_chunks_mut(CHUNK_ROWS).enumerate().for_each(|(chunk, points)| {
        let start = shift * root.exp_u64((chunk * CHUNK_ROWS) as u64);
        for (point, power) in points.iter_mut().zip(root.shifted_powers(start)) {
            *point = power;
        }
    });
    points
}

/// First-row, last-row and transition selectors of a table, those that its body uses.
pub struct SelectorColumns([Vec<Goldilocks>; 3]);

impl SelectorColumns {
    /// On the trace domain, where interactions are computed; they do not read the transition selector.
    pub fn on_trace(key: &TableKey, height: usize) -> Self {
        let [first, last, _] = uses(&key.dag);
        let unit = |used: bool, row: usize| {
            let mut column = Goldilocks::zero_vec(if used { height } else { 0 });
            column.iter_mut().skip(row).take(1).for_each(|cell| *cell = Goldilocks::ONE);
            column
        };
        Self([unit(first, 0), unit(last, height - 1), Vec::new()])
    }

    /// On a coset `shift·H_N` away from the trace domain.
    pub fn on_coset(key: &TableKey, height: usize, shift: Goldilocks) -> Self {
        let log2 = height.trailing_zeros() as usize;
        let points = points(height, shift);
        let vanishing = shift.exp_power_of_2(log2) - Goldilocks::ONE;
        let last_row = domain::root_of_unity(height.trailing_zeros()).inverse();
        let over = |row: Goldilocks| -> Vec<Goldilocks> {
            let differences: Vec<Goldilocks> = points.iter().map(|&x| x - row).collect();
            let inverses = p3_field::batch_multiplicative_inverse(&differences);
            // The Lagrange polynomial of `row`: row·Z(x) / (N·(x - row)).
            let factor = row * vanishing * Goldilocks::from_usize(height).inverse();
            inverses.into_iter().map(|inverse| inverse * factor).collect()
        };
        let [first, last, transition] = uses(&key.dag);
        Self([
            if first { over(Goldilocks::ONE) } else { Vec::new() },
            if last { over(last_row) } else { Vec::new() },
            if transition { points.iter().map(|&x| x - last_row).collect() } else { Vec::new() },
        ])
    }

    /// Rows `start..start + rows`, empty for selectors that are not used.
    pub fn block(&self, start: usize, rows: usize) -> [&[Packed]; 3] {
        [0, 1, 2].map(|k: usize| {
            let column = &self.0[k];
            if column.is_empty() { &[] } else { Packed::pack_slice(&column[start..start + rows]) }
        })
    }
}

fn uses(dag: &ConstraintDag) -> [bool; 3] {
    [Selector::FirstRow, Selector::LastRow, Selector::Transition]
        .map(|selector| dag.nodes.contains(&Node::Leaf(Leaf::Selector(selector))))
}

/// `1/(ζ - x)` for the points of slab 0, three base columns. ζ is not a point of the coset.
pub fn denominators(height: usize, zeta: Ext3) -> Columns {
    let points = points(height, domain::SHIFT);
    let mut columns = Columns::scratch(height, EXT_DEGREE);
    let zeta = PackedExt::from(zeta);
    columns.row_blocks_mut(CHUNK_ROWS).into_par_iter().zip(points.par_chunks(CHUNK_ROWS)).for_each(
        |(mut out, points)| {
            let packed: Vec<PackedExt> = Packed::pack_slice(points).iter().map(|&x| zeta - x).collect();
            store(&invert(&packed), &mut out);
        },
    );
    columns
}

/// Inverses of non-zero values (Montgomery's trick in SIMD lanes).
fn invert(values: &[PackedExt]) -> Vec<PackedExt> {
    let mut product = PackedExt::ONE;
    let mut inverses: Vec<PackedExt> = values
        .iter()
        .map(|&value| {
            let prefix = product;
            product *= value;
            prefix
        })
        .collect();
    let mut lanes = vec![Ext3::ZERO; Packed::WIDTH];
    product.to_ext_slice(&mut lanes);
    let mut inverse = PackedExt::from_ext_slice(&p3_field::batch_multiplicative_inverse(&lanes));
    for (prefix, &value) in inverses.iter_mut().zip(values).rev() {
        *prefix *= inverse;
        inverse *= value;
    }
    inverses
}
