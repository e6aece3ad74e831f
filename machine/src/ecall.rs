//! System calls: one registry of numbers. A program puts the number in `x17`, arguments in `x10 … x12`, and
//! finds the result in `x10`.
//!
//! Numbers below 0x1000 are Linux's, so that a program also runs under an emulator of Linux user programs.
//!
//! | number | call | result | table |
//! |---|---|---|---|
//! | 63 | `read(0, address, length)` | bytes read: 8, 1, or 0 at the end of the input | `io` |
//! | 64 | `write(1, address, length)`: public output | bytes written: 8, 1 or 0 | `io` |
//! | 64 | `write(2, address, length)`: log | `length` | `io` |
//! | 93 | `exit(code)` | does not return | `cpu` |
//! | 0x1000 | `input_length()` | length of the whole input | `io` |
//!
//! A call moves one cell where the address is a multiple of 8 and at least 8 bytes are wanted (and there),
//! else one byte: short counts, as the standard allows. Length must be below 2^32. The length returned by
//! `input_length`, like the input itself, is the prover's word.

/// `read`.
pub const READ: u64 = 63;
/// `write`.
pub const WRITE: u64 = 64;
/// `exit`.
pub const EXIT: u64 = 93;
/// `input_length`.
pub const INPUT_LENGTH: u64 = 0x1000;

/// All numbers.
pub const ALL: [u64; 4] = [READ, WRITE, EXIT, INPUT_LENGTH];

/// File descriptor of the input.
pub const INPUT: u64 = 0;
/// File descriptor of the public output.
pub const OUTPUT: u64 = 1;
/// File descriptor of the log.
pub const LOG: u64 = 2;

/// Most bytes of public output.
pub const MAX_OUTPUT_BYTES: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn numbers_differ() {
        for (i, number) in ALL.iter().enumerate() {
            assert!(!ALL[..i].contains(number), "{number} is used twice");
        }
    }
}
