//! What an operation of a stream does.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use crate::exec::LaunchShape;
use crate::faults::Injected;
use crate::memory::{Footprint, HostRange};
use crate::ptx::Module;

/// An operation: what it does, what it may touch, and what the fault plan has for it.
pub struct Work {
    /// What it does.
    pub task: Task,
    /// Device memory that it may touch.
    pub footprint: Footprint,
    /// A fault of the plan.
    pub injected: Option<Injected>,
}

/// A range of device memory.
#[derive(Clone, Copy, Debug)]
pub struct DeviceRange {
    /// First address.
    pub address: u64,
    /// Length in bytes.
    pub bytes: u64,
}

/// What an operation does.
pub enum Task {
    /// Runs a kernel.
    Launch(Launch),
    /// Copies from the host: bytes taken when the copy was enqueued.
    UploadStaged {
        /// Where to.
        to: DeviceRange,
        /// The bytes.
        bytes: Box<[u8]>,
    },
    /// Copies from page-locked memory, which is read now.
    UploadPinned {
        /// Where to.
        to: DeviceRange,
        /// Where from.
        from: HostRange,
    },
    /// Copies to the host.
    Download {
        /// Where from.
        from: DeviceRange,
        /// Where to.
        to: HostRange,
    },
    /// Copies inside the device.
    Copy {
        /// Where to.
        to: DeviceRange,
        /// Where from.
        from: DeviceRange,
    },
    /// Repeats a pattern of one or four bytes.
    Fill {
        /// Where.
        to: DeviceRange,
        /// What.
        pattern: Box<[u8]>,
    },
    /// Completes one recording of an event.
    Record(Arc<OnceLock<Instant>>),
    /// Nothing: what it waits for is the scheduler's part.
    Wait,
}

/// A kernel with its arguments.
pub struct Launch {
    /// The kernel's module.
    pub module: Arc<Module>,
    /// The kernel's name.
    pub entry: Arc<str>,
    /// Grid, block, dynamic shared memory.
    pub shape: LaunchShape,
    /// The parameter buffer.
    pub params: Vec<u8>,
    /// Length in bytes and value of each argument.
    pub arguments: Vec<(u32, u64)>,
}

impl Task {
    /// The operation in words, without its coordinates.
    pub fn name(&self) -> String {
        match self {
            Self::Launch(launch) => format!("kernel `{}`", launch.entry),
            Self::UploadStaged { .. } | Self::UploadPinned { .. } => "upload".into(),
            Self::Download { .. } => "download".into(),
            Self::Copy { .. } => "copy".into(),
            Self::Fill { .. } => "memset".into(),
            Self::Record(_) => "event record".into(),
            Self::Wait => "event wait".into(),
        }
    }

    /// The ranges of device memory that are named outright.
    pub fn ranges(&self) -> impl Iterator<Item = DeviceRange> {
        let (first, second) = match self {
            Self::UploadStaged { to, .. } | Self::UploadPinned { to, .. } | Self::Fill { to, .. } => {
                (Some(*to), None)
            }
            Self::Download { from, .. } => (Some(*from), None),
            Self::Copy { to, from } => (Some(*to), Some(*from)),
            Self::Launch(_) | Self::Record(_) | Self::Wait => (None, None),
        };
        first.into_iter().chain(second)
    }
}
