//! Modules and kernels.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use super::device::put;
use super::{CUhandle, CUresult, call, call_into, text};
use crate::driver::Code;
use crate::driver::current::with_current;
use crate::driver::handle::Kind;
use crate::driver::modules::FunctionAttribute;

const JIT_ERROR_LOG_BUFFER: c_int = 5;
const JIT_ERROR_LOG_BUFFER_SIZE_BYTES: c_int = 6;
const MAX_DYNAMIC_SHARED_SIZE_BYTES: c_int = 8;
const PREFERRED_SHARED_MEMORY_CARVEOUT: c_int = 9;

/// `cuModuleLoadData`: PTX text only.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadData(module: *mut CUhandle, image: *const c_void) -> CUresult {
    // SAFETY: as the caller says; there are no options.
    unsafe { cuModuleLoadDataEx(module, image, 0, std::ptr::null_mut(), std::ptr::null_mut()) }
}

/// `cuModuleLoadDataEx`: PTX text only; of the options the error log alone has a meaning.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadDataEx(
    module: *mut CUhandle,
    image: *const c_void,
    option_count: c_uint,
    options: *mut c_int,
    values: *mut *mut c_void,
) -> CUresult {
    if module.is_null() || image.is_null() {
        return Code::INVALID_VALUE.0;
    }
    // SAFETY: an image that is no text is cut at its first zero byte; text ends there.
    let image = unsafe { CStr::from_ptr(image.cast()) }.to_bytes();
    let mut log = String::new();
    let loaded = with_current(|engine| match engine.module_load(image) {
        Ok(id) => Ok(engine.handle(Kind::Module, id)),
        Err((code, text)) => {
            log = text;
            Err(code)
        }
    });
    // SAFETY: the arrays have `option_count` entries each, as the caller says.
    unsafe { write_log(&log, option_count as usize, options, values) };
    match loaded {
        Ok(handle) => {
            // SAFETY: `module` is not null, and writable as the caller says.
            unsafe { module.write(handle) };
            0
        }
        Err(code) => code.0,
    }
}

/// Writes the error log where the options ask for it, and its length in place of the buffer's.
///
/// # Safety
/// `options` and `values` have `count` entries; the buffer among them has its stated length.
unsafe fn write_log(log: &str, count: usize, options: *const c_int, values: *mut *mut c_void) {
    if options.is_null() || values.is_null() {
        return;
    }
    // SAFETY: as the caller says.
    let (options, values) = unsafe {
        (std::slice::from_raw_parts(options, count), std::slice::from_raw_parts_mut(values, count))
    };
    let find = |option: c_int| options.iter().position(|&other| other == option);
    let (Some(buffer), Some(size)) = (find(JIT_ERROR_LOG_BUFFER), find(JIT_ERROR_LOG_BUFFER_SIZE_BYTES))
    else {
        return;
    };
    let (buffer, capacity) = (values[buffer].cast::<u8>(), values[size] as usize as u32 as usize);
    if buffer.is_null() || capacity == 0 {
        return;
    }
    let bytes = log.len().min(capacity - 1);
    // SAFETY: the buffer has `capacity` bytes.
    unsafe {
        std::ptr::copy_nonoverlapping(log.as_ptr(), buffer, bytes);
        buffer.add(bytes).write(0);
    }
    values[size] = bytes as *mut c_void;
}

/// `cuModuleUnload`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleUnload(module: CUhandle) -> CUresult {
    call(|engine| {
        let module = engine.resolve(module, Kind::Module)?;
        engine.module_unload(module)
    })
}

/// `cuModuleGetFunction`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetFunction(
    function: *mut CUhandle,
    module: CUhandle,
    name: *const c_char,
) -> CUresult {
    // SAFETY: as the caller says.
    unsafe {
        call_into(function, |engine| {
            let name = text(name).ok_or(Code::INVALID_VALUE)?;
            let module = engine.resolve(module, Kind::Module)?;
            let id = engine.function(module, name)?;
            Ok(engine.handle(Kind::Function, id))
        })
    }
}

/// `cuFuncGetParamInfo`: past the last parameter `CUDA_ERROR_INVALID_VALUE`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetParamInfo(
    function: CUhandle,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> CUresult {
    call(|engine| {
        let function = engine.resolve(function, Kind::Function)?;
        let (at, bytes) = engine.function_parameter(function, index)?;
        // SAFETY: as the caller says. The size may be null.
        unsafe {
            put(offset, at)?;
            if !size.is_null() {
                size.write(bytes);
            }
        }
        Ok(())
    })
}

/// `cuFuncGetAttribute`: registers are not known here and read as zero.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetAttribute(
    value: *mut c_int,
    attribute: c_int,
    function: CUhandle,
) -> CUresult {
    let attribute = match attribute {
        0 => Some(FunctionAttribute::MaxThreads),
        1 => Some(FunctionAttribute::StaticSharedBytes),
        3 => Some(FunctionAttribute::LocalBytes),
        5 => Some(FunctionAttribute::PtxVersion),
        6 => Some(FunctionAttribute::BinaryVersion),
        MAX_DYNAMIC_SHARED_SIZE_BYTES => Some(FunctionAttribute::MaxDynamicBytes),
        2 | 4 | 7 | 9..=15 => None,
        _ => return Code::INVALID_VALUE.0,
    };
    // SAFETY: as the caller says.
    unsafe {
        call_into(value, |engine| {
            let function = engine.resolve(function, Kind::Function)?;
            Ok(match attribute {
                Some(attribute) => engine.function_attribute(function, attribute)? as c_int,
                None => 0,
            })
        })
    }
}

/// `cuFuncSetAttribute`: more dynamic shared memory; the cache's carveout has no meaning here.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncSetAttribute(function: CUhandle, attribute: c_int, value: c_int) -> CUresult {
    call(|engine| {
        let function = engine.resolve(function, Kind::Function)?;
        match attribute {
            MAX_DYNAMIC_SHARED_SIZE_BYTES => {
                let bytes = u32::try_from(value).map_err(|_| Code::INVALID_VALUE)?;
                engine.set_max_dynamic_bytes(function, bytes)
            }
            PREFERRED_SHARED_MEMORY_CARVEOUT => Ok(()),
            _ => Err(Code::INVALID_VALUE),
        }
    })
}
