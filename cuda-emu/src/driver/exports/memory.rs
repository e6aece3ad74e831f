//! Memory: allocation, copies, memsets.

use std::ffi::{c_uchar, c_uint, c_void};

use super::{CUdeviceptr, CUhandle, CUresult, call, call_into};
use crate::driver::Code;
use crate::driver::current::with_current;
use crate::memory::HostRange;

/// `cuMemGetInfo`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> CUresult {
    if free.is_null() || total.is_null() {
        return Code::INVALID_VALUE.0;
    }
    match with_current(|engine| Ok(engine.memory_info())) {
        // SAFETY: neither is null, and both are writable as the caller says.
        Ok((free_bytes, total_bytes)) => unsafe {
            free.write(free_bytes as usize);
            total.write(total_bytes as usize);
            0
        },
        Err(code) => code.0,
    }
}

/// `cuMemAlloc`: device addresses are host addresses and never used twice.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize) -> CUresult {
    // SAFETY: as the caller says.
    unsafe { call_into(address, |engine| engine.allocate(bytes as u64)) }
}

/// `cuMemFree`: with work under way that the host has not synchronised with, a fault.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFree_v2(address: CUdeviceptr) -> CUresult {
    call(|engine| engine.free(address))
}

/// `cuMemHostAlloc`: flags are ignored, memory is known to this device as page-locked and to others as
/// pageable.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemHostAlloc(pointer: *mut *mut c_void, bytes: usize, _flags: c_uint) -> CUresult {
    // SAFETY: as the caller says.
    unsafe { call_into(pointer, |engine| Ok(engine.host_allocate(bytes)? as *mut c_void)) }
}

/// `cuMemFreeHost`: with a copy under way that the host has not synchronised with, a fault.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemFreeHost(pointer: *mut c_void) -> CUresult {
    call(|engine| engine.host_free(pointer as usize))
}

/// `cuMemcpyHtoDAsync`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    to: CUdeviceptr,
    from: *const c_void,
    bytes: usize,
    stream: CUhandle,
) -> CUresult {
    call(|engine| {
        let stream = engine.stream(stream)?;
        if from.is_null() && bytes > 0 {
            return Err(Code::INVALID_VALUE);
        }
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: `from` is readable, as the caller says.
        unsafe { engine.upload(to, HostRange { address: from as usize, bytes }, stream) }
    })
}

/// `cuMemcpyDtoHAsync`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoHAsync_v2(
    to: *mut c_void,
    from: CUdeviceptr,
    bytes: usize,
    stream: CUhandle,
) -> CUresult {
    call(|engine| {
        let stream = engine.stream(stream)?;
        if to.is_null() && bytes > 0 {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: `to` is writable, as the caller says.
        unsafe { engine.download(HostRange { address: to as usize, bytes }, from, stream) }
    })
}

/// `cuMemcpyDtoDAsync`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoDAsync_v2(
    to: CUdeviceptr,
    from: CUdeviceptr,
    bytes: usize,
    stream: CUhandle,
) -> CUresult {
    call(|engine| {
        let stream = engine.stream(stream)?;
        engine.copy(to, from, bytes as u64, stream)
    })
}

/// `cuMemsetD8Async`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD8Async(
    to: CUdeviceptr,
    value: c_uchar,
    count: usize,
    stream: CUhandle,
) -> CUresult {
    call(|engine| {
        let stream = engine.stream(stream)?;
        engine.fill(to, &[value], count, stream)
    })
}

/// `cuMemsetD32Async`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemsetD32Async(
    to: CUdeviceptr,
    value: c_uint,
    count: usize,
    stream: CUhandle,
) -> CUresult {
    call(|engine| {
        let stream = engine.stream(stream)?;
        engine.fill(to, &value.to_le_bytes(), count, stream)
    })
}
