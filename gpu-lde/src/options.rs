//! How the device backend behaves.

use std::collections::BTreeSet;

use lambda_prover::{Policy, Stage};

/// Switches of the backend. None of them changes a byte of a proof.
#[derive(Clone, Debug)]
pub struct BackendOptions {
    /// How far to go when a stage fails.
    pub policy: Policy,
    /// Whether compositions of tables with two parts take turns on the device (`window`).
    pub serialize_window: bool,
    /// Stages whose scopes are moved to the host when they come to them.
    pub force_downgrade: BTreeSet<Stage>,
    /// Whether to find out what was wrong when a composition does not hold
    /// ([`findings`](crate::DeviceBackend::findings)). What each composition left is kept until it was
    /// checked.
    pub xcheck: bool,
    /// Most device memory that a chunk takes, bytes: messages and sums of some rows, and of a streamed table
    /// the columns that it reads. A small budget makes it smaller.
    pub chunk_bytes: u64,
}

impl Default for BackendOptions {
    fn default() -> Self {
        Self {
            policy: Policy::Recover,
            serialize_window: true,
            force_downgrade: BTreeSet::new(),
            xcheck: false,
            chunk_bytes: 256 << 20,
        }
    }
}
