//! Result codes of the driver API.

use std::ffi::CStr;

use crate::exec::KernelFault;
use crate::memory::AccessFault;

/// A `CUresult`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code(pub i32);

macro_rules! codes {
    ($($name:ident = $value:literal, $text:literal;)*) => {
        #[allow(missing_docs, reason = "the names are NVIDIA's; `text` says what each means")]
        impl Code {
            $(pub const $name: Self = Self($value);)*

            /// NVIDIA's name of the code; none for a code that this driver does not know.
            pub fn name(self) -> Option<&'static CStr> {
                match self.0 {
                    0 => Some(c"CUDA_SUCCESS"),
                    $($value => {
                        const NAME: &CStr = match CStr::from_bytes_with_nul(
                            concat!("CUDA_ERROR_", stringify!($name), "\0").as_bytes(),
                        ) {
                            Ok(name) => name,
                            Err(_) => panic!("an identifier holds no zero byte"),
                        };
                        Some(NAME)
                    })*
                    _ => None,
                }
            }

            /// The code in words; none for a code that this driver does not know.
            pub fn text(self) -> Option<&'static CStr> {
                match self.0 {
                    0 => Some(c"no error"),
                    $($value => Some($text),)*
                    _ => None,
                }
            }
        }
    };
}

codes! {
    INVALID_VALUE = 1, c"invalid argument";
    OUT_OF_MEMORY = 2, c"out of memory";
    NOT_INITIALIZED = 3, c"initialization error";
    DEVICE_UNAVAILABLE = 46, c"the device is busy or gone";
    NO_DEVICE = 100, c"no CUDA-capable device is detected";
    INVALID_DEVICE = 101, c"invalid device ordinal";
    INVALID_IMAGE = 200, c"device kernel image is invalid";
    INVALID_CONTEXT = 201, c"invalid device context";
    NO_BINARY_FOR_GPU = 209, c"no kernel image is available for execution on the device";
    INVALID_PTX = 218, c"a PTX JIT compilation failed";
    UNSUPPORTED_PTX_VERSION = 222, c"the provided PTX was compiled with an unsupported toolchain";
    INVALID_HANDLE = 400, c"invalid resource handle";
    NOT_FOUND = 500, c"named symbol not found";
    NOT_READY = 600, c"device not ready";
    ILLEGAL_ADDRESS = 700, c"an illegal memory access was encountered";
    LAUNCH_OUT_OF_RESOURCES = 701, c"too many resources requested for launch";
    CONTEXT_IS_DESTROYED = 709, c"context is destroyed";
    MISALIGNED_ADDRESS = 716, c"misaligned address";
    LAUNCH_FAILED = 719, c"unspecified launch failure";
    NOT_SUPPORTED = 801, c"operation not supported";
}

impl Code {
    /// What a GPU reports for a fault; for what it would not notice, a launch failure.
    pub fn of_access(fault: &AccessFault) -> Self {
        match fault {
            AccessFault::OutOfBounds { .. } | AccessFault::UseAfterFree { .. } => Self::ILLEGAL_ADDRESS,
            AccessFault::Misaligned { .. } => Self::MISALIGNED_ADDRESS,
            AccessFault::Uninitialised { .. } | AccessFault::Race { .. } => Self::LAUNCH_FAILED,
        }
    }

    /// A code of this driver as text.
    pub fn name_text(self) -> &'static str {
        self.name().and_then(|name| name.to_str().ok()).unwrap_or("unknown")
    }
}

/// A fault that ends a context: the code that every later call returns, and what happened in words.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The code.
    pub code: Code,
    /// What happened.
    pub text: String,
}

impl Failure {
    /// A kernel's fault.
    pub fn of_kernel(fault: &KernelFault) -> Self {
        let code = fault.access.as_deref().map_or(Code::LAUNCH_FAILED, Code::of_access);
        Self { code, text: fault.to_string() }
    }

    /// An operation's access that was refused.
    pub fn of_access(operation: &str, fault: &AccessFault) -> Self {
        Self { code: Code::of_access(fault), text: format!("{operation}: {fault}") }
    }

    /// A misuse or a defect that a GPU would not notice.
    pub fn launch_failed(text: impl Into<String>) -> Self {
        Self { code: Code::LAUNCH_FAILED, text: text.into() }
    }
}
