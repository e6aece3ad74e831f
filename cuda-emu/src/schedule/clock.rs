//! Vector clocks: what is known to have finished, stream by stream.

/// For each stream the number of its operations that are known to have finished. Streams beyond the end
/// count zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock(Vec<u32>);

impl Clock {
    /// How many operations of `stream` are known to have finished.
    #[inline]
    pub fn get(&self, stream: usize) -> u32 {
        self.0.get(stream).copied().unwrap_or(0)
    }

    /// Learns that the first `operations` operations of `stream` have finished.
    pub fn learn(&mut self, stream: usize, operations: u32) {
        if self.0.len() <= stream {
            self.0.resize(stream + 1, 0);
        }
        self.0[stream] = self.0[stream].max(operations);
    }

    /// Learns everything that `other` knows.
    pub fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, &theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(theirs);
        }
    }
}
