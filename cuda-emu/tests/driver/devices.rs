//! Devices and contexts: each on its own, current per thread, gone when released.

use lambda_cuda_emu::driver::*;

use crate::kit::Arg::{U32, U64};
use crate::kit::*;

#[test]
fn a_fault_stays_on_its_device() {
    let sick = Gpu::with_kernels(r#"{"faults":[{"at":"launch","kind":"illegal_address"}]}"#);
    let well = Gpu::with_kernels("{}");
    let set = |gpu: &Gpu| {
        // SAFETY: the call reads no memory of the host.
        assert_eq!(unsafe { cuCtxSetCurrent(gpu.context) }, 0);
    };
    set(&sick);
    let (stream, data) = (sick.stream(), sick.alloc(8).unwrap());
    sick.launch(&stream, "store", 1, &[U64(data), U32(8), U64(0)]).unwrap();
    assert_eq!(sick.sync(&stream), Err(ILLEGAL_ADDRESS));
    set(&well);
    assert_eq!(well.sync(&stream), Err(INVALID_HANDLE), "a stream of another device");
    let (stream, own) = (well.stream(), well.alloc(8).unwrap());
    assert_eq!(well.zero(&stream, data, 8), Err(INVALID_VALUE), "memory of another device");
    well.launch(&stream, "store", 1, &[U64(own), U32(8), U64(6)]).unwrap();
    assert_eq!(well.download(&stream, own, 8), Ok(vec![6; 8]));
    set(&sick);
    assert_eq!(sick.sync_all(), Err(ILLEGAL_ADDRESS));
}

#[test]
fn a_context_is_current_per_thread() {
    let gpu = Gpu::new("{}");
    let context = gpu.context as usize;
    std::thread::spawn(move || {
        let mut current = std::ptr::dangling_mut();
        // SAFETY: the out pointers are to locals.
        unsafe {
            assert_eq!(cuCtxGetCurrent(&raw mut current), 0);
            assert!(current.is_null());
            assert_eq!(cuCtxSynchronize(), INVALID_CONTEXT);
            assert_eq!(cuCtxSetCurrent(context as CUhandle), 0);
            assert_eq!(cuCtxSynchronize(), 0);
            assert_eq!(cuCtxGetCurrent(&raw mut current), 0);
            assert_eq!(current as usize, context);
        }
    })
    .join()
    .unwrap();
}

#[test]
fn the_last_release_destroys_the_context() {
    let gpu = Gpu::new("{}");
    let (mut again, address) = (std::ptr::null_mut(), gpu.alloc(8).unwrap());
    // SAFETY: the out pointer is to a local.
    unsafe {
        assert_eq!(cuDevicePrimaryCtxRetain(&raw mut again, gpu.ordinal), 0);
        assert_eq!(again, gpu.context);
        assert_eq!(cuDevicePrimaryCtxRelease_v2(gpu.ordinal), 0);
        assert_eq!(cuCtxSynchronize(), 0);
        assert_eq!(cuDevicePrimaryCtxRelease_v2(gpu.ordinal), 0);
        assert_eq!(cuCtxSynchronize(), 709);
        assert_eq!(cuCtxSetCurrent(gpu.context), 709);
        assert_eq!(cuDevicePrimaryCtxRelease_v2(gpu.ordinal), INVALID_CONTEXT);
        assert_eq!(cuDevicePrimaryCtxRetain(&raw mut again, gpu.ordinal), 0);
        assert_eq!(cuCtxSetCurrent(again), 0);
    }
    assert_eq!(gpu.free(address), Err(INVALID_VALUE), "the block went with the context");
}

#[test]
fn devices_work_side_by_side_from_several_threads() {
    let workers = (0..4u64).map(|worker| {
        std::thread::spawn(move || {
            let gpu = Gpu::with_kernels(&format!(r#"{{"seed":{worker}}}"#));
            let (stream, data) = (gpu.stream(), gpu.alloc(64).unwrap());
            gpu.launch(&stream, "store", 2, &[U64(data), U32(64), U64(worker)]).unwrap();
            assert_eq!(gpu.download(&stream, data, 64), Ok(vec![worker; 64]));
        })
    });
    workers.collect::<Vec<_>>().into_iter().for_each(|worker| worker.join().unwrap());
}

#[test]
fn threads_share_a_device() {
    let gpu = Gpu::with_kernels("{}");
    std::thread::scope(|scope| {
        for worker in 0..4u64 {
            let gpu = SharedGpu(&gpu);
            scope.spawn(move || {
                let SharedGpu(gpu) = { gpu };
                // SAFETY: the call reads no memory of the host.
                assert_eq!(unsafe { cuCtxSetCurrent(gpu.context) }, 0);
                let (stream, data) = (gpu.stream(), gpu.alloc(64).unwrap());
                for _ in 0..10 {
                    gpu.launch(&stream, "store", 2, &[U64(data), U32(64), U64(worker)]).unwrap();
                    assert_eq!(gpu.download(&stream, data, 64), Ok(vec![worker; 64]));
                }
            });
        }
    });
}

/// The driver API may be called from any thread.
struct SharedGpu<'a>(&'a Gpu);
// SAFETY: handles are numbers.
unsafe impl Send for SharedGpu<'_> {}

#[test]
fn a_device_describes_itself() {
    let gpu = Gpu::new(r#"{"compute_capability":[8,6],"multiprocessors":46,"memory_bytes":4096}"#);
    let attribute = |attribute| {
        let mut value = -1;
        // SAFETY: the out pointer is to a local.
        check(unsafe { cuDeviceGetAttribute(&raw mut value, attribute, gpu.ordinal) }).map(|()| value)
    };
    assert_eq!([attribute(75), attribute(76), attribute(16)], [Ok(8), Ok(6), Ok(46)]);
    assert_eq!([attribute(1), attribute(10), attribute(97)], [Ok(1024), Ok(32), Ok(232_448)]);
    assert_eq!(attribute(100_000), Err(INVALID_VALUE));
    let (mut bytes, mut device, mut count, mut name) = (0, -1, 0, [0u8; 10]);
    // SAFETY: the out pointers are to locals of the length that is passed.
    unsafe {
        assert_eq!(cuDeviceTotalMem_v2(&raw mut bytes, gpu.ordinal), 0);
        assert_eq!(cuDeviceGet(&raw mut device, gpu.ordinal), 0);
        assert_eq!(cuDeviceGetCount(&raw mut count), 0);
        assert_eq!(cuDeviceGetName(name.as_mut_ptr().cast(), 10, gpu.ordinal), 0);
        assert_eq!(cuDeviceGet(&raw mut device, count + 1000), 101);
    }
    assert_eq!((bytes, device, &name), (4096, gpu.ordinal, b"cuda-emu \0"));
    assert!(count > gpu.ordinal);
}

#[test]
fn codes_have_names_and_words() {
    let (mut name, mut text) = (std::ptr::null(), std::ptr::null());
    // SAFETY: the out pointers are to locals; texts end in a zero byte.
    unsafe {
        assert_eq!(cuGetErrorName(700, &raw mut name), 0);
        assert_eq!(cuGetErrorString(0, &raw mut text), 0);
        assert_eq!(std::ffi::CStr::from_ptr(name), c"CUDA_ERROR_ILLEGAL_ADDRESS");
        assert_eq!(std::ffi::CStr::from_ptr(text), c"no error");
        assert_eq!(cuGetErrorName(-3, &raw mut name), INVALID_VALUE);
    }
    assert!(name.is_null());
}

/// Says what device 0 is; [`device_zero_is_configured_by_the_environment`] runs it in a process of its own.
#[test]
fn device_zero() {
    let (mut bytes, mut device) = (0, -1);
    // SAFETY: the out pointers are to locals.
    unsafe {
        assert_eq!(cuInit(0), 0);
        assert_eq!(cuDeviceGet(&raw mut device, 0), 0);
        assert_eq!(cuDeviceTotalMem_v2(&raw mut bytes, device), 0);
    }
    println!("device {device} has {bytes} bytes");
}

#[test]
fn device_zero_is_configured_by_the_environment() {
    let this = std::env::current_exe().unwrap();
    let child = std::process::Command::new(this)
        .args(["--exact", "devices::device_zero", "--nocapture"])
        .env("LAMBDA_EMU_CONFIG", r#"{"memory_bytes":12345}"#)
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&child.stdout);
    assert!(output.contains("device 0 has 12345 bytes"), "{output}");
}
