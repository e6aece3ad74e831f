//! A valid file, and every way to spoil it.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::{ElfError, FilePart, SymbolTable};
use crate::isa::{Class, decode};
use crate::program::Program;

const NOP: u32 = 0x0000_0013;
const ECALL: u32 = 0x0000_0073;

/// Flags of segments.
const R: u32 = 4;
const W: u32 = 2;
const X: u32 = 1;

struct Segment {
    kind: u32,
    flags: u32,
    address: u64,
    bytes: Vec<u8>,
    in_memory: u64,
}

fn load(flags: u32, address: u64, bytes: &[u8], in_memory: u64) -> Segment {
    Segment { kind: 1, flags, address, bytes: bytes.to_vec(), in_memory }
}

fn code(address: u64, words: &[u32]) -> Segment {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    load(R | X, address, &bytes, bytes.len() as u64)
}

/// An ELF file whose segments' bytes follow the headers in order.
fn file(entry: u64, segments: &[Segment]) -> Vec<u8> {
    let mut out = b"\x7fELF\x02\x01\x01".to_vec();
    out.resize(16, 0);
    out.extend([2, 0, 243, 0, 1, 0, 0, 0]);
    out.extend(entry.to_le_bytes());
    out.extend(64_u64.to_le_bytes());
    out.extend([0; 8 + 4]);
    out.extend([64, 0, 56, 0, segments.len() as u8, 0, 64, 0, 0, 0, 0, 0]);
    let mut offset = (64 + 56 * segments.len()) as u64;
    for segment in segments {
        out.extend(segment.kind.to_le_bytes());
        out.extend(segment.flags.to_le_bytes());
        let in_file = segment.bytes.len() as u64;
        for number in [offset, segment.address, segment.address, in_file, segment.in_memory, 8] {
            out.extend(number.to_le_bytes());
        }
        offset += in_file;
    }
    segments.iter().for_each(|segment| out.extend(&segment.bytes));
    out
}

/// Code, a gap, data with a partial cell, zeros.
fn valid() -> Vec<u8> {
    let data = load(R | W, 0x1_1003, &[1, 2, 3, 4, 5, 6], 0x100);
    file(0x1_0004, &[code(0x1_0000, &[0, NOP, ECALL]), data])
}

fn error(file: &[u8]) -> ElfError {
    Program::from_elf(file).expect_err("the file is spoilt")
}

#[test]
fn a_valid_file_loads() {
    let program = Program::from_elf(&valid()).expect("valid");
    assert_eq!(program.entry, 0x1_0004);
    assert_eq!(program.code_base, 0x1_0000);
    assert_eq!(program.code, [None, decode(NOP, 0x1_0004), decode(ECALL, 0x1_0008)]);
    assert_eq!(program.image_base, 0x2000);
    assert_eq!(program.image.len(), 0x202);
    assert_eq!(program.image[..2], [u64::from(NOP) << 32, u64::from(ECALL)]);
    assert!(program.image[2..0x200].iter().all(|cell| *cell == 0));
    assert_eq!(program.image[0x200..], [0x0504_0302_0100_0000, 6]);
}

/// Words between executable segments are no instructions, even if data there looks like one; nor is half a
/// word at the end.
#[test]
fn only_executable_segments_are_code() {
    let data = load(R, 0x1_0008, &NOP.to_le_bytes(), 4);
    let mut last = code(0x1_0010, &[NOP]);
    last.bytes.extend([0x13, 0]);
    last.in_memory = 0x20;
    let program =
        Program::from_elf(&file(0x1_0010, &[last, data, code(0x1_0000, &[NOP, NOP])])).expect("valid");
    let is_code: Vec<bool> = program.code.iter().map(Option::is_some).collect();
    assert_eq!(is_code, [true, true, false, false, true]);
    assert_eq!(program.image[1], u64::from(NOP));
    assert_eq!(program.image.len(), 3);
}

#[test]
fn zeros_below_the_image_belong_to_it() {
    let zeros = load(R | W, 0x9000, &[], 0x1000);
    let program = Program::from_elf(&file(0x1_0000, &[code(0x1_0000, &[NOP]), zeros])).expect("valid");
    assert_eq!(program.image_base, 0x9000 / 8);
    assert_eq!(program.image.len(), 0x7000 / 8 + 1);
}

/// The highest addresses exist; a jump from there past 2^32 does not.
#[test]
fn the_end_of_the_address_space_is_usable() {
    let top = 0xffff_fff8;
    let program = Program::from_elf(&file(top, &[code(top, &[NOP, 0x0040_006f])])).expect("valid");
    assert_eq!(program.code[0].map(|nop| nop.class), Some(Class::Add));
    assert_eq!(program.code[1], None);
}

/// Every header number that is checked, changed in place.
#[test]
fn headers_are_checked() {
    let spoilt = |offset: usize, bytes: &[u8]| {
        let mut file = valid();
        file[offset..offset + bytes.len()].copy_from_slice(bytes);
        error(&file)
    };
    let first = 64;
    let second = 64 + 56;
    assert_eq!(spoilt(0, b"\x7fELG"), ElfError::NotElf);
    assert_eq!(spoilt(4, &[1]), ElfError::Class { class: 1 });
    assert_eq!(spoilt(5, &[2]), ElfError::Encoding { encoding: 2 });
    assert_eq!(spoilt(6, &[0]), ElfError::Version { version: 0 });
    assert_eq!(spoilt(16, &[3]), ElfError::Type { kind: 3 });
    assert_eq!(spoilt(18, &[62]), ElfError::Machine { machine: 62 });
    assert_eq!(spoilt(24, &[6]), ElfError::EntryMisaligned { entry: 0x1_0006 });
    assert_eq!(spoilt(24, &[12]), ElfError::EntryOutside { entry: 0x1_000c });
    assert_eq!(spoilt(25, &[0x10]), ElfError::EntryOutside { entry: 0x1_1004 });
    assert_eq!(spoilt(48, &[5]), ElfError::Flags { flags: 5 });
    assert_eq!(spoilt(54, &[32]), ElfError::HeaderSize { bytes: 32 });
    assert_eq!(spoilt(56, &[0]), ElfError::NoCode);
    assert_eq!(spoilt(first, &[3]), ElfError::Dynamic { segment: 0 });
    assert_eq!(spoilt(second, &[2]), ElfError::Dynamic { segment: 1 });
    assert_eq!(spoilt(first + 4, &[4]), ElfError::NoCode);
    assert_eq!(spoilt(first + 4, &[7]), ElfError::WritableCode { segment: 0 });
    assert_eq!(spoilt(first + 16, &[2]), ElfError::CodeMisaligned { segment: 0, address: 0x1_0002 });
    let sizes = ElfError::FileSize { segment: 1, in_file: 6, in_memory: 5 };
    assert_eq!(spoilt(second + 40, &[5, 0]), sizes);
}

#[test]
fn addresses_are_checked() {
    let main = || code(0x1_0000, &[NOP, NOP]);
    let with = |other| error(&file(0x1_0000, &[main(), other]));
    let overlap = |first, second| ElfError::Overlap { first, second };
    assert_eq!(with(load(R, 0x1_0007, &[1], 1)), overlap(0, 1));
    assert_eq!(with(load(R, 0xffff, &[1], 2)), overlap(1, 0));
    assert_eq!(with(load(R, 0x1_0000, &[], 1)), overlap(0, 1));
    assert!(Program::from_elf(&file(0x1_0000, &[main(), load(R, 0x1_0008, &[1], 1)])).is_ok());

    let out_of_range = |address, bytes| ElfError::OutOfRange { segment: 1, address, bytes };
    assert_eq!(with(load(R, 0xffff_ffff, &[1], 2)), out_of_range(0xffff_ffff, 2));
    assert_eq!(with(load(R, u64::MAX, &[1], 2)), out_of_range(u64::MAX, 2));
    assert_eq!(with(load(R, 0x2_0000, &[], u64::MAX)), out_of_range(0x2_0000, u64::MAX));
    assert_eq!(with(load(R, 0xfff, &[1], 1)), ElfError::TooLow { address: 0xfff });
    assert!(Program::from_elf(&file(0x1_0000, &[main(), load(R, 0x1000, &[1], 1)])).is_ok());
}

#[test]
fn size_is_limited_by_what_is_initialised() {
    let with =
        |address| Program::from_elf(&file(0x1_0000, &[code(0x1_0000, &[NOP]), load(R, address, &[1], 1)]));
    let last = 0x1_0000 + (64 << 20) - 1;
    assert!(with(last).is_ok());
    assert_eq!(with(last + 1), Err(ElfError::TooLarge { bytes: (64 << 20) + 1 }));
    let zeros = load(R | W, 0x2_0000, &[], 0xf000_0000);
    assert!(Program::from_elf(&file(0x1_0000, &[code(0x1_0000, &[NOP]), zeros])).is_ok());
}

/// Every prefix of a valid file says what is missing.
#[test]
fn truncation_names_the_part() {
    let file = valid();
    let data = 64 + 2 * 56;
    for length in 0..file.len() {
        let part = match length {
            0..64 => FilePart::Header,
            64..120 => FilePart::ProgramHeader(0),
            // The first segment is checked before the second header is read.
            _ if length < data + 12 => FilePart::Segment(0),
            _ => FilePart::Segment(1),
        };
        assert_eq!(error(&file[..length]), ElfError::Truncated { part, length }, "{length} bytes");
    }
}

#[test]
fn messages_name_what_was_found() {
    assert!(ElfError::Machine { machine: 62 }.to_string().contains("x86-64"));
    assert!(ElfError::Flags { flags: 5 }.to_string().contains("compressed instructions (C) and a floating"));
    assert!(ElfError::Type { kind: 3 }.to_string().contains("position-independent"));
    let truncated = ElfError::Truncated { part: FilePart::Segment(3), length: 9 };
    assert!(truncated.to_string().contains("segment 3"));
}

/// Adds a symbol table, `(name, type, section, address, bytes)` each.
fn with_symbols(mut file: Vec<u8>, symbols: &[(&str, u8, u16, u64, u64)]) -> Vec<u8> {
    let mut names = vec![0];
    let mut table = vec![0; 24];
    for &(name, kind, section, address, bytes) in symbols {
        table.extend((names.len() as u32).to_le_bytes());
        table.extend([0x10 | kind, 0]);
        table.extend(section.to_le_bytes());
        table.extend(address.to_le_bytes());
        table.extend(bytes.to_le_bytes());
        names.extend(name.as_bytes());
        names.push(0);
    }
    let (names_at, table_at) = (file.len() as u64, (file.len() + names.len()) as u64);
    let sections = table_at + table.len() as u64;
    let section = |kind: u32, offset: u64, bytes: usize, link: u32| {
        let mut header = vec![0; 64];
        header[4..8].copy_from_slice(&kind.to_le_bytes());
        header[24..32].copy_from_slice(&offset.to_le_bytes());
        header[32..40].copy_from_slice(&(bytes as u64).to_le_bytes());
        header[40..44].copy_from_slice(&link.to_le_bytes());
        header
    };
    let headers =
        [section(0, 0, 0, 0), section(2, table_at, table.len(), 2), section(3, names_at, names.len(), 0)];
    file.extend(names);
    file.extend(table);
    headers.iter().for_each(|header| file.extend(header));
    file[40..48].copy_from_slice(&sections.to_le_bytes());
    file[60] = 3;
    file
}

#[test]
fn symbols_are_functions_by_address() {
    let symbols = [
        ("late", 2, 1, 0x1_0010, 0),
        ("data", 1, 1, 0x1_0004, 4),
        ("undefined", 2, 0, 0, 0),
        ("early", 2, 1, 0x1_0000, 8),
        ("alias", 2, 1, 0x1_0000, 0),
        ("far", 2, 1, 1 << 32, 8),
    ];
    let table = SymbolTable::from_elf(&with_symbols(valid(), &symbols));
    let name = |address| table.find(address).map(|symbol| symbol.name.as_str());
    assert_eq!(table.symbols().len(), 2);
    assert_eq!(name(0xffff), None);
    assert_eq!(name(0x1_0000), Some("early"));
    assert_eq!(name(0x1_0007), Some("early"));
    assert_eq!(name(0x1_0008), None);
    assert_eq!(name(0x1_0010), Some("late"));
    assert_eq!(name(u32::MAX), Some("late"));
    assert_eq!(SymbolTable::from_elf(&valid()), SymbolTable::default());

    // Names of a broken file may share one long string.
    let long = "f".repeat(5000);
    let table = SymbolTable::from_elf(&with_symbols(valid(), &[(&long, 2, 1, 0x1_0000, 8)]));
    assert_eq!(table.symbols()[0].name.len(), 1024);
}

proptest! {
    /// No damage makes the loader panic, and what still loads keeps the rules that the executor relies on.
    #[test]
    fn damage_never_panics(
        edits in prop::collection::vec((0_usize..600, prop_oneof![any::<u8>(), Just(0), Just(255)]), 1..6),
        length in prop_oneof![Just(usize::MAX), 0_usize..600],
    ) {
        let symbols = [("f", 2, 1, 0x1_0000, 8), ("g", 2, 1, 0x1_0008, 4)];
        let mut file = with_symbols(valid(), &symbols);
        let count = file.len();
        edits.iter().for_each(|(offset, byte)| file[offset % count] = *byte);
        file.truncate(length);
        let _ = SymbolTable::from_elf(&file).find(0x1_0004);
        if let Ok(program) = Program::from_elf(&file) {
            prop_assert!(program.image_base >= 512);
            prop_assert!(u64::from(program.image_base) + program.image.len() as u64 <= 1 << 29);
            prop_assert!(program.code_base.is_multiple_of(4));
            let index = (program.entry - program.code_base) / 4;
            prop_assert!((index as usize) < program.code.len());
        } else {
            prop_assert!(!error(&file).to_string().is_empty());
        }
    }
}
