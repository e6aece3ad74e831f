//! Why no block comes out.

use alloy_primitives::B256;
use stateless::{InputError, ValidationError};

use crate::generate::MAX_TRANSFERS;

/// Why no block comes out.
#[derive(Debug, thiserror::Error)]
pub enum BlockError {
    /// More transfers than a block has gas for.
    #[error("a block has gas for {MAX_TRANSFERS} transfers, not for {transfers}")]
    TooManyTransfers {
        /// Transfers asked for.
        transfers: usize,
    },
    /// What a node answered is no block or no witness.
    #[error("{0}")]
    Import(#[from] ImportError),
    /// The validator does not accept the block.
    #[error("the validator refuses the block: {0}")]
    Refused(ValidationError),
}

impl From<ValidationError> for BlockError {
    fn from(error: ValidationError) -> Self {
        Self::Refused(error)
    }
}

impl From<InputError> for BlockError {
    fn from(error: InputError) -> Self {
        Self::Refused(error.into())
    }
}

/// Why what a node answered is no block or no witness. `document` is the one of the two.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// No JSON.
    #[error("the {document} is not JSON: {error}")]
    Json {
        /// Which document.
        document: &'static str,
        /// Why.
        error: serde_json::Error,
    },
    /// The node refused the request.
    #[error("the {document} is a node's refusal: {message}; ask a node that has the block and its state")]
    Node {
        /// Which document.
        document: &'static str,
        /// The node's error object.
        message: String,
    },
    /// A member has a form that no known client uses.
    #[error("the {document}'s {member} is {found}, not {expected}")]
    Form {
        /// Which document.
        document: &'static str,
        /// Path of the member, as `state[3]`.
        member: String,
        /// What is there.
        found: &'static str,
        /// What would be understood.
        expected: &'static str,
    },
    /// A header object that lacks something or holds something wrong.
    #[error("the witness's {member} is no header: {error}")]
    Header {
        /// Path of the member.
        member: String,
        /// Why.
        error: serde_json::Error,
    },
    /// The raw block does not decode.
    #[error("the raw block is no block: {0}")]
    Block(alloy_rlp::Error),
    /// The parent's header is missing.
    #[error("none of the {headers} headers in the witness's headers is {parent_hash}, the block's parent")]
    NoParent {
        /// Headers there.
        headers: usize,
        /// The hash that one of them should have.
        parent_hash: B256,
    },
    /// No transaction says what chain this is.
    #[error("no transaction of the block names its chain; give the chain id")]
    NoChainId,
}
