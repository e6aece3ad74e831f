//! Random programs: any instruction, any register, edge values, and they always exit.
//!
//! An ELF file holds several programs, one after the other. Each has a block of data: 32 register values,
//! then scratch memory. It loads all registers from its block, does what it is made of, and stores all
//! registers there. In the end all blocks go to the log. One register, another in each program, points to
//! the block all the time; no instruction in between writes it.
//!
//! System calls are such that Linux moves as much as the machine does: see [`INPUT_BYTES`].

use lambda_machine::ecall;

use super::assembler::{self as asm, constant, immediate, register};
use super::elf_file::{DATA, ElfFile};

/// Bytes of a program's block: what it leaves behind.
pub const BLOCK_BYTES: usize = 2048;
/// Bytes of the block that hold registers.
const REGISTER_BYTES: usize = 256;
/// Programs in a file, at most: their blocks fit into the log that is kept.
pub const MAX_PROGRAMS: usize = 256;

/// Length of the input that programs expect: a multiple of 8, since they read cells.
pub const INPUT_BYTES: usize = 256;

/// Offsets that stay within scratch memory are below this.
const SCRATCH_BYTES: u64 = (BLOCK_BYTES - REGISTER_BYTES - 8) as u64;

/// A source of numbers: SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
/// 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers that belong to `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub const fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `end`.
    pub const fn below(&mut self, end: u64) -> u64 {
        self.number() % end
    }

    /// A register value: often one at an edge, or near.
    pub const fn value(&mut self) -> u64 {
        let edges = [0, 1 << 31, 1 << 32, 1 << 63, 1 << self.below(64), self.number() >> self.below(64)];
        let edge = edges[self.below(6) as usize];
        match self.below(4) {
            0 => self.number(),
            1 => edge,
            2 => edge.wrapping_sub(self.below(3)),
            _ => edge.wrapping_neg().wrapping_add(self.below(3)),
        }
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u64) as usize]
    }
}

/// An ELF file of `programs` random programs of about `length` instructions each.
#[must_use]
pub fn random_elf(seed: u64, programs: usize, length: usize) -> ElfFile {
    assert!(programs <= MAX_PROGRAMS, "the log would lose blocks");
    let mut random = Random::new(seed);
    let mut file = ElfFile::default();
    for index in 0..programs {
        let address = DATA + (index * BLOCK_BYTES) as u32;
        let anchor = 1 + random.below(31) as u8;
        let others = || (1..32).filter(move |register| *register != anchor);
        let offset = |register: u8| 8 * i32::from(register);
        file.code.extend(constant(anchor, u64::from(address)));
        file.code.extend(others().map(|rd| immediate(asm::LD, rd, anchor, offset(rd))));
        let mut writer = Writer { random: &mut random, anchor, counters: Vec::new() };
        file.code.extend(writer.body(length));
        file.code.extend(others().map(|rs2| asm::store(asm::SD, rs2, anchor, offset(rs2))));
        let values = (0..BLOCK_BYTES / 8).flat_map(|_| random.value().to_le_bytes());
        file.data.extend(values);
    }
    let blocks = (programs * BLOCK_BYTES) as u64;
    for (register, value) in [(10, ecall::LOG), (11, u64::from(DATA)), (12, blocks)] {
        file.code.extend(constant(register, value));
    }
    file.code.extend(asm::system_call(ecall::WRITE));
    file.code.extend(asm::exit(random.below(256)));
    file
}

/// Writes the body of a program.
struct Writer<'a> {
    random: &'a mut Random,
    /// The register that points to the block.
    anchor: u8,
    /// Registers that count the loops around.
    counters: Vec<u8>,
}

impl Writer<'_> {
    fn body(&mut self, length: usize) -> Vec<u32> {
        let mut words = Vec::new();
        while words.len() < length {
            let group = self.group();
            words.extend(group);
        }
        words
    }

    /// Any register, to be read.
    fn source(&mut self) -> u8 {
        self.random.below(32) as u8
    }

    fn is_free(&self, register: u8) -> bool {
        register != self.anchor && !self.counters.contains(&register)
    }

    /// Any register that may be written.
    fn destination(&mut self) -> u8 {
        loop {
            let register = self.source();
            if self.is_free(register) {
                return register;
            }
        }
    }

    /// As [`destination`](Self::destination), but not `x0`.
    fn holder(&mut self) -> u8 {
        loop {
            let register = self.destination();
            if register != 0 {
                return register;
            }
        }
    }

    /// A few instructions that belong together.
    fn group(&mut self) -> Vec<u32> {
        let (rd, rs1, rs2) = (self.destination(), self.source(), self.source());
        let imm = (self.random.value() << 52).cast_signed() >> 52;
        match self.random.below(100) {
            0..36 => vec![register(self.random.pick(asm::REGISTER).1, rd, rs1, rs2)],
            36..48 => vec![immediate(self.random.pick(asm::IMMEDIATE).1, rd, rs1, imm as i32)],
            48..54 => vec![immediate(self.random.pick(asm::SHIFT).1, rd, rs1, self.random.below(64) as i32)],
            54..58 => {
                vec![immediate(self.random.pick(asm::SHIFT_WORD).1, rd, rs1, self.random.below(32) as i32)]
            }
            58..62 => vec![asm::upper(self.random.pick(asm::UPPER).1, rd, self.random.value() as u32 >> 12)],
            62..65 => constant(rd, self.random.value()),
            65..75 => self.access(self.anchor, 0),
            75..85 => {
                let base = self.holder();
                let mask = (1_u64 << self.random.below(10)) - 1;
                let mut words = vec![
                    immediate(asm::ANDI, base, rs1, mask as i32),
                    register(asm::ADD, base, base, self.anchor),
                ];
                words.extend(self.access(base, mask));
                words
            }
            85..91 => self.skip(),
            91..93 if self.counters.len() < 2 => self.repeat(),
            93 => vec![*self.random.pick(&[asm::FENCE, asm::FENCE_TSO])],
            94..97 => self.call(),
            _ => vec![register(self.random.pick(asm::REGISTER).1, rd, rd, rd)],
        }
    }

    /// A load or store in scratch memory; `base` is at most `reach` bytes from the block's start.
    fn access(&mut self, base: u8, reach: u64) -> Vec<u32> {
        let offset = (REGISTER_BYTES as u64 + self.random.below(SCRATCH_BYTES - reach)) as i32;
        // Half of the accesses are aligned, if the base is.
        let offset = if self.random.below(2) == 0 { offset & !7 } else { offset };
        if self.random.below(2) == 0 {
            let (bits, rd) = (self.random.pick(asm::LOAD).1, self.destination());
            vec![immediate(bits, rd, base, offset)]
        } else {
            let (bits, rs2) = (self.random.pick(asm::STORE).1, self.source());
            vec![asm::store(bits, rs2, base, offset)]
        }
    }

    /// A branch or jump over what follows.
    fn skip(&mut self) -> Vec<u32> {
        let length = self.random.below(8) as usize;
        let skipped = self.body(length);
        let offset = 4 * (skipped.len() as i32 + 1);
        let (rd, rs1, rs2, base) = (self.destination(), self.source(), self.source(), self.holder());
        let mut words = match self.random.below(4) {
            0 => vec![asm::jump(rd, offset)],
            1 => {
                // The lowest bit of the target is ignored.
                let low = self.random.below(2) as i32;
                vec![asm::upper(asm::AUIPC, base, 0), immediate(asm::JALR, rd, base, offset + 4 + low)]
            }
            _ => vec![asm::branch(self.random.pick(asm::BRANCH).1, rs1, rs2, offset)],
        };
        words.extend(skipped);
        words
    }

    /// A loop of a few rounds.
    fn repeat(&mut self) -> Vec<u32> {
        let counter = self.holder();
        let rounds = 1 + self.random.below(4);
        self.counters.push(counter);
        let length = self.random.below(8) as usize;
        let inner = self.body(length);
        self.counters.pop();
        let mut words = constant(counter, rounds);
        let offset = -4 * (inner.len() as i32 + 1);
        words.extend(inner);
        words.extend([immediate(asm::ADDI, counter, counter, -1), asm::branch(asm::BNE, counter, 0, offset)]);
        words
    }

    /// A system call, if the registers that it takes are free.
    fn call(&mut self) -> Vec<u32> {
        if ![10, 11, 12, 17].into_iter().all(|register| self.is_free(register)) {
            return Vec::new();
        }
        let scratch = REGISTER_BYTES as u64 + self.random.below(SCRATCH_BYTES);
        let (number, descriptor, offset, length) = match self.random.below(6) {
            0 => (ecall::READ, ecall::INPUT, scratch & !7, 8),
            1 => (ecall::READ, ecall::INPUT, scratch, 0),
            2 => (ecall::WRITE, ecall::OUTPUT, scratch & !7, 8),
            3 => (ecall::WRITE, ecall::OUTPUT, scratch, 1),
            4 => (ecall::WRITE, ecall::OUTPUT, scratch, 0),
            _ => (ecall::WRITE, ecall::LOG, scratch, self.random.below(8)),
        };
        let mut words = constant(10, descriptor);
        words.push(immediate(asm::ADDI, 11, self.anchor, offset as i32));
        words.extend(constant(12, length));
        words.extend(asm::system_call(number));
        words
    }
}
