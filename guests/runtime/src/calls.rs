//! The machine's system calls, numbered as on Linux for RISC-V.
//!
//! Reads and writes may be short. The machine moves one aligned 8-byte cell a call when the pointer is a
//! multiple of 8 and at least 8 bytes are asked for and left, else a single byte; Linux moves as much as it
//! likes. Callers loop, and offer aligned memory.

use core::arch::asm;

const READ: usize = 63;
const WRITE: usize = 64;
const EXIT: usize = 93;
/// Ours alone: Linux answers with a negative error.
const INPUT_LENGTH: usize = 0x1000;

const INPUT: usize = 0;

/// Where a write goes.
#[derive(Clone, Copy)]
pub enum Sink {
    /// The public output, part of the statement that is proven.
    Output = 1,
    /// Shown to whoever runs the program; not part of anything proven.
    Log = 2,
}

/// Reads at most `room` bytes of input to `to`. Returns how many, 0 at the end of the input.
///
/// # Safety
/// `to` is valid for writing `room` bytes.
#[inline(always)]
pub unsafe fn read(to: *mut u8, room: usize) -> isize {
    // SAFETY: the caller vouches for the memory.
    unsafe { call(READ, INPUT, to as usize, room) }
}

/// Writes at most all of `bytes`. Returns how many were taken.
#[inline(always)]
pub fn write(sink: Sink, bytes: &[u8]) -> isize {
    // SAFETY: the machine reads `bytes` and writes no memory.
    unsafe { call(WRITE, sink as usize, bytes.as_ptr() as usize, bytes.len()) }
}

/// Bytes of input in all, read or not; `None` where only reading tells (on Linux).
pub fn input_length() -> Option<usize> {
    // SAFETY: this call has no arguments and touches no memory.
    let length = unsafe { call(INPUT_LENGTH, 0, 0, 0) };
    usize::try_from(length).ok()
}

/// Ends the program. 0 means success by convention; a proof states the code, whatever it is.
pub fn exit(code: i32) -> ! {
    // SAFETY: control does not come back, so nothing that the program owns is used again.
    unsafe { asm!("ecall", "unimp", in("a7") EXIT, in("a0") code, options(noreturn)) }
}

/// # Safety
/// The call touches no memory but what its arguments describe, for which the caller vouches.
#[inline(always)]
unsafe fn call(number: usize, a0: usize, a1: usize, a2: usize) -> isize {
    let result;
    // SAFETY: `ecall` keeps every register but a0; the memory is the caller's business.
    unsafe {
        asm!(
            "ecall",
            in("a7") number,
            inlateout("a0") a0 => result,
            in("a1") a1,
            in("a2") a2,
            options(nostack),
        );
    }
    result
}
