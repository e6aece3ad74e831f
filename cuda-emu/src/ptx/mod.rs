//! PTX: text to a module that [`crate::exec`] runs.
//!
//! Understood is what NVRTC emits for kernels over integers and simple floats (PTX ISA 9.0, targets from
//! `sm_80` on), inline assembly included. What is not understood is an error that names instruction and line:
//! nothing is guessed or skipped. Device functions, textures, tensor cores and asynchronous barriers are not.
//!
//! Passes: `lexer` (tokens), `parser` and `body` (declarations; instructions with numbered registers
//! and resolved labels: `syntax`), `layout` (addresses of variables), `registers` (registers to rows),
//! `decode` (opcodes to `op`).

mod address;
mod body;
mod decode;
mod error;
mod functions;
mod kernel;
mod layout;
mod lexer;
mod module;
mod op;
mod parser;
mod registers;
mod syntax;
mod types;

pub(crate) use address::{CONST_WINDOW, LOCAL_WINDOW, MODULE_WINDOW, SHARED_WINDOW, WINDOW_BYTES};
pub use error::PtxError;
pub(crate) use functions::*;
pub(crate) use kernel::Input;
pub use kernel::{Kernel, ParamSize};
pub use module::Module;
pub(crate) use op::*;
pub(crate) use syntax::Special;
pub(crate) use types::{Compare, Int, Space, Type};
