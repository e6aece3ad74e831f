//! Host functions in place of kernels.

use lambda_cuda_emu::driver::*;

use crate::kit::Arg::{U32, U64};
use crate::kit::*;

fn bind(entry: &std::ffi::CStr, reference: Option<Reference>) {
    // SAFETY: the name ends in a zero byte; the references below keep to their arguments' buffers.
    assert_eq!(unsafe { lambda_emu_bind(entry.as_ptr(), reference) }, 0);
}

/// `store`, except that it adds the number of blocks.
///
/// # Safety
/// As the emulator calls it: `count` arguments, six extents.
unsafe extern "C" fn store(args: *const u64, count: usize, shape: *const u32, _shared: u32) -> i32 {
    // SAFETY: the emulator passes `count` arguments and six extents.
    let (args, shape) =
        unsafe { (std::slice::from_raw_parts(args, count), std::slice::from_raw_parts(shape, 6)) };
    let [out, n, value] = *args else { return 1 };
    if shape[3] != 32 {
        return 2;
    }
    // SAFETY: the launch's first argument points to `n` words of device memory, which is host memory.
    unsafe { std::slice::from_raw_parts_mut(out as *mut u64, n as usize) }.fill(value + u64::from(shape[0]));
    0
}

/// Fails.
///
/// # Safety
/// Touches nothing.
unsafe extern "C" fn failing(_: *const u64, _: usize, _: *const u32, _: u32) -> i32 {
    9
}

#[test]
fn a_reference_runs_in_place_of_the_kernel_until_it_is_unbound() {
    let gpu = Gpu::with_kernels("{}");
    let (stream, data) = (gpu.stream(), gpu.alloc(64).unwrap());
    bind(c"store", Some(store));
    gpu.launch(&stream, "store", 2, &[U64(data), U32(64), U64(5)]).unwrap();
    assert_eq!(gpu.download(&stream, data, 64), Ok(vec![7; 64]));
    bind(c"store", None);
    gpu.launch(&stream, "store", 2, &[U64(data), U32(64), U64(5)]).unwrap();
    assert_eq!(gpu.download(&stream, data, 64), Ok(vec![5; 64]));
    assert_eq!(gpu.counter("references"), 1);
}

#[test]
fn what_a_reference_left_is_still_uninitialised() {
    let gpu = Gpu::with_kernels("{}");
    let (stream, data) = (gpu.stream(), gpu.alloc(64).unwrap());
    bind(c"store", Some(store));
    gpu.launch(&stream, "store", 2, &[U64(data), U32(63), U64(5)]).unwrap();
    assert_eq!(gpu.download(&stream, data, 64), Err(LAUNCH_FAILED));
    assert!(gpu.fault().contains("byte 504"), "{}", gpu.fault());
}

#[test]
fn references_on_two_streams_race() {
    for schedule in schedules() {
        let gpu = Gpu::with_kernels(&schedule);
        let (first, second, data) = (gpu.stream(), gpu.stream(), gpu.alloc(64).unwrap());
        bind(c"store", Some(store));
        gpu.launch(&first, "store", 2, &[U64(data), U32(64), U64(5)]).unwrap();
        gpu.launch(&second, "store", 2, &[U64(data), U32(64), U64(6)]).ok();
        assert_eq!(gpu.sync_all(), Err(LAUNCH_FAILED), "{schedule}");
        assert!(gpu.fault().contains("races with"), "{}", gpu.fault());
    }
}

#[test]
fn a_reference_is_not_given_freed_memory() {
    let gpu = Gpu::with_kernels("{}");
    let (stream, arena) = (gpu.stream(), gpu.alloc(64).unwrap());
    bind(c"store", Some(store));
    note_alloc(arena, 8, "lookup");
    note_free(arena);
    gpu.launch(&stream, "store", 1, &[U64(arena), U32(8), U64(5)]).unwrap();
    assert_eq!(gpu.sync(&stream), Err(ILLEGAL_ADDRESS));
    assert!(gpu.fault().contains("after the buffer was freed: byte 0 of `lookup`"), "{}", gpu.fault());
}

#[test]
fn a_reference_that_fails_fails_the_launch() {
    let gpu = Gpu::with_kernels("{}");
    let (stream, data) = (gpu.stream(), gpu.alloc(8).unwrap());
    bind(c"store", Some(failing));
    gpu.launch(&stream, "store", 1, &[U64(data), U32(8), U64(5)]).unwrap();
    assert_eq!(gpu.sync(&stream), Err(LAUNCH_FAILED));
    assert!(gpu.fault().contains("returned 9"), "{}", gpu.fault());
}

/// Copies a word, written or not, and adds one.
///
/// # Safety
/// As the emulator calls it, with two pointers to words of device memory.
unsafe extern "C" fn look(args: *const u64, _: usize, _: *const u32, _: u32) -> i32 {
    // SAFETY: both arguments are addresses of device memory, which is host memory.
    unsafe {
        let (out, from) = (*args as *mut u64, *args.add(1) as *const u64);
        *out = *from + 1;
    }
    0
}

#[test]
fn memory_that_nothing_wrote_holds_junk() {
    let gpu = Gpu::with_kernels(r#"{"junk":5,"schedule":"eager"}"#);
    let (stream, arena, out) = (gpu.stream(), gpu.alloc(64).unwrap(), gpu.alloc(1).unwrap());
    let look_at = |address| {
        gpu.launch(&stream, "peek", 1, &[U64(out), U64(address)]).unwrap();
        gpu.download(&stream, out, 1).unwrap()[0] - 1
    };
    bind(c"peek", Some(look));
    assert_eq!(look_at(arena), 5, "fresh memory");
    gpu.upload(&stream, arena, &[8; 64]).unwrap();
    assert_eq!(look_at(arena), 8);
    gpu.sync_all().unwrap();
    note_alloc(arena + 16, 2, "new");
    note_alloc(arena + 32, 1, "other");
    assert_eq!([look_at(arena + 16), look_at(arena + 24), look_at(arena + 32)], [5; 3], "a new buffer");
}
