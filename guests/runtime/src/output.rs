//! Writing the public output and the log.

use crate::calls::{self, Sink};

/// Copied at once where the bytes do not start on a cell.
const CHUNK: usize = 256;

#[repr(align(8))]
struct Aligned([u8; CHUNK]);

/// Appends `bytes` to the public output.
///
/// Whole cells are cheapest: a length that is a multiple of 8 saves a call a byte at the end.
///
/// # Panics
/// The output does not take them.
pub fn commit(bytes: &[u8]) {
    if bytes.as_ptr().addr() % 8 == 0 {
        return write_all(bytes);
    }
    let mut aligned = Aligned([0; CHUNK]);
    for chunk in bytes.chunks(CHUNK) {
        let cells = &mut aligned.0[..chunk.len()];
        cells.copy_from_slice(chunk);
        write_all(cells);
    }
}

/// Shows `message` to whoever runs the program. It is not part of the output; nothing is proven about it.
pub fn log(message: &str) {
    calls::write(Sink::Log, message.as_bytes());
}

fn write_all(mut bytes: &[u8]) {
    while !bytes.is_empty() {
        let count = calls::write(Sink::Output, bytes);
        bytes = match usize::try_from(count) {
            Ok(count) if count > 0 => &bytes[count..],
            _ => panic!("the output takes no more bytes: write returned {count}"),
        };
    }
}
