//! One row per load or store whose address is no multiple of its width.
//!
//! - Receives on `MEMORY`: the request.
//! - Accesses the memory cell of its first byte, and the next one where it `crosses` into it.
//!
//! The two cells are sixteen bytes. A one-hot `offset` of 1 to 7 selects a `window` of eight of them, the
//! first of which are the bytes that are moved.
//!
//! # Why it is sound
//! The bytes are looked up, so they are the cells' only ones, and what is selected from them needs no lookup.
//! `crosses` is determined by size and offset, so the second cell is accessed exactly where it has moved
//! bytes; elsewhere its bytes are not used. A store's bytes are looked up and replace those of the window.

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, NamedAirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;

use super::access::{Cell, Times, access, gap_low};
use super::limbs::words;
use super::{Lookups, columns};
use crate::buses::{BYTE_AND, BYTE_PAIR, MEMORY, SPACE_MEMORY};
use crate::isa::MemoryOp;
use crate::memory::CELL_BYTES;
use crate::record::MisalignedEvent;

/// Name of the table.
pub const NAME: &str = "misaligned";

columns! {
    /// The columns.
    pub struct MisalignedColumns<T> {
        /// A load that extends the sign, or of eight bytes.
        pub is_signed: T,
        /// A load that extends with zeros.
        pub is_unsigned: T,
        /// A store.
        pub is_store: T,
        /// Two, four, eight bytes are moved.
        pub size: [T; 3],
        /// Address of the first byte within its cell, from 1.
        pub offset: [T; 7],
        /// Whether bytes of the second cell are moved.
        pub crosses: T,
        /// Time of the access.
        pub time: T,
        /// Number of the first cell.
        pub cell: T,
        /// Bytes of the two cells before.
        pub bytes: [T; 16],
        /// The eight bytes from the offset on.
        pub window: [T; 8],
        /// Change of each byte of the window.
        pub change: [T; 8],
        /// The register value, in bytes, that a store moves.
        pub stored: [T; 8],
        /// Words of the two cells after.
        pub after: [T; 4],
        /// The value loaded or stored.
        pub value: [T; 2],
        /// The loaded byte that has the sign.
        pub sign_byte: T,
        /// Whether the value's upper bits are ones.
        pub extends_ones: T,
        /// Times of the accesses before, to the two cells.
        pub time_before: [T; 2],
        /// Lower halves of the gaps to them.
        pub gap_low: [T; 2],
    }
}

/// Constraints and interactions (module docs).
#[derive(Clone, Copy, Debug)]
pub struct MisalignedAir;

impl BaseAir<Goldilocks> for MisalignedAir {
    fn width(&self) -> usize {
        MisalignedColumns::<u8>::WIDTH
    }
}

impl<AB: TableBuilder> Air<AB> for MisalignedAir {
    fn eval(&self, builder: &mut AB) {
        let row = MisalignedColumns::<AB::Var>::from_row(builder.main().current_slice());
        let real = row.is_signed + row.is_unsigned + row.is_store;
        flags(builder, &row, real.clone());
        window(builder, &row);
        load(builder, &row);
        store(builder, &row);
        interactions(builder, &row, real);
    }
}

fn flags<AB: TableBuilder>(builder: &mut AB, row: &MisalignedColumns<AB::Var>, real: AB::Expr) {
    let [is_half, is_word, is_double] = row.size;
    builder.assert_bools_named([row.is_signed, row.is_unsigned, row.is_store], "kinds are boolean");
    builder.assert_bools_named(row.size, "sizes are boolean");
    builder.assert_bools_named(row.offset, "offsets are boolean");
    builder.assert_bool_named(row.extends_ones, "extension is boolean");
    builder.assert_bool_named(real.clone(), "a row has at most one kind");
    builder.assert_eq_named(real.clone(), is_half + is_word + is_double, "a row with a kind has one size");
    builder.assert_eq_named(real, sum::<AB>(&row.offset), "a row with a kind has one offset");
    builder.when(is_double).assert_zero_named(row.is_unsigned, "a load of eight bytes counts as signed");
    builder.assert_eq_named(
        row.crosses,
        is_half * sum::<AB>(&row.offset[6..])
            + is_word * sum::<AB>(&row.offset[4..])
            + is_double * sum::<AB>(&row.offset),
        "the access crosses where it ends in the second cell",
    );
}

fn window<AB: TableBuilder>(builder: &mut AB, row: &MisalignedColumns<AB::Var>) {
    for (i, &byte) in row.window.iter().enumerate() {
        let selected =
            (1..8).fold(AB::Expr::ZERO, |sum, offset| sum + row.offset[offset - 1] * row.bytes[offset + i]);
        builder.assert_eq_named(byte, selected, "the window starts at the offset");
    }
    for (k, &after) in row.after.iter().enumerate() {
        let mut expected = word_of::<AB>(&row.bytes[4 * k..4 * k + 4]);
        for i in 0..4 {
            let weight = Goldilocks::from_u32(1 << (8 * i));
            for offset in 1..8 {
                if let Some(&change) = (4 * k + i).checked_sub(offset).and_then(|at| row.change.get(at)) {
                    expected += row.offset[offset - 1] * change * weight;
                }
            }
        }
        builder.assert_eq_named(after, expected, "the window's changes are the cells'");
    }
}

fn load<AB: TableBuilder>(builder: &mut AB, row: &MisalignedColumns<AB::Var>) {
    let [is_half, is_word, is_double] = row.size;
    let ones_above = |bits: u32| Goldilocks::from_u64((1 << 32) - (1 << bits));
    let half = word_of::<AB>(&row.window[..2]);
    let low = word_of::<AB>(&row.window[..4]);
    let mut load = builder.when(row.is_signed + row.is_unsigned);
    load.assert_eq_named(
        row.value[0],
        is_half * half + (is_word + is_double) * low + is_half * row.extends_ones * ones_above(16),
        "a load's low word",
    );
    load.assert_eq_named(
        row.value[1],
        is_double * word_of::<AB>(&row.window[4..]) + row.extends_ones * ones_above(0),
        "a load's high word",
    );
    builder.assert_eq_named(
        row.sign_byte,
        is_half * row.window[1] + is_word * row.window[3],
        "the sign is in the last byte",
    );
    builder
        .when_ne(row.is_signed, AB::Expr::ONE)
        .assert_zero_named(row.extends_ones, "only signed loads extend with ones");
}

fn store<AB: TableBuilder>(builder: &mut AB, row: &MisalignedColumns<AB::Var>) {
    let [_, is_word, is_double] = row.size;
    for (i, &change) in row.change.iter().enumerate() {
        let moved = match i {
            0 | 1 => AB::Expr::ONE,
            2 | 3 => is_word + is_double,
            _ => is_double.into(),
        };
        builder.assert_eq_named(
            change,
            row.is_store * moved * (row.stored[i] - row.window[i]),
            "a store replaces the bytes that it moves",
        );
    }
    let mut store = builder.when(row.is_store);
    store.assert_eq_named(row.value[0], word_of::<AB>(&row.stored[..4]), "the stored low word has bytes");
    store.assert_eq_named(row.value[1], word_of::<AB>(&row.stored[4..]), "the stored high word has bytes");
}

fn interactions<AB: TableBuilder>(builder: &mut AB, row: &MisalignedColumns<AB::Var>, real: AB::Expr) {
    let number = |op: MemoryOp| Goldilocks::from_u8(op as u8);
    // Numbers of a kind follow each other by size; `Ld` follows `Lw`.
    let [is_half, is_word, is_double] = row.size;
    let op = row.is_signed * number(MemoryOp::Lb)
        + row.is_unsigned * number(MemoryOp::Lbu)
        + row.is_store * number(MemoryOp::Sb)
        + is_half
        + is_word.into().double()
        + is_double * Goldilocks::from_u8(3);
    let offset = row
        .offset
        .iter()
        .zip(1..)
        .fold(AB::Expr::ZERO, |sum, (&flag, offset)| sum + flag * Goldilocks::from_u8(offset));
    let address = row.cell * Goldilocks::from_u32(CELL_BYTES) + offset;
    let [low, high] = row.value;
    builder.receive(&MEMORY, real.clone(), [op, row.time.into(), address, low.into(), high.into()]);
    for second in 0..2 {
        let before = [0, 4].map(|word| word_of::<AB>(&row.bytes[8 * second + word..8 * second + word + 4]));
        let after = [0, 1].map(|word| row.after[2 * second + word].into());
        let times = Times {
            now: row.time.into(),
            before: row.time_before[second].into(),
            gap_low: row.gap_low[second].into(),
        };
        let number = row.cell + AB::Expr::from_usize(second);
        let multiplicity = if second == 0 { real.clone() } else { row.crosses.into() };
        access(builder, multiplicity, Cell { space: SPACE_MEMORY, number }, [before, after], times);
    }
    let pairs = row.bytes.chunks_exact(2).chain(row.stored.chunks_exact(2));
    for pair in pairs {
        builder.send(&BYTE_PAIR, real.clone(), [pair[0], pair[1]]);
    }
    let sign = Goldilocks::from_u32(128);
    builder.send(&BYTE_AND, real, [row.sign_byte.into(), row.is_signed * sign, row.extends_ones * sign]);
}

fn sum<AB: TableBuilder>(cells: &[AB::Var]) -> AB::Expr {
    cells.iter().fold(AB::Expr::ZERO, |sum, &cell| sum + cell)
}

/// The number with the given bytes, lowest first.
fn word_of<AB: TableBuilder>(bytes: &[AB::Var]) -> AB::Expr {
    bytes.iter().rev().fold(AB::Expr::ZERO, |word, &byte| word * Goldilocks::from_u32(1 << 8) + byte)
}

/// The row of `event`.
pub fn row(event: &MisalignedEvent, lookups: &mut impl Lookups) -> MisalignedColumns<Goldilocks> {
    let MisalignedEvent { access, second } = event;
    let (bytes, offset) = (access.op.bytes() as usize, (access.address % CELL_BYTES) as usize);
    let crosses = offset + bytes > CELL_BYTES as usize;
    let is_store = access.op.is_store();
    let mut memory = [0u8; 16];
    memory[..8].copy_from_slice(&access.cell.before.to_le_bytes());
    memory[8..].copy_from_slice(&second.before.to_le_bytes());
    let window: [u8; 8] = core::array::from_fn(|i| memory[offset + i]);
    let stored = if is_store { access.value } else { 0 }.to_le_bytes();
    let is_signed = matches!(access.op, MemoryOp::Lh | MemoryOp::Lw | MemoryOp::Ld);
    let sign_byte = if bytes == 8 { 0 } else { window[bytes - 1] };
    let extends_ones = is_signed && sign_byte & 128 != 0;
    for pair in memory.chunks_exact(2).chain(stored.chunks_exact(2)) {
        lookups.byte_pair(pair[0], pair[1]);
    }
    lookups.byte_and(sign_byte, if is_signed { 128 } else { 0 });
    let [[low, high], [next_low, next_high]] = [access.cell.after, second.after].map(words);
    MisalignedColumns {
        is_signed: Goldilocks::from_bool(is_signed),
        is_unsigned: Goldilocks::from_bool(!is_signed && !is_store),
        is_store: Goldilocks::from_bool(is_store),
        size: [2, 4, 8].map(|size| Goldilocks::from_bool(bytes == size)),
        offset: core::array::from_fn(|i| Goldilocks::from_bool(offset == i + 1)),
        crosses: Goldilocks::from_bool(crosses),
        time: Goldilocks::from_u32(access.time),
        cell: Goldilocks::from_u32(access.address / CELL_BYTES),
        bytes: memory.map(Goldilocks::from_u8),
        window: window.map(Goldilocks::from_u8),
        change: core::array::from_fn(|i| match is_store && i < bytes {
            true => Goldilocks::from_u8(stored[i]) - Goldilocks::from_u8(window[i]),
            false => Goldilocks::ZERO,
        }),
        stored: stored.map(Goldilocks::from_u8),
        after: [low, high, next_low, next_high],
        value: words(access.value),
        sign_byte: Goldilocks::from_u8(sign_byte),
        extends_ones: Goldilocks::from_bool(extends_ones),
        time_before: [access.cell.time_before, second.time_before].map(Goldilocks::from_u32),
        gap_low: [
            gap_low(access.time, access.cell.time_before, lookups),
            if crosses { gap_low(access.time, second.time_before, lookups) } else { Goldilocks::ZERO },
        ],
    }
}
