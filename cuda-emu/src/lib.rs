//! A stand-in CUDA driver: the driver API's entry points over a PTX interpreter, for machines without a GPU.
//!
//! A host program that loads `liblambda_cuda_emu.so` where it would load `libcuda.so` runs its committed PTX
//! on the CPU. Work is queued per stream and executed in an order drawn from a seed among the legal ones, and
//! what a GPU lets pass in silence is an error here: accesses out of bounds, of freed or never written
//! memory, unordered conflicting accesses of two streams or two blocks, divergent barriers.
//!
//! | module | what it is |
//! |---|---|
//! | [`driver`] | devices and the exported functions; the configuration and the report |
//! | [`schedule`] | streams, events, the order of execution and what is ordered |
//! | [`memory`] | device memory, its shadow state, the checks of an access; page-locked host memory |
//! | [`exec`] | executes the blocks of one launch |
//! | [`ptx`] | text to decoded module |
//! | [`faults`] | what the configuration wants to go wrong |
//! | [`record`] | launches written to files |
//!
//! # Beside the driver API
//! `lambda_emu_device_new` makes a device from JSON (see [`driver::Config`]), `lambda_emu_note_alloc` and
//! `lambda_emu_note_free` announce the buffers of a block that the host divides itself, `lambda_emu_report`
//! tells what went wrong in words, `lambda_emu_bind` runs a host function instead of a kernel. Device 0 is
//! configured by the variable `LAMBDA_EMU_CONFIG`.
//!
//! # Limits
//! No timing, no weak memory inside a launch, no texture or tensor units. One process, no peer access.

pub mod driver;
pub mod exec;
pub mod faults;
pub mod memory;
pub mod ptx;
pub mod record;
pub mod schedule;
