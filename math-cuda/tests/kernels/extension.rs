//! Extension elements in tests, and the base columns they are stored in.

use lambda_math::field::{EXT_DEGREE, ext_coefficients, ext_from_coefficients};
use lambda_math::{Ext3, Goldilocks};

use crate::kit::values;

/// Elements whose coefficients are [`values`].
pub fn ext_values(count: usize, seed: u64) -> Vec<Ext3> {
    let cells = values(EXT_DEGREE * count, seed);
    let (elements, _) = cells.as_chunks::<EXT_DEGREE>();
    elements.iter().map(|&coefficients| ext_from_coefficients(coefficients)).collect()
}

/// The three base columns of an extension column, one after the other.
pub fn base_columns(column: &[Ext3]) -> Vec<Goldilocks> {
    (0..EXT_DEGREE).flat_map(|k| column.iter().map(move |&value| ext_coefficients(value)[k])).collect()
}
