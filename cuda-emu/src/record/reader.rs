//! Reads recorded launches.

use std::io::{self, Read};

use super::{MAGIC, NO_BUFFER};

/// A recorded launch; see the format above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedLaunch {
    /// Name of the kernel.
    pub entry: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub dynamic_shared_bytes: u32,
    /// The arguments.
    pub arguments: Vec<RecordedArgument>,
    /// The buffers that they point into.
    pub buffers: Vec<RecordedBuffer>,
}

/// An argument of a recorded launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedArgument {
    /// Length in bytes.
    pub bytes: u32,
    /// Index of the buffer that it points into.
    pub buffer: Option<u32>,
    /// Offset into the buffer in bytes, or the argument itself.
    pub value: u64,
}

/// A buffer of a recorded launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedBuffer {
    /// The host's name for it.
    pub label: String,
    /// Device address.
    pub address: u64,
    /// One bit a byte: written before the launch.
    pub initialised_before: Vec<u8>,
    /// Contents before the launch.
    pub before: Vec<u8>,
    /// One bit a byte: written when the launch had ended.
    pub initialised_after: Vec<u8>,
    /// Contents after the launch.
    pub after: Vec<u8>,
}

impl RecordedLaunch {
    /// Reads a file's contents.
    ///
    /// # Errors
    /// They are no recorded launch.
    pub fn read(mut bytes: &[u8]) -> io::Result<Self> {
        let input = &mut bytes;
        let mut magic = [0; 8];
        input.read_exact(&mut magic)?;
        if magic != *MAGIC {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "no recorded launch"));
        }
        let entry = text(input)?;
        let (grid, block) = (extents(input)?, extents(input)?);
        let dynamic_shared_bytes = u32(input)?;
        let arguments = (0..u32(input)?).map(|_| {
            let (bytes, buffer, value) = (u32(input)?, u32(input)?, u64(input)?);
            Ok(RecordedArgument { bytes, buffer: (buffer != NO_BUFFER).then_some(buffer), value })
        });
        let arguments = arguments.collect::<io::Result<_>>()?;
        let buffers = (0..u32(input)?).map(|_| {
            let (label, address, length) = (text(input)?, u64(input)?, u64(input)?);
            Ok(RecordedBuffer {
                label,
                address,
                initialised_before: take(input, length.div_ceil(8))?,
                before: take(input, length)?,
                initialised_after: take(input, length.div_ceil(8))?,
                after: take(input, length)?,
            })
        });
        let buffers = buffers.collect::<io::Result<_>>()?;
        Ok(Self { entry, grid, block, dynamic_shared_bytes, arguments, buffers })
    }
}

fn take(input: &mut &[u8], bytes: u64) -> io::Result<Vec<u8>> {
    let end = usize::try_from(bytes).ok().filter(|&bytes| bytes <= input.len());
    let (taken, rest) = input.split_at(end.ok_or(io::ErrorKind::UnexpectedEof)?);
    *input = rest;
    Ok(taken.to_vec())
}

fn u32(input: &mut &[u8]) -> io::Result<u32> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn u64(input: &mut &[u8]) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn extents(input: &mut &[u8]) -> io::Result<[u32; 3]> {
    Ok([u32(input)?, u32(input)?, u32(input)?])
}

fn text(input: &mut &[u8]) -> io::Result<String> {
    let length = u32(input)?;
    let bytes = take(input, u64::from(length))?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
