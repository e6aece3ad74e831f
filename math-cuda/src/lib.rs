//! The CUDA layer: a driver loaded at run time, a device with one arena, streams, and kernels.
//!
//! It knows buffers, streams, field elements and hashes, and no proof. The rules that make it safe to share
//! a device between tables and threads:
//!
//! - All device memory is one reservation, cut up by the [`arena`]. Whether an allocation succeeds depends on
//!   the calls before it alone.
//! - Nobody has a device address. A buffer is named as an argument of a [`Launch`] or a copy, which makes the
//!   stream wait for whatever other streams do with it and notes the use. So no buffer can be read before it
//!   is written, or written while it is read, and a buffer can be dropped while work uses it.
//! - A buffer from before the last [`Device::reset`] is an error to use and harmless to drop.
//!
//! Kernels are CUDA C++ in `kernels/`, each file with its PTX beside it, which `cargo xtask gen-ptx` makes
//! and this crate embeds; the driver compiles it for the device. [`kernels`] has a safe function for each.
//!
//! A driver that runs the same PTX on the CPU, `cuda-emu`, takes the place of NVIDIA's in tests.

pub mod arena;
mod buffer;
mod context;
mod device;
mod driver;
mod error;
mod event;
mod kernel;
pub mod kernels;
mod launch;
mod pinned;
mod staging;
mod stream;
mod timeline;
mod word;

pub use buffer::{DeviceBuffer, DeviceSlice, DeviceSliceMut};
pub use context::DeviceInfo;
pub use device::{Device, DeviceOptions, POISON};
pub use driver::{Code, Driver, Emulator, REQUIRED_VERSION};
pub use error::{DeviceError, Owners};
pub use event::Event;
pub use kernel::{Kernel, PtxModule};
pub use launch::{Grid, Launch};
pub use pinned::PinnedBuffer;
pub use stream::Stream;
pub use word::DeviceWord;
