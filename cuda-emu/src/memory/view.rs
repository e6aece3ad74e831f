//! Device memory as one operation sees it during its execution.

use super::actor::Actor;
use super::block::RefusedAt;
use super::regions::{Footprint, Region};
use super::shadow::Refusal;
use super::{Access, AccessFault, GlobalMemory};

/// The buffers an operation may touch, with the operation's identity for the shadow.
pub struct OperationMemory<'a> {
    footprint: &'a Footprint,
    actor: Actor<'a>,
}

impl<'a> OperationMemory<'a> {
    /// `footprint` as `actor` sees it.
    pub fn new(footprint: &'a Footprint, actor: Actor<'a>) -> Self {
        Self { footprint, actor }
    }

    /// Checks and notes an access to a range by an operation without blocks; the range lies in one buffer.
    ///
    /// # Errors
    /// Outside the footprint, not written yet or unordered.
    pub fn access_range(&self, address: u64, bytes: u64, access: Access) -> Result<*mut u8, AccessFault> {
        let Some(region) = self.region(address, bytes) else {
            return Err(self.outside(address, bytes, access));
        };
        let touched = region.block.touch_range(address, bytes, &self.actor, access);
        touched.map_err(|refused| self.range_fault(region, bytes, access, refused))?;
        Ok(region.block.pointer(address))
    }

    /// Checks and notes a read of a whole buffer of the footprint, written or not.
    ///
    /// # Errors
    /// An unordered write.
    pub fn read_whole(&self, region: &Region) -> Result<(), AccessFault> {
        let touched = region.block.touch_unwritten(region.base, region.bytes, &self.actor);
        touched.map_err(|refused| self.range_fault(region, region.bytes, Access::Read, refused))
    }

    #[inline]
    fn region(&self, address: u64, bytes: u64) -> Option<&Region> {
        self.footprint.regions.iter().find(|region| {
            let offset = address.wrapping_sub(region.base);
            offset < region.bytes && region.bytes - offset >= bytes
        })
    }

    fn range_fault(&self, region: &Region, bytes: u64, access: Access, refused: RefusedAt) -> AccessFault {
        self.fault(region, refused.address, bytes, access, refused.refusal)
    }

    #[cold]
    fn fault(
        &self,
        region: &Region,
        address: u64,
        bytes: u64,
        access: Access,
        refusal: Refusal,
    ) -> AccessFault {
        let place = region.place(address);
        match refusal {
            Refusal::Uninitialised => AccessFault::Uninitialised { address, bytes, place },
            Refusal::Conflict { operation, block, access: other_access } => {
                let other = self.actor.describe(operation, block);
                AccessFault::Race { access, address, bytes, place, other_access, other }
            }
        }
    }

    #[cold]
    fn outside(&self, address: u64, bytes: u64, access: Access) -> AccessFault {
        if let Some(freed) = self.footprint.freed.iter().find_map(|freed| freed.place(address)) {
            return AccessFault::UseAfterFree { access, address, bytes, freed };
        }
        let nearest = self.footprint.regions.iter().min_by_key(|region| region.distance(address));
        let nearest = nearest.map(|region| region.place(address));
        AccessFault::OutOfBounds { access, address, bytes, nearest }
    }
}

impl GlobalMemory for OperationMemory<'_> {
    #[inline]
    fn access(&self, block: u32, address: u64, bytes: u32, access: Access) -> Result<*mut u8, AccessFault> {
        let length = u64::from(bytes);
        if address & (length - 1) != 0 {
            return Err(AccessFault::Misaligned { access, address, bytes: length });
        }
        let Some(region) = self.region(address, length) else {
            return Err(self.outside(address, length, access));
        };
        match region.block.touch(address, bytes, &self.actor, block, access) {
            Ok(()) => Ok(region.block.pointer(address)),
            Err(refusal) => Err(self.fault(region, address, length, access, refusal)),
        }
    }
}
