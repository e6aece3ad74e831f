//! Is there a GPU that the kernels run on? Prints what it is, or why not; the status says which.

use std::process::ExitCode;

use lambda_math_cuda::{Device, DeviceError, DeviceOptions, Driver};

fn probe() -> Result<String, DeviceError> {
    let driver = Driver::system()?;
    let options = DeviceOptions { budget_bytes: Some(1 << 20), ..DeviceOptions::default() };
    let device = Device::open(&driver, 0, options)?;
    let info = device.info();
    let (major, minor) = info.capability;
    let version = driver.version();
    Ok(format!(
        "{}, compute capability {major}.{minor}, {} multiprocessors, driver for CUDA {}.{}",
        info.name,
        info.multiprocessors,
        version / 1000,
        version % 1000 / 10
    ))
}

fn main() -> ExitCode {
    match probe() {
        Ok(found) => {
            println!("{found}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}
