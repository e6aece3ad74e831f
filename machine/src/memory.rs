//! Address space and clock.
//!
//! Memory is made of 8-byte **cells**; cell `n` holds the bytes at `8n … 8n + 7`, least significant first.
//! Addresses are below 2^32. What lies below the program's image does not exist, the image starts with the
//! program's bytes, everything above it is zero at the start.
//!
//! Registers are cells of a space of their own: `x0 … x31`, and [`OUTPUT_INDEX`], which counts the bytes of
//! public output.
//!
//! Instruction number `n`, from 1, runs at clock `4n`. Within it, accesses have times of their own: see the
//! constants. A cell's first access follows time 0.

/// Bytes of a cell.
pub const CELL_BYTES: u32 = 8;

/// Clock ticks of an instruction.
pub const TICKS: u32 = 4;
/// Clock of the first instruction.
pub const FIRST_CLOCK: u32 = TICKS;
/// Tick at which `rs1` is read and memory is accessed.
pub const TICK_RS1: u32 = 0;
/// Tick at which `rs2` is read.
pub const TICK_RS2: u32 = 1;
/// Tick at which a system call reads and writes the registers that its instruction does not name.
pub const TICK_ECALL: u32 = 2;
/// Tick at which `rd` is written.
pub const TICK_RD: u32 = 3;

/// Most instructions of one execution record: times stay below 2^32, those of padding included.
pub const MAX_CYCLES: u64 = 1 << 29;

/// Register cells, used or not.
pub const REGISTER_CELLS: usize = 64;
/// The register cell that counts the bytes of public output.
pub const OUTPUT_INDEX: u32 = 32;

/// The pc after a program has exited. No instruction is there and no jump leads there: targets are below
/// 2^33 even where a carry is forged.
pub const HALT_PC: u64 = 1 << 34;
