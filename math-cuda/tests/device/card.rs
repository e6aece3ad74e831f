//! The same tests on a real device: one process has one of them, which its tests take in turn.

use std::sync::{Mutex, PoisonError};

use lambda_math_cuda::{Device, DeviceOptions, Driver, Stream};

use crate::kit;

static TURN: Mutex<()> = Mutex::new(());

/// [`kit::each_device`], one test at a time where they share a real device.
pub fn each_device(body: impl Fn(&Device, &Stream)) {
    let _turn = kit::is_real().then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner));
    kit::each_device(body);
}

/// Runs `body` on a device with `options`: the real one, or an emulated one with `description`.
pub fn on_device(description: serde_json::Value, options: DeviceOptions, body: impl FnOnce(&Device)) {
    if !kit::is_real() {
        return body(&kit::emulated(description, options));
    }
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let driver = Driver::system().expect("a CUDA driver");
    body(&Device::open(&driver, 0, options).expect("a CUDA device"));
}

/// Whether the test is to be skipped on a real device, because of `reason`, which is printed.
pub fn needs_emulator(reason: &str) -> bool {
    if kit::is_real() {
        println!("skipped on a real device: {reason}");
    }
    kit::is_real()
}
