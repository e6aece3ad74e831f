//! Devices, buffers and streams on the stand-in driver: what goes wrong is said, what is planted is caught.

#[path = "../kernels/kit.rs"]
#[allow(dead_code, reason = "each test binary uses its own part")]
mod kit;

mod contract;
mod errors;
mod exhaustion;
mod order;
mod steps;
