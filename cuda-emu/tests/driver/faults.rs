//! The fault plan: each kind at its place, and what is left afterwards.

use std::ffi::CString;

use lambda_cuda_emu::driver::*;

use crate::kit::Arg::{U32, U64};
use crate::kit::*;

const DEVICE_UNAVAILABLE: Error = 46;
const NO_DEVICE: Error = 100;

/// A device with one fault planned, eager.
fn with_fault(fault: &str) -> Gpu {
    Gpu::with_kernels(&format!(r#"{{"schedule":"eager","faults":[{{{fault}}}]}}"#))
}

fn store(gpu: &Gpu, stream: &Stream, data: u64, value: u64) -> Result<(), Error> {
    gpu.launch(stream, "store", 1, &[U64(data), U32(8), U64(value)])
}

#[test]
fn the_nth_allocation_fails_and_the_next_works() {
    let gpu = with_fault(r#""at":"alloc","nth":2,"kind":"oom""#);
    gpu.alloc(8).unwrap();
    assert_eq!(gpu.alloc(8), Err(OUT_OF_MEMORY));
    gpu.alloc(8).unwrap();
    assert_eq!(gpu.counter("injected"), 1);
    assert!(gpu.report()["first_fault"].is_null());
}

#[test]
fn several_in_a_row_fail() {
    let gpu = with_fault(r#""at":"host_alloc","nth":2,"times":3,"kind":"oom""#);
    let outcomes = [(); 6].map(|()| gpu.pinned(1).is_ok());
    assert_eq!(outcomes, [true, false, false, false, true, true]);
}

#[test]
fn a_refused_launch_or_copy_does_nothing() {
    for (fault, code) in [
        (r#""at":"launch","kind":"oom""#, OUT_OF_MEMORY),
        (r#""at":"launch","kind":"out_of_resources""#, 701),
        (r#""at":"copy","nth":2,"kind":"oom""#, OUT_OF_MEMORY),
    ] {
        let gpu = with_fault(fault);
        let (stream, data) = (gpu.stream(), gpu.alloc(8).unwrap());
        gpu.upload(&stream, data, &[1; 8]).unwrap();
        let refused = if code == 701 || fault.contains("launch") {
            store(&gpu, &stream, data, 2)
        } else {
            gpu.zero(&stream, data, 8)
        };
        assert_eq!(refused, Err(code));
        assert_eq!(gpu.download(&stream, data, 8), Ok(vec![1; 8]), "{fault}");
    }
}

#[test]
fn a_failing_launch_shows_later_and_for_good() {
    for (kind, code) in [
        ("launch_failed", LAUNCH_FAILED),
        ("illegal_address", ILLEGAL_ADDRESS),
        ("misaligned", MISALIGNED),
        ("device_lost", DEVICE_UNAVAILABLE),
    ] {
        let gpu = with_fault(&format!(r#""at":"launch","nth":2,"kind":"{kind}""#));
        let (stream, data) = (gpu.stream(), gpu.alloc(8).unwrap());
        store(&gpu, &stream, data, 1).unwrap();
        store(&gpu, &stream, data, 2).unwrap();
        assert_eq!(gpu.sync(&stream), Err(code));
        assert_eq!(gpu.alloc(8), Err(code));
        assert_eq!(gpu.free(data), Err(code));
        assert_eq!(gpu.sync_all(), Err(code));
        let fault = gpu.fault();
        assert!(fault.contains("planned fault") && fault.contains("kernel `store`"), "{fault}");
    }
}

#[test]
fn a_reset_ends_a_fault_but_brings_no_lost_device_back() {
    for (kind, lost) in [("launch_failed", false), ("device_lost", true)] {
        let gpu = with_fault(&format!(r#""at":"copy","kind":"{kind}""#));
        let (stream, data) = (gpu.stream(), gpu.alloc(8).unwrap());
        gpu.zero(&stream, data, 8).unwrap();
        assert!(gpu.sync(&stream).is_err());
        let mut context = std::ptr::null_mut();
        // SAFETY: the out pointer is to a local.
        let retained = unsafe {
            assert_eq!(cuDevicePrimaryCtxReset_v2(gpu.ordinal), 0);
            cuDevicePrimaryCtxRetain(&raw mut context, gpu.ordinal)
        };
        assert_eq!(retained, if lost { DEVICE_UNAVAILABLE } else { 0 });
        if !lost {
            assert_eq!(gpu.sync_all(), Err(709), "the old context is gone");
            // SAFETY: the call reads no memory of the host.
            assert_eq!(unsafe { cuCtxSetCurrent(context) }, 0);
            assert_eq!(gpu.memory_info().0, 1 << 30);
            assert_eq!(gpu.sync(&stream), Err(INVALID_HANDLE), "so are its streams");
            let (stream, data) = (gpu.stream(), gpu.alloc(8).unwrap());
            gpu.upload(&stream, data, &[1; 8]).unwrap();
            assert_eq!(gpu.download(&stream, data, 8), Ok(vec![1; 8]));
        }
        assert!(gpu.fault().contains("planned fault"), "the first fault is kept");
    }
}

#[test]
fn only_launches_of_the_named_entry_count() {
    for (entry, hit) in [("step", true), ("st*", true), ("store", false), ("x*", false)] {
        let fault = format!(r#""at":"launch","entry":"{entry}","kind":"launch_failed","nth":2"#);
        let gpu = with_fault(&fault);
        let (stream, data) = (gpu.stream(), gpu.alloc(8).unwrap());
        store(&gpu, &stream, data, 1).unwrap();
        gpu.launch(&stream, "step", 1, &[U64(data), U32(8), U64(0)]).unwrap();
        gpu.launch(&stream, "step", 1, &[U64(data), U32(8), U64(0)]).ok();
        assert_eq!(gpu.sync(&stream).is_err(), hit, "{entry}");
    }
}

#[test]
fn a_wrong_result_is_one_bit_of_what_the_launch_wrote_and_does_not_come_back() {
    for seed in 0..5 {
        let gpu = Gpu::with_kernels(&format!(
            r#"{{"seed":{seed},"faults":[{{"at":"launch","entry":"add","nth":2,"kind":"flip"}}]}}"#
        ));
        let (stream, data, out) = (gpu.stream(), gpu.alloc(8).unwrap(), gpu.alloc(8).unwrap());
        gpu.upload(&stream, data, &[1; 8]).unwrap();
        let mut flipped = vec![];
        for _ in 0..3 {
            gpu.launch(&stream, "add", 1, &[U64(out), U64(data), U64(data), U32(8)]).unwrap();
            let words = gpu.download(&stream, out, 8).unwrap();
            flipped.push(words.iter().map(|word| (word ^ 2).count_ones()).sum::<u32>());
        }
        assert_eq!(flipped, [0, 1, 0], "seed {seed}");
        assert_eq!(gpu.download(&stream, data, 8), Ok(vec![1; 8]), "the inputs are whole");
        assert_eq!(gpu.counter("injected"), 1);
    }
}

#[test]
fn a_flip_hits_the_named_buffer_word_and_bit() {
    let gpu = with_fault(r#""at":"launch","nth":1,"kind":"flip","label":"twiddles","word":3,"bit":5"#);
    let (stream, arena) = (gpu.stream(), gpu.alloc(64).unwrap());
    note_alloc(arena, 8, "trace");
    note_alloc(arena + 64, 8, "twiddles");
    gpu.zero(&stream, arena + 64, 8).unwrap();
    store(&gpu, &stream, arena, 1).unwrap();
    assert_eq!(gpu.download(&stream, arena, 8), Ok(vec![1; 8]));
    assert_eq!(gpu.download(&stream, arena + 64, 8), Ok(vec![0, 0, 0, 32, 0, 0, 0, 0]));
}

#[test]
fn a_module_is_refused_as_planned() {
    for (kind, code) in [("bad_ptx", 218), ("unsupported_ptx", 222), ("no_image", 209), ("oom", 2)] {
        let gpu = Gpu::new(&format!(r#"{{"faults":[{{"at":"module","kind":"{kind}"}}]}}"#));
        assert_eq!(gpu.load(KERNELS).err(), Some(code));
        assert!(gpu.load(KERNELS).is_ok());
    }
}

#[test]
fn a_machine_without_a_device_says_so() {
    let json = CString::new(r#"{"faults":[{"at":"init","kind":"no_device"}]}"#).unwrap();
    // SAFETY: the text ends in a zero byte; the out pointer is to a local.
    unsafe {
        assert!(lambda_emu_device_new(json.as_ptr()) > 0);
        assert_eq!(cuInit(0), NO_DEVICE);
    }
}

#[test]
fn the_driver_version_is_the_configured_one() {
    let _gpu = Gpu::new(r#"{"driver_version":12040}"#);
    let mut version = 0;
    // SAFETY: the out pointer is to a local.
    assert_eq!(unsafe { cuDriverGetVersion(&raw mut version) }, 0);
    assert_eq!(version, 12_040);
}

#[test]
fn initialisation_fails_as_often_as_planned() {
    let json = CString::new(r#"{"faults":[{"at":"init","nth":1,"times":2,"kind":"oom"}]}"#).unwrap();
    // SAFETY: the text ends in a zero byte.
    unsafe {
        assert!(lambda_emu_device_new(json.as_ptr()) > 0);
        assert_eq!([cuInit(0), cuInit(0), cuInit(0)], [OUT_OF_MEMORY, OUT_OF_MEMORY, 0]);
    }
}

#[test]
fn a_configuration_with_an_unknown_word_is_refused_in_words() {
    let json = CString::new(r#"{"memory_byte":5}"#).unwrap();
    // SAFETY: the text ends in a zero byte.
    assert_eq!(unsafe { lambda_emu_device_new(json.as_ptr()) }, -1);
    assert!(report(-1)["error"].as_str().unwrap().contains("memory_byte"));
}

#[test]
fn a_plan_that_means_nothing_is_refused() {
    for fault in [
        r#"{"at":"alloc","kind":"flip"}"#,
        r#"{"at":"copy","kind":"oom","entry":"store"}"#,
        r#"{"at":"launch","kind":"oom","nth":0}"#,
        r#"{"at":"launch"}"#,
    ] {
        let json = CString::new(format!(r#"{{"faults":[{fault}]}}"#)).unwrap();
        // SAFETY: the text ends in a zero byte.
        assert_eq!(unsafe { lambda_emu_device_new(json.as_ptr()) }, -1, "{fault}");
    }
}

#[test]
fn an_upload_arrives_with_a_flipped_bit() {
    let gpu = with_fault(r#""at":"copy","kind":"flip","word":2,"bit":63"#);
    let (stream, data) = (gpu.stream(), gpu.alloc(4).unwrap());
    gpu.upload(&stream, data, &[0; 4]).unwrap();
    assert_eq!(gpu.download(&stream, data, 4), Ok(vec![0, 0, 1 << 63, 0]));
}
