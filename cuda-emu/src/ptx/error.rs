//! Why a module was refused.

use std::fmt;

/// PTX that is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxError {
    /// Line of the text, counted from 1.
    pub line: u32,
    /// What is wrong there.
    pub what: String,
}

impl fmt::Display for PtxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for PtxError {}
