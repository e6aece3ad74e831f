//! Executes the blocks of one launch of a decoded kernel, and refuses what a correct kernel does not do.
//!
//! A warp of 32 threads runs one instruction at a time for all its active lanes; a register is a row of 32
//! lanes (`registers`). Where lanes branch apart the warp splits into fragments, the one with the lowest
//! program counter runs first, and fragments that meet become one (`warp`). Warps of a block run one after
//! the other from barrier to barrier, in an order drawn from the seed (`block`); blocks are spread over
//! host threads (`launch`).
//!
//! What is refused, always with kernel, block, thread and line:
//!
//! * an access to shared memory out of bounds, misaligned, of bytes that nothing wrote, or in a race
//!   (`shared` says what orders two accesses);
//! * a barrier that not every thread of the block reaches at the same instruction, exited threads included;
//! * a warp operation whose member mask names a lane that is not there, and a shuffle that reads such a lane;
//! * an access to global memory that [`crate::memory::GlobalMemory`] refuses;
//! * a warp that executes more instructions than the launch allows.
//!
//! Reported is the fault of the lowest block, whatever the number of host threads. Not modelled: weak memory,
//! timing, spinning on another block or on another lane of the same warp.

mod access;
mod atomic;
mod block;
mod clock;
mod collective;
mod convert;
mod execute;
mod fault;
mod float;
mod host;
mod integer;
mod lane;
mod launch;
mod local;
mod registers;
mod shared;
mod warp;

pub use fault::KernelFault;
pub use launch::{LaunchOptions, LaunchShape, LaunchStats, launch};
