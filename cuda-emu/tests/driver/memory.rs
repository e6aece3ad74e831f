//! Device memory: bounds, lifetime, initialisation, blocks of one launch against each other.

use lambda_cuda_emu::driver::*;

use crate::kit::Arg::{U32, U64};
use crate::kit::*;

/// A device that runs what it is given at once, and a stream.
fn eager() -> (Gpu, Stream) {
    let gpu = Gpu::with_kernels(r#"{"schedule":"eager"}"#);
    let stream = gpu.stream();
    (gpu, stream)
}

#[test]
fn a_store_past_the_end_names_kernel_thread_and_buffer() {
    let (gpu, stream) = eager();
    let data = gpu.alloc(33).unwrap();
    gpu.launch(&stream, "store", 2, &[U64(data), U32(34), U64(0)]).unwrap();
    assert_eq!(gpu.sync(&stream), Err(ILLEGAL_ADDRESS));
    let fault = gpu.fault();
    for part in
        ["kernel `store`", "block (1, 0, 0)", "thread (1, 0, 0)", "line", "0 bytes past the end of `block 1`"]
    {
        assert!(fault.contains(part), "{part}: {fault}");
    }
}

#[test]
fn running_over_into_a_live_neighbour_is_out_of_bounds() {
    let (gpu, stream) = eager();
    let arena = gpu.alloc(128).unwrap();
    note_alloc(arena, 40, "trace");
    note_alloc(arena + 8 * 40, 88, "twiddles");
    gpu.launch(&stream, "store", 2, &[U64(arena), U32(41), U64(0)]).unwrap();
    assert_eq!(gpu.sync(&stream), Err(ILLEGAL_ADDRESS));
    assert!(gpu.fault().contains("0 bytes past the end of `trace`"), "{}", gpu.fault());
}

#[test]
fn a_copy_past_the_end_is_out_of_bounds_and_one_from_nowhere_is_refused() {
    let (gpu, stream) = eager();
    let arena = gpu.alloc(128).unwrap();
    assert_eq!(gpu.zero(&stream, 0x10_0000, 1), Err(INVALID_VALUE));
    assert_eq!(gpu.copy(&stream, arena, 8, 1), Err(INVALID_VALUE));
    note_alloc(arena, 64, "trace");
    note_alloc(arena + 8 * 64, 64, "lookup");
    gpu.zero(&stream, arena, 65).unwrap();
    assert_eq!(gpu.sync(&stream), Err(ILLEGAL_ADDRESS));
    assert!(gpu.fault().contains("memset (operation 1, stream 1)"), "{}", gpu.fault());
    assert!(gpu.fault().contains("`trace`"), "{}", gpu.fault());
}

#[test]
fn a_buffer_that_was_given_up_is_not_touched() {
    for schedule in schedules() {
        let gpu = Gpu::with_kernels(&schedule);
        let (stream, arena) = (gpu.stream(), gpu.alloc(64).unwrap());
        note_alloc(arena, 64, "quotient");
        gpu.zero(&stream, arena, 64).unwrap();
        note_free(arena);
        gpu.launch(&stream, "step", 1, &[U64(arena), U32(8), U64(0)]).ok();
        assert_eq!(gpu.sync(&stream), Err(ILLEGAL_ADDRESS), "{schedule}");
        let fault = gpu.fault();
        assert!(fault.contains("after the buffer was freed") && fault.contains("`quotient`"), "{fault}");
    }
}

#[test]
fn a_freed_block_is_not_touched() {
    let (gpu, stream) = eager();
    let data = gpu.alloc(64).unwrap();
    gpu.free(data).unwrap();
    let next = gpu.alloc(64).unwrap();
    assert_ne!(data, next, "addresses are not used twice");
    gpu.launch(&stream, "store", 1, &[U64(data), U32(8), U64(0)]).unwrap();
    assert_eq!(gpu.sync(&stream), Err(ILLEGAL_ADDRESS));
    assert!(gpu.fault().contains("after the buffer was freed"), "{}", gpu.fault());
}

#[test]
fn a_double_free_is_refused() {
    let gpu = Gpu::new("{}");
    let (data, other) = (gpu.alloc(64).unwrap(), gpu.alloc(64).unwrap());
    gpu.free(data).unwrap();
    assert_eq!(gpu.free(data), Err(INVALID_VALUE));
    assert_eq!(gpu.free(other + 8), Err(INVALID_VALUE), "an address inside a block is not the block's");
    gpu.free(other).unwrap();

    let arena = gpu.alloc(64).unwrap();
    note_alloc(arena, 8, "buffer");
    note_free(arena);
    note_free(arena);
    assert_eq!(gpu.sync_all(), Err(LAUNCH_FAILED));
    assert!(gpu.fault().contains("no live buffer starts"), "{}", gpu.fault());
}

#[test]
fn a_misaligned_access_is_its_own_code() {
    let (gpu, stream) = eager();
    let data = gpu.alloc(64).unwrap();
    gpu.launch(&stream, "store", 1, &[U64(data + 4), U32(8), U64(0)]).unwrap();
    assert_eq!(gpu.sync(&stream), Err(MISALIGNED));
    // SAFETY: the call reads no memory of the host.
    assert_eq!(unsafe { cuMemsetD32Async(data + 2, 0, 1, stream.0) }, MISALIGNED, "the fault is sticky");
}

#[test]
fn reading_what_nothing_wrote_is_a_fault() {
    let (gpu, stream) = eager();
    let (out, data) = (gpu.alloc(64).unwrap(), gpu.alloc(64).unwrap());
    gpu.zero(&stream, data, 63).unwrap();
    gpu.launch(&stream, "add", 2, &[U64(out), U64(data), U64(data), U32(64)]).unwrap();
    assert_eq!(gpu.sync(&stream), Err(LAUNCH_FAILED));
    assert!(gpu.fault().contains("nothing has written: byte 504 of `block 2`"), "{}", gpu.fault());
}

#[test]
fn downloading_what_nothing_wrote_is_a_fault() {
    let (gpu, stream) = eager();
    let data = gpu.alloc(64).unwrap();
    gpu.launch(&stream, "store", 1, &[U64(data), U32(20), U64(5)]).unwrap();
    assert_eq!(gpu.download(&stream, data, 20), Ok(vec![5; 20]));
    assert_eq!(gpu.download(&stream, data, 21), Err(LAUNCH_FAILED));
    assert!(gpu.fault().contains("byte 160"), "{}", gpu.fault());
}

#[test]
fn a_buffer_made_of_used_memory_is_uninitialised() {
    let (gpu, stream) = eager();
    let arena = gpu.alloc(64).unwrap();
    note_alloc(arena, 64, "old");
    gpu.zero(&stream, arena, 64).unwrap();
    gpu.sync(&stream).unwrap();
    note_free(arena);
    note_alloc(arena, 32, "new");
    assert_eq!(gpu.download(&stream, arena, 1), Err(LAUNCH_FAILED));
    assert!(gpu.fault().contains("`new`"), "{}", gpu.fault());
}

#[test]
fn blocks_that_store_to_one_word_race() {
    for threads in [1, 2] {
        let config = format!(r#"{{"schedule":"eager","launch_threads":{threads}}}"#);
        for _ in 0..20 {
            let gpu = Gpu::with_kernels(&config);
            let (stream, data) = (gpu.stream(), gpu.alloc(1).unwrap());
            gpu.launch(&stream, "collide", 1, &[U64(data)]).unwrap();
            gpu.sync(&stream).unwrap();
            gpu.launch(&stream, "collide", 2, &[U64(data)]).unwrap();
            assert_eq!(gpu.sync(&stream), Err(LAUNCH_FAILED));
            assert!(gpu.fault().contains("of the same launch"), "{}", gpu.fault());
        }
    }
}

#[test]
fn blocks_that_read_what_their_neighbour_writes_race() {
    for threads in [1, 2] {
        for _ in 0..20 {
            let config = format!(r#"{{"schedule":"eager","launch_threads":{threads}}}"#);
            let gpu = Gpu::with_kernels(&config);
            let (stream, data, other) = (gpu.stream(), gpu.alloc(9).unwrap(), gpu.alloc(9).unwrap());
            gpu.zero(&stream, data, 9).unwrap();
            gpu.launch(&stream, "peek", 8, &[U64(other), U64(data)]).unwrap();
            gpu.sync(&stream).unwrap();
            gpu.launch(&stream, "peek", 8, &[U64(data), U64(data)]).unwrap();
            assert_eq!(gpu.sync(&stream), Err(LAUNCH_FAILED));
            assert!(gpu.fault().contains("of the same launch"), "{}", gpu.fault());
        }
    }
}

#[test]
fn atomics_of_several_blocks_are_no_race() {
    let (gpu, stream) = eager();
    let data = gpu.alloc(1).unwrap();
    gpu.zero(&stream, data, 1).unwrap();
    gpu.launch(&stream, "count", 50, &[U64(data)]).unwrap();
    assert_eq!(gpu.download(&stream, data, 1), Ok(vec![50 * 32]));
}

/// Blocks border inside a shadow word; each half is read and written by one block alone.
#[test]
fn blocks_that_share_a_word_but_no_byte_do_not_race() {
    let (gpu, stream) = eager();
    let data = gpu.alloc(200).unwrap();
    gpu.zero(&stream, data, 200).unwrap();
    for _ in 0..3 {
        gpu.launch(&stream, "halves", 10, &[U64(data + 4), U32(320)]).unwrap();
    }
    let words = gpu.download(&stream, data, 200).unwrap();
    assert_eq!(words.iter().map(|word| (word >> 32) + (word & 0xffff_ffff)).sum::<u64>(), 3 * 320);
}

#[test]
fn memory_is_freed_by_a_thread_with_the_context_alone() {
    let gpu = Gpu::new("{}");
    let data = gpu.alloc(64).unwrap();
    let elsewhere = std::thread::spawn(move || {
        // SAFETY: the call reads no memory of the host.
        check(unsafe { cuMemFree_v2(data) })
    });
    assert_eq!(elsewhere.join().unwrap(), Err(INVALID_CONTEXT));
    assert_eq!(gpu.report()["held"]["device_bytes"], 512);
    gpu.free(data).unwrap();
    assert_eq!(gpu.free(data), Err(INVALID_VALUE), "twice");
}

#[test]
fn buffers_are_announced_without_a_context() {
    let gpu = Gpu::with_kernels(r#"{"schedule":"lazy"}"#);
    let (stream, arena) = (gpu.stream(), gpu.alloc(64).unwrap());
    std::thread::spawn(move || note_alloc(arena, 8, "columns")).join().unwrap();
    gpu.launch(&stream, "store", 1, &[U64(arena), U32(9), U64(0)]).unwrap();
    assert_eq!(gpu.sync(&stream), Err(ILLEGAL_ADDRESS));
    assert!(gpu.fault().contains("`columns`"));
}

#[test]
fn announcements_that_contradict_each_other_are_faults() {
    type Case = (fn(u64), &'static str);
    let cases: [Case; 3] = [
        (|arena| note_alloc(arena + 8, 4, "inner"), "overlaps the live buffer `first`"),
        (|arena| note_alloc(arena + 8 * 60, 5, "long"), "reaches past the end of its block"),
        (|arena| note_free(arena + 8), "no live buffer starts"),
    ];
    for (announce, text) in cases {
        let gpu = Gpu::new("{}");
        let arena = gpu.alloc(64).unwrap();
        note_alloc(arena, 4, "first");
        announce(arena);
        assert_eq!(gpu.sync_all(), Err(LAUNCH_FAILED));
        assert!(gpu.fault().contains(text), "{}", gpu.fault());
    }
}
