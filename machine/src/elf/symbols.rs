//! Names of functions, for reports. Nothing that is proven depends on them, so whatever is malformed is left
//! out instead of refused.

use alloc::string::String;
use alloc::vec::Vec;

use super::header::{Header, double, half, slice, word};

const SECTION_HEADER_BYTES: u16 = 64;
const SYMBOL_BYTES: usize = 24;
const SECTION_SYMBOLS: u32 = 2;
const TYPE_FUNCTION: u8 = 2;

/// Bytes kept of a name: names of a broken file may overlap, and would add up to any size.
const MAX_NAME_BYTES: usize = 1024;

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Address of its first instruction.
    pub address: u32,
    /// Bytes; 0 where the file does not say.
    pub bytes: u32,
    /// Its name as in the file, mangled if it was.
    pub name: String,
}

/// The functions of a program, by ascending address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolTable {
    symbols: Vec<Symbol>,
}

impl SymbolTable {
    /// The function symbols of an ELF file; none if it has no symbol table.
    #[must_use]
    pub fn from_elf(file: &[u8]) -> Self {
        let mut symbols = read(file).unwrap_or_default();
        // Of several names for an address, the one that knows its size and comes first.
        symbols.sort_by_key(|symbol| (symbol.address, symbol.bytes == 0));
        symbols.dedup_by_key(|symbol| symbol.address);
        Self { symbols }
    }

    /// All of them.
    #[must_use]
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Index in [`symbols`](Self::symbols) of the function around `address`. A function of unknown size ends
    /// where the next one starts.
    #[must_use]
    pub fn index_of(&self, address: u32) -> Option<usize> {
        let index = self.symbols.partition_point(|symbol| symbol.address <= address).checked_sub(1)?;
        let symbol = &self.symbols[index];
        (symbol.bytes == 0 || address - symbol.address < symbol.bytes).then_some(index)
    }

    /// The function around `address`.
    #[must_use]
    pub fn find(&self, address: u32) -> Option<&Symbol> {
        self.index_of(address).map(|index| &self.symbols[index])
    }
}

fn read(file: &[u8]) -> Option<Vec<Symbol>> {
    Header::read(file).ok()?;
    let (offset, bytes, count) = (double(file, 40), half(file, 58), half(file, 60));
    if bytes != SECTION_HEADER_BYTES {
        return None;
    }
    let section = |number: u16| {
        let skipped = u64::from(number) * u64::from(SECTION_HEADER_BYTES);
        slice(file, offset.checked_add(skipped)?, u64::from(SECTION_HEADER_BYTES))
    };
    let contents = |header: &[u8]| slice(file, double(header, 24), double(header, 32));
    let table = (0..count).filter_map(section).find(|header| word(header, 4) == SECTION_SYMBOLS)?;
    let names = contents(section(u16::try_from(word(table, 40)).ok()?)?)?;
    let (entries, _) = contents(table)?.as_chunks::<SYMBOL_BYTES>();
    Some(entries.iter().filter_map(|entry| function(entry, names)).collect())
}

/// The symbol of an entry of the symbol table, if it is a named function that is defined.
fn function(entry: &[u8; SYMBOL_BYTES], names: &[u8]) -> Option<Symbol> {
    let (is_function, section) = (entry[4] & 0xf == TYPE_FUNCTION, half(entry, 6));
    if !is_function || section == 0 {
        return None;
    }
    let name = names.get(word(entry, 0) as usize..)?;
    let name = name.split(|byte| *byte == 0).next().filter(|name| !name.is_empty())?;
    let name = &name[..name.len().min(MAX_NAME_BYTES)];
    Some(Symbol {
        address: u32::try_from(double(entry, 8)).ok()?,
        bytes: u32::try_from(double(entry, 16)).ok()?,
        name: String::from_utf8_lossy(name).into_owned(),
    })
}
