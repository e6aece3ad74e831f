//! Launches.

use std::ffi::{c_uint, c_void};

use super::{CUhandle, CUresult, call};
use crate::driver::Code;
use crate::driver::handle::Kind;
use crate::exec::LaunchShape;

/// `cuLaunchKernel`: arguments by `parameters` only. What goes wrong in the kernel shows in a later call.
///
/// # Safety
/// See the module; `parameters` has a pointer for each of the kernel's parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel(
    function: CUhandle,
    grid_x: c_uint,
    grid_y: c_uint,
    grid_z: c_uint,
    block_x: c_uint,
    block_y: c_uint,
    block_z: c_uint,
    dynamic_shared_bytes: c_uint,
    stream: CUhandle,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CUresult {
    let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
    call(|engine| {
        if !extra.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let (function, stream) = (engine.resolve(function, Kind::Function)?, engine.stream(stream)?);
        let argument = |index: usize| {
            if parameters.is_null() {
                return 0;
            }
            // SAFETY: there is a pointer for each parameter, as the caller says.
            unsafe { parameters.add(index).read() as usize }
        };
        let shape = LaunchShape { grid, block, dynamic_shared_bytes };
        // SAFETY: each pointer is readable for its parameter's length, as the caller says.
        unsafe { engine.launch(function, shape, argument, stream) }
    })
}
