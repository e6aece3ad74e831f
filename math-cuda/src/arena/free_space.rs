//! The free pieces of an arena, in order of address, neighbours joined.

use std::collections::BTreeMap;

use super::uses::Uses;

/// Which end of the arena a piece is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The lowest piece that is long enough, from its start.
    Low,
    /// The highest piece that is long enough, from its end.
    High,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Extent {
    bytes: u64,
    /// Work that may still touch these bytes: whoever writes them next has to wait for it.
    pending: Uses,
}

/// Free pieces by offset.
#[derive(Clone, Debug, Default)]
pub struct FreeSpace(BTreeMap<u64, Extent>);

impl FreeSpace {
    /// One piece.
    pub fn whole(bytes: u64) -> Self {
        let mut space = Self::default();
        if bytes > 0 {
            space.put(0, bytes, Uses::default());
        }
        space
    }

    /// Takes `bytes` and returns their offset and the work that may still touch them. Which piece it is
    /// depends on the sequence of calls alone.
    pub fn take(&mut self, bytes: u64, end: End) -> Option<(u64, Uses)> {
        let fits = |extent: &Extent| extent.bytes >= bytes;
        let offset = match end {
            End::Low => self.0.iter().find(|(_, extent)| fits(extent)),
            End::High => self.0.iter().rev().find(|(_, extent)| fits(extent)),
        }
        .map(|(&offset, _)| offset)?;
        let extent = self.0.remove(&offset)?;
        let rest = extent.bytes - bytes;
        let (taken, rest_offset) = match end {
            End::Low => (offset, offset + bytes),
            End::High => (offset + rest, offset),
        };
        if rest > 0 {
            self.0.insert(rest_offset, Extent { bytes: rest, pending: extent.pending.clone() });
        }
        Some((taken, extent.pending))
    }

    /// Gives `bytes` at `offset` back, joined with free neighbours.
    pub fn put(&mut self, offset: u64, bytes: u64, pending: Uses) {
        let mut joined = Extent { bytes, pending };
        let mut start = offset;
        if let Some((&before, extent)) = self.0.range(..offset).next_back()
            && before + extent.bytes == offset
        {
            start = before;
            joined.bytes += extent.bytes;
            joined.pending.merge(&extent.pending);
        }
        if let Some(after) = self.0.remove(&(offset + bytes)) {
            joined.bytes += after.bytes;
            joined.pending.merge(&after.pending);
        }
        self.0.insert(start, joined);
    }

    /// Bytes of the longest piece.
    pub fn largest(&self) -> u64 {
        self.0.values().map(|extent| extent.bytes).max().unwrap_or(0)
    }

    /// Bytes of all pieces.
    pub fn bytes(&self) -> u64 {
        self.0.values().map(|extent| extent.bytes).sum()
    }
}
