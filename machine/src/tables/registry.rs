//! The registry: all tables, in the order in which proofs list them.

use lambda_air::Table;

use super::{
    bitwise, boundary, compare, cpu, divrem, fixed, image, io, memory, misaligned, mul, registers, rom,
    shift, subword, word,
};

/// A kind of table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TableId {
    /// [`cpu`].
    Cpu,
    /// [`memory`].
    Memory,
    /// [`subword`].
    Subword,
    /// [`misaligned`].
    Misaligned,
    /// [`io`].
    Io,
    /// [`boundary`].
    Boundary,
    /// [`compare`].
    Compare,
    /// [`bitwise`].
    Bitwise,
    /// [`shift`].
    Shift,
    /// [`word`].
    Word,
    /// [`mul`].
    Mul,
    /// [`divrem`].
    Divrem,
    /// [`registers`].
    Registers,
    /// [`rom`].
    Rom,
    /// [`image`].
    Image,
    /// [`fixed::Range16Air`].
    Range16,
    /// [`fixed::BytePairAir`].
    BytePair,
    /// [`fixed::PowerAir`].
    Power,
}

impl TableId {
    /// All kinds, in registry order.
    pub const ALL: [Self; 18] = [
        Self::Cpu,
        Self::Memory,
        Self::Subword,
        Self::Misaligned,
        Self::Io,
        Self::Boundary,
        Self::Compare,
        Self::Bitwise,
        Self::Shift,
        Self::Word,
        Self::Mul,
        Self::Divrem,
        Self::Registers,
        Self::Rom,
        Self::Image,
        Self::Range16,
        Self::BytePair,
        Self::Power,
    ];

    /// Number in registry order.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Name for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => cpu::NAME,
            Self::Memory => memory::NAME,
            Self::Subword => subword::NAME,
            Self::Misaligned => misaligned::NAME,
            Self::Io => io::NAME,
            Self::Boundary => boundary::NAME,
            Self::Compare => compare::NAME,
            Self::Bitwise => bitwise::NAME,
            Self::Shift => shift::NAME,
            Self::Word => word::NAME,
            Self::Mul => mul::NAME,
            Self::Divrem => divrem::NAME,
            Self::Registers => registers::NAME,
            Self::Rom => rom::NAME,
            Self::Image => image::NAME,
            Self::Range16 => "range16",
            Self::BytePair => "bytepair",
            Self::Power => "power",
        }
    }

    /// Whether the table's rows come from the execution: such a table has as many instances as its rows need,
    /// maybe none. The others have preprocessed columns and occur once.
    pub const fn is_chunked(self) -> bool {
        match self {
            Self::Cpu
            | Self::Memory
            | Self::Subword
            | Self::Misaligned
            | Self::Io
            | Self::Boundary
            | Self::Compare
            | Self::Bitwise
            | Self::Shift
            | Self::Word
            | Self::Mul
            | Self::Divrem => true,
            Self::Registers | Self::Rom | Self::Image | Self::Range16 | Self::BytePair | Self::Power => false,
        }
    }

    /// The table; `rom` and `image` are the program's, made by the caller.
    pub fn table(self, rom: impl FnOnce() -> Table, image: impl FnOnce() -> Table) -> Table {
        match self {
            Self::Cpu => Table::new(self.name(), cpu::CpuAir),
            Self::Memory => Table::new(self.name(), memory::MemoryAir),
            Self::Subword => Table::new(self.name(), subword::SubwordAir),
            Self::Misaligned => Table::new(self.name(), misaligned::MisalignedAir),
            Self::Io => Table::new(self.name(), io::IoAir),
            Self::Boundary => Table::new(self.name(), boundary::BoundaryAir),
            Self::Compare => Table::new(self.name(), compare::CompareAir),
            Self::Bitwise => Table::new(self.name(), bitwise::BitwiseAir),
            Self::Shift => Table::new(self.name(), shift::ShiftAir),
            Self::Word => Table::new(self.name(), word::WordAir),
            Self::Mul => Table::new(self.name(), mul::MulAir),
            Self::Divrem => Table::new(self.name(), divrem::DivremAir),
            Self::Registers => Table::new(self.name(), registers::RegistersAir),
            Self::Rom => rom(),
            Self::Image => image(),
            Self::Range16 => Table::new(self.name(), fixed::Range16Air),
            Self::BytePair => Table::new(self.name(), fixed::BytePairAir),
            Self::Power => Table::new(self.name(), fixed::PowerAir),
        }
    }
}
