//! Recorded launches: what a kernel was given and what it made of it, one file each, for replay elsewhere.
//!
//! Integers are little-endian, nothing is padded or aligned; `text` is a `u32` length and that many bytes of
//! UTF-8. A file holds, in this order:
//!
//! ```text
//! magic               8 bytes  "EMULNCH1" entry               text     name of the kernel grid, block
//! 6 u32    x, y, z of each dynamic shared      u32      bytes arguments           u32      how many; for
//! each:   size              u32      bytes: 1, 2, 4 or 8 (longer ones by value are cut to 8)   buffer
//! u32      index of the buffer that the argument points into; 0xffff_ffff for none   value             u64
//! with a buffer: offset into it in bytes; else the argument, zero-extended buffers             u32
//! how many; for each:   label             text     the host's name for it   address           u64
//! device address, for messages and alignment   length            u64      bytes   initialised
//! ceil(length / 8) bytes; bit i mod 8 of byte i / 8: byte i was written before the launch   before
//! length bytes   initialised after, after   the same two, after the launch
//! ```
//!
//! Buffers are the ones that eight-byte arguments point into, each once, in the order of the arguments. A
//! word that looks like such an address is taken for one, so a replay passes `before` buffer plus offset
//! for it. Bytes that were not initialised hold junk.

mod reader;

use std::fs;
use std::io;
use std::path::Path;

pub use reader::{RecordedArgument, RecordedBuffer, RecordedLaunch};

use crate::driver::Launch;
use crate::memory::Region;

/// The first bytes of a file.
pub const MAGIC: &[u8; 8] = b"EMULNCH1";
/// The buffer index of an argument that is no pointer.
pub const NO_BUFFER: u32 = u32::MAX;

/// A launch under way: the file's head, and each buffer as it was.
pub(crate) struct Recording {
    head: Vec<u8>,
    buffers: Vec<Vec<u8>>,
}

impl Recording {
    /// Before the launch runs.
    pub(crate) fn begin(launch: &Launch, regions: &[Region]) -> Self {
        let mut head = MAGIC.to_vec();
        put_text(&mut head, &launch.entry);
        for extent in launch.shape.grid.into_iter().chain(launch.shape.block) {
            put_u32(&mut head, extent);
        }
        put_u32(&mut head, launch.shape.dynamic_shared_bytes);
        put_u32(&mut head, launch.arguments.len() as u32);
        for &(bytes, value) in &launch.arguments {
            let holds = |region: &Region| bytes == 8 && value.wrapping_sub(region.base) < region.bytes;
            put_u32(&mut head, bytes);
            match regions.iter().position(holds) {
                Some(buffer) => {
                    put_u32(&mut head, buffer as u32);
                    put_u64(&mut head, value - regions[buffer].base);
                }
                None => {
                    put_u32(&mut head, NO_BUFFER);
                    put_u64(&mut head, value);
                }
            }
        }
        put_u32(&mut head, regions.len() as u32);
        let buffers = regions.iter().map(|region| {
            let mut buffer = vec![];
            put_text(&mut buffer, &region.label);
            put_u64(&mut buffer, region.base);
            put_u64(&mut buffer, region.bytes);
            put_contents(&mut buffer, region);
            buffer
        });
        let buffers = buffers.collect();
        Self { head, buffers }
    }

    /// After the launch ran: writes the file.
    pub(crate) fn finish(self, regions: &[Region], path: &Path) -> io::Result<()> {
        let mut file = self.head;
        for (buffer, region) in self.buffers.into_iter().zip(regions) {
            file.extend(buffer);
            put_contents(&mut file, region);
        }
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        fs::write(path, file)
    }
}

fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend(value.to_le_bytes());
}

fn put_u64(out: &mut Vec<u8>, value: u64) {
    out.extend(value.to_le_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_u32(out, text.len() as u32);
    out.extend(text.as_bytes());
}

/// Which bytes were written, and the bytes.
fn put_contents(out: &mut Vec<u8>, region: &Region) {
    let contents = region.block.contents(region.base, region.bytes);
    let mut initialised = vec![0u8; contents.len().div_ceil(8)];
    region.block.each_written(region.base, region.bytes, |address, written, _| {
        let word = address & !7;
        for byte in (0..8).filter(|byte| written >> byte & 1 == 1) {
            let index = (word + byte - region.base) as usize;
            initialised[index / 8] |= 1 << (index % 8);
        }
    });
    out.extend(initialised);
    out.extend(contents);
}
