//! Where tables are computed, and what it cost to move them.

use std::collections::{BTreeMap, BTreeSet};

use lambda_prover::{Scope, Stage};
use serde::Serialize;

use crate::plan::DevicePlan;

/// Where a table is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// On the device, where its columns stay.
    #[default]
    Resident,
    /// On the device, a piece at a time: its columns are on the host, its row digests on the device.
    Streamed,
    /// On the host.
    Host,
}

/// Where everything of a proof is computed. It begins as planned with each proof: a table that was
/// downgraded in one is on the device again in the next.
#[derive(Debug, Default)]
pub struct Placement {
    /// Tables that are not resident.
    tables: BTreeMap<usize, Place>,
    /// Whether all stages of other scopes run on the host.
    is_host_only: bool,
    /// Those that do in any case.
    others: BTreeSet<(Stage, Scope)>,
    /// Tables that have been asked to work on smaller pieces.
    shrunk: BTreeSet<usize>,
}

impl Placement {
    /// As planned.
    pub fn new(plan: &DevicePlan) -> Self {
        let places = plan.tables.iter().map(|table| table.place).enumerate();
        let tables = places.filter(|&(_, place)| place != Place::Resident).collect();
        Self { tables, is_host_only: plan.host_only, ..Self::default() }
    }

    /// Where a table is.
    pub fn of(&self, table: usize) -> Place {
        self.tables.get(&table).copied().unwrap_or_default()
    }

    /// Whether a stage runs on the host.
    pub fn is_on_host(&self, stage: Stage, scope: Scope) -> bool {
        match scope {
            Scope::Table(table) => self.of(table) == Place::Host,
            scope => self.is_host_only || self.others.contains(&(stage, scope)),
        }
    }

    /// Moves a stage's scope to the host.
    pub fn move_to_host(&mut self, stage: Stage, scope: Scope) {
        if let Scope::Table(table) = scope {
            self.tables.insert(table, Place::Host);
        } else {
            self.others.insert((stage, scope));
        }
    }

    /// Has a table streamed from now on.
    pub fn stream(&mut self, table: usize) {
        self.tables.insert(table, Place::Streamed);
    }

    /// Asks a table to work on smaller pieces; whether it had not been asked before.
    pub fn shrink(&mut self, table: usize) -> bool {
        self.shrunk.insert(table)
    }

    /// Whether a table works on smaller pieces.
    pub fn is_shrunk(&self, table: usize) -> bool {
        self.shrunk.contains(&table)
    }
}

/// What recovery and residency cost in a proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Tables, and stages of other scopes, that moved to the host; what was planned there is not counted.
    pub downgrades: u64,
    /// Tables that were resident and came to be streamed; those that were planned so are not counted.
    pub streamed: u64,
    /// Waits for all work.
    pub drains: u64,
    /// Bytes of device memory that tables gave up when they moved.
    pub spilled_bytes: u64,
    /// Bytes of copies on the device that were dropped to make room.
    pub evicted_bytes: u64,
    /// Times that a composition waited for the lock of the window.
    pub window_waits: u64,
    /// How long they waited, nanoseconds.
    pub window_wait_nanoseconds: u64,
}
