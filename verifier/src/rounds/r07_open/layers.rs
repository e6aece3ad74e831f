//! The opened FRI cosets, against their commitments, the layer before, and the last polynomial.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use lambda_math::hash::hash_row;
use lambda_math::merkle::{OpenedLayer, verify_multiproof};
use lambda_math::{Digest, Ext3, Goldilocks, domain, field::ext_coefficients};
use p3_field::PrimeCharacteristicRing;

use super::Codeword;
use super::deep::point_at;
use crate::error::{Part, VerifyError};
use crate::fri::{FoldStep, fold_coset};
use crate::layout::{Layout, check_length};
use crate::proof::{LayerOpenings, Proof};
use crate::rounds::r06_fri::Queries;

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
        current = cosets
            .into_iter()
            .map(|(group, values)| {
                // Entry k of a coset in natural order is at offset rev(k) of its group of positions.
                let y = point_at(first_position(group, *step), domain_log2);
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
        let first = first_position(group, step);
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

fn first_position(group: u64, step: FoldStep) -> u64 {
    group.checked_shl(step.arity_log2).unwrap_or(u64::MAX)
}
