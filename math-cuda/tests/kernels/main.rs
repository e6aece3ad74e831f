//! Every kernel gives, bit for bit, what its definition in Rust gives: from the committed PTX, on emulated
//! devices with different schedules and contents of fresh memory. `LAMBDA_TEST_DRIVER=cuda` runs the same on
//! a real device.

mod batch_inverse;
mod deep;
mod domain;
mod extension;
mod fill;
mod fri;
mod gather;
mod grind;
mod kit;
mod lookup;
mod ntt;
mod ood;
mod program;
mod quotient;
mod rows;
mod scan;
mod tree;
mod widen;
