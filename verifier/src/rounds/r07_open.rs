//! Round 07, open: rows against commitments, rows and out-of-domain values into DEEP codewords, codewords
//! through the folds.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use lambda_math::hash::{hash_leaf, hash_row};
use lambda_math::merkle::{OpenedLayer, verify_multiproof};
use lambda_math::{Digest, Ext3, Goldilocks, domain, field::ext_coefficients};
use p3_field::{Field, PrimeCharacteristicRing};

use super::r01_trace::{lists, trees};
use super::r06_fri::Queries;
use crate::error::{Part, VerifyError};
use crate::fri::{FoldStep, fold_coset};
use crate::key::VerifyingKey;
use crate::layout::{Layout, Tree, check_length};
use crate::proof::{LayerOpenings, Proof};

/// Values of a codeword at the queried positions, ascending, each once.
pub type Codeword = Vec<(u64, Ext3)>;

/// Checks the opened rows against the commitments. Returns, per height, the DEEP codeword at the queries.
pub fn check_rows(
    key: &VerifyingKey,
    layout: &Layout,
    proof: &Proof,
    zeta: Ext3,
    gamma: Ext3,
    positions: &[u64],
) -> Result<BTreeMap<u32, Codeword>, VerifyError> {
    let mut deep: BTreeMap<u32, Deep> = layout
        .distinct_log2
        .iter()
        .map(|&height| (height, Deep::new(positions_at(positions, layout, height))))
        .collect();
    for (tree, openings) in trees(proof) {
        let tables = layout.tables(key, tree).zip(&openings.rows);
        for ((index, table, height), cells) in tables {
            let rows = deep.get(&height).map_or(0, |deep| deep.positions.len());
            let expected = rows.saturating_mul(tree.width(table));
            check_length(Part::OpenedCells(tree), index, expected, cells.len())?;
        }
        check_tree(key, layout, proof, tree, positions)?;
    }
    for next_row in [false, true] {
        for (index, (table, height)) in key.tables.iter().zip(&layout.heights_log2).enumerate() {
            let (Some(deep), Some(values)) = (deep.get_mut(height), proof.out_of_domain.get(index)) else {
                continue;
            };
            for ((tree, current, next), (_, openings)) in lists(values).into_iter().zip(trees(proof)) {
                let slot = layout.tables(key, tree).position(|(table, ..)| table == index);
                let Some(cells) = slot.and_then(|slot| openings.rows.get(slot)) else { continue };
                let width = tree.width(table);
                if next_row {
                    deep.next.add(&tree.next_columns(table), next, cells, width, &mut deep.power, gamma);
                } else {
                    let columns: Vec<usize> = (0..width).collect();
                    deep.current.add(&columns, current, cells, width, &mut deep.power, gamma);
                }
            }
        }
    }
    Ok(deep.into_iter().map(|(height, deep)| (height, deep.codeword(layout, height, zeta))).collect())
}

/// The distinct positions that the queries have at height `2^height_log2`, ascending.
fn positions_at(positions: &[u64], layout: &Layout, height_log2: u32) -> Vec<u64> {
    let shift = layout.tallest_log2().saturating_sub(height_log2);
    let mut positions: Vec<u64> = positions.iter().map(|p| p.checked_shr(shift).unwrap_or(0)).collect();
    positions.dedup();
    positions
}

fn check_tree(
    key: &VerifyingKey,
    layout: &Layout,
    proof: &Proof,
    tree: Tree,
    positions: &[u64],
) -> Result<(), VerifyError> {
    let cap = match tree {
        Tree::Preprocessed => &key.preprocessed_cap,
        Tree::Main => &proof.main_cap,
        Tree::Lookup => &proof.lookup_cap,
        Tree::Quotient => &proof.quotient_cap,
    };
    let Some((_, openings)) = trees(proof).into_iter().find(|(other, _)| *other == tree) else {
        return Ok(());
    };
    // Row digests of each table, by height; tables of one height share leaves, in registry order.
    let mut digests: BTreeMap<u32, Vec<Vec<Digest>>> = BTreeMap::new();
    for ((_, table, height), cells) in layout.tables(key, tree).zip(&openings.rows) {
        let rows = cells.chunks(tree.width(table)).map(hash_row).collect();
        digests.entry(height).or_default().push(rows);
    }
    let Some((&tallest, _)) = digests.last_key_value() else {
        return match openings.siblings.len() {
            0 => Ok(()),
            got => {
                let error = lambda_math::merkle::MerkleError::SiblingCount { expected: 0, got };
                Err(VerifyError::Opening { tree, error })
            }
        };
    };
    let leaves: Vec<(u32, Vec<Digest>)> = digests
        .into_iter()
        .rev()
        .map(|(height, tables)| (height.saturating_add(layout.profile.blowup_log2()), join_leaves(&tables)))
        .collect();
    let layers: Vec<OpenedLayer<'_>> = leaves
        .iter()
        .map(|(leaf_count_log2, leaves)| OpenedLayer { leaf_count_log2: *leaf_count_log2, leaves })
        .collect();
    let positions = positions_at(positions, layout, tallest);
    verify_multiproof(cap, &layers, &positions, &openings.siblings)
        .map_err(|error| VerifyError::Opening { tree, error })
}

/// Leaf `i` of tables that share a height, from their row digests.
fn join_leaves(tables: &[Vec<Digest>]) -> Vec<Digest> {
    let count = tables.iter().map(Vec::len).min().unwrap_or(0);
    (0..count)
        .map(|i| {
            let rows: Vec<Digest> = tables.iter().filter_map(|rows| rows.get(i).copied()).collect();
            hash_leaf(&rows)
        })
        .collect()
}

/// The DEEP codeword of one height at the queries:
///
/// ```text
///     G(x) = (Σ γ^k·(f_k(x) - f_k(ζ))) / (x - ζ)  +  (Σ γ^k'·(f_k'(x) - f_k'(ζω))) / (x - ζω)
/// ```
///
/// over all columns, then over those opened at the next row; powers of γ count on (DEEP-FRI: Ben-Sasson,
/// Goldberg, Kopparty, Saraf 2019).
struct Deep {
    positions: Vec<u64>,
    power: Ext3,
    current: Numerator,
    next: Numerator,
}

impl Deep {
    fn new(positions: Vec<u64>) -> Self {
        let numerator = || Numerator { at_points: vec![Ext3::ZERO; positions.len()], at_zeta: Ext3::ZERO };
        let (current, next) = (numerator(), numerator());
        Self { positions, power: Ext3::ONE, current, next }
    }

    fn codeword(self, layout: &Layout, height_log2: u32, zeta: Ext3) -> Codeword {
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
struct Numerator {
    at_points: Vec<Ext3>,
    at_zeta: Ext3,
}

impl Numerator {
    /// Adds the given `columns` of a table whose opened rows are `cells`, `width` per row.
    fn add(
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
fn point_at(position: u64, domain_log2: u32) -> Goldilocks {
    let index = usize::try_from(position).map_or(0, |position| domain::reverse_bits(position, domain_log2));
    domain::root_of_unity(domain_log2).exp_u64(u64::try_from(index).unwrap_or(0))
}

/// Checks the opened FRI cosets against the layers' commitments, each against the layer before, the last
/// against the final polynomial.
pub fn check_layers(
    layout: &Layout,
    proof: &Proof,
    queries: &Queries,
    mut codewords: BTreeMap<u32, Codeword>,
) -> Result<(), VerifyError> {
    let mut current = codewords.remove(&layout.tallest_log2()).unwrap_or_default();
    let steps = layout.folds.iter().zip(&queries.challenges);
    let layers = proof.fri.layer_caps.iter().zip(&proof.openings.layers);
    for (layer, ((step, challenges), (cap, openings))) in steps.zip(layers).enumerate() {
        let cosets = open_layer(layout, layer, *step, cap, openings, &current)?;
        let domain_log2 = step.from_log2.saturating_add(layout.profile.blowup_log2());
        let coset_log2 = domain_log2.saturating_sub(step.arity_log2);
        current = cosets
            .into_iter()
            .map(|(group, values)| {
                // Entry k of a coset in natural order is at offset rev(k) of its group of positions.
                let y = point_at_group(group, coset_log2, domain_log2);
                let natural = natural_order(&values, step.arity_log2);
                (group, fold_coset(&natural, y, challenges.fold))
            })
            .collect();
        if step.joins {
            let joining = codewords.remove(&step.to_log2()).unwrap_or_default();
            for ((_, value), (_, shorter)) in current.iter_mut().zip(joining) {
                *value += challenges.join * shorter;
            }
        }
    }
    let last_log2 = layout.folds.last().map_or(layout.tallest_log2(), |step| step.to_log2());
    let domain_log2 = last_log2.saturating_add(layout.profile.blowup_log2());
    for (position, value) in current {
        let y = point_at(position, domain_log2);
        let coefficients = proof.fri.final_polynomial.iter().rev();
        if coefficients.fold(Ext3::ZERO, |sum, &coefficient| sum * y + coefficient) != value {
            return Err(VerifyError::FinalValue { position });
        }
    }
    Ok(())
}

/// `ω_n^i` of the first position of a coset's group.
fn point_at_group(group: u64, coset_log2: u32, domain_log2: u32) -> Goldilocks {
    let index = usize::try_from(group).map_or(0, |group| domain::reverse_bits(group, coset_log2));
    domain::root_of_unity(domain_log2).exp_u64(u64::try_from(index).unwrap_or(0))
}

/// A coset's values from position order to the order of powers of the root.
fn natural_order(values: &[Ext3], arity_log2: u32) -> Vec<Ext3> {
    (0..values.len()).filter_map(|k| values.get(domain::reverse_bits(k, arity_log2)).copied()).collect()
}

/// Completes the cosets that the queries fall in, and checks them against the layer's commitment.
fn open_layer(
    layout: &Layout,
    layer: usize,
    step: FoldStep,
    cap: &[Digest],
    openings: &LayerOpenings,
    known: &[(u64, Ext3)],
) -> Result<Vec<(u64, Vec<Ext3>)>, VerifyError> {
    let arity = 1u64.checked_shl(step.arity_log2).unwrap_or(1);
    let mut groups: Vec<u64> = known.iter().map(|(position, _)| group_of(*position, step)).collect();
    groups.dedup();
    let group_count = u64::try_from(groups.len()).unwrap_or(u64::MAX);
    let expected = usize::try_from(group_count.saturating_mul(arity)).unwrap_or(usize::MAX);
    check_length(Part::LayerValues, layer, expected.saturating_sub(known.len()), openings.values.len())?;
    let mut known = known.iter().copied().peekable();
    let mut given = openings.values.iter().copied();
    let mut cosets = Vec::with_capacity(groups.len());
    for group in groups {
        let first = group.checked_shl(step.arity_log2).unwrap_or(u64::MAX);
        let positions = (0..arity).map(|offset| first.saturating_add(offset));
        let values: Vec<Ext3> = positions
            .filter_map(|position| match known.next_if(|(other, _)| *other == position) {
                Some((_, value)) => Some(value),
                None => given.next(),
            })
            .collect();
        cosets.push((group, values));
    }
    let leaves: Vec<Digest> = cosets
        .iter()
        .map(|(_, values)| {
            let row: Vec<Goldilocks> = values.iter().flat_map(|&value| ext_coefficients(value)).collect();
            hash_row(&row)
        })
        .collect();
    let positions: Vec<u64> = cosets.iter().map(|(group, _)| *group).collect();
    let leaf_count_log2 = step.to_log2().saturating_add(layout.profile.blowup_log2());
    let opened = [OpenedLayer { leaf_count_log2, leaves: &leaves }];
    verify_multiproof(cap, &opened, &positions, &openings.siblings)
        .map_err(|error| VerifyError::LayerOpening { layer, error })?;
    Ok(cosets)
}

fn group_of(position: u64, step: FoldStep) -> u64 {
    position.checked_shr(step.arity_log2).unwrap_or(0)
}
