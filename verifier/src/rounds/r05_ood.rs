//! Round 05, out of domain: every table's composition holds at ζ.

use lambda_math::Ext3;
use p3_field::PrimeCharacteristicRing;

use crate::composition::{CompositionInput, composition_holds};
use crate::error::VerifyError;
use crate::key::VerifyingKey;
use crate::layout::{Layout, Tree};
use crate::proof::Proof;
use crate::statement::Statement;
use crate::transcript::{LookupChallenges, Transcript};

/// Binds the opened values and checks each table's composition. Returns the batching challenge.
#[expect(clippy::too_many_arguments, reason = "all that the rounds before this one fixed")]
pub fn check(
    transcript: &mut Transcript,
    key: &VerifyingKey,
    statement: &Statement,
    layout: &Layout,
    proof: &Proof,
    lookup: LookupChallenges,
    alpha: Ext3,
    zeta: Ext3,
) -> Result<Ext3, VerifyError> {
    let mut sums = proof.lookup_sums.iter().copied();
    let tables = key.tables.iter().zip(&layout.heights_log2);
    let values = statement.public_values.iter().zip(&proof.out_of_domain);
    for (index, ((table, &height_log2), (public_values, values))) in tables.zip(values).enumerate() {
        let lookup_sum = if Tree::Lookup.width(table) > 0 { sums.next() } else { None }.unwrap_or(Ext3::ZERO);
        let input = CompositionInput { table, height_log2, public_values, lookup, lookup_sum, alpha, zeta };
        if !composition_holds(&input, values) {
            return Err(VerifyError::Composition { table: index });
        }
    }
    Ok(transcript.out_of_domain(&proof.out_of_domain))
}
