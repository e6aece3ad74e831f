//! Runtime of programs for the machine: start, memory, input, output, panic.
//!
//! A program is `no_std` and `no_main`, and names its entry point:
//!
//! ```ignore
//! #![no_std]
//! #![no_main]
//! lambda_guest::entry!(main);
//!
//! fn main() {
//!     let input = lambda_guest::read_input();
//!     lambda_guest::commit(&input);
//! }
//! ```
//!
//! Returning from it exits with code 0, a panic logs its message and exits with [`PANIC_EXIT_CODE`]. What
//! was committed and the exit code are all that a proof states about a run.
//!
//! The system calls are those of Linux on RISC-V, so that the same ELF runs under `qemu-riscv64`. Memory is
//! laid out by `link.ld`.

#![no_std]

extern crate alloc;

mod calls;
mod copy;
mod heap;
mod input;
mod output;
mod panic;
mod start;

pub use calls::exit;
pub use input::read_input;
pub use output::{commit, log};
pub use panic::PANIC_EXIT_CODE;
