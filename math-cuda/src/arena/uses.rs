//! Which work of which streams has touched a piece of memory.

/// A stream of one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u32);

/// Position in a stream's order of work: the first piece is 1.
pub type Ticket = u64;

/// For each stream, the last piece of its work that touched something; earlier pieces are ordered before
/// it by the stream itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses(Vec<(StreamId, Ticket)>);

impl Uses {
    /// One piece of work.
    pub fn one(stream: StreamId, ticket: Ticket) -> Self {
        Self(vec![(stream, ticket)])
    }

    /// Adds a piece of work.
    pub fn add(&mut self, stream: StreamId, ticket: Ticket) {
        match self.0.iter_mut().find(|(other, _)| *other == stream) {
            Some((_, last)) => *last = (*last).max(ticket),
            None => self.0.push((stream, ticket)),
        }
    }

    /// Adds all of `other`.
    pub fn merge(&mut self, other: &Self) {
        for &(stream, ticket) in &other.0 {
            self.add(stream, ticket);
        }
    }

    /// Each stream with its last piece of work.
    pub fn iter(&self) -> impl Iterator<Item = (StreamId, Ticket)> + '_ {
        self.0.iter().copied()
    }
}
