//! The balance of all buses: the tables' sums and the verifier's own messages cancel.

use lambda_math::{Ext3, Goldilocks};
use p3_field::{Field, PrimeCharacteristicRing};

use crate::composition::fingerprint;
use crate::error::VerifyError;
use crate::key::VerifyingKey;
use crate::statement::Statement;
use crate::transcript::LookupChallenges;

/// Checks `Σ T_table + Σ m/(γ - fingerprint(message)) = 0` over the tables' sums and the statement's
/// messages.
///
/// One equation serves all buses: the bus is the first element of each message's fingerprint.
pub fn check_balance(
    key: &VerifyingKey,
    statement: &Statement,
    sums: &[Ext3],
    challenges: LookupChallenges,
) -> Result<(), VerifyError> {
    if key.buses.is_empty() {
        return Ok(());
    }
    let mut total: Ext3 = sums.iter().copied().sum();
    for (index, message) in statement.messages.iter().enumerate() {
        let bus = Goldilocks::from_u64(message.bus);
        let factor = challenges.gamma - fingerprint(bus, &message.fields, challenges.alpha);
        let inverse = factor.try_inverse().ok_or(VerifyError::Pole { message: index })?;
        total += inverse * message.multiplicity;
    }
    if total == Ext3::ZERO { Ok(()) } else { Err(VerifyError::Unbalanced) }
}
