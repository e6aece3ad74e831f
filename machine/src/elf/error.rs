//! Why a file is not a program.

use alloc::string::String;
use core::fmt;

use super::{MAX_IMAGE_BYTES, MIN_ADDRESS};

/// A file that the loader refuses. Segments are numbered as in the table of program headers, from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ElfError {
    /// The file ends too early.
    #[error("the file ends after {length} bytes, within {part}")]
    Truncated {
        /// What is incomplete.
        part: FilePart,
        /// Bytes of the file.
        length: usize,
    },
    /// The magic number is missing.
    #[error("the file is not an ELF file")]
    NotElf,
    /// The file is for a 32-bit processor.
    #[error("the ELF file is of class {class} (1 is 32-bit), expected 2 (64-bit)")]
    Class {
        /// `EI_CLASS`.
        class: u8,
    },
    /// The file's numbers are not little-endian.
    #[error("the ELF file has data encoding {encoding} (2 is big-endian), expected 1 (little-endian)")]
    Encoding {
        /// `EI_DATA`.
        encoding: u8,
    },
    /// The file has a version that does not exist.
    #[error("the ELF file has version {version}, expected 1")]
    Version {
        /// `EI_VERSION`.
        version: u8,
    },
    /// The file is for another processor.
    #[error("the ELF file is for {}, expected RISC-V", machine_name(*machine))]
    Machine {
        /// `e_machine`.
        machine: u16,
    },
    /// The file is no executable at fixed addresses.
    #[error("the ELF file is {}, expected an executable at fixed addresses", type_name(*kind))]
    Type {
        /// `e_type`.
        kind: u16,
    },
    /// The code may use what RV64IM does not have.
    #[error("the ELF file is built for {}, expected plain RV64IM", flag_names(*flags))]
    Flags {
        /// `e_flags`.
        flags: u32,
    },
    /// Program headers have another size than the standard's.
    #[error("the ELF file has program headers of {bytes} bytes, expected 56")]
    HeaderSize {
        /// `e_phentsize`.
        bytes: u16,
    },
    /// A segment asks for an interpreter or for dynamic linking.
    #[error("segment {segment} asks for dynamic linking, expected a static executable")]
    Dynamic {
        /// Its number.
        segment: u16,
    },
    /// A segment has more bytes in the file than in memory.
    #[error("segment {segment} has {in_file} bytes in the file but {in_memory} in memory")]
    FileSize {
        /// Its number.
        segment: u16,
        /// `p_filesz`.
        in_file: u64,
        /// `p_memsz`.
        in_memory: u64,
    },
    /// A segment does not end below 2^32.
    #[error("segment {segment} has {bytes} bytes at {address:#x}, beyond the address space of 4 GiB")]
    OutOfRange {
        /// Its number.
        segment: u16,
        /// `p_vaddr`.
        address: u64,
        /// `p_memsz`.
        bytes: u64,
    },
    /// A segment is both writable and executable.
    #[error("segment {segment} is writable and executable; code never changes here")]
    WritableCode {
        /// Its number.
        segment: u16,
    },
    /// Code does not start on a word.
    #[error("segment {segment} is executable but starts at {address:#x}, not a multiple of 4")]
    CodeMisaligned {
        /// Its number.
        segment: u16,
        /// `p_vaddr`.
        address: u64,
    },
    /// Two segments share an address.
    #[error("segments {first} and {second} overlap")]
    Overlap {
        /// Number of the one at the lower address.
        first: u16,
        /// Number of the other.
        second: u16,
    },
    /// Nothing is executable.
    #[error("the ELF file has no executable segment")]
    NoCode,
    /// A segment is where null pointers lead.
    #[error("a segment starts at {address:#x}; addresses below {MIN_ADDRESS:#x} must stay empty")]
    TooLow {
        /// Lowest address.
        address: u64,
    },
    /// Initialised memory is too long.
    #[error("initialised memory spans {bytes} bytes, the limit is {MAX_IMAGE_BYTES}")]
    TooLarge {
        /// Bytes from the lowest address to the end of the initialised bytes.
        bytes: u64,
    },
    /// The entry point is not on a word.
    #[error("the entry point {entry:#x} is not a multiple of 4")]
    EntryMisaligned {
        /// `e_entry`.
        entry: u64,
    },
    /// The entry point is not code.
    #[error("the entry point {entry:#x} lies in no executable segment")]
    EntryOutside {
        /// `e_entry`.
        entry: u64,
    },
}

/// A part of an ELF file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePart {
    /// The header at the start.
    Header,
    /// A program header, by number.
    ProgramHeader(u16),
    /// The bytes of a segment, by number.
    Segment(u16),
}

impl fmt::Display for FilePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("the ELF header"),
            Self::ProgramHeader(number) => write!(f, "program header {number}"),
            Self::Segment(number) => write!(f, "the bytes of segment {number}"),
        }
    }
}

/// Names of processors, from the ELF specification's registry.
fn machine_name(machine: u16) -> String {
    let name = match machine {
        3 => "x86",
        8 => "MIPS",
        20 => "PowerPC",
        21 => "PowerPC64",
        22 => "S390",
        40 => "Arm",
        62 => "x86-64",
        183 => "AArch64",
        247 => "BPF",
        258 => "LoongArch",
        _ => return alloc::format!("machine {machine}"),
    };
    String::from(name)
}

fn type_name(kind: u16) -> String {
    let name = match kind {
        1 => "a relocatable object",
        3 => "a shared object or position-independent executable",
        4 => "a core dump",
        _ => return alloc::format!("of type {kind}"),
    };
    String::from(name)
}

/// What flags demand, from the RISC-V ELF psABI.
fn flag_names(flags: u32) -> String {
    let named = [
        (flags & 0x1 != 0, "compressed instructions (C)"),
        (flags & 0x6 != 0, "a floating-point ABI"),
        (flags & 0x8 != 0, "16 registers (E)"),
        (flags & 0x10 != 0, "the memory model TSO"),
    ];
    let names = named.into_iter().filter(|(is_set, _)| *is_set);
    let names = names.map(|(_, name)| name).collect::<alloc::vec::Vec<_>>().join(" and ");
    if names.is_empty() { alloc::format!("unknown flags {flags:#x}") } else { names }
}
