//! Reading the input.

use alloc::vec::Vec;

use crate::calls;

/// Room to begin with where the input's length is not known ahead.
const FIRST_ROOM: usize = 1 << 16;

/// All of the input that was not read before.
pub fn read_input() -> Vec<u8> {
    let length = calls::input_length();
    // The heap aligns every block to a cell. A capacity of whole cells lets the last read take one, too.
    let mut bytes = Vec::with_capacity(length.unwrap_or(FIRST_ROOM).next_multiple_of(8));
    loop {
        read_into_spare(&mut bytes);
        // With room left the input is at its end; with none it may be.
        if bytes.len() < bytes.capacity() || length == Some(bytes.len()) {
            return bytes;
        }
        bytes.reserve(bytes.capacity().max(FIRST_ROOM));
    }
}

/// Reads to the end of the input or of the capacity, whichever comes first.
fn read_into_spare(bytes: &mut Vec<u8>) {
    let spare = bytes.spare_capacity_mut();
    let (mut to, mut room) = (spare.as_mut_ptr().cast::<u8>(), spare.len());
    let mut taken = 0;
    while room > 0 {
        // SAFETY: `to` and `room` describe what is left of the spare capacity.
        let count = unsafe { calls::read(to, room) };
        if count <= 0 {
            break;
        }
        let count = count.unsigned_abs();
        // SAFETY: a read takes at most `room` bytes, so the pointer stays within the spare capacity.
        to = unsafe { to.add(count) };
        room -= count;
        taken += count;
    }
    // SAFETY: `taken` bytes of the spare capacity have been written.
    unsafe { bytes.set_len(bytes.len() + taken) };
}
