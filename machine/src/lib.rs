//! The machine whose execution is proven: RV64IM user-level programs on one hart, without an operating
//! system.
//!
//! | module | holds |
//! |---|---|
//! | [`isa`] | instructions as executor, ROM and tables know them; the decoder |
//! | [`elf`], [`program`] | the loader; a program is its code, its initial memory and its entry point |
//! | [`memory`], [`ecall`] | address space and clock; system calls |
//! | [`record`] | what an execution leaves behind for the tables |
//! | [`buses`], [`tables`] | the tables, one folder or file each, and the messages that join them |
//!
//! *Executable means provable*: whatever the executor accepts satisfies the tables, and nothing else does.
//! The specification, table by table, is in `docs/src/machine`.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod buses;
pub mod ecall;
pub mod elf;
pub mod isa;
pub mod memory;
pub mod program;
pub mod record;
pub mod tables;
