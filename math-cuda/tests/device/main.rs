//! Devices, buffers and streams: what goes wrong is said, what is planted is caught. On the stand-in driver,
//! or with `LAMBDA_TEST_DRIVER=cuda` on a real device, without the tests that need something planted.

#[path = "../kernels/kit.rs"]
#[allow(dead_code, reason = "each test binary uses its own part")]
mod kit;

mod card;
mod contract;
mod errors;
mod exhaustion;
mod host_arena;
mod network;
mod order;
mod steps;
