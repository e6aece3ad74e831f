//! Events.

use std::ffi::c_uint;

use super::{CUhandle, CUresult, call, call_into};
use crate::driver::Code;
use crate::driver::handle::Kind;

/// `cuEventCreate`: blocking or not is the same here; events of other processes are not supported.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventCreate(event: *mut CUhandle, flags: c_uint) -> CUresult {
    let timing = match flags {
        0 | 1 => true,
        2 | 3 => false,
        4..=7 => return Code::NOT_SUPPORTED.0,
        _ => return Code::INVALID_VALUE.0,
    };
    // SAFETY: as the caller says.
    unsafe {
        call_into(event, |engine| {
            let id = engine.event_create(timing);
            Ok(engine.handle(Kind::Event, id))
        })
    }
}

/// `cuEventDestroy`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventDestroy_v2(event: CUhandle) -> CUresult {
    call(|engine| {
        let event = engine.resolve(event, Kind::Event)?;
        engine.event_destroy(event)
    })
}

/// `cuEventRecord`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecord(event: CUhandle, stream: CUhandle) -> CUresult {
    call(|engine| {
        let (event, stream) = (engine.resolve(event, Kind::Event)?, engine.stream(stream)?);
        engine.event_record(event, stream)
    })
}

/// `cuEventQuery`: may let the event's stream run on, so that polling ends.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventQuery(event: CUhandle) -> CUresult {
    call(|engine| {
        let event = engine.resolve(event, Kind::Event)?;
        engine.event_query(event)
    })
}

/// `cuEventSynchronize`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventSynchronize(event: CUhandle) -> CUresult {
    call(|engine| {
        let event = engine.resolve(event, Kind::Event)?;
        engine.event_synchronize(event)
    })
}

/// `cuEventElapsedTime`: time of this machine between the executions of the two recordings.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime(
    milliseconds: *mut f32,
    start: CUhandle,
    end: CUhandle,
) -> CUresult {
    // SAFETY: as the caller says.
    unsafe {
        call_into(milliseconds, |engine| {
            let (start, end) = (engine.resolve(start, Kind::Event)?, engine.resolve(end, Kind::Event)?);
            engine.event_elapsed(start, end)
        })
    }
}

/// `cuEventElapsedTime_v2`: the same, the name that CUDA 13 headers use.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventElapsedTime_v2(
    milliseconds: *mut f32,
    start: CUhandle,
    end: CUhandle,
) -> CUresult {
    // SAFETY: as the caller says.
    unsafe { cuEventElapsedTime(milliseconds, start, end) }
}
