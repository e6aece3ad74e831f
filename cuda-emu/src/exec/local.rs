//! Local memory of a warp's threads.

use super::fault::LaneFault;
use super::registers::LANES;

/// Local memory of a warp's threads: a stretch a lane.
#[derive(Debug)]
pub(super) struct LocalMemory {
    bytes: Vec<u8>,
    per_lane: usize,
}

impl LocalMemory {
    pub(super) fn new(per_lane: u32) -> Self {
        let per_lane = per_lane as usize;
        Self { bytes: vec![0; per_lane * LANES], per_lane }
    }

    /// Forgets everything.
    pub(super) fn fill(&mut self, junk: u64) {
        for (byte, junk) in self.bytes.iter_mut().zip(junk.to_le_bytes().into_iter().cycle()) {
            *byte = junk;
        }
    }

    /// The bytes of an access.
    pub(super) fn access(&mut self, lane: u32, address: u64, bytes: u32) -> Result<&mut [u8], LaneFault> {
        let end = address.wrapping_add(u64::from(bytes));
        if end > self.per_lane as u64 || end < address || !address.is_multiple_of(u64::from(bytes)) {
            let len = self.per_lane;
            let what = format!(
                "local memory: access of {bytes} bytes at {address} is out of bounds or misaligned, \
                 the thread has {len} bytes"
            );
            return Err(LaneFault::new(lane, what));
        }
        let start = lane as usize * self.per_lane + address as usize;
        Ok(&mut self.bytes[start..start + bytes as usize])
    }
}
