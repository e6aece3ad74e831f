//! Streams.

use std::ffi::c_uint;

use super::{CUhandle, CUresult, call, call_into};
use crate::driver::Code;
use crate::driver::handle::Kind;
use crate::schedule::StreamKind;

/// `cuStreamCreate`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreate(stream: *mut CUhandle, flags: c_uint) -> CUresult {
    let kind = match flags {
        0 => StreamKind::Blocking,
        1 => StreamKind::NonBlocking,
        _ => return Code::INVALID_VALUE.0,
    };
    // SAFETY: as the caller says.
    unsafe {
        call_into(stream, |engine| {
            let id = engine.stream_create(kind);
            Ok(engine.handle(Kind::Stream, id))
        })
    }
}

/// `cuStreamDestroy`: pending work runs some time later.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamDestroy_v2(stream: CUhandle) -> CUresult {
    call(|engine| {
        let stream = engine.stream(stream)?;
        engine.stream_destroy(stream)
    })
}

/// `cuStreamSynchronize`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamSynchronize(stream: CUhandle) -> CUresult {
    call(|engine| {
        let stream = engine.stream(stream)?;
        engine.stream_synchronize(stream)
    })
}

/// `cuStreamQuery`: may let the stream run on, so that polling ends.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamQuery(stream: CUhandle) -> CUresult {
    call(|engine| {
        let stream = engine.stream(stream)?;
        engine.stream_query(stream)
    })
}

/// `cuStreamWaitEvent`: the flags have no meaning here.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamWaitEvent(stream: CUhandle, event: CUhandle, _flags: c_uint) -> CUresult {
    call(|engine| {
        let (stream, event) = (engine.stream(stream)?, engine.resolve(event, Kind::Event)?);
        engine.stream_wait_event(stream, event)
    })
}
