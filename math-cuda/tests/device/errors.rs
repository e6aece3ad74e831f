//! Everything that can be missing or wrong before a kernel runs has an error of its own, and no panic.

use std::path::Path;
use std::process::Command;

use lambda_math::Goldilocks;
use lambda_math_cuda::{Device, DeviceError, DeviceOptions, Driver, Grid, Kernel, PtxModule};
use serde_json::json;

use crate::card::{needs_emulator, on_device};
use crate::kit::{emulated, emulator, is_real, options};

static EMPTY: PtxModule = PtxModule::new("empty", ".version 8.0\n.target sm_80\n.address_size 64\n");
static NO_TEXT: PtxModule = PtxModule::new("no_text", "this is not PTX");
static FUTURE: PtxModule = PtxModule::new("future", ".version 99.0\n.target sm_80\n.address_size 64\n");
static STORES: PtxModule = PtxModule::new(
    "stores",
    ".version 8.0\n.target sm_80\n.address_size 64\n\
     .visible .entry store_u32(.param .u64 p, .param .u32 v)\n{\n\
     .reg .b64 %rd<3>;\n.reg .b32 %r<2>;\n\
     ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [v];\n\
     cvta.to.global.u64 %rd2, %rd1;\nst.global.u32 [%rd2], %r1;\nret;\n}\n",
);
static MISSING: Kernel = Kernel::new(&EMPTY, "missing");
static REFUSED: Kernel = Kernel::new(&NO_TEXT, "refused");
static TOO_NEW: Kernel = Kernel::new(&FUTURE, "too_new");
static STORE: Kernel = Kernel::new(&STORES, "store_u32");

#[test]
fn no_driver() {
    let error = Driver::open(Path::new("/nonexistent/libcuda.so")).expect_err("there is none");
    assert!(matches!(error, DeviceError::NoDriver { .. }), "{error}");
    assert!(error.to_string().contains("/nonexistent/libcuda.so"), "{error}");
}

#[test]
fn a_library_that_is_no_driver() {
    let library =
        ["libc.so.6", "libSystem.dylib"].into_iter().find_map(|name| Driver::open(Path::new(name)).err());
    let error = library.expect("the C library is no driver");
    assert!(error.to_string().contains("has no function `cuInit`"), "{error}");
}

/// The version belongs to the whole driver, so it is looked at in a process of its own.
#[test]
fn a_driver_that_is_too_old_and_one_without_devices() {
    if needs_emulator("its driver is neither") {
        return;
    }
    for (config, words) in [
        (json!({"driver_version": 12_040}), "supports CUDA 12.4, and the kernels need 13.0"),
        (json!({"faults": [{"at": "init", "kind": "no_device"}]}), "the driver sees 0"),
    ] {
        let child = Command::new(std::env::current_exe().expect("a test has a path"))
            .args(["--exact", "errors::probe", "--nocapture"])
            .env("LAMBDA_EMU_CONFIG", config.to_string())
            .env("LAMBDA_TEST_PROBE", "1")
            .output()
            .expect("the test runs itself");
        let printed = String::from_utf8_lossy(&child.stdout).into_owned();
        assert!(child.status.success() && printed.contains(words), "{config}: {printed}");
    }
}

/// Prints the error of opening the driver, for the test above; on its own, opens it.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test has no other way to know who runs it")]
fn probe() {
    if std::env::var_os("LAMBDA_TEST_PROBE").is_none() {
        assert!(is_real() || emulator().version() >= 13_000);
        return;
    }
    let folder = std::env::current_exe().expect("a test has a path").with_file_name("liblambda_cuda_emu.so");
    println!("{}", Driver::open(&folder).expect_err("it is configured not to work"));
}

#[test]
fn no_such_device() {
    on_device(json!({}), options(), |device| {
        let error = Device::open(device.driver(), 1 << 20, options()).expect_err("there are fewer");
        assert!(matches!(error, DeviceError::NoDevice { ordinal: 0x10_0000, .. }), "{error}");
    });
}

#[test]
fn a_device_that_is_too_old() {
    if needs_emulator("it is new enough") {
        return;
    }
    let own = emulator().emulator().expect("it is the stand-in driver");
    let ordinal = own.new_device(r#"{"compute_capability": [7, 5]}"#).expect("understood");
    let error = Device::open(emulator(), ordinal, options()).expect_err("PTX is for 8.0");
    assert!(matches!(error, DeviceError::WrongArchitecture { has: (7, 5), .. }), "{error}");
}

#[test]
fn a_budget_that_is_not_free() {
    if needs_emulator("its memory has another size") {
        return;
    }
    let own = emulator().emulator().expect("it is the stand-in driver");
    let ordinal = own.new_device(r#"{"memory_bytes": 1048576}"#).expect("understood");
    let wanted =
        DeviceOptions { budget_bytes: Some(2 << 20), staging_bytes: 4096, ..DeviceOptions::default() };
    let error = Device::open(emulator(), ordinal, wanted).expect_err("it is twice the memory");
    let is_typed =
        matches!(error, DeviceError::OutOfMemory { label: "arena", wanted: 0x20_0000, free: 0x10_0000, .. });
    assert!(is_typed, "{error}");
}

#[test]
fn one_device_has_one_budget() {
    on_device(json!({}), options(), |device| {
        let open = |options| Device::open(device.driver(), device.info().ordinal, options);
        let again = open(options()).expect("the same options");
        assert_eq!(again.stats(), device.stats());
        let other = DeviceOptions { budget_bytes: Some(1 << 20), ..options() };
        let error = open(other).expect_err("other options");
        assert!(matches!(error, DeviceError::AlreadyOpen { .. }), "{error}");
    });
}

#[test]
fn refused_kernels_say_why_and_harm_nothing() {
    on_device(json!({}), options(), refuses_kernels);
}

fn refuses_kernels(device: &Device) {
    let stream = device.stream().expect("a stream");
    let mut buffer = stream.alloc::<u32>(4, "target").expect("there is room");
    let grid = Grid::linear(1, 1);
    let launch =
        |kernel: &'static Kernel| stream.launch(kernel, grid).run().expect_err("it is refused").to_string();
    assert!(launch(&REFUSED).contains("the driver refused the kernels of `no_text`"), "{}", launch(&REFUSED));
    assert!(launch(&TOO_NEW).contains("the driver refused the kernels of `future`"), "{}", launch(&TOO_NEW));
    assert!(
        launch(&MISSING).contains("`missing` cannot be launched: its module has none"),
        "{}",
        launch(&MISSING)
    );

    let error = stream.launch(&STORE, grid).write(&mut buffer).run().expect_err("one argument of two");
    assert!(error.to_string().contains("it takes 2 arguments and is given 1"), "{error}");
    let error = stream.launch(&STORE, grid).write(&mut buffer).u64(1).run().expect_err("a long word");
    assert!(error.to_string().contains("argument 1 has 4 bytes and is given 8"), "{error}");
    let wide = Grid { threads: [2048, 1, 1], ..grid };
    let error = stream.launch(&STORE, wide).write(&mut buffer).u32(1).run().expect_err("too many threads");
    assert!(matches!(error, DeviceError::Launch { kernel: "store_u32", .. }), "{error}");
    let error = stream.launch(&STORE, grid.shared(1 << 20)).write(&mut buffer).u32(1).run();
    assert!(error.is_err(), "a megabyte of shared memory");

    stream.launch(&STORE, grid).write(&mut buffer).u32(7).run().expect("this one fits");
    assert_eq!(stream.download(buffer.slice(..1)).expect("it ran"), [7]);
}

/// After a fault every call returns it, and everything can still be dropped.
#[test]
fn a_kernels_fault_closes_the_device() {
    if needs_emulator("no other test could use it afterwards") {
        return;
    }
    let device = emulated(json!({}), options());
    let stream = device.stream().expect("a stream");
    let mut buffer = stream.upload(&[0u32; 4], "target").expect("there is room");
    // Past the end of a buffer of four words.
    let beyond = stream.alloc::<u32>(1, "other").expect("there is room");
    drop(beyond);
    static PAST: PtxModule = PtxModule::new(
        "past",
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry store_past(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<2>;\n\
         ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, 1;\n\
         st.global.u32 [%rd2+16], %r1;\nret;\n}\n",
    );
    static STORE_PAST: Kernel = Kernel::new(&PAST, "store_past");
    let ran = stream.launch(&STORE_PAST, Grid::linear(1, 1)).write(&mut buffer).run();
    let error = ran.and_then(|()| stream.synchronize()).expect_err("out of bounds by one");
    assert!(error.is_sticky(), "{error}");
    let report = crate::kit::report(&device);
    for word in ["store_past", "target"] {
        assert!(report.contains(word), "{word} is not in {report}");
    }
    assert_eq!(stream.download(&buffer).expect_err("closed"), error);
    assert_eq!(stream.alloc::<Goldilocks>(1, "more").expect_err("closed"), error);
    assert_eq!(device.stream().expect_err("closed"), error);
}
