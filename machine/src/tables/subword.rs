//! One row per aligned load or store of one, two or four bytes.
//!
//! - Receives on `MEMORY`: the request.
//! - Accesses the memory cell that holds the bytes.
//!
//! The **unit** is the bytes that are moved. The cell's word that holds it is `word`; it has the half `half`,
//! which holds the unit's last byte, and the half `other_half`; `half` has the byte `byte`, the unit's last
//! one, and the byte `other_byte`. Three bits say where that last byte is: in the high word, in the high half
//! of its word, at the odd place of its half. A unit of two bytes ends at an odd place and one of four in a
//! high half too, so alignment is a constraint on the bits.
//!
//! # Why it is sound
//! - `word` is one of the cell's words, which are below 2^32 (every store leaves such words). Bytes and the
//!   other half are looked up, so the decomposition of `word` is the only one.
//! - The sign is bit 7 of the last byte: `byte & 128`, looked up where the load extends the sign.
//! - A store splits the register's low word into two bytes and a half, which are looked up. It changes
//!   `word` by `place·(new unit - old unit)`, whose result is a word again.
//! - The address is `8·cell + ` the place of the unit's first byte, below 2^32 because the cell exists.

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, NamedAirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;

use super::access::{Cell, Times, access, gap_low};
use super::limbs::words;
use super::{Lookups, columns};
use crate::buses::{BYTE_AND, BYTE_PAIR, MEMORY, RANGE16, SPACE_MEMORY};
use crate::isa::MemoryOp;
use crate::memory::CELL_BYTES;
use crate::record::MemoryEvent;

/// Name of the table.
pub const NAME: &str = "subword";

columns! {
    /// The columns.
    pub struct SubwordColumns<T> {
        /// A load that extends the sign.
        pub is_signed: T,
        /// A load that extends with zeros.
        pub is_unsigned: T,
        /// A store.
        pub is_store: T,
        /// The unit is a byte, a half, a word.
        pub size: [T; 3],
        /// Time of the access.
        pub time: T,
        /// Number of the cell.
        pub cell: T,
        /// The unit ends in the high word.
        pub in_high_word: T,
        /// The unit ends in the high half of its word.
        pub in_high_half: T,
        /// The unit ends at the odd byte of its half.
        pub at_odd_byte: T,
        /// Value of the cell before.
        pub before: [T; 2],
        /// Value of the cell after.
        pub after: [T; 2],
        /// The word that holds the unit, before.
        pub word: T,
        /// The same word after.
        pub word_after: T,
        /// Its half that holds the unit's last byte.
        pub half: T,
        /// Its other half.
        pub other_half: T,
        /// The unit's last byte.
        pub byte: T,
        /// The other byte of `half`.
        pub other_byte: T,
        /// Whether the value's upper bits are ones.
        pub extends_ones: T,
        /// What is loaded or stored, as a register value.
        pub value: [T; 2],
        /// Low bytes of the stored register, lowest first.
        pub stored_bytes: [T; 2],
        /// Upper half of the stored register's low word.
        pub stored_half: T,
        /// New unit minus old unit; 0 for loads.
        pub change: T,
        /// Weight of the unit in its word.
        pub place: T,
        /// Time of the access before.
        pub time_before: T,
        /// Lower half of the gap to it.
        pub gap_low: T,
    }
}

/// Constraints and interactions (module docs).
#[derive(Clone, Copy, Debug)]
pub struct SubwordAir;

impl BaseAir<Goldilocks> for SubwordAir {
    fn width(&self) -> usize {
        SubwordColumns::<u8>::WIDTH
    }
}

impl<AB: TableBuilder> Air<AB> for SubwordAir {
    fn eval(&self, builder: &mut AB) {
        let row = SubwordColumns::<AB::Var>::from_row(builder.main().current_slice());
        let real = row.is_signed + row.is_unsigned + row.is_store;
        flags(builder, &row, real.clone());
        decomposition(builder, &row);
        cell(builder, &row);
        value(builder, &row);
        interactions(builder, &row, real);
    }
}

fn flags<AB: TableBuilder>(builder: &mut AB, row: &SubwordColumns<AB::Var>, real: AB::Expr) {
    let [is_byte, is_half, is_word] = row.size;
    builder.assert_bools_named([row.is_signed, row.is_unsigned, row.is_store], "kinds are boolean");
    builder.assert_bools_named(row.size, "sizes are boolean");
    builder.assert_bools_named(
        [row.in_high_word, row.in_high_half, row.at_odd_byte, row.extends_ones],
        "places and extension are boolean",
    );
    builder.assert_bool_named(real.clone(), "a row has at most one kind");
    builder.assert_eq_named(real, is_byte + is_half + is_word, "a row with a kind has one size");
    builder.when(is_half + is_word).assert_one_named(row.at_odd_byte, "a half or word ends at an odd byte");
    builder.when(is_word).assert_one_named(row.in_high_half, "a word ends in a high half");
}

fn decomposition<AB: TableBuilder>(builder: &mut AB, row: &SubwordColumns<AB::Var>) {
    let shift = |bits: u32| Goldilocks::from_u32(1 << bits);
    builder.assert_eq_named(
        row.word,
        row.half
            + row.other_half * shift(16)
            + row.in_high_half * (row.half - row.other_half) * (shift(16) - Goldilocks::ONE),
        "a word has two halves",
    );
    builder.assert_eq_named(
        row.half,
        row.byte
            + row.other_byte * shift(8)
            + row.at_odd_byte * (row.byte - row.other_byte) * (shift(8) - Goldilocks::ONE),
        "a half has two bytes",
    );
}

fn cell<AB: TableBuilder>(builder: &mut AB, row: &SubwordColumns<AB::Var>) {
    for i in 0..2 {
        let here = match i {
            0 => AB::Expr::ONE - row.in_high_word,
            _ => row.in_high_word.into(),
        };
        let mut holding = builder.when(here.clone());
        holding.assert_eq_named(row.before[i], row.word, "the word that holds the unit");
        holding.assert_eq_named(row.after[i], row.word_after, "the same word after");
        builder.when(AB::Expr::ONE - here).assert_eq_named(
            row.after[i],
            row.before[i],
            "the other word is unchanged",
        );
    }
    let [is_byte, is_half, is_word] = row.size;
    let byte_place = AB::Expr::ONE + row.at_odd_byte * Goldilocks::from_u32(255);
    let half_place = AB::Expr::ONE + row.in_high_half * Goldilocks::from_u32(65535);
    builder.assert_eq_named(
        row.place,
        is_byte * (byte_place * half_place.clone()) + is_half * half_place + is_word,
        "place of the unit in its word",
    );
    builder.assert_eq_named(
        row.word_after,
        row.word + row.place * row.change,
        "a store changes the word in the unit's place",
    );
}

fn value<AB: TableBuilder>(builder: &mut AB, row: &SubwordColumns<AB::Var>) {
    let [is_byte, is_half, is_word] = row.size;
    let ones_above = |bits: u32| Goldilocks::from_u64((1 << 32) - (1 << bits));
    let mut load = builder.when(row.is_signed + row.is_unsigned);
    load.assert_eq_named(
        row.value[0],
        is_byte * row.byte
            + is_half * row.half
            + is_word * row.word
            + row.extends_ones * (is_byte * ones_above(8) + is_half * ones_above(16)),
        "a load's low word",
    );
    load.assert_eq_named(row.value[1], row.extends_ones * ones_above(0), "a load's high word");
    load.assert_zero_named(row.change, "a load changes nothing");
    builder
        .when_ne(row.is_signed, AB::Expr::ONE)
        .assert_zero_named(row.extends_ones, "only signed loads extend with ones");
    let [low, high] = row.stored_bytes;
    let stored = low + high * Goldilocks::from_u32(1 << 8);
    let mut store = builder.when(row.is_store);
    store.assert_eq_named(
        row.value[0],
        stored.clone() + row.stored_half * Goldilocks::from_u32(1 << 16),
        "bytes and half of the stored register",
    );
    store.assert_eq_named(
        row.change,
        is_byte * (low - row.byte) + is_half * (stored - row.half) + is_word * (row.value[0] - row.word),
        "a store replaces the unit",
    );
}

fn interactions<AB: TableBuilder>(builder: &mut AB, row: &SubwordColumns<AB::Var>, real: AB::Expr) {
    let [_, is_half, is_word] = row.size;
    let number = |op: MemoryOp| Goldilocks::from_u8(op as u8);
    // Numbers of a kind follow each other by size.
    let op = row.is_signed * number(MemoryOp::Lb)
        + row.is_unsigned * number(MemoryOp::Lbu)
        + row.is_store * number(MemoryOp::Sb)
        + is_half
        + is_word.into().double();
    let last =
        row.in_high_word * Goldilocks::from_u32(4) + row.in_high_half * Goldilocks::TWO + row.at_odd_byte;
    let address =
        row.cell * Goldilocks::from_u32(CELL_BYTES) + last - is_half - is_word * Goldilocks::from_u32(3);
    let [low, high] = row.value;
    builder.receive(&MEMORY, real.clone(), [op, row.time.into(), address, low.into(), high.into()]);
    let times = Times { now: row.time.into(), before: row.time_before.into(), gap_low: row.gap_low.into() };
    let cell = Cell { space: SPACE_MEMORY, number: row.cell.into() };
    let values = [row.before, row.after].map(|words| words.map(Into::into));
    access(builder, real.clone(), cell, values, times);
    let sign = Goldilocks::from_u32(128);
    builder.send(&BYTE_AND, real.clone(), [row.byte.into(), row.is_signed * sign, row.extends_ones * sign]);
    builder.send(&BYTE_PAIR, real.clone(), [row.other_byte, row.stored_bytes[0]]);
    builder.send(&RANGE16, real.clone(), [row.other_half]);
    builder.send(&BYTE_PAIR, real.clone(), [row.stored_bytes[1].into(), AB::Expr::ZERO]);
    builder.send(&RANGE16, real, [row.stored_half]);
}

/// The row of `event`.
pub fn row(event: &MemoryEvent, lookups: &mut impl Lookups) -> SubwordColumns<Goldilocks> {
    let bytes = event.op.bytes();
    let last = event.address % CELL_BYTES + bytes - 1;
    let [in_high_word, in_high_half, at_odd_byte] = [4, 2, 1].map(|bit| last & bit != 0);
    let word_of = |cell: u64| if in_high_word { (cell >> 32) as u32 } else { cell as u32 };
    let word = word_of(event.cell.before);
    let split = |high: bool, value: u32, bits: u32| {
        let (low, upper) = (value & ((1 << bits) - 1), value >> bits);
        if high { (upper, low) } else { (low, upper) }
    };
    let (half, other_half) = split(in_high_half, word, 16);
    let (byte, other_byte) = split(at_odd_byte, half, 8);
    let is_signed = matches!(event.op, MemoryOp::Lb | MemoryOp::Lh | MemoryOp::Lw);
    let extends_ones = is_signed && byte & 128 != 0;
    let is_store = event.op.is_store();
    let stored = if is_store { event.value as u32 } else { 0 };
    let (unit, new_unit) = match bytes {
        1 => (byte, stored & 0xff),
        2 => (half, stored & 0xffff),
        _ => (word, stored),
    };
    lookups.byte_and(byte as u8, if is_signed { 128 } else { 0 });
    lookups.byte_pair(other_byte as u8, stored as u8);
    lookups.byte_pair((stored >> 8) as u8, 0);
    lookups.range16(other_half as u16);
    lookups.range16((stored >> 16) as u16);
    SubwordColumns {
        is_signed: Goldilocks::from_bool(is_signed),
        is_unsigned: Goldilocks::from_bool(!is_signed && !is_store),
        is_store: Goldilocks::from_bool(is_store),
        size: [1, 2, 4].map(|size| Goldilocks::from_bool(bytes == size)),
        time: Goldilocks::from_u32(event.time),
        cell: Goldilocks::from_u32(event.address / CELL_BYTES),
        in_high_word: Goldilocks::from_bool(in_high_word),
        in_high_half: Goldilocks::from_bool(in_high_half),
        at_odd_byte: Goldilocks::from_bool(at_odd_byte),
        before: words(event.cell.before),
        after: words(event.cell.after),
        word: Goldilocks::from_u32(word),
        word_after: Goldilocks::from_u32(word_of(event.cell.after)),
        half: Goldilocks::from_u32(half),
        other_half: Goldilocks::from_u32(other_half),
        byte: Goldilocks::from_u32(byte),
        other_byte: Goldilocks::from_u32(other_byte),
        extends_ones: Goldilocks::from_bool(extends_ones),
        value: words(event.value),
        stored_bytes: [stored & 0xff, stored >> 8 & 0xff].map(Goldilocks::from_u32),
        stored_half: Goldilocks::from_u32(stored >> 16),
        change: if is_store {
            Goldilocks::from_u32(new_unit) - Goldilocks::from_u32(unit)
        } else {
            Goldilocks::ZERO
        },
        place: Goldilocks::from_u32(match bytes {
            4 => 1,
            _ => 1 << (8 * ((last + 1 - bytes) % 4)),
        }),
        time_before: Goldilocks::from_u32(event.cell.time_before),
        gap_low: gap_low(event.time, event.cell.time_before, lookups),
    }
}
