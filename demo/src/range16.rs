//! The values below 2^16, each with the number of times it was looked up.
//!
//! - Preprocessed: the value, equal to the row's number.
//! - Main: the multiplicity.
//! - Receives on [`RANGE16`]: the value, with the multiplicity.
//!
//! No constraint binds the multiplicity and none has to: the entries are fixed, so a value outside the
//! table is not received however it is counted.

use lambda_air::TableBuilder;
#[cfg(feature = "trace")]
use lambda_math::Columns;
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
#[cfg(feature = "trace")]
use p3_field::PrimeField64;
use p3_matrix::dense::RowMajorMatrix;

use crate::RANGE16;

/// Name of the table.
pub const NAME: &str = "range16";

/// Rows of the table.
pub const HEIGHT: usize = 1 << 16;

/// The interaction (module docs).
#[derive(Clone, Copy, Debug)]
pub struct Range16Air;

impl BaseAir<Goldilocks> for Range16Air {
    fn width(&self) -> usize {
        1
    }

    fn preprocessed_width(&self) -> usize {
        1
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<Goldilocks>> {
        Some(RowMajorMatrix::new((0..HEIGHT).map(Goldilocks::from_usize).collect(), 1))
    }
}

impl<AB: TableBuilder> Air<AB> for Range16Air {
    fn eval(&self, builder: &mut AB) {
        let value = builder.preprocessed().current_slice()[0];
        let multiplicity = builder.main().current_slice()[0];
        builder.receive(&RANGE16, multiplicity, [value]);
    }
}

/// Fills the table with the counts of `lookups`.
///
/// # Panics
/// When a value is not below 2^16: what looked it up is not a valid trace.
#[cfg(feature = "trace")]
pub fn trace(lookups: impl IntoIterator<Item = Goldilocks>) -> Columns {
    let mut trace = Columns::zeros(HEIGHT, 1);
    let multiplicity = trace.column_mut(0);
    for value in lookups {
        multiplicity[value.as_canonical_u64() as usize] += Goldilocks::ONE;
    }
    trace
}
