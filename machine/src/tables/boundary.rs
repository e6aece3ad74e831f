//! One row per memory cell that the execution accesses: it opens and closes the cell's chain.
//!
//! - Public values: lowest cell allowed, cell after the last one of this table, cell after the image.
//! - Sends on `CELLS`: the cell with its first value, at time 0. Receives: the cell as it is at the end.
//! - Sends on `IMAGE`: cells of the program's image, with their first value.
//! - Sends on `RANGE16`: that cells ascend, and that cells that are not looked up lie above the image.
//!
//! # Why it is sound
//! A chain opened twice would let a read choose between two values. Each row's cell is the one before plus
//! one plus `step`, a word by its halves, starting from a public bound; 2^24 steps of 2^32 do not wrap
//! around the field, and the verifier checks the public bounds and joins chunks by them. A cell that is not
//! looked up starts as zero and lies above the image by a word, so no cell of the image starts as anything
//! but itself.

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_air::{Air, AirBuilder, BaseAir, NamedAirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;

use super::limbs::{high_half, words};
use super::{Lookups, columns};
use crate::buses::{CELLS, IMAGE, RANGE16, SPACE_MEMORY};
use crate::record::BoundaryCell;

/// Name of the table.
pub const NAME: &str = "boundary";

columns! {
    /// The columns.
    pub struct BoundaryColumns<T> {
        /// The row is a cell.
        pub is_real: T,
        /// The cell is part of the program's image.
        pub in_image: T,
        /// Number of the cell; of the last one on rows after it.
        pub cell: T,
        /// Halves of the cell's distance from the one before it, minus one.
        pub step: [T; 2],
        /// Lower half of the cell's distance from the image's end.
        pub above_low: T,
        /// Value at the start.
        pub first: [T; 2],
        /// Value at the end.
        pub last: [T; 2],
        /// Time of the last access.
        pub last_time: T,
    }
}

/// The table's public values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicValues<T> {
    /// Lowest cell allowed.
    pub start: T,
    /// The cell after the last one; `start` if there is none.
    pub end: T,
    /// The cell after the image's last one.
    pub image_end: T,
}

impl PublicValues<u8> {
    /// Number of public values.
    pub const COUNT: usize = 3;
}

impl<T> PublicValues<T> {
    /// From the list in its order.
    pub fn new([start, end, image_end]: [T; 3]) -> Self {
        Self { start, end, image_end }
    }

    /// As the list.
    pub fn into_list(self) -> [T; 3] {
        [self.start, self.end, self.image_end]
    }
}

/// Constraints and interactions (module docs).
#[derive(Clone, Copy, Debug)]
pub struct BoundaryAir;

impl BaseAir<Goldilocks> for BoundaryAir {
    fn width(&self) -> usize {
        BoundaryColumns::<u8>::WIDTH
    }

    fn num_public_values(&self) -> usize {
        PublicValues::COUNT
    }
}

impl<AB: TableBuilder> Air<AB> for BoundaryAir {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let row = BoundaryColumns::<AB::Var>::from_row(main.current_slice());
        let next = BoundaryColumns::<AB::Var>::from_row(main.next_slice());
        let publics = PublicValues::new(core::array::from_fn(|i| builder.public_values()[i]));
        let image_end: AB::Expr = publics.image_end.into();
        builder.assert_bools_named([row.is_real, row.in_image], "flags are boolean");
        builder.when(row.in_image).assert_one_named(row.is_real, "cells of the image are cells");
        for half in row.step {
            builder.when_ne(row.is_real, AB::Expr::ONE).assert_zero_named(half, "padding does not step");
        }
        ascending(builder, &row, &next, publics.start.into(), publics.end.into());
        let zeroed = row.is_real - row.in_image;
        for value in row.first {
            builder
                .when(zeroed.clone())
                .assert_zero_named(value, "memory outside of the image starts as zero");
        }
        for half in row.step {
            builder.send(&RANGE16, row.is_real, [half]);
        }
        let above_low: AB::Expr = row.above_low.into();
        builder.send(&RANGE16, zeroed.clone(), [above_low.clone()]);
        builder.send(&RANGE16, zeroed, [high_half(row.cell - image_end, above_low)]);
        let [first, last] = [row.first, row.last].map(|words| words.map(Into::<AB::Expr>::into));
        let token = |[low, high]: [AB::Expr; 2], time: AB::Expr| {
            [AB::Expr::from_u32(SPACE_MEMORY), row.cell.into(), low, high, time]
        };
        builder.send(&CELLS, row.is_real, token(first, AB::Expr::ZERO));
        builder.receive(&CELLS, row.is_real, token(last, row.last_time.into()));
        builder.send(&IMAGE, row.in_image, [row.cell, row.first[0], row.first[1]]);
    }
}

fn ascending<AB: TableBuilder>(
    builder: &mut AB,
    row: &BoundaryColumns<AB::Var>,
    next: &BoundaryColumns<AB::Var>,
    start: AB::Expr,
    end: AB::Expr,
) {
    let step = |row: &BoundaryColumns<AB::Var>| row.step[0] + row.step[1] * Goldilocks::from_u32(1 << 16);
    builder.when_first_row().assert_eq_named(
        row.cell + AB::Expr::ONE,
        start + row.is_real + step(row),
        "the first cell is not below the start",
    );
    builder.when_last_row().assert_eq_named(row.cell + AB::Expr::ONE, end, "the end is after the last cell");
    let mut transition = builder.when_transition();
    transition.assert_eq_named(next.cell, row.cell + next.is_real + step(next), "cells ascend");
    transition
        .when_ne(row.is_real, AB::Expr::ONE)
        .assert_zero_named(next.is_real, "no cell comes after padding");
}

/// The row of `cell`; `start` is the lowest number it may have, `image_end` the cell after the image.
///
/// # Panics
/// When the cell is below `start`.
pub fn row(
    cell: &BoundaryCell,
    start: u32,
    image_end: u32,
    lookups: &mut impl Lookups,
) -> BoundaryColumns<Goldilocks> {
    let step = cell.cell.checked_sub(start).expect("cells ascend");
    lookups.word(step);
    let in_image = cell.cell < image_end;
    let above = cell.cell.saturating_sub(image_end);
    if !in_image {
        lookups.word(above);
    }
    BoundaryColumns {
        is_real: Goldilocks::ONE,
        in_image: Goldilocks::from_bool(in_image),
        cell: Goldilocks::from_u32(cell.cell),
        step: [step & 0xffff, step >> 16].map(Goldilocks::from_u32),
        above_low: Goldilocks::from_u16(above as u16),
        first: words(cell.first),
        last: words(cell.last),
        last_time: Goldilocks::from_u32(cell.last_time),
    }
}

/// A row after the last cell, whose number is `end - 1`.
pub fn padding(end: u32) -> BoundaryColumns<Goldilocks> {
    BoundaryColumns { cell: Goldilocks::from_u32(end) - Goldilocks::ONE, ..Default::default() }
}
