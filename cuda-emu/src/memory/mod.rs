//! Device memory, the shadow state that finds misuse, and page-locked host memory.
//!
//! [`GlobalMemory`] is the seam between the executor and the driver. The executor asks it before every
//! access to global memory and then loads or stores through the pointer it gets. Bounds, lifetime,
//! initialisation and order are checked behind that call; the executor adds kernel, block, thread and line
//! to a fault and passes it on.
//!
//! Behind it: [`DeviceMemory`] knows blocks and buffers and gives each operation its [`Footprint`]; a
//! [`Block`] is host memory with shadow pages (`shadow`); an [`Actor`] is the operation that touches them;
//! [`OperationMemory`] is footprint and actor together.

mod actor;
mod block;
mod fault;
mod pinned;
mod readers;
mod regions;
mod shadow;
mod view;

pub use actor::Actor;
pub use block::Block;
pub use fault::{AccessFault, Place};
pub use pinned::{HostRange, HostUse, PinnedMemory};
pub use readers::ReaderSets;
pub use regions::{DeviceMemory, Footprint, Freed, MemoryError, Region};
pub use view::OperationMemory;

/// What a thread does to a word of global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A load.
    Read,
    /// A store.
    Write,
    /// A read-modify-write that no other atomic access can come between.
    Atomic,
}

/// Global memory as one launch sees it. Shared by the threads that execute the launch's blocks.
pub trait GlobalMemory: Sync {
    /// Checks an access of `bytes` (1, 2, 4, 8 or 16) at `address` by a thread of block `block` (linear index
    /// in the grid) and returns the host pointer to use. The pointer is aligned to `bytes` and valid for
    /// `bytes` until the launch ends; blocks run concurrently, so it is used through atomics.
    ///
    /// # Errors
    /// The access is misaligned, outside the buffers the launch was given, to freed memory, a read of what
    /// nothing wrote, or in conflict with an access that nothing orders before or after it.
    fn access(&self, block: u32, address: u64, bytes: u32, access: Access) -> Result<*mut u8, AccessFault>;
}
