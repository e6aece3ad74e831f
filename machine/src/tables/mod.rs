//! The tables of the machine, one file each: columns, what binds them, and how a row is filled.
//!
//! Every file has the same parts:
//! - `<Table>Columns<T>`: the main columns by name (the macro `columns!`).
//! - `<Table>Air`: constraints and bus interactions.
//! - `row(event, lookups)`: the row of an event, which also notes what the row looks up in fixed tables.
//!
//! A row of zeros is a valid row and takes part in no bus: it pads the height to a power of two. `cpu` and
//! `boundary`, whose rows depend on their neighbours, have a `padding` row of their own. Where a row is real
//! its flag (or the sum of its operation's flags) is 1, and every interaction's multiplicity is gated by it.

mod access;
mod columns;
mod content;
mod limbs;
mod lookups;
mod registry;
#[cfg(test)]
mod testing;

pub mod bitwise;
pub mod boundary;
pub mod compare;
pub mod cpu;
pub mod divrem;
pub mod fixed;
pub mod image;
pub mod io;
pub mod memory;
pub mod misaligned;
pub mod mul;
pub mod registers;
pub mod rom;
pub mod shift;
pub mod subword;
pub mod word;

pub(crate) use columns::columns;
pub use columns::{Cells, Row};
pub use lookups::{Counts, Lookups};
pub use registry::TableId;
