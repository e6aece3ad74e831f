//! The driver: devices, their contexts, and the C functions over them.
//!
//! `exports` translates pointers and handles; an [`Engine`] is one device and does the work. Each device has
//! one lock, held during a call and so during everything that the call executes.

mod code;
mod config;
mod current;
mod engine;
mod execute;
mod exports;
mod handle;
mod launches;
mod memories;
mod modules;
mod references;
mod report;
mod streams;
mod transfers;
mod work;

pub use code::{Code, Failure};
pub use config::Config;
pub use engine::Engine;
pub use exports::*;
pub use references::Reference;
pub use work::{DeviceRange, Launch};
