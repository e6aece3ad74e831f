//! Loads ELF files: statically linked 64-bit little-endian RISC-V executables for RV64IM.
//!
//! The loader is strict, because what it accepts becomes part of what is proven: whatever a program might
//! be expected to get but does not (relocation, an interpreter, compressed code, a page at address 0) is an
//! error that says so. On no input does it panic, and it allocates no more than [`MAX_IMAGE_BYTES`] allows.
//!
//! | file | holds |
//! |---|---|
//! | `error.rs` | [`ElfError`] |
//! | `header.rs` | the file's headers, as numbers |
//! | `segments.rs` | loadable segments, checked |
//! | `symbols.rs` | [`SymbolTable`]: names of functions, for people only |

mod error;
mod header;
mod segments;
mod symbols;
#[cfg(test)]
mod tests;

use alloc::vec;
use alloc::vec::Vec;

pub use error::{ElfError, FilePart};
pub use symbols::{Symbol, SymbolTable};

use self::header::Header;
use self::segments::Segment;
use crate::isa::{INSTRUCTION_BYTES, decode};
use crate::memory::CELL_BYTES;
use crate::program::Program;

/// Most bytes from a program's lowest address to the end of its initialised bytes.
pub const MAX_IMAGE_BYTES: u64 = 64 << 20;

/// Lowest address that a segment may have, so that null pointers with an offset trap.
pub const MIN_ADDRESS: u64 = 4096;

/// Builds the program of an ELF file.
///
/// The image goes from the cell of the lowest address of any segment to that of the last initialised byte.
/// Code is every whole word of the file's bytes of executable segments.
pub(crate) fn load(file: &[u8]) -> Result<Program, ElfError> {
    let header = Header::read(file)?;
    let segments = segments::read(file, &header)?;
    let code: Vec<&Segment<'_>> = segments.iter().filter(|segment| segment.is_code()).collect();
    let start = segments.iter().map(|segment| segment.address).min().ok_or(ElfError::NoCode)?;
    let end = segments.iter().map(Segment::initialised_end).max().ok_or(ElfError::NoCode)?;
    let code_start = code.iter().map(|segment| segment.address).min().ok_or(ElfError::NoCode)?;
    let code_end = code.iter().map(|segment| segment.initialised_end()).max().ok_or(ElfError::NoCode)?;
    if start < MIN_ADDRESS {
        return Err(ElfError::TooLow { address: start });
    }
    if end - start > MAX_IMAGE_BYTES {
        return Err(ElfError::TooLarge { bytes: end - start });
    }
    let entry = entry(header.entry, &code)?;

    let cell_bytes = u64::from(CELL_BYTES);
    let image_base = start / cell_bytes;
    let mut image = vec![0; (end.div_ceil(cell_bytes) - image_base) as usize];
    for segment in &segments {
        let offset = segment.address - image_base * cell_bytes;
        for (at, &byte) in (offset..).zip(segment.bytes) {
            image[(at / cell_bytes) as usize] |= u64::from(byte) << (8 * (at % cell_bytes));
        }
    }

    let word_bytes = u64::from(INSTRUCTION_BYTES);
    let mut words = vec![None; ((code_end - code_start) / word_bytes) as usize];
    for segment in code {
        let first = (segment.address - code_start) / word_bytes;
        let (whole, _) = segment.bytes.as_chunks();
        for (index, &word) in (first..).zip(whole) {
            let pc = code_start + index * word_bytes;
            words[index as usize] = decode(u32::from_le_bytes(word), pc as u32);
        }
    }
    Ok(Program { entry, code_base: code_start as u32, code: words, image_base: image_base as u32, image })
}

/// The entry point as an address, if an instruction of `code` can start there.
fn entry(entry: u64, code: &[&Segment<'_>]) -> Result<u32, ElfError> {
    if !entry.is_multiple_of(u64::from(INSTRUCTION_BYTES)) {
        return Err(ElfError::EntryMisaligned { entry });
    }
    let word_bytes = u64::from(INSTRUCTION_BYTES);
    let holds_entry = |segment: &&Segment<'_>| {
        entry >= segment.address && segment.initialised_end().saturating_sub(entry) >= word_bytes
    };
    if !code.iter().any(holds_entry) {
        return Err(ElfError::EntryOutside { entry });
    }
    Ok(entry as u32)
}
