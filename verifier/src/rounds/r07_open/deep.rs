//! DEEP codewords at the queried positions.

use alloc::vec;
use alloc::vec::Vec;

use lambda_math::{Ext3, Goldilocks, domain, field::ext_coefficients};
use p3_field::{Field, PrimeCharacteristicRing};

use super::Codeword;
use crate::layout::Layout;

/// The DEEP codeword of one height at the queries:
///
/// ```text
///     G(x) = (Σ γ^k·(f_k(x) - f_k(ζ))) / (x - ζ)  +  (Σ γ^k'·(f_k'(x) - f_k'(ζω))) / (x - ζω)
/// ```
///
/// over all columns, then over those opened at the next row; powers of γ count on (DEEP-FRI: Ben-Sasson,
/// Goldberg, Kopparty, Saraf 2019).
pub struct Deep {
    /// The queried positions, ascending.
    pub positions: Vec<u64>,
    /// The next power of γ.
    pub power: Ext3,
    /// Columns at ζ.
    pub current: Numerator,
    /// Columns at ζ·ω.
    pub next: Numerator,
}

impl Deep {
    /// Nothing added yet.
    pub fn new(positions: Vec<u64>) -> Self {
        let numerator = || Numerator { at_points: vec![Ext3::ZERO; positions.len()], at_zeta: Ext3::ZERO };
        let (current, next) = (numerator(), numerator());
        Self { positions, power: Ext3::ONE, current, next }
    }

    /// The codeword's values at the queries.
    pub fn codeword(self, layout: &Layout, height_log2: u32, zeta: Ext3) -> Codeword {
        let domain_log2 = height_log2.saturating_add(layout.profile.blowup_log2());
        let zeta_next = zeta * domain::root_of_unity(height_log2);
        let numerators = self.current.at_points.iter().zip(&self.next.at_points);
        self.positions
            .iter()
            .zip(numerators)
            .map(|(&position, (&current, &next))| {
                let x = Ext3::from(domain::SHIFT * point_at(position, domain_log2));
                // ζ is outside of the coset, so neither denominator is zero.
                let current = (current - self.current.at_zeta) * (x - zeta).inverse();
                let next = (next - self.next.at_zeta) * (x - zeta_next).inverse();
                (position, current + next)
            })
            .collect()
    }
}

/// `Σ γ^k·f_k` at each queried point and at the out-of-domain point.
pub struct Numerator {
    at_points: Vec<Ext3>,
    at_zeta: Ext3,
}

impl Numerator {
    /// Adds the given `columns` of a table whose opened rows are `cells`, `width` per row.
    pub fn add(
        &mut self,
        columns: &[usize],
        values: &[Ext3],
        cells: &[Goldilocks],
        width: usize,
        power: &mut Ext3,
        gamma: Ext3,
    ) {
        let powers: Vec<Ext3> = columns
            .iter()
            .map(|_| {
                let this = *power;
                *power *= gamma;
                this
            })
            .collect();
        self.at_zeta += powers.iter().zip(values).map(|(&power, &value)| power * value).sum::<Ext3>();
        for (sum, row) in self.at_points.iter_mut().zip(cells.chunks(width.max(1))) {
            let columns = columns.iter().filter_map(|&column| row.get(column));
            *sum += weighted_sum(&powers, columns);
        }
    }
}

/// `Σ weight·cell`, coefficient by coefficient.
fn weighted_sum<'a>(weights: &[Ext3], cells: impl Iterator<Item = &'a Goldilocks>) -> Ext3 {
    let mut sum = [Goldilocks::ZERO; 3];
    for (&weight, &cell) in weights.iter().zip(cells) {
        for (sum, coefficient) in sum.iter_mut().zip(ext_coefficients(weight)) {
            *sum += coefficient * cell;
        }
    }
    Ext3::new(sum)
}

/// `ω_n^i` of the point at `position` in the domain of `2^domain_log2` points, in the variable `y = x/g`.
pub fn point_at(position: u64, domain_log2: u32) -> Goldilocks {
    let index = usize::try_from(position).map_or(0, |position| domain::reverse_bits(position, domain_log2));
    domain::root_of_unity(domain_log2).exp_u64(u64::try_from(index).unwrap_or(0))
}
