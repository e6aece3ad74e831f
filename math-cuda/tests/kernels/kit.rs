//! Devices to test on: emulated ones with different schedules and contents of fresh memory, or the real one.

use std::path::PathBuf;
use std::sync::OnceLock;

use lambda_math::Goldilocks;
use lambda_math_cuda::{Device, DeviceOptions, Driver, Stream};
use p3_field::PrimeField64;

/// Names the driver to test on: `emu`, the default, or `cuda`.
const DRIVER_VARIABLE: &str = "LAMBDA_TEST_DRIVER";
/// A folder into which emulated devices record their launches.
const RECORD_VARIABLE: &str = "LAMBDA_TEST_RECORD";

/// Device memory of a test.
pub const BUDGET_BYTES: u64 = 256 << 20;

/// Schedule, seed and contents of fresh memory of the emulated devices that a test runs on.
const EMULATED: [(&str, u64, u64); 3] =
    [("lazy", 1, 0), ("random", 2, u64::MAX), ("random", 3, 0x0123_4567_89ab_cdef)];

/// Whether tests run on a real device.
pub fn is_real() -> bool {
    variable(DRIVER_VARIABLE).is_some_and(|driver| driver == "cuda")
}

/// A variable that whoever runs the tests has set.
#[allow(clippy::disallowed_methods, reason = "there is no other way to tell a test something")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The stand-in driver, built with this test.
pub fn emulator() -> &'static Driver {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    DRIVER.get_or_init(|| {
        let test = std::env::current_exe().expect("a test has a path");
        let folder = test.parent().expect("a test lies in a folder");
        let names = ["liblambda_cuda_emu.so", "liblambda_cuda_emu.dylib"];
        let library: PathBuf = names
            .iter()
            .map(|name| folder.join(name))
            .find(|path| path.exists())
            .expect("cargo builds the stand-in driver beside the test");
        Driver::open(&library).expect("the stand-in driver starts")
    })
}

/// A new emulated device; `description` is the JSON of `lambda_emu_device_new`.
pub fn emulated(description: serde_json::Value, options: DeviceOptions) -> Device {
    let mut description = description;
    if let Some(folder) = variable(RECORD_VARIABLE) {
        description["record"] = folder.into();
    }
    let driver = emulator();
    let own = driver.emulator().expect("it is the stand-in driver");
    let ordinal = own.new_device(&description.to_string()).expect("the description is understood");
    Device::open(driver, ordinal, options).expect("an emulated device opens")
}

/// Options of test devices.
pub fn options() -> DeviceOptions {
    DeviceOptions { budget_bytes: Some(BUDGET_BYTES), staging_bytes: 1 << 16, ..DeviceOptions::default() }
}

/// Runs `body` on every kind of device, and looks whether it left something behind or broke a rule.
pub fn each_device(body: impl Fn(&Device, &Stream)) {
    if is_real() {
        let driver = Driver::system().expect("a CUDA driver");
        let device = Device::open(&driver, 0, options()).expect("a CUDA device");
        return run(&device, &body);
    }
    for (schedule, seed, junk) in EMULATED {
        let description = serde_json::json!({
            "memory_bytes": BUDGET_BYTES + (1 << 20), "schedule": schedule, "seed": seed, "junk": junk,
        });
        run(&emulated(description, options()), &body);
    }
}

fn run(device: &Device, body: &impl Fn(&Device, &Stream)) {
    let used = device.stats().used_bytes;
    let told = Told(device);
    body(device, &device.stream().expect("a stream"));
    std::mem::forget(told);
    device.synchronize().unwrap_or_else(|error| panic!("{error}: {}", report(device)));
    assert_eq!(device.stats().used_bytes, used, "the test gave back all that it allocated");
}

/// Prints what the emulator says about a device, if the test panics.
struct Told<'a>(&'a Device);

impl Drop for Told<'_> {
    fn drop(&mut self) {
        eprintln!("{}", report(self.0));
    }
}

/// What the emulator says about a device.
pub fn report(device: &Device) -> String {
    device.driver().emulator().map_or_else(String::new, |emulator| emulator.report(device.info().ordinal))
}

/// Values with many at the edges of the field, all of them canonical; the same for the same seed.
pub fn values(count: usize, seed: u64) -> Vec<Goldilocks> {
    const P: u64 = Goldilocks::ORDER_U64;
    const EDGES: [u64; 8] = [0, 1, 2, P - 1, P - 2, P - (1 << 32), (1 << 32) - 1, 1 << 32];
    let mut state = seed;
    (0..count)
        .map(|_| {
            let word = random(&mut state);
            let value = if word.is_multiple_of(4) {
                EDGES[(word >> 8) as usize % EDGES.len()]
            } else {
                random(&mut state) % P
            };
            Goldilocks::new(value)
        })
        .collect()
}

/// The next of a sequence of words (SplitMix64).
pub fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = *state;
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
