//! Initialisation and devices.

use std::ffi::{c_char, c_int, c_uint};
use std::sync::atomic::{AtomicBool, Ordering};

use super::{CUdevice, CUresult, result};
use crate::driver::current::{device_count, with_device, with_machine};
use crate::driver::modules::DEFAULT_SHARED_BYTES;
use crate::driver::{Code, Engine};
use crate::exec::LaunchShape;
use crate::faults::At;

static INITIALISED: AtomicBool = AtomicBool::new(false);

/// Whether `cuInit` was called, as most calls require.
pub(super) fn initialised() -> Result<(), Code> {
    if INITIALISED.load(Ordering::Acquire) { Ok(()) } else { Err(Code::NOT_INITIALIZED) }
}

/// Stores a value.
///
/// # Safety
/// `out` is null or writable.
pub(super) unsafe fn put<T>(out: *mut T, value: T) -> Result<(), Code> {
    if out.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: `out` is not null, and writable as the caller says.
    unsafe { out.write(value) };
    Ok(())
}

/// Calls a function with a device.
fn with(device: CUdevice, function: impl FnOnce(&mut Engine) -> Result<(), Code>) -> Result<(), Code> {
    initialised()?;
    let ordinal = u32::try_from(device).map_err(|_| Code::INVALID_DEVICE)?;
    with_device(ordinal, function)?
}

/// `cuInit`. Answered by the configuration of the thread's last device, as is `cuDriverGetVersion`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuInit(flags: c_uint) -> CUresult {
    if flags != 0 {
        return Code::INVALID_VALUE.0;
    }
    result(with_machine(|engine| {
        if engine.plan.hides_device() {
            return Err(Code::NO_DEVICE);
        }
        engine.planned_at_once(At::Init)?;
        INITIALISED.store(true, Ordering::Release);
        Ok(())
    }))
}

/// `cuDriverGetVersion`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> CUresult {
    // SAFETY: as the caller says.
    result(unsafe { put(version, with_machine(|engine| engine.config.driver_version)) })
}

/// `cuDeviceGetCount`: all devices of the process, other tests' included.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> CUresult {
    let hidden = with_machine(|engine| engine.plan.hides_device());
    let devices = if hidden { 0 } else { device_count() as c_int };
    // SAFETY: as the caller says.
    result(initialised().and_then(|()| unsafe { put(count, devices) }))
}

/// `cuDeviceGet`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int) -> CUresult {
    // SAFETY: as the caller says.
    result(with(ordinal, |_| unsafe { put(device, ordinal) }))
}

/// `cuDeviceGetName`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, length: c_int, device: CUdevice) -> CUresult {
    result(with(device, |engine| {
        let [major, minor] = engine.config.compute_capability;
        let text = format!("cuda-emu (sm_{major}{minor})");
        if name.is_null() || length < 1 {
            return Err(Code::INVALID_VALUE);
        }
        let bytes = text.len().min(length as usize - 1);
        // SAFETY: `name` has room for `length` bytes, as the caller says.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr().cast(), name, bytes);
            name.add(bytes).write(0);
        }
        Ok(())
    }))
}

/// `cuDeviceTotalMem`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice) -> CUresult {
    // SAFETY: as the caller says.
    result(with(device, |engine| unsafe { put(bytes, engine.config.memory_bytes as usize) }))
}

/// `cuDeviceGetAttribute`: what hosts size their work by; other attributes are zero.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetAttribute(
    value: *mut c_int,
    attribute: c_int,
    device: CUdevice,
) -> CUresult {
    result(with(device, |engine| {
        // SAFETY: as the caller says.
        unsafe { put(value, device_attribute(&engine.config, attribute)?) }
    }))
}

fn device_attribute(config: &crate::driver::Config, attribute: c_int) -> Result<c_int, Code> {
    /// CU_DEVICE_ATTRIBUTE_MAX of CUDA 13.0.
    const END: c_int = 148;
    let [major, minor] = config.compute_capability;
    Ok(match attribute {
        // MAX_THREADS_PER_BLOCK, MAX_BLOCK_DIM, MAX_GRID_DIM
        1 => LaunchShape::MAX_THREADS as c_int,
        2..=4 => LaunchShape::MAX_BLOCK[attribute as usize - 2] as c_int,
        5..=7 => LaunchShape::MAX_GRID[attribute as usize - 5] as c_int,
        // MAX_SHARED_MEMORY_PER_BLOCK, TOTAL_CONSTANT_MEMORY, WARP_SIZE
        8 => DEFAULT_SHARED_BYTES as c_int,
        9 => 64 << 10,
        10 => 32,
        // MAX_REGISTERS_PER_BLOCK and PER_MULTIPROCESSOR
        12 | 82 => 64 << 10,
        // MULTIPROCESSOR_COUNT
        16 => config.multiprocessors as c_int,
        // CAN_MAP_HOST_MEMORY, CONCURRENT_KERNELS, UNIFIED_ADDRESSING
        19 | 31 | 41 => 1,
        // L2_CACHE_SIZE, MAX_THREADS_PER_MULTIPROCESSOR, ASYNC_ENGINE_COUNT
        38 => 50 << 20,
        39 => 2048,
        40 => 3,
        // COMPUTE_CAPABILITY_MAJOR and MINOR
        75 => major as c_int,
        76 => minor as c_int,
        // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        81 => 228 << 10,
        97 => LaunchShape::MAX_SHARED_BYTES as c_int,
        _ if (1..END).contains(&attribute) => 0,
        _ => return Err(Code::INVALID_VALUE),
    })
}
