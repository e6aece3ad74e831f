//! Round 04, quotient: the commitment to the quotient parts gives the out-of-domain point ζ.

use lambda_math::Ext3;

use crate::layout::Layout;
use crate::proof::Proof;
use crate::transcript::Transcript;

/// Binds the quotient commitment.
pub fn bind(transcript: &mut Transcript, layout: &Layout, proof: &Proof) -> Ext3 {
    transcript.quotient(&proof.quotient_cap, layout)
}
