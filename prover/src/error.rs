//! Why no proof came out.

use lambda_verifier::VerifyError;
use lambda_verifier::error::KeyError;
use lambda_verifier::execution::ClaimError;

use crate::fault::Fault;

/// Why no proof came out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProveError {
    /// The number of traces is not that of the tables.
    #[error("{got} traces for {expected} tables")]
    Traces {
        /// Tables of the system.
        expected: usize,
        /// Traces given.
        got: usize,
    },
    /// A trace has the wrong width or a height that is not a power of two.
    #[error(
        "the trace of table {table} is {height} × {width}; \
         it needs {expected_width} columns and a power of two of rows"
    )]
    TraceShape {
        /// Name of the table.
        table: String,
        /// Rows given.
        height: usize,
        /// Columns given.
        width: usize,
        /// Columns of the table.
        expected_width: usize,
    },
    /// Heights, public values or messages do not fit the system, or the shape is not secure enough.
    #[error("the statement or the heights are not acceptable: {0}")]
    Shape(VerifyError),
    /// The buses do not balance.
    #[error("some bus message is not received as often as it is sent; check the traces to find it")]
    Unbalanced,
    /// A table's composition does not hold at the out-of-domain point: its trace is wrong, or memory was
    /// corrupted.
    #[error("the constraints of table {table} do not hold; check the traces to find which")]
    Unsatisfied {
        /// Name of the table.
        table: String,
    },
    /// The execution is not one that the protocol can state.
    #[error("the execution cannot be proven: {0}")]
    Claim(#[from] ClaimError),
    /// The execution needs more tables than a proof may have.
    #[error("the execution cannot be proven: {0}")]
    Key(#[from] KeyError),
    /// The backend failed.
    #[error("the backend failed: {0}")]
    Fault(#[from] Fault),
    /// The finished proof did not verify; it was discarded.
    #[error("internal fault: the finished proof does not verify ({0}) and was discarded")]
    SelfCheck(VerifyError),
}
