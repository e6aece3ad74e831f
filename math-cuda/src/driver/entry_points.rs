//! The entry points of the driver library, resolved when it is loaded.
//!
//! Signatures are those of `cuda.h` of CUDA 13.0. Handles are pointers that only the driver reads, device
//! addresses are `u64`, and results are plain numbers.

use std::ffi::{c_char, c_void};

use libloading::Library;

/// A context, stream, event, module or function of the driver.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Handle(*mut c_void);

// SAFETY: only the driver looks behind a handle, and it may be called from any thread.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Handle {
    /// No object.
    pub const NULL: Self = Self(std::ptr::null_mut());
}

macro_rules! entry_points {
    ($($(#[$doc:meta])* $name:ident: $symbol:literal ($($argument:ident: $type:ty),*);)*) => {
        /// One function pointer per entry point; all are valid as long as the library stays loaded.
        #[derive(Clone, Copy, Debug)]
        pub struct EntryPoints {
            $($(#[$doc])* pub $name: unsafe extern "C" fn($($argument: $type),*) -> i32,)*
        }

        impl EntryPoints {
            /// Resolves every symbol; the error is the name of the first one that is missing.
            pub fn resolve(library: &Library) -> Result<Self, &'static str> {
                Ok(Self {
                    $($name: {
                        // SAFETY: the symbol is a function of the CUDA driver API with this signature.
                        let symbol = unsafe { library.get(concat!($symbol, "\0").as_bytes()) };
                        *symbol.map_err(|_| $symbol)?
                    },)*
                })
            }
        }
    };
}

entry_points! {
    /// Starts the driver.
    init: "cuInit"(flags: u32);
    /// CUDA version that the driver supports, `1000·major + 10·minor`.
    driver_version: "cuDriverGetVersion"(version: *mut i32);
    /// Number of devices.
    device_count: "cuDeviceGetCount"(count: *mut i32);
    /// Device of an ordinal.
    device_get: "cuDeviceGet"(device: *mut i32, ordinal: i32);
    /// A device's name.
    device_name: "cuDeviceGetName"(name: *mut c_char, capacity: i32, device: i32);
    /// A device's attribute.
    device_attribute: "cuDeviceGetAttribute"(value: *mut i32, attribute: i32, device: i32);
    /// Makes or shares the device's primary context.
    context_retain: "cuDevicePrimaryCtxRetain"(context: *mut Handle, device: i32);
    /// Gives up a share of the primary context.
    context_release: "cuDevicePrimaryCtxRelease_v2"(device: i32);
    /// Sets the calling thread's context.
    context_set: "cuCtxSetCurrent"(context: Handle);
    /// Waits for all work of the context.
    context_synchronize: "cuCtxSynchronize"();
    /// Free and total device memory, bytes.
    memory_info: "cuMemGetInfo_v2"(free: *mut usize, total: *mut usize);
    /// Allocates device memory.
    memory_alloc: "cuMemAlloc_v2"(address: *mut u64, bytes: usize);
    /// Frees device memory.
    memory_free: "cuMemFree_v2"(address: u64);
    /// Allocates page-locked host memory.
    host_alloc: "cuMemHostAlloc"(address: *mut *mut c_void, bytes: usize, flags: u32);
    /// Frees page-locked host memory.
    host_free: "cuMemFreeHost"(address: *mut c_void);
    /// Copies to the device.
    copy_to_device: "cuMemcpyHtoDAsync_v2"(to: u64, from: *const c_void, bytes: usize, stream: Handle);
    /// Copies to the host.
    copy_to_host: "cuMemcpyDtoHAsync_v2"(to: *mut c_void, from: u64, bytes: usize, stream: Handle);
    /// Copies on the device.
    copy_on_device: "cuMemcpyDtoDAsync_v2"(to: u64, from: u64, bytes: usize, stream: Handle);
    /// Fills device memory with a byte.
    fill_bytes: "cuMemsetD8Async"(to: u64, value: u8, bytes: usize, stream: Handle);
    /// Makes a stream.
    stream_create: "cuStreamCreate"(stream: *mut Handle, flags: u32);
    /// Ends a stream.
    stream_destroy: "cuStreamDestroy_v2"(stream: Handle);
    /// Waits for a stream.
    stream_synchronize: "cuStreamSynchronize"(stream: Handle);
    /// Makes later work of a stream wait for an event as it is recorded now.
    stream_wait: "cuStreamWaitEvent"(stream: Handle, event: Handle, flags: u32);
    /// Makes an event.
    event_create: "cuEventCreate"(event: *mut Handle, flags: u32);
    /// Ends an event.
    event_destroy: "cuEventDestroy_v2"(event: Handle);
    /// Marks the end of a stream's work so far.
    event_record: "cuEventRecord"(event: Handle, stream: Handle);
    /// Whether an event has happened.
    event_query: "cuEventQuery"(event: Handle);
    /// Waits for an event.
    event_synchronize: "cuEventSynchronize"(event: Handle);
    /// Milliseconds between two events.
    event_elapsed: "cuEventElapsedTime"(milliseconds: *mut f32, start: Handle, end: Handle);
    /// Compiles PTX for the context's device.
    module_load: "cuModuleLoadDataEx"(
        module: *mut Handle, image: *const c_void, options: u32, names: *mut i32, values: *mut *mut c_void
    );
    /// Unloads a module.
    module_unload: "cuModuleUnload"(module: Handle);
    /// A kernel of a module.
    module_function: "cuModuleGetFunction"(function: *mut Handle, module: Handle, name: *const c_char);
    /// Offset and size of a kernel's argument.
    function_argument: "cuFuncGetParamInfo"(
        function: Handle, index: usize, offset: *mut usize, bytes: *mut usize
    );
    /// Sets a limit of a kernel.
    function_set: "cuFuncSetAttribute"(function: Handle, attribute: i32, value: i32);
    /// Launches a kernel.
    launch: "cuLaunchKernel"(
        function: Handle,
        grid_x: u32, grid_y: u32, grid_z: u32,
        block_x: u32, block_y: u32, block_z: u32,
        shared_bytes: u32,
        stream: Handle,
        arguments: *mut *mut c_void,
        extra: *mut *mut c_void
    );
    /// A result code's name.
    error_name: "cuGetErrorName"(code: i32, name: *mut *const c_char);
}
