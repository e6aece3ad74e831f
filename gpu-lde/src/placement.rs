//! What has left the device for the host, and what that cost.

use std::collections::BTreeSet;

use lambda_prover::{Scope, Stage};

/// What runs on the host. It begins empty with each proof: a table that was downgraded in one is on the
/// device again in the next.
#[derive(Debug, Default)]
pub struct Placement {
    tables: BTreeSet<usize>,
    /// Stages of scopes other than tables.
    others: BTreeSet<(Stage, Scope)>,
    /// Stages that have been asked to work on smaller pieces.
    shrunk: BTreeSet<(Stage, Scope)>,
}

impl Placement {
    /// Whether a stage runs on the host.
    pub fn is_on_host(&self, stage: Stage, scope: Scope) -> bool {
        match scope {
            Scope::Table(table) => self.tables.contains(&table),
            scope => self.others.contains(&(stage, scope)),
        }
    }

    /// Moves a stage's scope to the host; whether it was not there before.
    pub fn move_to_host(&mut self, stage: Stage, scope: Scope) -> bool {
        match scope {
            Scope::Table(table) => self.tables.insert(table),
            scope => self.others.insert((stage, scope)),
        }
    }

    /// Asks a stage to work on smaller pieces; whether it had not been asked before.
    pub fn shrink(&mut self, stage: Stage, scope: Scope) -> bool {
        self.shrunk.insert((stage, scope))
    }

    /// Whether a stage works on smaller pieces.
    pub fn is_shrunk(&self, stage: Stage, scope: Scope) -> bool {
        self.shrunk.contains(&(stage, scope))
    }
}

/// What recovery and residency cost over the proofs of a backend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Tables, and stages of other scopes, that moved to the host.
    pub downgrades: u64,
    /// Waits for all work.
    pub drains: u64,
    /// Bytes copied to the host because something moved there.
    pub spilled_bytes: u64,
    /// Bytes of copies on the device that were dropped to make room.
    pub evicted_bytes: u64,
    /// Times that a composition waited for the lock of the window.
    pub window_waits: u64,
    /// How long they waited, nanoseconds.
    pub window_wait_nanoseconds: u64,
}
