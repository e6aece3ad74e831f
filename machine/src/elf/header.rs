//! The ELF header and the program headers: numbers at fixed offsets (ELF-64 Object File Format 1.5).

use super::error::{ElfError, FilePart};

/// Bytes of the ELF header.
const HEADER_BYTES: usize = 64;
/// Bytes of a program header.
const PROGRAM_HEADER_BYTES: u16 = 56;

const MACHINE_RISCV: u16 = 243;
const TYPE_EXECUTABLE: u16 = 2;

/// What is kept of an acceptable ELF header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    /// Address of the first instruction.
    pub entry: u64,
    /// Where the program headers are in the file.
    offset: u64,
    /// How many there are.
    pub segments: u16,
}

/// A program header.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProgramHeader {
    pub kind: u32,
    pub flags: u32,
    pub offset: u64,
    pub address: u64,
    pub bytes_in_file: u64,
    pub bytes_in_memory: u64,
}

impl Header {
    pub fn read(file: &[u8]) -> Result<Self, ElfError> {
        if !file.starts_with(b"\x7fELF") && !b"\x7fELF".starts_with(file) {
            return Err(ElfError::NotElf);
        }
        let truncated = ElfError::Truncated { part: FilePart::Header, length: file.len() };
        let header = file.first_chunk::<HEADER_BYTES>().ok_or(truncated)?;
        match (header[4], header[5], header[6]) {
            (2, 1, 1) => {}
            (2, 1, version) => return Err(ElfError::Version { version }),
            (2, encoding, _) => return Err(ElfError::Encoding { encoding }),
            (class, ..) => return Err(ElfError::Class { class }),
        }
        let (kind, machine, flags) = (half(header, 16), half(header, 18), word(header, 48));
        if machine != MACHINE_RISCV {
            return Err(ElfError::Machine { machine });
        }
        if kind != TYPE_EXECUTABLE {
            return Err(ElfError::Type { kind });
        }
        if flags != 0 {
            return Err(ElfError::Flags { flags });
        }
        let (bytes, segments) = (half(header, 54), half(header, 56));
        if bytes != PROGRAM_HEADER_BYTES && segments != 0 {
            return Err(ElfError::HeaderSize { bytes });
        }
        Ok(Self { entry: double(header, 24), offset: double(header, 32), segments })
    }

    /// Program header `number`, below [`segments`](Self::segments).
    pub fn program_header(&self, file: &[u8], number: u16) -> Result<ProgramHeader, ElfError> {
        let skipped = u64::from(number) * u64::from(PROGRAM_HEADER_BYTES);
        let header = self
            .offset
            .checked_add(skipped)
            .and_then(|offset| slice(file, offset, u64::from(PROGRAM_HEADER_BYTES)))
            .ok_or(ElfError::Truncated { part: FilePart::ProgramHeader(number), length: file.len() })?;
        Ok(ProgramHeader {
            kind: word(header, 0),
            flags: word(header, 4),
            offset: double(header, 8),
            address: double(header, 16),
            bytes_in_file: double(header, 32),
            bytes_in_memory: double(header, 40),
        })
    }
}

/// `length` bytes from `offset`, if the file has them.
pub(super) fn slice(file: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(length).ok()?)?;
    file.get(start..end)
}

/// The 16-bit number at `offset` of a header that is long enough.
pub(super) fn half(header: &[u8], offset: usize) -> u16 {
    u16::from_le_bytes([header[offset], header[offset + 1]])
}

/// The 32-bit number at `offset` of a header that is long enough.
pub(super) fn word(header: &[u8], offset: usize) -> u32 {
    u32::from(half(header, offset)) | u32::from(half(header, offset + 2)) << 16
}

/// The 64-bit number at `offset` of a header that is long enough.
pub(super) fn double(header: &[u8], offset: usize) -> u64 {
    u64::from(word(header, offset)) | u64::from(word(header, offset + 4)) << 32
}
