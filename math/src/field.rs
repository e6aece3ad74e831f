//! The base field, its cubic extension, and the conversions the rest of the code needs.

use p3_field::extension::CubicTrinomialExtensionField;
use p3_field::{BasedVectorSpace, PrimeField64};

/// The prime field with `p = 2^64 - 2^32 + 1`.
pub use p3_goldilocks::Goldilocks;

/// The cubic extension `Goldilocks[X] / (X^3 - X - 1)`.
pub type Ext3 = CubicTrinomialExtensionField<Goldilocks>;

/// Degree of [`Ext3`] over [`Goldilocks`]: base columns per extension column.
pub const EXT_DEGREE: usize = 3;

/// The field's order `p`.
pub const ORDER: u64 = Goldilocks::ORDER_U64;

/// Coefficients of `x` over the base field, constant term first.
#[inline]
pub fn ext_coefficients(x: Ext3) -> [Goldilocks; EXT_DEGREE] {
    let coefficients: &[Goldilocks] = x.as_basis_coefficients_slice();
    match coefficients {
        &[a, b, c] => [a, b, c],
        _ => [Goldilocks::default(); EXT_DEGREE],
    }
}

/// The extension element with coefficients `c`, constant term first.
#[inline]
pub fn ext_from_coefficients(c: [Goldilocks; EXT_DEGREE]) -> Ext3 {
    Ext3::new(c)
}
