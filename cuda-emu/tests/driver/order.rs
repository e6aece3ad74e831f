//! Streams and events: what they order, and what happens where nothing does.

use std::ffi::c_void;

use lambda_cuda_emu::driver::*;

use crate::kit::Arg::{U32, U64};
use crate::kit::*;

#[test]
fn a_stream_runs_in_order() {
    for schedule in schedules() {
        let gpu = Gpu::with_kernels(&schedule);
        let (stream, data) = (gpu.stream(), gpu.alloc(100).unwrap());
        gpu.upload(&stream, data, &[1; 100]).unwrap();
        for value in 0..5 {
            gpu.launch(&stream, "step", 4, &[U64(data), U32(100), U64(value)]).unwrap();
        }
        let expected = (0..5).fold(1, |x, value| 3 * x + value);
        assert_eq!(gpu.download(&stream, data, 100), Ok(vec![expected; 100]), "{schedule}");
    }
}

#[test]
fn an_event_orders_two_streams() {
    for schedule in schedules() {
        let gpu = Gpu::with_kernels(&schedule);
        let (first, second, data) = (gpu.stream(), gpu.stream(), gpu.alloc(64).unwrap());
        gpu.launch(&first, "store", 2, &[U64(data), U32(64), U64(7)]).unwrap();
        gpu.join(&second, &first).unwrap();
        gpu.launch(&second, "step", 2, &[U64(data), U32(64), U64(0)]).unwrap();
        assert_eq!(gpu.download(&second, data, 64), Ok(vec![21; 64]), "{schedule}");
    }
}

#[test]
fn launches_that_overlap_without_an_event_race() {
    for schedule in schedules() {
        let gpu = Gpu::with_kernels(&schedule);
        let (first, second, data) = (gpu.stream(), gpu.stream(), gpu.alloc(64).unwrap());
        gpu.upload(&first, data, &[1; 64]).unwrap();
        gpu.sync(&first).unwrap();
        gpu.launch(&first, "step", 2, &[U64(data), U32(64), U64(0)]).unwrap();
        gpu.launch(&second, "step", 2, &[U64(data), U32(64), U64(1)]).ok();
        assert_eq!(gpu.sync_all(), Err(LAUNCH_FAILED), "{schedule}");
        let fault = gpu.fault();
        assert!(fault.contains("races with") && fault.contains("kernel `step`"), "{fault}");
        assert_eq!(gpu.sync_all(), Err(LAUNCH_FAILED), "faults are sticky");
    }
}

#[test]
fn reading_together_is_no_race_and_a_later_writer_must_wait_for_all_readers() {
    for (schedule, waits) in schedules().into_iter().flat_map(|s| [(s.clone(), true), (s, false)]) {
        let gpu = Gpu::with_kernels(&schedule);
        let streams = [gpu.stream(), gpu.stream(), gpu.stream()];
        let (table, outs) = (gpu.alloc(64).unwrap(), [(); 2].map(|()| gpu.alloc(64).unwrap()));
        gpu.upload(&streams[2], table, &[2; 64]).unwrap();
        gpu.sync(&streams[2]).unwrap();
        for (stream, out) in streams.iter().zip(outs) {
            gpu.launch(stream, "add", 2, &[U64(out), U64(table), U64(table), U32(64)]).unwrap();
        }
        gpu.join(&streams[2], &streams[0]).unwrap();
        if waits {
            gpu.join(&streams[2], &streams[1]).unwrap();
        }
        gpu.zero(&streams[2], table, 64).ok();
        let synced = gpu.sync_all();
        if waits {
            assert_eq!(synced, Ok(()), "{schedule}: {}", gpu.report());
            assert_eq!(gpu.download(&streams[0], outs[1], 64), Ok(vec![4; 64]));
        } else {
            assert_eq!(synced, Err(LAUNCH_FAILED), "{schedule}");
            assert!(
                gpu.fault().contains("by several blocks of kernel `add`") || gpu.fault().contains("`add`")
            );
        }
    }
}

/// The block of a buffer is recycled while a kernel on another stream still reads it: inputs are correct, the
/// result is wholly wrong.
#[test]
fn a_block_recycled_under_a_reader_is_a_race() {
    for (schedule, waits) in schedules().into_iter().flat_map(|s| [(s.clone(), true), (s, false)]) {
        let gpu = Gpu::with_kernels(&schedule);
        let (reader, owner, arena) = (gpu.stream(), gpu.stream(), gpu.alloc(256).unwrap());
        let out = arena + 8 * 64;
        note_alloc(arena, 64, "evaluations");
        note_alloc(out, 64, "composition");
        gpu.upload(&owner, arena, &[5; 64]).unwrap();
        gpu.join(&reader, &owner).unwrap();
        gpu.launch(&reader, "add", 2, &[U64(out), U64(arena), U64(arena), U32(64)]).unwrap();

        note_free(arena);
        if waits {
            gpu.join(&owner, &reader).unwrap();
        }
        note_alloc(arena, 64, "next");
        gpu.launch(&owner, "store", 2, &[U64(arena), U32(64), U64(9)]).ok();

        let synced = gpu.sync_all();
        if waits {
            assert_eq!(synced, Ok(()), "{schedule}: {}", gpu.report());
            // The reader was enqueued before the buffer was given up, so it sees the old contents.
            assert_eq!(gpu.download(&reader, out, 64), Ok(vec![10; 64]), "{schedule}");
        } else {
            assert_eq!(synced, Err(LAUNCH_FAILED), "{schedule}");
            let fault = gpu.fault();
            assert!(fault.contains("races with") && fault.contains("kernel `add`"), "{fault}");
            assert!(fault.contains("`next`"), "{fault}");
        }
    }
}

#[test]
fn a_second_reader_on_another_stream_outlives_the_block() {
    for schedule in schedules() {
        let gpu = Gpu::with_kernels(&schedule);
        let (first, second, data) = (gpu.stream(), gpu.stream(), gpu.alloc(64).unwrap());
        let outs = [gpu.alloc(64).unwrap(), gpu.alloc(64).unwrap()];
        gpu.upload(&first, data, &[1; 64]).unwrap();
        gpu.sync(&first).unwrap();
        gpu.launch(&first, "add", 2, &[U64(outs[0]), U64(data), U64(data), U32(64)]).unwrap();
        gpu.launch(&second, "add", 2, &[U64(outs[1]), U64(data), U64(data), U32(64)]).unwrap();
        gpu.sync(&second).unwrap();
        assert_eq!(gpu.free(data), Err(LAUNCH_FAILED), "{schedule}: the first reader was not waited for");
        assert!(gpu.fault().contains("was freed while work on stream 1 uses it"), "{}", gpu.fault());
    }
}

#[test]
fn work_of_a_destroyed_stream_still_runs() {
    for schedule in schedules() {
        let gpu = Gpu::with_kernels(&schedule);
        let (stream, other, data) = (gpu.stream(), gpu.stream(), gpu.alloc(64).unwrap());
        let handle = Stream(stream.0);
        gpu.launch(&stream, "store", 2, &[U64(data), U32(64), U64(3)]).unwrap();
        gpu.destroy(stream).unwrap();
        assert_eq!(gpu.sync(&handle), Err(INVALID_HANDLE));
        gpu.sync_all().unwrap();
        assert_eq!(gpu.download(&other, data, 64), Ok(vec![3; 64]), "{schedule}");
    }
}

#[test]
fn a_destroyed_stream_orders_nothing() {
    for schedule in schedules() {
        let gpu = Gpu::with_kernels(&schedule);
        let (stream, other, data) = (gpu.stream(), gpu.stream(), gpu.alloc(64).unwrap());
        gpu.launch(&stream, "store", 2, &[U64(data), U32(64), U64(3)]).unwrap();
        gpu.destroy(stream).unwrap();
        gpu.launch(&other, "store", 2, &[U64(data), U32(64), U64(4)]).ok();
        assert_eq!(gpu.sync_all(), Err(LAUNCH_FAILED), "{schedule}");
        assert!(gpu.fault().contains("races with a write by"), "{}", gpu.fault());
    }
}

#[test]
fn a_wait_means_the_recording_that_was_there() {
    for schedule in schedules() {
        let gpu = Gpu::with_kernels(&schedule);
        let (first, second, event) = (gpu.stream(), gpu.stream(), gpu.event());
        let (a, b) = (gpu.alloc(32).unwrap(), gpu.alloc(32).unwrap());
        gpu.launch(&first, "store", 1, &[U64(a), U32(32), U64(1)]).unwrap();
        gpu.record(&event, &first).unwrap();
        gpu.wait(&second, &event).unwrap();
        gpu.launch(&first, "store", 1, &[U64(b), U32(32), U64(1)]).unwrap();
        gpu.record(&event, &first).unwrap();
        gpu.launch(&second, "step", 1, &[U64(a), U32(32), U64(0)]).unwrap();
        gpu.launch(&second, "step", 1, &[U64(b), U32(32), U64(0)]).ok();
        assert_eq!(gpu.sync_all(), Err(LAUNCH_FAILED), "{schedule}: the second recording orders nothing");
    }
}

#[test]
fn an_event_that_was_never_recorded_is_complete_and_orders_nothing() {
    let gpu = Gpu::new("{}");
    let (stream, event) = (gpu.stream(), gpu.event());
    gpu.wait(&stream, &event).unwrap();
    // SAFETY: the calls read no memory of the host.
    unsafe {
        assert_eq!(cuEventQuery(event.0), 0);
        assert_eq!(cuEventSynchronize(event.0), 0);
        assert_eq!(cuStreamQuery(stream.0), 0);
    }
}

#[test]
fn polling_ends_and_orders() {
    for schedule in schedules() {
        let gpu = Gpu::with_kernels(&schedule);
        let (first, second, event) = (gpu.stream(), gpu.stream(), gpu.event());
        let data = gpu.alloc(32).unwrap();
        for value in 0..20 {
            gpu.launch(&first, "store", 1, &[U64(data), U32(32), U64(value)]).unwrap();
        }
        gpu.record(&event, &first).unwrap();
        let mut polls = 0;
        // SAFETY: the call reads no memory of the host.
        while let Err(code) = check(unsafe { cuEventQuery(event.0) }) {
            assert_eq!(code, NOT_READY);
            polls += 1;
            assert!(polls < 10_000);
        }
        assert!(!schedule.contains("lazy") || polls >= 20, "a lazy stream moves one operation a question");
        gpu.launch(&second, "step", 1, &[U64(data), U32(32), U64(0)]).unwrap();
        assert_eq!(gpu.download(&second, data, 32), Ok(vec![57; 32]), "{schedule}");
    }
}

#[test]
fn the_legacy_stream_orders_blocking_streams_alone() {
    for schedule in schedules() {
        let gpu = Gpu::with_kernels(&schedule);
        let (legacy, mut blocking) = (Stream(std::ptr::null_mut()), std::ptr::null_mut::<c_void>());
        // SAFETY: the out pointer is to a local.
        assert_eq!(unsafe { cuStreamCreate(&raw mut blocking, 0) }, 0);
        let (blocking, free) = (Stream(blocking), gpu.stream());
        let data = gpu.alloc(32).unwrap();
        gpu.launch(&blocking, "store", 1, &[U64(data), U32(32), U64(2)]).unwrap();
        gpu.launch(&legacy, "step", 1, &[U64(data), U32(32), U64(0)]).unwrap();
        gpu.launch(&blocking, "step", 1, &[U64(data), U32(32), U64(1)]).unwrap();
        let mut polls = 0;
        // SAFETY: the call reads no memory of the host.
        while let Err(code) = check(unsafe { cuStreamQuery(legacy.0) }) {
            assert_eq!(code, NOT_READY);
            polls += 1;
            assert!(polls < 10_000, "{schedule}");
        }
        assert_eq!(gpu.download(&legacy, data, 32), Ok(vec![19; 32]), "{schedule}");
        gpu.launch(&legacy, "step", 1, &[U64(data), U32(32), U64(0)]).unwrap();
        gpu.launch(&free, "step", 1, &[U64(data), U32(32), U64(0)]).ok();
        assert_eq!(gpu.sync_all(), Err(LAUNCH_FAILED), "{schedule}");
    }
}

#[test]
fn elapsed_time_needs_two_complete_recordings_with_timing() {
    let gpu = Gpu::new(r#"{"schedule":"lazy"}"#);
    let (stream, data) = (gpu.stream(), gpu.alloc(1 << 12).unwrap());
    let timed = || {
        let mut event = std::ptr::null_mut();
        // SAFETY: the out pointer is to a local.
        assert_eq!(unsafe { cuEventCreate(&raw mut event, 0) }, 0);
        Event(event)
    };
    let elapsed = |start: &Event, end: &Event| {
        let mut milliseconds = 0.0f32;
        // SAFETY: the out pointer is to a local.
        check(unsafe { cuEventElapsedTime(&raw mut milliseconds, start.0, end.0) }).map(|()| milliseconds)
    };
    let (start, end) = (timed(), timed());
    assert_eq!(elapsed(&start, &end), Err(INVALID_HANDLE));
    gpu.record(&start, &stream).unwrap();
    gpu.zero(&stream, data, 1 << 12).unwrap();
    gpu.record(&end, &stream).unwrap();
    assert_eq!(elapsed(&start, &end), Err(NOT_READY));
    gpu.sync(&stream).unwrap();
    assert!(elapsed(&start, &end).unwrap() > 0.0);
    let untimed = gpu.event();
    gpu.record(&untimed, &stream).unwrap();
    gpu.sync(&stream).unwrap();
    assert_eq!(elapsed(&start, &untimed), Err(INVALID_HANDLE));
}
