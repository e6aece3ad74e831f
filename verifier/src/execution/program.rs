//! A program as proofs know it: by the commitment to its tables.

use alloc::vec::Vec;

use lambda_air::Table;
use lambda_machine::tables::TableId;
use lambda_machine::tables::image::ImageAir;
use lambda_machine::tables::rom::RomAir;
use lambda_math::Digest;

use crate::error::KeyError;
use crate::file::Id;
use crate::key::{Draft, VerifyingKey};
use crate::profile::Profile;
use crate::transcript::Frames;
use crate::wire::{Wire, wire_struct};
#[cfg(feature = "std")]
use crate::{ProvingKey, profile::MIN_HEIGHT_LOG2};
#[cfg(feature = "std")]
use lambda_machine::program::Program;

wire_struct! {
    /// The commitment to a program: whoever has it can verify without the program.
    pub struct ProgramCommitment {
        /// Address of the first instruction.
        pub entry: u64,
        /// Lowest memory cell.
        pub image_start: u64,
        /// The cell after the image's last one.
        pub image_end: u64,
        /// Height of the table of instructions, `log2`.
        pub rom_log2: u8,
        /// Height of the table of the image, `log2`.
        pub image_log2: u8,
        /// Commitment to all preprocessed columns.
        pub cap: Vec<Digest>,
    }
}

impl ProgramCommitment {
    /// The system that proves executions of the program, each table once.
    ///
    /// # Errors
    /// When heights or the commitment's length are none that the protocol allows.
    pub fn key(&self, profile: Profile) -> Result<VerifyingKey, KeyError> {
        let height = |log2: u8| 1usize.checked_shl(log2.into()).unwrap_or(0);
        let tables = tables(
            || Table::committed(TableId::Rom.name(), RomAir::unknown(), height(self.rom_log2)),
            || Table::committed(TableId::Image.name(), ImageAir::unknown(), height(self.image_log2)),
        );
        Draft::new(profile, tables)?.finish(self.cap.clone())
    }

    /// Identity of the program under `key`'s parameters, `key` being [`Self::key`] or the prover's.
    ///
    /// It binds protocol, profile, the machine's tables, and the program: code, image, entry.
    pub fn id(&self, key: &VerifyingKey) -> Id {
        let mut bounds = Vec::new();
        for word in [self.entry, self.image_start, self.image_end] {
            word.encode(&mut bounds);
        }
        let frames = Frames::new("lambda-prove program v1")
            .absorb("system", &key.digest())
            .absorb("entry and image", &bounds);
        Id(frames.digest("digest"))
    }

    /// Commits `program`, and makes the keys of the system that proves its executions.
    ///
    /// # Errors
    /// When the program is larger than the protocol allows.
    #[cfg(feature = "std")]
    pub fn new(profile: Profile, program: &Program) -> Result<(Self, ProvingKey), KeyError> {
        let rom_log2 = height_log2(program.code.iter().flatten().count());
        let image_log2 = height_log2(program.image.len());
        let height = |log2: u8| 1usize.checked_shl(log2.into()).unwrap_or(0);
        let tables = tables(
            || Table::new(TableId::Rom.name(), RomAir::new(program, height(rom_log2))),
            || Table::new(TableId::Image.name(), ImageAir::new(program, height(image_log2))),
        );
        let key = ProvingKey::new(profile, tables)?;
        let image_start = u64::from(program.image_base);
        let image_cells = u64::try_from(program.image.len()).unwrap_or(u64::MAX);
        let commitment = Self {
            entry: program.entry.into(),
            image_start,
            image_end: image_start.saturating_add(image_cells),
            rom_log2,
            image_log2,
            cap: key.verifying.preprocessed_cap.clone(),
        };
        Ok((commitment, key))
    }
}

fn tables(rom: impl Fn() -> Table, image: impl Fn() -> Table) -> Vec<Table> {
    TableId::ALL.into_iter().map(|id| id.table(&rom, &image)).collect()
}

/// Height of a table with `rows` rows, `log2`.
#[cfg(feature = "std")]
fn height_log2(rows: usize) -> u8 {
    let log2 = rows.max(1).next_power_of_two().trailing_zeros().max(MIN_HEIGHT_LOG2);
    u8::try_from(log2).unwrap_or(u8::MAX)
}
