//! Round 01, trace: the heights, and every length that follows from them.
//!
//! After this round no list of the proof is longer or shorter than the verifier expects, except those whose
//! length depends on the query positions, which round 07 checks.

use crate::error::{Part, VerifyError};
use crate::key::VerifyingKey;
use crate::layout::{Layout, Tree, check_length};
use crate::proof::{Proof, RowOpenings, TableValues};
use crate::security;
use crate::statement::Statement;
use crate::verify::Accepted;

/// Checks heights, lengths and the bits that the shape gives.
pub fn check_shape(
    key: &VerifyingKey,
    statement: &Statement,
    proof: &Proof,
) -> Result<Accepted, VerifyError> {
    let layout = Layout::new(key, &proof.heights_log2)?;
    check_statement(key, statement)?;
    check_caps(key, &layout, proof)?;
    check_values(key, proof)?;
    check_fri(&layout, proof)?;
    check_openings(key, &layout, proof)?;
    check_security(key, statement, layout)
}

/// Checks the statement's lengths and buses against the system.
pub fn check_statement(key: &VerifyingKey, statement: &Statement) -> Result<(), VerifyError> {
    let values = &statement.public_values;
    check_length(Part::PublicValues, 0, key.tables.len(), values.len())?;
    for (index, (table, values)) in key.tables.iter().zip(values).enumerate() {
        check_length(Part::PublicValues, index, table.shape.public_values, values.len())?;
    }
    for (index, message) in statement.messages.iter().enumerate() {
        let bus = u32::try_from(message.bus).ok().and_then(|id| key.buses.get(&id));
        let bus = bus.ok_or(VerifyError::UnknownBus { message: index, bus: message.bus })?;
        check_length(Part::MessageFields, index, bus.arity(), message.fields.len())?;
    }
    Ok(())
}

fn check_caps(key: &VerifyingKey, layout: &Layout, proof: &Proof) -> Result<(), VerifyError> {
    let caps = [
        (Tree::Main, &proof.main_cap),
        (Tree::Lookup, &proof.lookup_cap),
        (Tree::Quotient, &proof.quotient_cap),
    ];
    for (tree, cap) in caps {
        check_length(Part::Cap(tree), 0, layout.tree_cap_length(key, tree), cap.len())?;
    }
    let sums = layout.tables(key, Tree::Lookup).count();
    check_length(Part::LookupSums, 0, sums, proof.lookup_sums.len())
}

fn check_values(key: &VerifyingKey, proof: &Proof) -> Result<(), VerifyError> {
    check_length(Part::OutOfDomain, 0, key.tables.len(), proof.out_of_domain.len())?;
    for (index, (table, values)) in key.tables.iter().zip(&proof.out_of_domain).enumerate() {
        for (tree, current, next) in lists(values) {
            check_length(Part::Values(tree), index, tree.width(table), current.len())?;
            check_length(Part::NextValues(tree), index, tree.next_columns(table).len(), next.len())?;
        }
    }
    Ok(())
}

/// A table's opened values by tree, at ζ and at ζ·ω.
pub fn lists(values: &TableValues) -> [(Tree, &[lambda_math::Ext3], &[lambda_math::Ext3]); 4] {
    [
        (Tree::Preprocessed, &values.preprocessed, &values.preprocessed_next),
        (Tree::Main, &values.main, &values.main_next),
        (Tree::Lookup, &values.lookup, &values.lookup_next),
        (Tree::Quotient, &values.quotient, &[]),
    ]
}

fn check_fri(layout: &Layout, proof: &Proof) -> Result<(), VerifyError> {
    let fri = &proof.fri;
    check_length(Part::LayerCaps, 0, layout.folds.len(), fri.layer_caps.len())?;
    for (index, (fold, cap)) in layout.folds.iter().zip(&fri.layer_caps).enumerate() {
        check_length(Part::LayerCap, index, layout.cap_length(fold.to_log2()), cap.len())?;
    }
    check_length(Part::FinalPolynomial, 0, layout.final_length(), fri.final_polynomial.len())
}

fn check_openings(key: &VerifyingKey, layout: &Layout, proof: &Proof) -> Result<(), VerifyError> {
    for (tree, openings) in trees(proof) {
        check_length(Part::OpenedTables(tree), 0, layout.tables(key, tree).count(), openings.rows.len())?;
    }
    check_length(Part::OpenedLayers, 0, layout.folds.len(), proof.openings.layers.len())
}

/// The row openings by tree.
pub fn trees(proof: &Proof) -> [(Tree, &RowOpenings); 4] {
    let openings = &proof.openings;
    [
        (Tree::Preprocessed, &openings.preprocessed),
        (Tree::Main, &openings.main),
        (Tree::Lookup, &openings.lookup),
        (Tree::Quotient, &openings.quotient),
    ]
}

fn check_security(
    key: &VerifyingKey,
    statement: &Statement,
    layout: Layout,
) -> Result<Accepted, VerifyError> {
    let shape = layout.security_shape(key, statement);
    let johnson = security::johnson(&shape).map_err(VerifyError::SecurityShape)?;
    let unique_decoding = security::unique_decoding(&shape).map_err(VerifyError::SecurityShape)?;
    let bits = johnson.minimum().max(unique_decoding.minimum());
    let promised = layout.profile.promised_bits();
    if bits.whole() < u64::from(promised) {
        return Err(VerifyError::Security { bits, promised });
    }
    Ok(Accepted { layout, johnson, unique_decoding })
}
