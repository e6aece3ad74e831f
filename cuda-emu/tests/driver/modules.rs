//! Modules, kernels, and what a driver refuses at a launch.

use std::ffi::{CString, c_int, c_void};

use lambda_cuda_emu::driver::*;

use crate::kit::Arg::{U32, U64};
use crate::kit::*;

fn attribute(function: CUhandle, attribute: c_int) -> Result<c_int, Error> {
    let mut value = -1;
    // SAFETY: the out pointer is to a local.
    check(unsafe { cuFuncGetAttribute(&raw mut value, attribute, function) }).map(|()| value)
}

#[test]
fn parameters_are_listed() {
    let gpu = Gpu::with_kernels("{}");
    let function = gpu.function("store").unwrap();
    let parameter = |index| {
        let (mut offset, mut size) = (0, 0);
        // SAFETY: the out pointers are to locals.
        let found = unsafe { cuFuncGetParamInfo(function, index, &raw mut offset, &raw mut size) };
        check(found).map(|()| (offset, size))
    };
    assert_eq!([parameter(0), parameter(1), parameter(2)], [Ok((0, 8)), Ok((8, 4)), Ok((16, 8))]);
    assert_eq!(parameter(3), Err(INVALID_VALUE));
}

#[test]
fn a_kernel_is_found_by_name_until_its_module_goes() {
    let gpu = Gpu::new("{}");
    let module = gpu.load(KERNELS).unwrap();
    let find = |entry: &str| {
        let (mut function, entry) = (std::ptr::null_mut(), CString::new(entry).unwrap());
        // SAFETY: the name ends in a zero byte; the out pointer is to a local.
        check(unsafe { cuModuleGetFunction(&raw mut function, module, entry.as_ptr()) }).map(|()| function)
    };
    let function = find("add").unwrap();
    assert_eq!(find("add"), Ok(function));
    assert_eq!(find("sub"), Err(500));
    // SAFETY: the calls read no memory of the host.
    unsafe {
        assert_eq!(cuModuleUnload(module), 0);
        assert_eq!(cuModuleUnload(module), INVALID_HANDLE);
    }
    assert_eq!(find("add"), Err(INVALID_HANDLE));
    assert_eq!(attribute(function, 1), Err(INVALID_HANDLE));
}

#[test]
fn a_launch_outlives_its_module() {
    let mut gpu = Gpu::with_kernels(r#"{"schedule":"lazy"}"#);
    let (stream, data) = (gpu.stream(), gpu.alloc(8).unwrap());
    gpu.launch(&stream, "store", 1, &[U64(data), U32(8), U64(4)]).unwrap();
    gpu.unload();
    assert_eq!(gpu.download(&stream, data, 8), Ok(vec![4; 8]));
}

#[test]
fn shapes_that_no_device_takes_are_refused_and_not_sticky() {
    let gpu = Gpu::with_kernels("{}");
    let (stream, data) = (gpu.stream(), gpu.alloc(8).unwrap());
    let launch = |grid, block, shared| {
        gpu.launch_shaped(&stream, "store", grid, block, shared, &[U64(data), U32(8), U64(2)])
    };
    for (grid, block, shared) in [
        ([0, 1, 1], [32, 1, 1], 0),
        ([1, 1, 0], [32, 1, 1], 0),
        ([1, 65_536, 1], [32, 1, 1], 0),
        ([1, 1, 1], [0, 1, 1], 0),
        ([1, 1, 1], [1025, 1, 1], 0),
        ([1, 1, 1], [32, 33, 1], 0),
        ([1, 1, 1], [1, 1, 65], 0),
        ([1, 1, 1], [32, 1, 1], 48 * 1024 + 1),
    ] {
        assert_eq!(launch(grid, block, shared), Err(INVALID_VALUE), "{grid:?} {block:?} {shared}");
    }
    launch([1, 1, 1], [1024, 1, 1], 48 * 1024).unwrap();
    assert_eq!(gpu.download(&stream, data, 8), Ok(vec![2; 8]));
}

#[test]
fn dynamic_shared_memory_is_raised_by_attribute() {
    let gpu = Gpu::with_kernels("{}");
    let (stream, data, function) = (gpu.stream(), gpu.alloc(8).unwrap(), gpu.function("store").unwrap());
    assert_eq!(attribute(function, 8), Ok(48 << 10));
    // SAFETY: the calls read no memory of the host.
    unsafe {
        assert_eq!(cuFuncSetAttribute(function, 8, (227 << 10) + 1), INVALID_VALUE);
        assert_eq!(cuFuncSetAttribute(function, 8, 227 << 10), 0);
    }
    let shape = ([1, 1, 1], [8, 1, 1]);
    let args = [U64(data), U32(8), U64(2)];
    gpu.launch_shaped(&stream, "store", shape.0, shape.1, 227 << 10, &args).unwrap();
    gpu.sync(&stream).unwrap();
    assert_eq!([attribute(function, 0), attribute(function, 1)], [Ok(1024), Ok(0)]);
}

#[test]
fn bad_ptx_is_explained_in_the_log() {
    let _gpu = Gpu::new("{}");
    let bad = KERNELS.replace("add.s64", "frobnicate.s64");
    let line = 1 + KERNELS.lines().position(|line| line.contains("add.s64")).unwrap();
    let (mut module, bad) = (std::ptr::null_mut(), CString::new(bad).unwrap());
    let mut log = [0u8; 200];
    let mut options = [5, 6];
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), log.len() as *mut c_void];
    // SAFETY: the text ends in a zero byte, the log has the stated length, and there are two options.
    let code = unsafe {
        let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
        cuModuleLoadDataEx(&raw mut module, bad.as_ptr().cast(), 2, options, values)
    };
    assert_eq!(code, 218);
    let text = std::str::from_utf8(&log[..values[1] as usize]).unwrap();
    assert!(text.contains("frobnicate") && text.contains(&line.to_string()), "{text}");
}

#[test]
fn ptx_beyond_driver_or_device_is_refused() {
    for (config, code) in [
        (r#"{"driver_version":12090}"#, Some(222)),
        (r#"{"driver_version":13000}"#, None),
        (r#"{"compute_capability":[7,5]}"#, Some(209)),
        (r#"{"compute_capability":[8,0]}"#, None),
    ] {
        assert_eq!(Gpu::new(config).load(KERNELS).err(), code, "{config}");
    }
    assert_eq!(Gpu::new("{}").load("\u{7f}ELF").err(), Some(218));
}
