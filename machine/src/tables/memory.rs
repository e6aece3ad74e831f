//! One row per aligned 8-byte load or store.
//!
//! - Receives on `MEMORY`: the request; the value is what the cell holds afterwards.
//! - Accesses the memory cell.
//!
//! The cell's number needs no range check: the chain of a cell starts in `boundary`, where numbers are below
//! 2^29, so an address that is no multiple of 8, or not below 2^32, finds no cell. Values need none either: a
//! load leaves what it found, a store what the request's sender shows to be two words.

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, NamedAirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;

use super::access::{Cell, Times, access, gap_low};
use super::limbs::words;
use super::{Lookups, columns};
use crate::buses::{MEMORY, SPACE_MEMORY};
use crate::isa::MemoryOp;
use crate::memory::CELL_BYTES;
use crate::record::MemoryEvent;

/// Name of the table.
pub const NAME: &str = "memory";

columns! {
    /// The columns.
    pub struct MemoryColumns<T> {
        /// The row is a load.
        pub is_load: T,
        /// The row is a store.
        pub is_store: T,
        /// Time of the access.
        pub time: T,
        /// Number of the cell.
        pub cell: T,
        /// Value of the cell before.
        pub before: [T; 2],
        /// Value of the cell after.
        pub after: [T; 2],
        /// Time of the access before.
        pub time_before: T,
        /// Lower half of the gap to it.
        pub gap_low: T,
    }
}

/// Constraints and interactions (module docs).
#[derive(Clone, Copy, Debug)]
pub struct MemoryAir;

impl BaseAir<Goldilocks> for MemoryAir {
    fn width(&self) -> usize {
        MemoryColumns::<u8>::WIDTH
    }
}

impl<AB: TableBuilder> Air<AB> for MemoryAir {
    fn eval(&self, builder: &mut AB) {
        let row = MemoryColumns::<AB::Var>::from_row(builder.main().current_slice());
        let real = row.is_load + row.is_store;
        builder.assert_bools_named([row.is_load, row.is_store], "flags are boolean");
        builder.assert_bool_named(real.clone(), "a row is a load or a store");
        for i in 0..2 {
            builder.when(row.is_load).assert_eq_named(row.before[i], row.after[i], "a load changes nothing");
        }
        let op = row.is_load * Goldilocks::from_u8(MemoryOp::Ld as u8)
            + row.is_store * Goldilocks::from_u8(MemoryOp::Sd as u8);
        let [before, after] = [row.before, row.after].map(|words| words.map(Into::<AB::Expr>::into));
        let [low, high] = after.clone();
        let address = row.cell * Goldilocks::from_u32(CELL_BYTES);
        builder.receive(&MEMORY, real.clone(), [op, row.time.into(), address, low, high]);
        let times =
            Times { now: row.time.into(), before: row.time_before.into(), gap_low: row.gap_low.into() };
        let cell = Cell { space: SPACE_MEMORY, number: row.cell.into() };
        access(builder, real, cell, [before, after], times);
    }
}

/// The row of `event`.
pub fn row(event: &MemoryEvent, lookups: &mut impl Lookups) -> MemoryColumns<Goldilocks> {
    let is_store = event.op.is_store();
    MemoryColumns {
        is_load: Goldilocks::from_bool(!is_store),
        is_store: Goldilocks::from_bool(is_store),
        time: Goldilocks::from_u32(event.time),
        cell: Goldilocks::from_u32(event.address / CELL_BYTES),
        before: words(event.cell.before),
        after: words(event.cell.after),
        time_before: Goldilocks::from_u32(event.cell.time_before),
        gap_low: gap_low(event.time, event.cell.time_before, lookups),
    }
}
