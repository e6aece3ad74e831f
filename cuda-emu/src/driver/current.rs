//! All devices of the process, and which of them a thread's calls mean.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, RwLock};

use super::handle::{Handle, Kind};
use super::{Code, Config, Engine};

/// Holds the configuration of device 0 as JSON.
const CONFIG_VARIABLE: &str = "LAMBDA_EMU_CONFIG";

type Devices = RwLock<Vec<Arc<Mutex<Engine>>>>;

static DEVICES: LazyLock<Devices> = LazyLock::new(|| {
    #[expect(
        clippy::disallowed_methods,
        reason = "a driver that a host only loads has no other configuration"
    )]
    let json = std::env::var(CONFIG_VARIABLE).unwrap_or_default();
    let config = Config::parse(&json).unwrap_or_else(|error| panic!("{CONFIG_VARIABLE}: {error}"));
    RwLock::new(vec![Arc::new(Mutex::new(Engine::new(0, config)))])
});

thread_local! {
    /// The thread's current context.
    static CONTEXT: Cell<Option<Handle>> = const { Cell::new(None) };
    /// The device that calls about the whole machine are answered for.
    static MACHINE: Cell<u32> = const { Cell::new(0) };
    /// Why the thread's last device could not be made.
    static CONFIG_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A device of its own; its ordinal. Calls of this thread about the whole machine (`cuInit`,
/// `cuDriverGetVersion`, `cuDeviceGetCount`) are answered by its configuration from now on.
pub fn new_device(json: &str) -> Option<u32> {
    let config = match Config::parse(json) {
        Ok(config) => config,
        Err(error) => {
            CONFIG_ERROR.set(error);
            return None;
        }
    };
    let mut devices = DEVICES.write().unwrap_or_else(PoisonError::into_inner);
    let ordinal = devices.len() as u32;
    devices.push(Arc::new(Mutex::new(Engine::new(ordinal, config))));
    MACHINE.set(ordinal);
    Some(ordinal)
}

/// Why [`new_device`] last returned none on this thread.
pub fn config_error() -> String {
    CONFIG_ERROR.with_borrow(String::clone)
}

/// How many devices there are.
pub fn device_count() -> usize {
    DEVICES.read().unwrap_or_else(PoisonError::into_inner).len()
}

/// Calls a function with a device.
pub fn with_device<T>(ordinal: u32, call: impl FnOnce(&mut Engine) -> T) -> Result<T, Code> {
    let devices = DEVICES.read().unwrap_or_else(PoisonError::into_inner);
    let device = devices.get(ordinal as usize).ok_or(Code::INVALID_DEVICE)?.clone();
    drop(devices);
    let mut engine: MutexGuard<'_, Engine> = device.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(call(&mut engine))
}

/// Calls a function with the device that calls of this thread about the whole machine are answered for.
pub fn with_machine<T>(call: impl FnOnce(&mut Engine) -> T) -> T {
    with_device(MACHINE.get(), call).unwrap_or_else(|_| panic!("devices are never removed"))
}

/// Calls a function with the device of the thread's current context, which has no sticky fault.
pub fn with_current<T>(call: impl FnOnce(&mut Engine) -> Result<T, Code>) -> Result<T, Code> {
    let context = context().ok_or(Code::INVALID_CONTEXT)?;
    with_device(context.device, |engine| {
        engine.usable(context.generation)?;
        call(engine)
    })?
}

/// Calls a function with the device that holds `address`; none if no device does.
pub fn with_holder<T>(address: u64, call: impl FnOnce(&mut Engine) -> T) -> Option<T> {
    let holds = |&ordinal: &u32| with_device(ordinal, |engine| engine.holds(address)).unwrap_or(false);
    let current = context().map(|context| context.device);
    let holder = current.into_iter().chain(0..device_count() as u32).find(holds)?;
    with_device(holder, call).ok()
}

/// The thread's current context.
pub fn context() -> Option<Handle> {
    CONTEXT.get()
}

/// Makes a context current on this thread.
pub fn set_context(context: Option<Handle>) {
    CONTEXT.set(context.filter(|handle| handle.kind == Kind::Context));
}
