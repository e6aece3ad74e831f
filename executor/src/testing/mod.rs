//! For tests of this and other crates: programs, and what must hold for their records.
//!
//! | module | holds |
//! |---|---|
//! | [`assembler`] | instruction words by format and mnemonic |
//! | [`elf_file`] | ELF files around them |
//! | [`random`] | random programs that always exit |
//! | [`check`] | an interpreter of its own that checks a record event by event |
//!
//! The programs also run under `qemu-riscv64`.

pub mod assembler;
pub mod check;
pub mod elf_file;
pub mod random;

pub use check::check_record;
pub use elf_file::ElfFile;
