//! From what a device says to what the prover understands.

use lambda_math_cuda::DeviceError;
use lambda_prover::{Fault, Scope, Stage};

/// Why a stage did not end.
#[derive(Debug)]
pub enum Failure {
    /// The device failed.
    Device(DeviceError),
    /// The stage's values cannot be right.
    Fault(Fault),
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        Self::Device(error)
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Failure {
    /// The fault of a stage of `scope`.
    pub fn into_fault(self, stage: Stage, scope: Scope) -> Fault {
        match self {
            Self::Fault(fault) => fault,
            Self::Device(DeviceError::OutOfMemory { wanted, largest, .. }) => {
                Fault::OutOfMemory { stage, scope, wanted, free: largest }
            }
            // Nothing on the device can be trusted any more.
            Self::Device(
                error @ (DeviceError::Fault { .. }
                | DeviceError::DeviceLost { .. }
                | DeviceError::Poisoned { .. }),
            ) => Fault::DeviceLost { reason: error.to_string() },
            Self::Device(error) => Fault::Launch { stage, scope, reason: error.to_string() },
        }
    }
}
