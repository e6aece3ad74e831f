//! What a device did and what went wrong first, for the host's tests.

use serde::Serialize;

use super::Failure;

/// Counts of a device since it was made.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Counters {
    /// Kernels executed.
    pub launches: u64,
    /// PTX instructions executed, all threads together.
    pub instructions: u64,
    /// Launches that ran a bound reference instead of their PTX.
    pub references: u64,
    /// Copies from the host executed.
    pub uploads: u64,
    /// Their bytes.
    pub uploaded_bytes: u64,
    /// Copies to the host executed.
    pub downloads: u64,
    /// Their bytes.
    pub downloaded_bytes: u64,
    /// Copies inside the device executed.
    pub copies: u64,
    /// Memsets executed.
    pub fills: u64,
    /// Faults of the plan that happened.
    pub injected: u64,
    /// Faults that ended a context, planned ones included.
    pub faults: u64,
}

/// What a device holds at the moment.
#[derive(Clone, Debug, Serialize)]
pub struct Held {
    /// Bytes in blocks.
    pub device_bytes: u64,
    /// The most there ever was.
    pub peak_device_bytes: u64,
    /// Announced buffers that were not freed.
    pub buffers: usize,
    /// Bytes of page-locked host memory.
    pub pinned_bytes: u64,
    /// Streams.
    pub streams: usize,
    /// Events.
    pub events: usize,
    /// Modules.
    pub modules: usize,
    /// Operations that have not run yet.
    pub pending: usize,
}

/// A fault as the report shows it.
#[derive(Clone, Debug, Serialize)]
pub struct ReportedFault {
    /// `CUresult`.
    pub code: i32,
    /// NVIDIA's name of it.
    pub name: &'static str,
    /// What happened: kernel, block, thread, line, address and buffer, as far as they apply.
    pub text: String,
}

/// The whole report, written as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The device's ordinal.
    pub device: u32,
    /// What it did.
    pub counters: Counters,
    /// What it holds.
    pub held: Held,
    /// What went wrong first, contexts that are gone included.
    pub first_fault: Option<ReportedFault>,
}

impl From<&Failure> for ReportedFault {
    fn from(failure: &Failure) -> Self {
        let Failure { code, text } = failure;
        Self { code: code.0, name: code.name_text(), text: text.clone() }
    }
}
