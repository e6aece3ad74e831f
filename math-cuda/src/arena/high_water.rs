//! How full the arena was since any moment in the past, for any number of askers.

/// The levels that were not reached again later: allocations numbered upwards, bytes in use downwards. The
/// first of them from a number on is the highest since then.
#[derive(Debug, Default)]
pub struct HighWater(Vec<(u64, u64)>);

impl HighWater {
    /// After the allocation `number`, later than all before, `used_bytes` were in use.
    pub fn note(&mut self, number: u64, used_bytes: u64) {
        while self.0.pop_if(|(_, lower)| *lower <= used_bytes).is_some() {}
        self.0.push((number, used_bytes));
    }

    /// Most bytes in use after any of the allocations from `number` on, 0 where there was none.
    pub fn since(&self, number: u64) -> u64 {
        let first = self.0.partition_point(|(earlier, _)| *earlier < number);
        self.0.get(first).map_or(0, |(_, used_bytes)| *used_bytes)
    }
}
