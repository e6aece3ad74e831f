//! A kernel at work, and how it is measured.

use std::error::Error;

use lambda_math_cuda::{DeviceError, Stream};

/// Runs that count; their median is taken.
const RUNS: usize = 5;

/// Size of the tables.
#[derive(Clone, Copy)]
pub struct Scale {
    pub height_log2: u32,
    pub width: usize,
    /// Bits of the proof of work.
    pub grinding_bits: u32,
}

impl Scale {
    /// Tables as an epoch has them.
    pub const REALISTIC: Self = Self { height_log2: 20, width: 100, grinding_bits: 24 };
    /// Tables that are quick to emulate, and taller than a tile of a transform.
    pub const SMALL: Self = Self { height_log2: 14, width: 32, grinding_bits: 12 };

    /// Rows.
    pub fn height(self) -> usize {
        1 << self.height_log2
    }
}

/// Some work of one kernel, or of the kernels that one launcher launches.
pub struct Case {
    /// Blocks and threads, in words.
    pub grid: &'static str,
    /// What an element is.
    pub element: &'static str,
    pub elements: u64,
    /// Bytes of device memory that an element reads and writes.
    pub bytes: f64,
    /// 32-bit integer operations of an element.
    pub operations: f64,
    pub work: Work,
}

/// Issues the work once.
pub type Work = Box<dyn FnMut(&Stream) -> Result<(), DeviceError>>;

/// Prepares a case.
pub type Build = fn(&Stream, Scale) -> Result<Case, DeviceError>;

/// What was measured of a case.
#[derive(Clone, Copy)]
pub enum Measured {
    /// Median time on the device, milliseconds.
    Time(f64),
    /// PTX instructions executed by the stand-in driver.
    Instructions(u64),
}

/// Runs a case: several times on a real device, once on an emulated one.
pub fn measure(stream: &Stream, case: &mut Case) -> Result<Measured, Box<dyn Error>> {
    let device = stream.device();
    let Some(emulator) = device.driver().emulator() else {
        return time(stream, case).map(Measured::Time).map_err(Into::into);
    };
    let instructions = || -> Result<u64, Box<dyn Error>> {
        device.synchronize()?;
        let report: serde_json::Value = serde_json::from_str(&emulator.report(device.info().ordinal))?;
        Ok(report["counters"]["instructions"].as_u64().ok_or("the report counts instructions")?)
    };
    let before = instructions()?;
    (case.work)(stream)?;
    Ok(Measured::Instructions(instructions()? - before))
}

fn time(stream: &Stream, case: &mut Case) -> Result<f64, DeviceError> {
    // The driver compiles the kernel when it is first used.
    (case.work)(stream)?;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        stream.synchronize()?;
        let start = stream.record()?;
        (case.work)(stream)?;
        let end = stream.record()?;
        end.synchronize()?;
        times.push(end.milliseconds_since(&start)?);
    }
    times.sort_unstable_by(f32::total_cmp);
    Ok(times[RUNS / 2].into())
}
