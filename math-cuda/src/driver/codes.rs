//! Numbers of the CUDA driver API: result codes and attributes, as in `cuda.h`.

/// A result code of the driver. A plain number: a newer driver may return one that has no name here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub i32);

impl Code {
    /// The call did what it was asked for.
    pub const SUCCESS: Self = Self(0);
    /// An argument is outside what the call allows.
    pub const INVALID_VALUE: Self = Self(1);
    /// The device has no memory left for this.
    pub const OUT_OF_MEMORY: Self = Self(2);
    /// The driver is being shut down.
    pub const DEINITIALIZED: Self = Self(4);
    /// Another process holds the device.
    pub const DEVICE_UNAVAILABLE: Self = Self(46);
    /// There is no device.
    pub const NO_DEVICE: Self = Self(100);
    /// No such ordinal.
    pub const INVALID_DEVICE: Self = Self(101);
    /// An uncorrectable memory error.
    pub const ECC_UNCORRECTABLE: Self = Self(214);
    /// Asynchronous work has not ended.
    pub const NOT_READY: Self = Self(600);
    /// A kernel touched memory that is not allocated.
    pub const ILLEGAL_ADDRESS: Self = Self(700);
    /// The launch asks for more registers, threads or shared memory than there are.
    pub const LAUNCH_OUT_OF_RESOURCES: Self = Self(701);
    /// A kernel ran into the display's time limit.
    pub const LAUNCH_TIMEOUT: Self = Self(702);
    /// A kernel's assertion failed.
    pub const ASSERT: Self = Self(710);
    /// A kernel touched an address that its access size does not divide.
    pub const MISALIGNED_ADDRESS: Self = Self(716);
    /// A kernel ended abnormally.
    pub const LAUNCH_FAILED: Self = Self(719);
    /// Anything else.
    pub const UNKNOWN: Self = Self(999);

    /// Whether every later call in the context fails too.
    pub const fn is_sticky(self) -> bool {
        self.is_fault() || self.is_lost()
    }

    /// Whether a kernel broke a rule.
    pub const fn is_fault(self) -> bool {
        matches!(self.0, 700 | 702 | 710 | 714..=719)
    }

    /// Whether the device itself is gone.
    pub const fn is_lost(self) -> bool {
        matches!(
            self,
            Self::DEINITIALIZED | Self::DEVICE_UNAVAILABLE | Self::ECC_UNCORRECTABLE | Self::UNKNOWN
        )
    }
}

/// `CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT`.
pub const ATTRIBUTE_MULTIPROCESSORS: i32 = 16;
/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR`.
pub const ATTRIBUTE_CAPABILITY_MAJOR: i32 = 75;
/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR`.
pub const ATTRIBUTE_CAPABILITY_MINOR: i32 = 76;
/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
pub const FUNCTION_MAX_DYNAMIC_SHARED_BYTES: i32 = 8;
/// `CU_STREAM_NON_BLOCKING`: not ordered with the default stream, which is never used.
pub const STREAM_NON_BLOCKING: u32 = 1;
/// `CU_EVENT_DISABLE_TIMING`.
pub const EVENT_DISABLE_TIMING: u32 = 2;
/// `CU_JIT_ERROR_LOG_BUFFER`.
pub const JIT_ERROR_LOG_BUFFER: i32 = 5;
/// `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`.
pub const JIT_ERROR_LOG_BUFFER_BYTES: i32 = 6;
