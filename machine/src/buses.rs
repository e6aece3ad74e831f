//! The messages that join the tables.
//!
//! A 64-bit value is two fields of 32 bits, low word first. The widths are what a receiver relies on; the
//! sender owes their proof, which `docs/src/machine` gives bus by bus.

use lambda_air::Bus;

/// Values below 2^16; received by `range16`.
pub const RANGE16: Bus = Bus::new(1, "range16", &[16]);

/// `(x, y, x & y)` for bytes; received by `bytepair`.
pub const BYTE_AND: Bus = Bus::new(2, "byte_and", &[8, 8, 8]);

/// Instructions: `(pc, flags, op, rs1, rs2, rd, imm)`; received by `rom`.
pub const PROGRAM: Bus = Bus::new(3, "program", &[32, 16, 8, 5, 5, 5, 32, 32]);

/// Cells of the program's image: `(cell, value)`; received by `image`.
pub const IMAGE: Bus = Bus::new(4, "image", &[29, 32, 32]);

/// Contents of cells: `(space, cell, value, time of the last access)`. An access receives what the one before
/// it sent and sends what it leaves behind.
pub const CELLS: Bus = Bus::new(5, "cells", &[1, 29, 32, 32, 32]);

/// ALU operations: `(op, a, b, c)`; received by the operation's table.
pub const ALU: Bus = Bus::new(6, "alu", &[8, 32, 32, 32, 32, 32, 32]);

/// Loads, stores and system calls: `(op, time, address, value)`.
///
/// A system call's address is its number and its value the result.
pub const MEMORY: Bus = Bus::new(7, "memory", &[8, 32, 32, 32, 32]);

/// Bytes of public output: `(index, byte)`; received by the verifier.
pub const OUTPUT: Bus = Bus::new(8, "output", &[32, 8]);

/// Pairs of bytes; received by `bytepair`.
pub const BYTE_PAIR: Bus = Bus::new(10, "byte_pair", &[8, 8]);

/// Powers of two, `(exponent, power)` for exponents 0 … 16; received by `power`.
pub const POWER: Bus = Bus::new(9, "power", &[8, 32]);

/// [`CELLS`]' space of memory.
pub const SPACE_MEMORY: u32 = 0;
/// [`CELLS`]' space of registers.
pub const SPACE_REGISTERS: u32 = 1;
