//! What can go wrong while a backend computes.

use std::fmt;

macro_rules! stages {
    ($($(#[$doc:meta])* $stage:ident = $name:literal,)*) => {
        /// A stage of the proof: one method of a backend.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Stage {
            $($(#[$doc])* $stage,)*
        }

        impl Stage {
            /// All stages.
            pub const ALL: &'static [Self] = &[$(Self::$stage,)*];

            /// Its name, as in reports and options.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$stage => $name,)*
                }
            }
        }
    };
}

stages! {
    /// Taking over a table's columns.
    Load = "load",
    /// Making preprocessed columns and their tree resident.
    LoadPreprocessed = "load-preprocessed",
    /// Extending columns.
    Extend = "extend",
    /// Hashing rows.
    RowDigests = "row-digests",
    /// Building the tree over a round's tables.
    Tree = "tree",
    /// Building a table's lookup columns.
    Lookup = "lookup",
    /// Composing a table's constraints.
    Quotient = "quotient",
    /// Inverting the differences to ζ.
    Denominators = "denominators",
    /// Evaluating out of domain.
    Evaluate = "evaluate",
    /// Combining the columns of one height.
    Deep = "deep",
    /// Building the tree over a codeword.
    CommitCodeword = "commit-codeword",
    /// Folding a codeword.
    Fold = "fold",
    /// Adding a shorter height's codeword.
    Join = "join",
    /// Interpolating the last codeword.
    Interpolate = "interpolate",
    /// Searching the nonce.
    Grind = "grind",
    /// Opening rows.
    OpenRows = "open-rows",
    /// Opening values of a codeword.
    OpenCodeword = "open-codeword",
    /// Opening paths of a tree.
    OpenTree = "open-tree",
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a stage works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// A table, by its index in the registry.
    Table(usize),
    /// All tables of a height, `log2`.
    Height(u32),
    /// The whole proof.
    Proof,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(table) => write!(f, "table {table}"),
            Self::Height(log2) => write!(f, "height 2^{log2}"),
            Self::Proof => f.write_str("the proof"),
        }
    }
}

/// A backend's failure. Backends report faults and do nothing else about them; what happens next is decided
/// in [`recovery`](crate::recovery).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Memory that the stage needs is not to be had.
    #[error("{stage} of {scope}: {wanted} bytes wanted, {free} free in one piece")]
    OutOfMemory {
        /// Where.
        stage: Stage,
        /// What for.
        scope: Scope,
        /// Bytes asked for.
        wanted: u64,
        /// Bytes free in one piece.
        free: u64,
    },
    /// Work could not be started.
    #[error("{stage} of {scope}: {reason}")]
    Launch {
        /// Where.
        stage: Stage,
        /// What for.
        scope: Scope,
        /// Why not.
        reason: String,
    },
    /// Values came out that cannot be right.
    #[error("{check} of table {table} does not hold")]
    Corrupt {
        /// Index of the table.
        table: usize,
        /// What was checked.
        check: &'static str,
    },
    /// The device is gone, with everything on it.
    #[error("the device is given up: {reason}")]
    DeviceLost {
        /// What was seen of it.
        reason: String,
    },
}
