//! Proofs that a program ran: what they claim, and how the claim becomes a statement about tables.
//!
//! An execution is proven by the system of the machine's tables. Its preprocessed columns are the program's
//! and those of the fixed tables ([`ProgramCommitment`]); tables whose rows come from the execution occur
//! as often as their rows need. [`ExecutionClaim`] holds what the proof says, and derives from it every
//! public value and message of the statement, so that nothing in a statement is the prover's to choose
//! beyond the claim.

mod claim;
mod program;
mod verify;

pub use claim::{ClaimError, ExecutionClaim};
pub use program::ProgramCommitment;
pub use verify::{ExecutionProof, ExecutionVerifyError, VerifiedExecution, verify_execution};
