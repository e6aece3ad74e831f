//! The arena's contract, with buffers.

use lambda_math_cuda::arena::Epoch;
use lambda_math_cuda::{DeviceError, DeviceOptions, PinnedBuffer, kernels};
use serde_json::json;

use crate::card::{each_device, needs_emulator, on_device};
use crate::kit::{emulated, options, values};

#[test]
fn a_stale_buffer_is_an_error_to_use_and_harmless_to_drop() {
    each_device(|device, stream| {
        let mut old = stream.upload(&values(100, 1), "old").expect("there is room");
        device.reset().expect("the device works");
        let fresh = values(100, 2);
        let new = stream.upload(&fresh, "new").expect("there is room");
        assert_eq!(new.offset(), old.offset(), "the same bytes");
        let stale = |error: DeviceError| {
            assert!(matches!(error, DeviceError::Stale { label: "old", .. }), "{error}");
        };
        stale(stream.download(&old).expect_err("stale"));
        stale(stream.download(old.slice(3..5)).expect_err("a view is as stale as its buffer"));
        stale(stream.write(&mut old, &fresh).expect_err("stale"));
        stale(stream.fill_zero(&mut old).expect_err("stale"));
        stale(kernels::fill::fill(stream, old.as_slice_mut(), 5).expect_err("stale"));
        let stale_frees = device.stats().stale_frees;
        drop(old);
        assert_eq!(device.stats().stale_frees, stale_frees + 1);
        let other = stream.upload(&values(100, 3), "other").expect("there is room");
        assert_ne!(other.offset(), new.offset(), "the bytes are not issued twice");
        assert_eq!(stream.download(&new).expect("it is live"), fresh);
    });
}

#[test]
fn persistent_buffers_survive_where_they_are() {
    each_device(|device, stream| {
        let mut kept = stream.alloc_persistent(64, "kept").expect("there is room");
        let cells = values(64, 4);
        stream.write(&mut kept, &cells).expect("it is live");
        let offset = kept.offset();
        for seed in 0..5 {
            let transient = stream.upload(&values(1000, seed), "transient").expect("there is room");
            device.reset().expect("the device works");
            drop(transient);
        }
        assert_eq!(kept.offset(), offset);
        assert_eq!(stream.download(&kept).expect("it is live"), cells);
    });
}

#[test]
fn a_resized_buffer_has_a_new_block_in_the_present_epoch() {
    each_device(|device, stream| {
        let cells = values(100, 5);
        let mut buffer = stream.upload(&cells, "resized").expect("there is room");
        buffer.resize(stream, 300).expect("there is room");
        assert_eq!((buffer.len(), buffer.bytes()), (300, 2560), "the length that it has now is given back");
        assert_eq!(stream.download(buffer.slice(..100)).expect("it is live"), cells);
        device.reset().expect("the device works");
        let mut next = stream.upload(&cells, "next").expect("there is room");
        next.resize(stream, 10).expect("there is room");
        assert_eq!(next.epoch(), Epoch(device.stats().epoch.0));
        assert!(buffer.resize(stream, 5).is_err(), "a stale buffer cannot be resized");
        assert_eq!(stream.download(&next).expect("it is live"), cells[..10]);
    });
}

/// A buffer may be dropped on a thread that has never seen a device.
#[test]
fn buffers_are_dropped_anywhere() {
    each_device(|device, stream| {
        let used = device.stats().used_bytes;
        let buffer = stream.upload(&values(100, 6), "dropped elsewhere").expect("there is room");
        std::thread::spawn(move || drop(buffer)).join().expect("no panic");
        assert_eq!(device.stats().used_bytes, used);
        device.synchronize().expect("nothing went wrong");
    });
}

#[test]
fn copies_of_all_sizes_around_the_staging_pieces() {
    each_device(|_, stream| {
        let piece = options().staging_bytes / 8;
        for len in [0, 1, piece - 1, piece, piece + 1, 2 * piece, 5 * piece + 3] {
            let cells = values(len, len as u64);
            let buffer = stream.upload(&cells, "copied").expect("there is room");
            let mut twin = stream.alloc(len, "twin").expect("there is room");
            stream.copy(&mut twin, &buffer).expect("both live");
            assert!(stream.download(&twin).expect("it is live") == cells, "{len}");
        }
    });
}

/// A memset that the driver refuses: the block it was for is free again.
#[test]
fn a_refused_fill_leaves_nothing_behind() {
    if needs_emulator("no real driver refuses a memset when asked to") {
        return;
    }
    let faults = json!([{"at": "copy", "nth": 2, "kind": "out_of_resources"}]);
    on_device(json!({"faults": faults}), DeviceOptions { poison: true, ..options() }, |device| {
        let stream = device.stream().expect("a stream");
        stream.alloc::<u64>(10, "test").expect_err("the fill is refused");
        assert_eq!(device.stats().used_bytes, 0);
        stream.alloc::<u64>(10, "test").expect("the next one is not");
    });
}

#[test]
fn poison_is_found_where_nothing_was_written() {
    on_device(json!({}), DeviceOptions { poison: true, ..options() }, |device| {
        let stream = device.stream().expect("a stream");
        let buffer = stream.alloc::<lambda_math::Goldilocks>(100, "never written").expect("there is room");
        let error = stream.download(&buffer).expect_err("it holds poison");
        assert_eq!(error, DeviceError::Poisoned { label: "never written" });
        let error = kernels::scan::column_sums(&stream, &buffer, 10).expect_err("it holds poison");
        assert_eq!(error, DeviceError::Poisoned { label: "never written" });
        let written = stream.upload(&values(100, 7), "written").expect("there is room");
        kernels::scan::column_sums(&stream, &written, 10).expect("it does not");
    });
}

/// Bug: a fault is reported by a later call, although each launch was to be waited for.
#[test]
fn a_synchronous_device_reports_a_fault_where_it_happens() {
    if needs_emulator("no real driver breaks a launch when asked to") {
        return;
    }
    for synchronous in [true, false] {
        let faults = json!([{"at": "launch", "nth": 1, "kind": "illegal_address"}]);
        let device = emulated(
            json!({"schedule": "lazy", "faults": faults}),
            DeviceOptions { synchronous, ..options() },
        );
        let stream = device.stream().expect("a stream");
        let cells = stream.upload(&values(100, 7), "cells").expect("there is room");
        let launched = kernels::scan::column_sums(&stream, &cells, 10);
        assert_eq!(launched.is_err(), synchronous, "{launched:?}");
        stream.synchronize().expect_err("the launch is broken");
    }
}

#[test]
fn pinned_memory_is_zero_and_its_own() {
    each_device(|device, _| {
        let mut pinned = PinnedBuffer::new(device, 1000).expect("there is room");
        assert!(pinned.as_slice().iter().all(|&byte| byte == 0));
        pinned.as_mut_slice().fill(7);
        assert_eq!(pinned.as_slice(), [7; 1000]);
    });
}
