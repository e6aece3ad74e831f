//! Generic addresses: which address belongs to which space.
//!
//! Device addresses are below 2^48. The other spaces have windows at the top of the address range; inside its
//! window a space starts at 0, and that offset is the address a space-qualified access uses.

/// Length of a window in bytes.
pub(crate) const WINDOW_BYTES: u64 = 1 << 48;
/// Shared memory of the block.
pub(crate) const SHARED_WINDOW: u64 = 0xFFF0_0000_0000_0000;
/// Local memory of the thread.
pub(crate) const LOCAL_WINDOW: u64 = 0xFFF1_0000_0000_0000;
/// The module's constants.
pub(crate) const CONST_WINDOW: u64 = 0xFFF2_0000_0000_0000;
/// The module's own variables in global memory.
pub(crate) const MODULE_WINDOW: u64 = 0xFFF3_0000_0000_0000;
