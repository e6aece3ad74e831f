//! What a check found wrong. Tables are indices into the registry, fields and columns count from 0.

use lambda_air::Bus;
use lambda_air::dag::Leaf;
use lambda_math::Goldilocks;

use super::shapes::ShapeFault;

/// Everything that is wrong with some traces, in the order of tables, constraints, rows and buses.
///
/// Its text (`Display`) says all of it in sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceReport {
    /// Names of the system's tables.
    pub table_names: Vec<String>,
    /// Shapes that do not fit; if there are any, nothing else was checked.
    pub shapes: Vec<ShapeFault>,
    /// Tables with constraints that fail.
    pub tables: Vec<TableFailure>,
    /// Buses with messages that do not balance.
    pub buses: Vec<BusFailure>,
    /// Interactions left out of the search for unbalanced messages for the sake of memory. Where it is not
    /// 0, there are unbalanced messages besides those counted in `buses`.
    pub unexamined_interactions: u64,
}

impl TraceReport {
    /// Whether nothing is wrong.
    pub const fn is_clean(&self) -> bool {
        self.shapes.is_empty()
            && self.tables.is_empty()
            && self.buses.is_empty()
            && self.unexamined_interactions == 0
    }
}

impl std::error::Error for TraceReport {}

/// The constraints of a table that fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFailure {
    /// The table.
    pub table: usize,
    /// The first of them, in program order.
    pub constraints: Vec<ConstraintFailure>,
    /// How many fail.
    pub failing_constraints: usize,
}

/// A constraint that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintFailure {
    /// Index in program order.
    pub constraint: usize,
    /// Its claim: the name that the AIR gives it, else `#index`.
    pub name: String,
    /// The first rows it fails on.
    pub rows: Vec<RowFailure>,
    /// How many rows it fails on.
    pub failing_rows: usize,
}

/// A row on which a constraint fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFailure {
    /// The row.
    pub row: usize,
    /// The constraint's value, not zero.
    pub value: Goldilocks,
    /// The first of what the constraint reads: main columns, preprocessed columns, public values, selectors.
    pub readings: Vec<Reading>,
    /// How much it reads.
    pub total_readings: usize,
}

/// A value that a constraint reads on a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What is read; never a constant.
    pub leaf: Leaf,
    /// Its value.
    pub value: Goldilocks,
}

/// The messages of a bus that do not balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusFailure {
    /// The bus.
    pub bus: Bus,
    /// The first of them, by the first place they occur at.
    pub messages: Vec<UnbalancedMessage>,
    /// How many there are.
    pub unbalanced_messages: usize,
}

/// A message that is not received as often as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnbalancedMessage {
    /// The message.
    pub fields: Vec<Goldilocks>,
    /// Times sent less times received.
    pub net: Goldilocks,
    /// Who sends it.
    pub sent: Side,
    /// Who receives it.
    pub received: Side,
    /// A message that this one may have been meant to be.
    pub nearest: Option<Nearest>,
}

/// One side of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// Sum of the multiplicities.
    pub multiplicity: Goldilocks,
    /// The first places with a multiplicity other than zero.
    pub places: Vec<Place>,
    /// How many places there are.
    pub total_places: usize,
}

/// Where an interaction takes place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The statement's message of this index.
    Statement(usize),
    /// A table's row.
    Row {
        /// The table.
        table: usize,
        /// The row.
        row: usize,
        /// Index of the interaction in program order.
        interaction: usize,
    },
}

/// An unbalanced message of the same bus, missing where the other is too many, that differs in a single
/// field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The message.
    pub fields: Vec<Goldilocks>,
    /// The field that differs.
    pub field: usize,
    /// Times sent less times received.
    pub net: Goldilocks,
}
