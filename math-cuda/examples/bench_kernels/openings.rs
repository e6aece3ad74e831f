//! From the out-of-domain point to the proof of work.

use lambda_math::field::EXT_DEGREE;
use lambda_math::hash::HashDomain;
use lambda_math::{Ext3, Goldilocks};
use lambda_math_cuda::kernels::domain::denominators;
use lambda_math_cuda::kernels::fri::{Fold, Joining, join};
use lambda_math_cuda::kernels::{deep, grind, ood};
use lambda_math_cuda::{DeviceError, DeviceSlice, Stream};

use crate::case::{Build, Case, Scale};
use crate::columns::{challenge, columns};
use crate::floor::{ADDITION, COMPRESSION, PRODUCT};

/// In the order of a proof.
pub const CASES: &[(&str, Build)] = &[
    ("ood_weighted_sums", out_of_domain),
    ("deep_add", combined),
    ("fri_fold", folded),
    ("fri_fold_leaves", folded_with_leaves),
    ("fri_join", joined),
    ("grind_search", ground),
];

/// Columns of a block of `ood_weighted_sums`.
const BLOCK_COLUMNS: f64 = 32.0;
/// Grid of a fold by eight of slabs of `2^height_log2` values, two of them.
const FOLD_GRID: &str = "(⌈slab/256⌉, slabs) of 256";
const FOLD_LOG2: u32 = 3;
/// Products of a value folded by eight.
const FOLD_PRODUCTS: f64 = 140.0;

fn out_of_domain(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let table = columns(stream, scale.height_log2, scale.width)?;
    let denominators = denominators(stream, scale.height_log2, challenge())?;
    Ok(Case {
        grid: "(⌈columns/32⌉, 512 to 8192 rows each) of 256",
        element: "row, column",
        elements: table.len() as u64,
        bytes: 8.0 + 24.0 / BLOCK_COLUMNS,
        operations: 18.0 + 7.0 * PRODUCT / BLOCK_COLUMNS,
        work: Box::new(move |stream| {
            ood::evaluate(stream, &table, scale.height(), &denominators, challenge(), &[]).map(drop)
        }),
    })
}

fn combined(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let table = columns(stream, scale.height_log2, scale.width)?;
    let denominators = denominators(stream, scale.height_log2, challenge())?;
    let values = vec![challenge(); scale.width];
    let width = scale.width as f64;
    Ok(Case {
        grid: "⌈rows/1024⌉ of 256",
        element: "row, column",
        elements: table.len() as u64,
        bytes: 8.0 + 72.0 / width,
        operations: 18.0 + 9.0 * PRODUCT / width,
        work: Box::new(move |stream| {
            let table = deep::DeepColumns {
                lde: table.as_slice(),
                lde_height: scale.height(),
                next: &[],
                values: &values,
                next_values: &[],
            };
            deep::combine(stream, scale.height_log2, &[table], &denominators, challenge()).map(drop)
        }),
    })
}

fn folded(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let codeword = columns(stream, scale.height_log2 + 1, EXT_DEGREE)?;
    let values = (2 * scale.height()) >> FOLD_LOG2;
    Ok(Case {
        grid: FOLD_GRID,
        element: "folded value",
        elements: values as u64,
        bytes: 24.0 * 9.0,
        operations: FOLD_PRODUCTS * PRODUCT,
        work: Box::new(move |stream| fold(codeword.as_slice(), scale).run(stream, None).map(drop)),
    })
}

fn folded_with_leaves(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let codeword = columns(stream, scale.height_log2 + 1, EXT_DEGREE)?;
    let values = (2 * scale.height()) >> FOLD_LOG2;
    Ok(Case {
        grid: FOLD_GRID,
        element: "folded value",
        elements: values as u64,
        bytes: 24.0 * 9.0 + 4.0,
        operations: FOLD_PRODUCTS * PRODUCT + COMPRESSION * 3.0 / 8.0,
        work: Box::new(move |stream| fold(codeword.as_slice(), scale).run_with_leaves(stream).map(drop)),
    })
}

/// A fold by eight of a codeword of two slabs.
fn fold(codeword: DeviceSlice<'_, Goldilocks>, scale: Scale) -> Fold<'_> {
    Fold { codeword, height_log2: scale.height_log2, arity_log2: FOLD_LOG2, challenge: challenge() }
}

fn joined(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let mut codeword = columns(stream, scale.height_log2, EXT_DEGREE)?;
    let other = columns(stream, scale.height_log2, EXT_DEGREE)?;
    let weight: Ext3 = challenge();
    Ok(Case {
        grid: "⌈values/256⌉ of 256",
        element: "value",
        elements: scale.height() as u64,
        bytes: 72.0,
        operations: 9.0 * PRODUCT + 3.0 * ADDITION,
        work: Box::new(move |stream| {
            join(stream, &mut codeword, Joining { codeword: other.as_slice(), weight })
        }),
    })
}

fn ground(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let (seed, bits) = (HashDomain::Grinding.key(), scale.grinding_bits);
    // A launch tries 2^bits nonces, and the search ends with the launch that finds one.
    let launches = (grind::grind(stream, seed, bits)? >> bits) + 1;
    Ok(Case {
        grid: "up to 2^13 of 128",
        element: "nonce",
        elements: launches << bits,
        bytes: 0.0,
        operations: COMPRESSION,
        work: Box::new(move |stream| grind::grind(stream, seed, bits).map(drop)),
    })
}
