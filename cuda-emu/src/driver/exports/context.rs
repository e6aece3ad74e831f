//! Contexts: each device has its primary context and no other.

use super::device::{initialised, put};
use super::{CUdevice, CUhandle, CUresult, call, result};
use crate::driver::current::{context, set_context, with_device};
use crate::driver::handle::{Handle, Kind};
use crate::driver::{Code, Engine};

fn with(device: CUdevice, function: impl FnOnce(&mut Engine) -> Result<(), Code>) -> Result<(), Code> {
    initialised()?;
    let ordinal = u32::try_from(device).map_err(|_| Code::INVALID_DEVICE)?;
    with_device(ordinal, function)?
}

/// `cuDevicePrimaryCtxRetain`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut CUhandle, device: CUdevice) -> CUresult {
    result(with(device, |engine| {
        engine.retain()?;
        // SAFETY: as the caller says.
        unsafe { put(context, engine.handle(Kind::Context, 0)) }
    }))
}

/// `cuDevicePrimaryCtxRelease`: with the last reference everything in the context goes.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRelease_v2(device: CUdevice) -> CUresult {
    result(with(device, Engine::release))
}

/// `cuDevicePrimaryCtxReset`: also the way back from a sticky fault, short of a lost device.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxReset_v2(device: CUdevice) -> CUresult {
    result(with(device, |engine| {
        engine.reset();
        Ok(())
    }))
}

/// `cuCtxSetCurrent`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSetCurrent(context: CUhandle) -> CUresult {
    if context.is_null() {
        set_context(None);
        return 0;
    }
    let outcome = initialised().and_then(|()| {
        let handle = Handle::of(context, Kind::Context).ok_or(Code::INVALID_CONTEXT)?;
        with_device(handle.device, |engine| match engine.usable(handle.generation) {
            Err(Code::CONTEXT_IS_DESTROYED) => Err(Code::CONTEXT_IS_DESTROYED),
            _ => Ok(()),
        })??;
        set_context(Some(handle));
        Ok(())
    });
    result(outcome)
}

/// `cuCtxGetCurrent`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetCurrent(out: *mut CUhandle) -> CUresult {
    let current = context().map_or(std::ptr::null_mut(), Handle::pointer);
    // SAFETY: as the caller says.
    result(initialised().and_then(|()| unsafe { put(out, current) }))
}

/// `cuCtxSynchronize`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxSynchronize() -> CUresult {
    call(Engine::synchronize)
}
