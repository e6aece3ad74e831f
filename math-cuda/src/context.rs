//! A device's context: where every call of the driver goes, and the memory of what broke it.

use std::ffi::c_char;
use std::sync::{Arc, OnceLock};

use crate::driver::{
    ATTRIBUTE_CAPABILITY_MAJOR, ATTRIBUTE_CAPABILITY_MINOR, ATTRIBUTE_MULTIPROCESSORS, Driver, EntryPoints,
    Handle,
};
use crate::error::DeviceError;

/// Lowest compute capability that the committed PTX is for.
const REQUIRED_CAPABILITY: (i32, i32) = (8, 0);

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its number among the driver's devices.
    pub ordinal: u32,
    /// Its name.
    pub name: String,
    /// Compute capability, major and minor.
    pub capability: (i32, i32),
    /// Number of multiprocessors.
    pub multiprocessors: u32,
}

/// The primary context of a device. It is released with the last owner.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) driver: Driver,
    pub(crate) info: DeviceInfo,
    device: i32,
    handle: Handle,
    lost: OnceLock<DeviceError>,
}

impl Context {
    /// The context of the device `ordinal`.
    pub(crate) fn new(driver: &Driver, ordinal: u32) -> Result<Arc<Self>, DeviceError> {
        let count = driver.device_count()?;
        if ordinal >= count {
            return Err(DeviceError::NoDevice { ordinal, count });
        }
        let calls = driver.entry_points();
        let mut device = 0;
        // SAFETY: the pointer is a number of ours.
        let code = unsafe { (calls.device_get)(&raw mut device, ordinal as i32) };
        driver.check("cuDeviceGet", code)?;
        let info = info(driver, ordinal, device)?;
        if info.capability < REQUIRED_CAPABILITY {
            return Err(DeviceError::WrongArchitecture { device: info.name, has: info.capability });
        }
        let mut handle = Handle::NULL;
        // SAFETY: the handle is ours to write.
        let code = unsafe { (calls.context_retain)(&raw mut handle, device) };
        driver.check("cuDevicePrimaryCtxRetain", code)?;
        Ok(Arc::new(Self { driver: driver.clone(), info, device, handle, lost: OnceLock::new() }))
    }

    /// Makes this the calling thread's context and returns the driver's calls.
    ///
    /// # Errors
    /// What broke the device, if something did.
    pub(crate) fn enter(&self) -> Result<&EntryPoints, DeviceError> {
        if let Some(error) = self.lost.get() {
            return Err(error.clone());
        }
        self.bind()
    }

    /// Like [`enter`](Self::enter), also on a broken device: to give things back.
    pub(crate) fn bind(&self) -> Result<&EntryPoints, DeviceError> {
        let calls = self.driver.entry_points();
        // SAFETY: the context lives as long as this value.
        let code = unsafe { (calls.context_set)(self.handle) };
        self.driver.check("cuCtxSetCurrent", code)?;
        Ok(calls)
    }

    /// Turns a result code into an error, and remembers one that breaks the device.
    pub(crate) fn check(&self, call: &'static str, code: i32) -> Result<(), DeviceError> {
        self.note(self.driver.check(call, code))
    }

    /// Remembers an error that breaks the device. The first one is what later calls return.
    pub(crate) fn note<T>(&self, result: Result<T, DeviceError>) -> Result<T, DeviceError> {
        result.map_err(
            |error| {
                if error.is_sticky() { self.lost.get_or_init(|| error).clone() } else { error }
            },
        )
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context was retained once by this value.
        unsafe { (self.driver.entry_points().context_release)(self.device) };
    }
}

fn info(driver: &Driver, ordinal: u32, device: i32) -> Result<DeviceInfo, DeviceError> {
    let calls = driver.entry_points();
    let mut name = [0u8; 256];
    // SAFETY: the buffer has the length that is named.
    let code = unsafe { (calls.device_name)(name.as_mut_ptr().cast::<c_char>(), name.len() as i32, device) };
    driver.check("cuDeviceGetName", code)?;
    let attribute = |attribute: i32| {
        let mut value = 0;
        // SAFETY: the pointer is a number of ours.
        let code = unsafe { (calls.device_attribute)(&raw mut value, attribute, device) };
        driver.check("cuDeviceGetAttribute", code).map(|()| value)
    };
    let length = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    Ok(DeviceInfo {
        ordinal,
        name: String::from_utf8_lossy(&name[..length]).into_owned(),
        capability: (attribute(ATTRIBUTE_CAPABILITY_MAJOR)?, attribute(ATTRIBUTE_CAPABILITY_MINOR)?),
        multiprocessors: u32::try_from(attribute(ATTRIBUTE_MULTIPROCESSORS)?).unwrap_or(1),
    })
}
