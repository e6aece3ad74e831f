//! Round 06, FRI: commitments give fold challenges, the last polynomial and grinding give the query
//! positions.

use alloc::vec::Vec;

use lambda_math::hash::check_grinding;

use crate::error::VerifyError;
use crate::layout::Layout;
use crate::proof::Proof;
use crate::transcript::{FoldChallenges, Transcript};

/// What the low-degree test is checked at.
#[derive(Clone, Debug)]
pub struct Queries {
    /// Challenges of each fold.
    pub challenges: Vec<FoldChallenges>,
    /// Query positions in the largest domain, ascending, each once.
    pub positions: Vec<u64>,
}

/// Binds the layers, the last polynomial and the nonce.
pub fn bind(transcript: &mut Transcript, layout: &Layout, proof: &Proof) -> Result<Queries, VerifyError> {
    let fri = &proof.fri;
    let challenges = fri.layer_caps.iter().map(|cap| transcript.fri_layer(cap)).collect();
    let seed = transcript.final_polynomial(&fri.final_polynomial);
    let bits = layout.profile.grinding_bits();
    if !check_grinding(&seed, fri.nonce, bits) {
        return Err(VerifyError::Grinding { bits });
    }
    let mut positions = transcript.queries(fri.nonce, layout.profile.queries(), layout.domain_log2());
    positions.sort_unstable();
    positions.dedup();
    Ok(Queries { challenges, positions })
}
