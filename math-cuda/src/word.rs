//! Types that buffers hold.

use lambda_math::{Digest, Goldilocks};

/// A type that has the same bytes on host and device.
///
/// # Safety
/// Every bit pattern is a value, and there is no padding.
pub unsafe trait DeviceWord: Copy + Send + Sync + 'static {
    /// Whether values are field elements, which kernels keep canonical.
    const IS_FIELD: bool = false;
}

// SAFETY: an integer.
unsafe impl DeviceWord for u8 {}
// SAFETY: an integer.
unsafe impl DeviceWord for u16 {}
// SAFETY: an integer.
unsafe impl DeviceWord for u32 {}
// SAFETY: an integer.
unsafe impl DeviceWord for u64 {}
// SAFETY: a transparent `u64`; every one represents an element.
unsafe impl DeviceWord for Goldilocks {
    const IS_FIELD: bool = true;
}
// SAFETY: 32 bytes.
unsafe impl DeviceWord for Digest {}
