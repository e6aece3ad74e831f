//! The arena's contract, without a device.

mod contract;
mod model;
mod threads;
