//! A program: decoded code, initial memory, entry point.

use alloc::vec::Vec;

use crate::elf::{self, ElfError};
use crate::isa::Instruction;
use crate::memory::CELL_BYTES;

/// A program as executor and tables know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Address of the first instruction.
    pub entry: u32,
    /// Address of `code[0]`, a multiple of 4.
    pub code_base: u32,
    /// Consecutive words of the executable segments; `None` where a word is no RV64IM instruction, or lies
    /// in no executable segment.
    pub code: Vec<Option<Instruction>>,
    /// Number of the image's first cell. Cells below it do not exist.
    pub image_base: u32,
    /// Values of the image's cells, without gap: what the file initialises, zeros between segments. Cells
    /// above the image are zero at the start.
    pub image: Vec<u64>,
}

impl Program {
    /// The program of a statically linked RV64IM executable.
    ///
    /// # Errors
    /// The first rule of [`elf`] that the file breaks.
    pub fn from_elf(file: &[u8]) -> Result<Self, ElfError> {
        elf::load(file)
    }

    /// The word that the image has at `address`, a multiple of 4.
    #[must_use]
    pub fn word(&self, address: u32) -> Option<u32> {
        let cell = (address / CELL_BYTES).checked_sub(self.image_base)?;
        let cell = *self.image.get(cell as usize)?;
        Some((cell >> (8 * (address % CELL_BYTES))) as u32)
    }
}
