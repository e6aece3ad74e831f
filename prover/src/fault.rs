//! What can go wrong while a backend computes.

use std::fmt;

use lambda_verifier::layout::Tree;

/// A step of the proof that a backend carries out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Taking over a table's columns.
    Load,
    /// Extending a table's columns of a tree, and hashing their rows.
    Commit(Tree),
    /// Building a table's lookup columns.
    Lookup,
    /// Composing a table's constraints.
    Quotient,
    /// Evaluating out of domain.
    Evaluate,
    /// Combining the columns of one height.
    Deep,
    /// Folding and committing a FRI layer.
    Fold,
    /// Opening rows and paths.
    Open,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load => f.write_str("load"),
            Self::Commit(tree) => write!(f, "commit {tree}"),
            Self::Lookup => f.write_str("lookup"),
            Self::Quotient => f.write_str("quotient"),
            Self::Evaluate => f.write_str("evaluate"),
            Self::Deep => f.write_str("deep"),
            Self::Fold => f.write_str("fold"),
            Self::Open => f.write_str("open"),
        }
    }
}

/// A backend's failure. Backends report faults and do nothing else about them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Memory that the stage needs is not to be had.
    #[error("{stage} of table {table}: {wanted} bytes wanted, {free} free")]
    OutOfMemory {
        /// Where.
        stage: Stage,
        /// Index of the table.
        table: usize,
        /// Bytes asked for.
        wanted: u64,
        /// Bytes free.
        free: u64,
    },
    /// Values came out that cannot be right.
    #[error("{check} of table {table} does not hold")]
    Corrupt {
        /// Index of the table.
        table: usize,
        /// What was checked.
        check: &'static str,
    },
}
