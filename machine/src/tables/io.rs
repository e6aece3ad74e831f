//! One row per system call other than exit.
//!
//! - Receives on `MEMORY` the call, from the CPU: number and result.
//! - Accesses the register cells of `x10` (descriptor), `x11` (address) and `x12` (length), and the counter
//!   of public output where it writes some.
//! - Sends on `MEMORY` the load or store that moves data: of a cell or of a byte.
//! - Sends on `OUTPUT` each byte of public output with its index; the verifier receives them.
//!
//! # What is promised
//! Input is the prover's word, and so are its length and where a read stops short; a read stays inside the
//! buffer it was given. A write moves a cell exactly where the address is aligned and the length allows it,
//! otherwise a byte, and nothing exactly where the length is zero: what a program writes depends on the
//! program alone. Output bytes are numbered by a counter in a register cell, so neither order nor number is
//! the prover's to choose.
//!
//! # Why it is sound
//! - `rest = length - moved` is shown to be below 2^32 by its halves, so no more is moved than asked for.
//! - Output is moved by the cell only where `address = 8·quotient`, and by the byte only where `is_short`
//!   shows that the length is one of 1 … 7, by three bits, or `is_unaligned` that the address has low bits:
//!   `address = 8·quotient + bits`, the bits not all zero by an inverse of their sum. The quotient is the
//!   address's only one: `8·quotient` is below 2^32, because `quotient_low` and `8·quotient_high` are
//!   looked up, and has no low bits, because `8·quotient_low` has none and `2^16·8·quotient_high` has none
//!   either.
//! - Input may be moved to any address: what is read is the prover's word anyway, and stays in its buffer.

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_air::{Air, AirBuilder, BaseAir, NamedAirBuilder, WindowAccess};
use p3_field::{Field, PrimeCharacteristicRing};

use super::access::{Cell, Times, access, gap_low};
use super::limbs::{high_half, words};
use super::{Lookups, columns};
use crate::buses::{BYTE_PAIR, MEMORY, OUTPUT, RANGE16, SPACE_REGISTERS};
use crate::ecall;
use crate::isa::MemoryOp;
use crate::memory::{OUTPUT_INDEX, TICK_ECALL};
use crate::record::{IoEvent, IoKind};

/// Name of the table.
pub const NAME: &str = "io";

columns! {
    /// The columns.
    pub struct IoColumns<T> {
        /// `read`.
        pub is_read: T,
        /// `write` to the public output.
        pub is_write: T,
        /// `write` to the log.
        pub is_log: T,
        /// `input_length`.
        pub is_length: T,
        /// Clock of the call.
        pub clock: T,
        /// `x10`.
        pub descriptor: [T; 2],
        /// `x11`.
        pub address: [T; 2],
        /// `x12`.
        pub length: [T; 2],
        /// Times of the accesses to those registers before.
        pub time_before: [T; 3],
        /// Lower halves of the gaps to those.
        pub gap_low: [T; 3],
        /// Eight bytes are moved.
        pub moves_cell: T,
        /// One byte is moved.
        pub moves_byte: T,
        /// Number of the request that moves them.
        pub request: T,
        /// The bytes moved, zeros after them.
        pub bytes: [T; 8],
        /// What the call returns.
        pub result: [T; 2],
        /// Lower half of the length left.
        pub rest_low: T,
        /// A byte of output is moved because the length is below 8.
        pub is_short: T,
        /// A byte of output is moved because the address is not aligned.
        pub is_unaligned: T,
        /// Low bits of the length or of the address, whichever shows it.
        pub bits: [T; 3],
        /// Inverse of the sum of the bits, for the address.
        pub bits_inverse: T,
        /// Lower half of the address over 8, for output.
        pub quotient_low: T,
        /// Upper half of the address over 8; 8 times it is below 2^16.
        pub quotient_high: T,
        /// Output moves at least one byte.
        pub outputs: T,
        /// Output moves eight bytes.
        pub outputs_cell: T,
        /// Bytes of output before.
        pub output_index: T,
        /// Time of the access to the counter before.
        pub output_time_before: T,
        /// Lower half of the gap to it.
        pub output_gap_low: T,
    }
}

/// Constraints and interactions (module docs).
#[derive(Clone, Copy, Debug)]
pub struct IoAir;

impl BaseAir<Goldilocks> for IoAir {
    fn width(&self) -> usize {
        IoColumns::<u8>::WIDTH
    }
}

impl<AB: TableBuilder> Air<AB> for IoAir {
    fn eval(&self, builder: &mut AB) {
        let row = IoColumns::<AB::Var>::from_row(builder.main().current_slice());
        kinds(builder, &row);
        amount(builder, &row);
        short_write(builder, &row);
        data(builder, &row);
        calls(builder, &row);
        counter(builder, &row);
    }
}

fn real<AB: TableBuilder>(row: &IoColumns<AB::Var>) -> AB::Expr {
    row.is_read + row.is_write + row.is_log + row.is_length
}

/// Bytes moved.
fn moved<AB: TableBuilder>(row: &IoColumns<AB::Var>) -> AB::Expr {
    row.moves_cell * Goldilocks::from_u8(8) + row.moves_byte
}

fn kinds<AB: TableBuilder>(builder: &mut AB, row: &IoColumns<AB::Var>) {
    let kinds = [row.is_read, row.is_write, row.is_log, row.is_length];
    builder.assert_bools_named(kinds, "kinds are boolean");
    builder.assert_bool_named(real::<AB>(row), "a row has at most one kind");
    let IoColumns { descriptor, address, length, .. } = *row;
    for (kind, expected) in
        [(row.is_read, ecall::INPUT), (row.is_write, ecall::OUTPUT), (row.is_log, ecall::LOG)]
    {
        builder.when(kind).assert_eq_named(
            descriptor[0],
            AB::Expr::from_u64(expected),
            "each kind has its descriptor",
        );
    }
    let mut transfer = builder.when(row.is_read + row.is_write + row.is_log);
    transfer.assert_zero_named(descriptor[1], "a descriptor is one word");
    transfer.assert_zero_named(length[1], "a length is one word");
    let moves = row.moves_cell + row.moves_byte;
    builder.when(moves).assert_zero_named(address[1], "an address is one word");
}

fn amount<AB: TableBuilder>(builder: &mut AB, row: &IoColumns<AB::Var>) {
    let length = row.length;
    let moves = row.moves_cell + row.moves_byte;
    builder.assert_bools_named([row.moves_cell, row.moves_byte], "amounts are boolean");
    builder.assert_bool_named(moves.clone(), "a cell or a byte is moved");
    builder
        .when(AB::Expr::ONE - row.is_read - row.is_write)
        .assert_zero_named(moves.clone(), "only reads and writes move data");
    builder
        .when(row.is_write)
        .when_ne(moves, AB::Expr::ONE)
        .assert_zero_named(length[0], "a write moves nothing only if its length is zero");
    let mut transfer = builder.when(row.is_read + row.is_write);
    transfer.assert_eq_named(row.result[0], moved::<AB>(row), "reads and writes return what they moved");
    transfer.assert_zero_named(row.result[1], "what is moved is one word");
    for (result, length) in row.result.into_iter().zip(length) {
        builder.when(row.is_log).assert_eq_named(result, length, "the log takes everything");
    }
    let rest = length[0] - moved::<AB>(row);
    let low: AB::Expr = row.rest_low.into();
    let transfers = row.is_read + row.is_write;
    builder.send(&RANGE16, transfers.clone(), [low.clone()]);
    builder.send(&RANGE16, transfers, [high_half(rest, low)]);
}

fn short_write<AB: TableBuilder>(builder: &mut AB, row: &IoColumns<AB::Var>) {
    let IoColumns { address, length, .. } = *row;
    builder.assert_bools_named([row.is_short, row.is_unaligned], "reasons are boolean");
    builder.assert_bools_named(row.bits, "bits are boolean");
    builder.assert_eq_named(
        row.is_short + row.is_unaligned,
        row.is_write * row.moves_byte,
        "a byte of output is moved for one reason",
    );
    let [b0, b1, b2] = row.bits;
    let number = b0 + b1.into().double() + b2 * Goldilocks::from_u8(4);
    builder.when(row.is_short).assert_eq_named(length[0], number.clone(), "a short length is below 8");
    let quotient = row.quotient_low + row.quotient_high * Goldilocks::from_u32(1 << 16);
    let aligned = quotient * Goldilocks::from_u8(8);
    builder.when(row.outputs_cell).assert_eq_named(
        address[0],
        aligned.clone(),
        "a cell of output is aligned",
    );
    let mut unaligned = builder.when(row.is_unaligned);
    unaligned.assert_eq_named(address[0], aligned + number, "an address has a quotient and low bits");
    unaligned.assert_one_named((b0 + b1 + b2) * row.bits_inverse, "an unaligned address has low bits");
    let divides = row.is_unaligned + row.outputs_cell;
    builder.send(&RANGE16, divides.clone(), [row.quotient_low.into()]);
    builder.send(&RANGE16, divides, [row.quotient_high * Goldilocks::from_u8(8)]);
}

fn data<AB: TableBuilder>(builder: &mut AB, row: &IoColumns<AB::Var>) {
    let number = |op: MemoryOp| Goldilocks::from_u8(op as u8);
    builder.assert_eq_named(
        row.request,
        row.is_read * (row.moves_cell * number(MemoryOp::Sd) + row.moves_byte * number(MemoryOp::Sb))
            + row.is_write * (row.moves_cell * number(MemoryOp::Ld) + row.moves_byte * number(MemoryOp::Lbu)),
        "reads store and writes load",
    );
    let upper = row.bytes[1..].iter().fold(AB::Expr::ZERO, |sum, &byte| sum + byte);
    builder
        .when_ne(row.moves_cell, AB::Expr::ONE)
        .assert_zero_named(upper, "where no cell is moved the upper bytes are zero");
    builder
        .when(AB::Expr::ONE - row.moves_cell - row.moves_byte)
        .assert_zero_named(row.bytes[0], "where nothing is moved there is no byte");
    for pair in row.bytes.chunks_exact(2) {
        builder.send(&BYTE_PAIR, real::<AB>(row), [pair[0], pair[1]]);
    }
    let [low, high] = [&row.bytes[..4], &row.bytes[4..]].map(|bytes| {
        bytes.iter().rev().fold(AB::Expr::ZERO, |word, &byte| word * Goldilocks::from_u32(1 << 8) + byte)
    });
    builder.send(
        &MEMORY,
        row.moves_cell + row.moves_byte,
        [row.request.into(), row.clock.into(), row.address[0].into(), low, high],
    );
}

fn calls<AB: TableBuilder>(builder: &mut AB, row: &IoColumns<AB::Var>) {
    let number = row.is_read * Goldilocks::from_u64(ecall::READ)
        + (row.is_write + row.is_log) * Goldilocks::from_u64(ecall::WRITE)
        + row.is_length * Goldilocks::from_u64(ecall::INPUT_LENGTH);
    let [low, high] = row.result;
    builder.receive(
        &MEMORY,
        real::<AB>(row),
        [AB::Expr::from_u8(MemoryOp::ECALL), row.clock.into(), number, low.into(), high.into()],
    );
    for (i, (register, value)) in (10..).zip([row.descriptor, row.address, row.length]).enumerate() {
        let value = value.map(Into::into);
        let times = Times {
            now: row.clock + AB::Expr::from_u32(TICK_ECALL),
            before: row.time_before[i].into(),
            gap_low: row.gap_low[i].into(),
        };
        let cell = Cell { space: SPACE_REGISTERS, number: AB::Expr::from_u8(register) };
        access(builder, real::<AB>(row), cell, [value.clone(), value], times);
    }
}

fn counter<AB: TableBuilder>(builder: &mut AB, row: &IoColumns<AB::Var>) {
    builder.assert_eq_named(
        row.outputs,
        row.is_write * (row.moves_cell + row.moves_byte),
        "output is what writes move",
    );
    builder.assert_eq_named(row.outputs_cell, row.is_write * row.moves_cell, "a cell of output");
    let before: AB::Expr = row.output_index.into();
    let after = before.clone() + moved::<AB>(row);
    let times = Times {
        now: row.clock + AB::Expr::from_u32(TICK_ECALL),
        before: row.output_time_before.into(),
        gap_low: row.output_gap_low.into(),
    };
    let cell = Cell { space: SPACE_REGISTERS, number: AB::Expr::from_u32(OUTPUT_INDEX) };
    let values = [before.clone(), after].map(|index| [index, AB::Expr::ZERO]);
    access(builder, row.is_write, cell, values, times);
    for (i, &byte) in row.bytes.iter().enumerate() {
        let multiplicity = if i == 0 { row.outputs } else { row.outputs_cell };
        builder.send(&OUTPUT, multiplicity, [before.clone() + AB::Expr::from_usize(i), byte.into()]);
    }
}

/// The row of `event`.
pub fn row(event: &IoEvent, lookups: &mut impl Lookups) -> IoColumns<Goldilocks> {
    let now = event.clock + TICK_ECALL;
    let [is_read, is_write, is_log, is_length] =
        [IoKind::Read, IoKind::Write, IoKind::Log, IoKind::InputLength].map(|kind| event.kind == kind);
    let registers = [event.descriptor, event.address, event.length];
    let (moves_cell, moves_byte) = (event.moved == 8, event.moved == 1);
    let rest = match is_read || is_write {
        true => {
            let rest = event.length.value as u32 - event.moved;
            lookups.word(rest);
            rest
        }
        false => 0,
    };
    let [length, address] = [event.length, event.address].map(|register| register.value as u32);
    let is_short = is_write && moves_byte && length < 8;
    let is_unaligned = is_write && moves_byte && !is_short;
    let low_bits = match (is_short, is_unaligned) {
        (true, _) => length,
        (_, true) => address % 8,
        _ => 0,
    };
    let bits = [1, 2, 4].map(|bit| Goldilocks::from_bool(low_bits & bit != 0));
    let divides = is_unaligned || (is_write && moves_cell);
    let quotient = if divides { address / 8 } else { 0 };
    if divides {
        lookups.range16(quotient as u16);
        lookups.range16(8 * (quotient >> 16) as u16);
    }
    let bytes = event.data.to_le_bytes();
    for pair in bytes.chunks_exact(2) {
        lookups.byte_pair(pair[0], pair[1]);
    }
    let request = match event.kind {
        IoKind::Read if moves_cell => MemoryOp::Sd as u8,
        IoKind::Read if moves_byte => MemoryOp::Sb as u8,
        IoKind::Write if moves_cell => MemoryOp::Ld as u8,
        IoKind::Write if moves_byte => MemoryOp::Lbu as u8,
        _ => 0,
    };
    IoColumns {
        is_read: Goldilocks::from_bool(is_read),
        is_write: Goldilocks::from_bool(is_write),
        is_log: Goldilocks::from_bool(is_log),
        is_length: Goldilocks::from_bool(is_length),
        clock: Goldilocks::from_u32(event.clock),
        descriptor: words(event.descriptor.value),
        address: words(event.address.value),
        length: words(event.length.value),
        time_before: registers.map(|register| Goldilocks::from_u32(register.time_before)),
        gap_low: registers.map(|register| gap_low(now, register.time_before, lookups)),
        moves_cell: Goldilocks::from_bool(moves_cell),
        moves_byte: Goldilocks::from_bool(moves_byte),
        request: Goldilocks::from_u8(request),
        bytes: bytes.map(Goldilocks::from_u8),
        result: words(event.result),
        rest_low: Goldilocks::from_u16(rest as u16),
        is_short: Goldilocks::from_bool(is_short),
        is_unaligned: Goldilocks::from_bool(is_unaligned),
        bits,
        bits_inverse: match is_unaligned {
            true => bits.into_iter().sum::<Goldilocks>().inverse(),
            false => Goldilocks::ZERO,
        },
        quotient_low: Goldilocks::from_u16(quotient as u16),
        quotient_high: Goldilocks::from_u32(quotient >> 16),
        outputs: Goldilocks::from_bool(is_write && event.moved > 0),
        outputs_cell: Goldilocks::from_bool(is_write && moves_cell),
        output_index: Goldilocks::from_u64(event.output_index.value),
        output_time_before: Goldilocks::from_u32(event.output_index.time_before),
        output_gap_low: match is_write {
            true => gap_low(now, event.output_index.time_before, lookups),
            false => Goldilocks::ZERO,
        },
    }
}
