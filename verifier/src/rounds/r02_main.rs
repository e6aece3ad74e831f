//! Round 02, main: the commitment to the main columns gives the lookup challenges.

use crate::proof::Proof;
use crate::transcript::{LookupChallenges, Transcript};

/// Binds the main commitment.
pub fn bind(transcript: &mut Transcript, proof: &Proof) -> LookupChallenges {
    transcript.main(&proof.main_cap)
}
