//! Loadable segments, each checked by itself and against the others.

use alloc::vec::Vec;

use super::error::{ElfError, FilePart};
use super::header::{Header, ProgramHeader, slice};
use crate::isa::INSTRUCTION_BYTES;

const KIND_LOAD: u32 = 1;
const KIND_DYNAMIC: u32 = 2;
const KIND_INTERPRETER: u32 = 3;

const FLAG_EXECUTABLE: u32 = 1;
const FLAG_WRITABLE: u32 = 2;

/// First address that does not exist.
const ADDRESS_END: u64 = 1 << 32;

/// A loadable segment with at least one byte of memory, below 2^32.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment<'a> {
    number: u16,
    executable: bool,
    /// First address.
    pub address: u64,
    /// Initialised bytes; the segment's others are zero.
    pub bytes: &'a [u8],
    /// Address after the last byte.
    end: u64,
}

impl<'a> Segment<'a> {
    /// Address after the last initialised byte.
    pub fn initialised_end(&self) -> u64 {
        self.address + self.bytes.len() as u64
    }

    /// Whether it holds instructions.
    pub fn is_code(&self) -> bool {
        self.executable && !self.bytes.is_empty()
    }

    fn new(file: &'a [u8], number: u16, header: &ProgramHeader) -> Result<Self, ElfError> {
        let ProgramHeader { address, bytes_in_file, bytes_in_memory, .. } = *header;
        if bytes_in_memory < bytes_in_file {
            let (in_file, in_memory) = (bytes_in_file, bytes_in_memory);
            return Err(ElfError::FileSize { segment: number, in_file, in_memory });
        }
        let end = address.checked_add(bytes_in_memory).filter(|end| *end <= ADDRESS_END);
        let out_of_range = ElfError::OutOfRange { segment: number, address, bytes: bytes_in_memory };
        let end = end.ok_or(out_of_range)?;
        let executable = header.flags & FLAG_EXECUTABLE != 0;
        if executable && header.flags & FLAG_WRITABLE != 0 {
            return Err(ElfError::WritableCode { segment: number });
        }
        if executable && !address.is_multiple_of(u64::from(INSTRUCTION_BYTES)) {
            return Err(ElfError::CodeMisaligned { segment: number, address });
        }
        let truncated = ElfError::Truncated { part: FilePart::Segment(number), length: file.len() };
        let bytes = slice(file, header.offset, bytes_in_file).ok_or(truncated)?;
        Ok(Self { number, executable, address, bytes, end })
    }
}

/// All segments to load, by ascending address, without overlap.
pub(super) fn read<'a>(file: &'a [u8], header: &Header) -> Result<Vec<Segment<'a>>, ElfError> {
    let mut segments = Vec::new();
    for number in 0..header.segments {
        let program_header = header.program_header(file, number)?;
        match program_header.kind {
            KIND_LOAD if program_header.bytes_in_memory == 0 && program_header.bytes_in_file == 0 => {}
            KIND_LOAD => segments.push(Segment::new(file, number, &program_header)?),
            KIND_DYNAMIC | KIND_INTERPRETER => return Err(ElfError::Dynamic { segment: number }),
            _ => {}
        }
    }
    segments.sort_by_key(|segment| segment.address);
    for pair in segments.windows(2) {
        if pair[0].end > pair[1].address {
            return Err(ElfError::Overlap { first: pair[0].number, second: pair[1].number });
        }
    }
    Ok(segments)
}
