//! Verification of a proof that a program ran.

use super::{ClaimError, ExecutionClaim};
use crate::error::{KeyError, VerifyError};
use crate::file::{ClaimFile, Id};
use crate::key::VerifyingKey;
use crate::verify::{Accepted, verify};

/// A proof that a program ran.
pub type ExecutionProof = ClaimFile<ExecutionClaim>;

/// Why a proof of an execution is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecutionVerifyError {
    /// The program's commitment is none that the protocol allows.
    #[error("the commitment to the program: {0}")]
    Program(#[from] KeyError),
    /// The program in the file is not the one that its header names.
    #[error("the proof contains program {got}, its header names {named}")]
    ProgramId {
        /// Id in the header.
        named: Id,
        /// Id of the commitment in the claim.
        got: Id,
    },
    /// The claim is not about an execution.
    #[error("{0}")]
    Claim(#[from] ClaimError),
    /// The proof does not verify.
    #[error("{0}")]
    Invalid(#[from] VerifyError),
}

/// An execution that is proven.
#[derive(Debug)]
#[must_use]
pub struct VerifiedExecution {
    /// The system with its instances, for reports.
    pub key: VerifyingKey,
    /// What the proof is worth.
    pub accepted: Accepted,
}

/// Checks that `file` proves its claim: the program that the header names ran, wrote the claim's output and
/// exited with its code.
///
/// The caller compares program id, output and exit code with what is expected.
///
/// # Errors
/// The first check that fails.
pub fn verify_execution(file: &ExecutionProof) -> Result<VerifiedExecution, ExecutionVerifyError> {
    let claim = &file.statement;
    let system = claim.program.key(file.profile)?;
    let got = claim.program.id(&system);
    if got != file.program_id {
        return Err(ExecutionVerifyError::ProgramId { named: file.program_id, got });
    }
    let key = system.with_instances(&claim.instances()?)?;
    let statement = claim.statement(&file.proof.heights_log2)?;
    let accepted = verify(&key, &statement, &file.proof)?;
    Ok(VerifiedExecution { key, accepted })
}
