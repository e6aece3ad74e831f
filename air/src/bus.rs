//! Buses: named multisets of messages that tables send to and receive from.
//!
//! A proof shows that every message sent on a bus was received as often, over all tables together
//! (`docs/src/protocol/03-lookup.md`). A lookup table *receives* each entry with the multiplicity it was
//! looked up with; a permutation or memory argument sends and receives with multiplicity one.
//!
//! The argument speaks of multiplicities modulo `p`. It is sound only if a multiplicity is constrained to be
//! boolean, or is preprocessed, or is the count column of a table whose entries are fixed: the AIR's author
//! owes one of the three for each interaction.

use core::fmt;

use lambda_math::Goldilocks;
use p3_air::{AirBuilder, FilteredAirBuilder, NamedAirBuilder};

/// A bus: its identity and the width in bits of each field of its messages.
///
/// The widths document what a receiver may rely on; whoever sends owes a range check or a derivation for
/// each. Two buses of one system never share an `id`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Bus {
    /// Identity, first element of every message. Unique within a system, never 0.
    pub id: u32,
    /// Name for reports.
    pub name: &'static str,
    /// Bits of each message field.
    pub field_bits: &'static [u8],
}

impl Bus {
    /// A bus whose messages have one field per entry of `field_bits`.
    pub const fn new(id: u32, name: &'static str, field_bits: &'static [u8]) -> Self {
        Self { id, name, field_bits }
    }

    /// Fields of a message.
    pub const fn arity(&self) -> usize {
        self.field_bits.len()
    }
}

impl fmt::Debug for Bus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (bus {}, {} fields)", self.name, self.id, self.arity())
    }
}

/// Which side of a bus an interaction is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Counts with its multiplicity.
    Send,
    /// Counts with its negated multiplicity.
    Receive,
}

/// A builder that also takes bus interactions.
pub trait BusBuilder: AirBuilder {
    /// Puts the message `fields` on `bus`, `multiplicity` times, once per row.
    ///
    /// # Panics
    /// When the number of fields is not the bus's: a mistake in the AIR's text.
    fn interact<const N: usize>(
        &mut self,
        direction: Direction,
        bus: &Bus,
        multiplicity: Self::Expr,
        fields: [Self::Expr; N],
    );

    /// Sends `fields` on `bus` with `multiplicity`.
    fn send<const N: usize>(
        &mut self,
        bus: &Bus,
        multiplicity: impl Into<Self::Expr>,
        fields: [impl Into<Self::Expr>; N],
    ) {
        self.interact(Direction::Send, bus, multiplicity.into(), fields.map(Into::into));
    }

    /// Receives `fields` on `bus` with `multiplicity`.
    fn receive<const N: usize>(
        &mut self,
        bus: &Bus,
        multiplicity: impl Into<Self::Expr>,
        fields: [impl Into<Self::Expr>; N],
    ) {
        self.interact(Direction::Receive, bus, multiplicity.into(), fields.map(Into::into));
    }
}

/// `builder.when(condition)` multiplies the multiplicity by the condition.
impl<AB: BusBuilder> BusBuilder for FilteredAirBuilder<'_, AB> {
    fn interact<const N: usize>(
        &mut self,
        direction: Direction,
        bus: &Bus,
        multiplicity: Self::Expr,
        fields: [Self::Expr; N],
    ) {
        let multiplicity = self.condition() * multiplicity;
        self.inner.interact(direction, bus, multiplicity, fields);
    }
}

/// Everything an AIR of this project may use: p3's builder over Goldilocks, constraint names, buses.
pub trait TableBuilder: AirBuilder<F = Goldilocks> + NamedAirBuilder + BusBuilder {}

impl<AB: AirBuilder<F = Goldilocks> + NamedAirBuilder + BusBuilder> TableBuilder for AB {}
