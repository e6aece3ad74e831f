//! Round 03, lookup: the tables' sums and the verifier's own messages must cancel.

use lambda_math::Ext3;

use crate::balance::check_balance;
use crate::error::VerifyError;
use crate::key::VerifyingKey;
use crate::proof::Proof;
use crate::statement::Statement;
use crate::transcript::{LookupChallenges, Transcript};

/// Binds the lookup commitment and the sums, and checks that all buses balance. Returns the constraint
/// challenge.
pub fn bind_and_balance(
    transcript: &mut Transcript,
    key: &VerifyingKey,
    statement: &Statement,
    proof: &Proof,
    challenges: LookupChallenges,
) -> Result<Ext3, VerifyError> {
    let alpha = transcript.lookup(&proof.lookup_cap, &proof.lookup_sums);
    check_balance(key, statement, &proof.lookup_sums, challenges)?;
    Ok(alpha)
}
