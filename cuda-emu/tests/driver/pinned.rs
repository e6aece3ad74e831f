//! Page-locked host memory under copies.

use crate::kit::Arg::{U32, U64};
use crate::kit::*;

/// Fills page-locked memory.
fn fill(pointer: *mut u64, words: usize, value: u64) {
    // SAFETY: the memory has this many words.
    unsafe { std::slice::from_raw_parts_mut(pointer, words) }.fill(value);
}

fn words(pointer: *const u64, words: usize) -> Vec<u64> {
    // SAFETY: the memory has this many words.
    unsafe { std::slice::from_raw_parts(pointer, words) }.to_vec()
}

#[test]
fn a_source_changed_too_early_is_found() {
    for schedule in schedules() {
        let gpu = Gpu::new(&schedule);
        let (stream, data, pinned) = (gpu.stream(), gpu.alloc(64).unwrap(), gpu.pinned(64).unwrap());
        fill(pinned, 64, 1);
        gpu.upload_raw(&stream, data, pinned, 64).unwrap();
        fill(pinned, 64, 2);
        assert_eq!(gpu.sync(&stream), Err(LAUNCH_FAILED), "{schedule}");
        assert!(gpu.fault().contains("changed while a copy from it was pending"), "{}", gpu.fault());
    }
}

#[test]
fn a_source_is_reused_after_its_copy() {
    for schedule in schedules() {
        let gpu = Gpu::new(&schedule);
        let (stream, event, pinned) = (gpu.stream(), gpu.event(), gpu.pinned(64).unwrap());
        let data = [gpu.alloc(64).unwrap(), gpu.alloc(64).unwrap()];
        for (value, data) in (1..).zip(data) {
            fill(pinned, 64, value);
            gpu.upload_raw(&stream, data, pinned, 64).unwrap();
            gpu.record(&event, &stream).unwrap();
            // SAFETY: the call reads no memory of the host.
            check(unsafe { lambda_cuda_emu::driver::cuEventSynchronize(event.0) }).unwrap();
        }
        assert_eq!(gpu.download(&stream, data[0], 64), Ok(vec![1; 64]));
        assert_eq!(gpu.download(&stream, data[1], 64), Ok(vec![2; 64]));
    }
}

#[test]
fn a_pageable_source_is_read_at_the_call() {
    for schedule in schedules() {
        let gpu = Gpu::new(&schedule);
        let (stream, data) = (gpu.stream(), gpu.alloc(8).unwrap());
        let mut source = vec![1; 8];
        gpu.upload(&stream, data, &source).unwrap();
        source.fill(2);
        assert_eq!(gpu.download(&stream, data, 8), Ok(vec![1; 8]), "{schedule}");
    }
}

#[test]
fn a_pageable_download_is_no_synchronisation() {
    for schedule in schedules() {
        let gpu = Gpu::with_kernels(&schedule);
        let (first, second, data) = (gpu.stream(), gpu.stream(), gpu.alloc(8).unwrap());
        let mut to = vec![0; 8];
        gpu.launch(&first, "store", 1, &[U64(data), U32(8), U64(1)]).unwrap();
        gpu.download_raw(&first, to.as_mut_ptr(), data, 8).unwrap();
        gpu.launch(&second, "store", 1, &[U64(data), U32(8), U64(2)]).ok();
        assert_eq!(gpu.sync_all(), Err(LAUNCH_FAILED), "{schedule}");
        assert!(gpu.fault().contains("races with"), "{}", gpu.fault());
    }
}

#[test]
fn memory_freed_under_a_copy_is_found() {
    for schedule in schedules() {
        let gpu = Gpu::new(&schedule);
        let (stream, data, pinned) = (gpu.stream(), gpu.alloc(8).unwrap(), gpu.pinned(8).unwrap());
        gpu.upload_raw(&stream, data, pinned, 8).unwrap();
        assert_eq!(gpu.free_pinned(pinned), Err(LAUNCH_FAILED), "{schedule}");
        assert!(gpu.fault().contains("was freed while a copy from it is pending"), "{}", gpu.fault());
    }
}

#[test]
fn memory_is_freed_after_its_copies() {
    for schedule in schedules() {
        let gpu = Gpu::new(&schedule);
        let (stream, data, pinned) = (gpu.stream(), gpu.alloc(8).unwrap(), gpu.pinned(8).unwrap());
        gpu.upload_raw(&stream, data, pinned, 8).unwrap();
        gpu.sync(&stream).unwrap();
        gpu.free_pinned(pinned).unwrap();
        assert_eq!(gpu.free_pinned(pinned), Err(INVALID_VALUE));
        assert_eq!(gpu.report()["held"]["pinned_bytes"], 0);
    }
}

#[test]
fn copies_through_one_buffer_need_an_order() {
    for (schedule, ordered) in schedules().into_iter().flat_map(|s| [(s.clone(), true), (s, false)]) {
        let gpu = Gpu::new(&schedule);
        let (first, second, pinned) = (gpu.stream(), gpu.stream(), gpu.pinned(8).unwrap());
        let (from, to) = (gpu.alloc(8).unwrap(), gpu.alloc(8).unwrap());
        gpu.upload(&first, from, &[6; 8]).unwrap();
        gpu.download_raw(&first, pinned, from, 8).unwrap();
        if ordered {
            gpu.join(&second, &first).unwrap();
        }
        let uploaded = gpu.upload_raw(&second, to, pinned, 8);
        if ordered {
            assert_eq!(gpu.download(&second, to, 8), Ok(vec![6; 8]), "{schedule}");
            assert_eq!(words(pinned, 8), [6; 8]);
        } else {
            assert_eq!(uploaded, Err(LAUNCH_FAILED), "{schedule}");
            assert!(gpu.fault().contains("use the same page-locked memory"), "{}", gpu.fault());
        }
    }
}

#[test]
fn a_lazy_download_to_page_locked_memory_comes_with_the_synchronisation() {
    let gpu = Gpu::new(r#"{"schedule":"lazy"}"#);
    let (stream, data, pinned) = (gpu.stream(), gpu.alloc(8).unwrap(), gpu.pinned(8).unwrap());
    gpu.upload(&stream, data, &[9; 8]).unwrap();
    gpu.download_raw(&stream, pinned, data, 8).unwrap();
    assert_eq!(words(pinned, 8), [0; 8]);
    gpu.sync(&stream).unwrap();
    assert_eq!(words(pinned, 8), [9; 8]);
}
