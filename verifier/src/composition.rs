//! A table's composition at the out-of-domain point: `Σ α^k·C_k(ζ) = Z(ζ)·H(ζ)`.
//!
//! The verifier runs it on the opened values (round 05); the prover runs the same function on its own
//! values before it goes on.

use alloc::vec;
use alloc::vec::Vec;

use lambda_air::rows::{Interaction, RowPair, Selectors};
use lambda_air::{Direction, RowBuilder};
use lambda_math::field::{EXT_DEGREE, ext_from_coefficients};
use lambda_math::{Ext3, Goldilocks, domain};
use p3_field::{Field, PrimeCharacteristicRing};

use crate::key::TableKey;
use crate::proof::TableValues;
use crate::transcript::LookupChallenges;

/// What a table's composition depends on besides its opened values.
#[derive(Clone, Copy, Debug)]
pub struct CompositionInput<'a> {
    /// The table.
    pub table: &'a TableKey,
    /// Its height, `log2`.
    pub height_log2: u32,
    /// Its public values.
    pub public_values: &'a [Goldilocks],
    /// Challenges of the bus argument.
    pub lookup: LookupChallenges,
    /// The table's sum; zero where it has no interactions.
    pub lookup_sum: Ext3,
    /// Constraint challenge α.
    pub alpha: Ext3,
    /// Out-of-domain point ζ, outside of the trace domain and the evaluation coset.
    pub zeta: Ext3,
}

/// Whether the opened `values`, whose lengths are the table's, satisfy the table's composition at ζ.
pub fn composition_holds(input: &CompositionInput<'_>, values: &TableValues) -> bool {
    let vanishing = input.zeta.exp_power_of_2(to_usize(input.height_log2)) - Ext3::ONE;
    composed_constraints(input, values, vanishing) == vanishing * quotient(input, values)
}

/// `Σ α^k·C_k(ζ)`: the body's constraints, then one per lookup column.
fn composed_constraints(input: &CompositionInput<'_>, values: &TableValues, vanishing: Ext3) -> Ext3 {
    let shape = &input.table.shape;
    let main_next = spread(shape.main_width, &shape.main_next, &values.main_next);
    let preprocessed_next =
        spread(shape.preprocessed_width, &shape.preprocessed_next, &values.preprocessed_next);
    let last_row = domain::root_of_unity(input.height_log2).inverse();
    let is_transition = input.zeta - last_row;
    let mean = vanishing * Goldilocks::TWO.exp_u64(input.height_log2.into()).inverse();
    let mut builder = RowBuilder::new(RowPair {
        main: [&values.main, &main_next],
        preprocessed: [&values.preprocessed, &preprocessed_next],
        public_values: input.public_values,
        selectors: Selectors {
            is_first_row: mean * (input.zeta - Ext3::ONE).inverse(),
            is_last_row: mean * is_transition.inverse() * last_row,
            is_transition,
        },
    });
    input.table.air.eval_point(&mut builder);
    let lookup = lookup_constraints(input, values, &builder.interactions);
    let constraints = builder.constraints.iter().chain(&lookup);
    constraints.rev().fold(Ext3::ZERO, |sum, &constraint| sum * input.alpha + constraint)
}

/// One constraint per lookup column (`lambda_air::lookup`).
fn lookup_constraints(
    input: &CompositionInput<'_>,
    values: &TableValues,
    interactions: &[Interaction<Ext3>],
) -> Vec<Ext3> {
    let groups = &input.table.shape.lookup.groups;
    let mut columns = extension_columns(&values.lookup);
    let sum_next = extension_columns(&values.lookup_next).pop().unwrap_or(Ext3::ZERO);
    let sum = columns.pop().unwrap_or(Ext3::ZERO);
    // On every row the running sum grows by all columns, less the mean T/N, and by the last group's terms.
    let rows = Goldilocks::TWO.exp_u64(input.height_log2.into());
    let growth = sum_next - sum + input.lookup_sum * rows.inverse();
    let last = growth - columns.iter().copied().sum::<Ext3>();
    columns.push(last);
    groups
        .iter()
        .zip(columns)
        .map(|(group, column)| {
            let term = |index: usize| {
                interactions.get(index).map_or((Ext3::ZERO, Ext3::ONE), |i| signed_term(i, input.lookup))
            };
            let (m_a, f_a) = term(group.first);
            match group.second {
                None => column * f_a - m_a,
                Some(second) => {
                    let (m_b, f_b) = term(second);
                    column * f_a * f_b - (m_a * f_b + m_b * f_a)
                }
            }
        })
        .collect()
}

/// `(±m, γ - fingerprint)` of an interaction.
fn signed_term(interaction: &Interaction<Ext3>, challenges: LookupChallenges) -> (Ext3, Ext3) {
    let multiplicity = match interaction.direction {
        Direction::Send => interaction.multiplicity,
        Direction::Receive => -interaction.multiplicity,
    };
    let id = Goldilocks::from_u32(interaction.bus.id);
    (multiplicity, challenges.gamma - fingerprint(id, &interaction.fields, challenges.alpha))
}

/// `bus + α·length + Σ α^(2+j)·field_j`.
pub fn fingerprint<E>(bus: Goldilocks, fields: &[E], alpha: Ext3) -> Ext3
where
    E: Copy + Into<Ext3>,
{
    let tail = fields.iter().rev().fold(Ext3::ZERO, |sum, &field| sum * alpha + field.into());
    let length = Goldilocks::from_u64(u64::try_from(fields.len()).unwrap_or(u64::MAX));
    (tail * alpha + length) * alpha + bus
}

/// `H(ζ)` from its parts. Part `c` interpolates `H` on slab `c` of the evaluation coset, `s_c·H_N`; for two
/// parts `s_1^N = -s_0^N` and `H = (q_0·(x^N + g^N) - q_1·(x^N - g^N)) / (2·g^N)`.
fn quotient(input: &CompositionInput<'_>, values: &TableValues) -> Ext3 {
    let parts = extension_columns(&values.quotient);
    let height_log2 = to_usize(input.height_log2);
    match parts.as_slice() {
        [whole] => *whole,
        [first, second] => {
            let point = input.zeta.exp_power_of_2(height_log2);
            let shift = domain::SHIFT.exp_power_of_2(height_log2);
            (*first * (point + shift) - *second * (point - shift)) * shift.double().inverse()
        }
        _ => Ext3::ZERO,
    }
}

/// Values at ζ of extension columns, from those of their three base columns.
fn extension_columns(base: &[Ext3]) -> Vec<Ext3> {
    let basis = |k: usize| {
        let mut coefficients = [Goldilocks::ZERO; EXT_DEGREE];
        if let Some(one) = coefficients.get_mut(k) {
            *one = Goldilocks::ONE;
        }
        ext_from_coefficients(coefficients)
    };
    let basis = [basis(0), basis(1), basis(2)];
    base.chunks(EXT_DEGREE)
        .map(|column| column.iter().zip(basis).map(|(&value, power)| value * power).sum())
        .collect()
}

/// `width` zeros with `values` at the indices `columns`.
fn spread(width: usize, columns: &[usize], values: &[Ext3]) -> Vec<Ext3> {
    let mut row = vec![Ext3::ZERO; width];
    for (&column, &value) in columns.iter().zip(values) {
        if let Some(cell) = row.get_mut(column) {
            *cell = value;
        }
    }
    row
}

/// Lossless: `log2` values are small.
fn to_usize(log2: u32) -> usize {
    usize::try_from(log2).unwrap_or(usize::MAX)
}
