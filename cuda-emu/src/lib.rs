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
//! - `lambda_emu_device_new` makes a device from JSON, so that tests share neither faults nor schedule;
//! - `lambda_emu_note_alloc` and `lambda_emu_note_free` announce the buffers of a block that the host divides
//!   itself;
//! - `lambda_emu_report` tells as JSON what a device did, what it holds and what went wrong first;
//! - `lambda_emu_bind` runs a host function in place of a kernel.
//!
//! Device 0 exists without a call; the variable `LAMBDA_EMU_CONFIG` holds its JSON. Every field is optional
//! ([`driver::Config`], [`faults::Planned`]):
//!
//! ```json
//! { "memory_bytes": 67108864, "seed": 7, "schedule": "lazy", "junk": 18446744069414584322,
//!   "driver_version": 13000, "compute_capability": [9, 0], "multiprocessors": 132, "launch_threads": 2,
//!   "record": "target/launches",
//!   "faults": [ { "at": "alloc", "nth": 3, "kind": "oom" },
//!               { "at": "launch", "entry": "quotient_*", "nth": 2, "kind": "flip", "label": "trace" } ] }
//! ```
//!
//! # What a host must know
//! A fault ends the context, as on a GPU: every later call returns its code, the report has the words.
//! Faults that a GPU would not notice (unordered accesses, uninitialised reads, misuse of page-locked
//! memory, memory freed under work) are `CUDA_ERROR_LAUNCH_FAILED`. A kernel may touch the buffers that its
//! pointer arguments point into and no others. `cuMemFree` and `cuMemFreeHost` want the host to have
//! synchronised with what uses the memory.
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
