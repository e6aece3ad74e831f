//! Fixed lookup tables: their entries are preprocessed and the same for every program.
//!
//! | table | entries | received on |
//! |---|---|---|
//! | `range16` | the values below 2^16 | `RANGE16` |
//! | `bytepair` | all pairs of bytes and their conjunction | `BYTE_AND`, `BYTE_PAIR` |
//! | `power` | exponents 0 … 16 and their powers of two | `POWER` |
//!
//! Main columns count how often each entry was looked up. No constraint binds the counts and none has to:
//! what is no entry is not received, however it is counted.

use alloc::vec::Vec;

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;

use crate::buses::{BYTE_AND, BYTE_PAIR, POWER, RANGE16};

/// Rows of `range16` and `bytepair`.
pub const HEIGHT: usize = 1 << 16;
/// Rows of `power`.
pub const POWER_HEIGHT: usize = 32;
/// Largest exponent of `power`; the rows above it repeat it.
pub const MAX_EXPONENT: usize = 16;

/// Values below 2^16.
#[derive(Clone, Copy, Debug)]
pub struct Range16Air;

/// Pairs of bytes.
#[derive(Clone, Copy, Debug)]
pub struct BytePairAir;

/// Powers of two.
#[derive(Clone, Copy, Debug)]
pub struct PowerAir;

fn rows<const N: usize>(height: usize, row: impl Fn(usize) -> [usize; N]) -> RowMajorMatrix<Goldilocks> {
    let cells: Vec<Goldilocks> = (0..height).flat_map(row).map(Goldilocks::from_usize).collect();
    RowMajorMatrix::new(cells, N)
}

impl BaseAir<Goldilocks> for Range16Air {
    fn width(&self) -> usize {
        1
    }

    fn preprocessed_width(&self) -> usize {
        1
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<Goldilocks>> {
        Some(rows(HEIGHT, |value| [value]))
    }
}

impl<AB: TableBuilder> Air<AB> for Range16Air {
    fn eval(&self, builder: &mut AB) {
        let value = builder.preprocessed().current_slice()[0];
        let count = builder.main().current_slice()[0];
        builder.receive(&RANGE16, count, [value]);
    }
}

impl BaseAir<Goldilocks> for BytePairAir {
    fn width(&self) -> usize {
        2
    }

    fn preprocessed_width(&self) -> usize {
        3
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<Goldilocks>> {
        Some(rows(HEIGHT, |pair| {
            let (x, y) = (pair % 256, pair / 256);
            [x, y, x & y]
        }))
    }
}

impl<AB: TableBuilder> Air<AB> for BytePairAir {
    fn eval(&self, builder: &mut AB) {
        let [x, y, and] = core::array::from_fn(|i| builder.preprocessed().current_slice()[i]);
        let [and_count, pair_count] = core::array::from_fn(|i| builder.main().current_slice()[i]);
        builder.receive(&BYTE_AND, and_count, [x, y, and]);
        builder.receive(&BYTE_PAIR, pair_count, [x, y]);
    }
}

impl BaseAir<Goldilocks> for PowerAir {
    fn width(&self) -> usize {
        1
    }

    fn preprocessed_width(&self) -> usize {
        2
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<Goldilocks>> {
        Some(rows(POWER_HEIGHT, |row| {
            let exponent = row.min(MAX_EXPONENT);
            [exponent, 1 << exponent]
        }))
    }
}

impl<AB: TableBuilder> Air<AB> for PowerAir {
    fn eval(&self, builder: &mut AB) {
        let [exponent, power] = core::array::from_fn(|i| builder.preprocessed().current_slice()[i]);
        let count = builder.main().current_slice()[0];
        builder.receive(&POWER, count, [exponent, power]);
    }
}
