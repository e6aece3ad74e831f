//! Extending, hashing and opening tables.

use std::sync::Arc;

use lambda_math::Goldilocks;
use lambda_math_cuda::kernels::ntt::{self, Twiddles};
use lambda_math_cuda::kernels::tree::{DeviceTree, join_leaves};
use lambda_math_cuda::kernels::{gather, rows, widen};
use lambda_math_cuda::{DeviceError, Stream};
use p3_field::PrimeCharacteristicRing;

use crate::case::{Build, Case, Scale};
use crate::columns::columns;
use crate::floor::{ADDITION, COMPRESSION, extension};

/// In the order of a proof.
pub const CASES: &[(&str, Build)] = &[
    ("widen_u8", |stream, scale| widened::<u8>(stream, scale, 9.0)),
    ("widen_u16", |stream, scale| widened::<u16>(stream, scale, 10.0)),
    ("widen_u32", |stream, scale| widened::<u32>(stream, scale, 12.0)),
    ("ntt_inverse, ntt_extend, ntt_forward", |stream, scale| {
        extended(stream, scale.height_log2, scale.width, 72.0)
    }),
    ("ntt_extend", |stream, scale| extended(stream, 12, scale.width << (scale.height_log2 - 12), 24.0)),
    ("ntt_extend_short", |stream, scale| extended(stream, 8, scale.width << (scale.height_log2 - 8), 24.0)),
    ("ntt_interpolate", interpolated),
    ("rows_absorb", row_digests),
    ("rows_cosets", coset_digests),
    ("tree_join", joined_leaves),
    ("tree_levels", tree),
    ("gather_rows", gathered_rows),
    ("gather_digests", gathered_digests),
];

fn widened<T: widen::NarrowCell + Default>(
    stream: &Stream,
    scale: Scale,
    bytes: f64,
) -> Result<Case, DeviceError> {
    let cells = scale.height() * scale.width;
    let narrow = stream.upload(&vec![T::default(); cells], "narrow cells")?;
    let mut wide = stream.alloc::<Goldilocks>(cells, "wide cells")?;
    Ok(Case {
        grid: "⌈cells/256⌉ of 256",
        element: "cell",
        elements: cells as u64,
        bytes,
        operations: 2.0,
        work: Box::new(move |stream| widen::widen(stream, narrow.as_slice(), wide.as_slice_mut())),
    })
}

/// As many columns as one launch may have are extended by two.
fn extended(stream: &Stream, height_log2: u32, width: usize, bytes: f64) -> Result<Case, DeviceError> {
    let width = width.min(1 << 14);
    let twiddles = Twiddles::new(stream)?;
    let trace = columns(stream, height_log2, width)?;
    let mut lde = stream.alloc::<Goldilocks>(2 * trace.len(), "lde")?;
    Ok(Case {
        grid: if height_log2 < 12 {
            "(2, ⌈cells/4096⌉) of 256"
        } else {
            "(⌈N/4096⌉, columns) of 256"
        },
        element: "cell",
        elements: trace.len() as u64,
        bytes,
        operations: extension(height_log2),
        work: Box::new(move |stream| {
            let (from, to) = (trace.as_slice(), lde.as_slice_mut());
            ntt::coset_lde(stream, &twiddles, height_log2, 1, from, Goldilocks::ONE, to)
        }),
    })
}

fn interpolated(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let height_log2 = 8;
    let width = (scale.width << (scale.height_log2 - height_log2)).min(1 << 14);
    let twiddles = Twiddles::new(stream)?;
    let values = columns(stream, height_log2, width)?;
    Ok(Case {
        grid: "(1, ⌈cells/4096⌉) of 256",
        element: "cell",
        elements: values.len() as u64,
        bytes: 16.0,
        operations: extension(height_log2) / 3.0,
        work: Box::new(move |stream| {
            ntt::interpolate(stream, &twiddles, height_log2, values.as_slice(), 1 << height_log2).map(drop)
        }),
    })
}

fn row_digests(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let table = columns(stream, scale.height_log2, scale.width)?;
    let width = scale.width as f64;
    Ok(Case {
        grid: "⌈rows/128⌉ of 128",
        element: "cell",
        elements: table.len() as u64,
        bytes: 8.0 + 32.0 / width,
        operations: (scale.width as f64 / 8.0).ceil() * COMPRESSION / width,
        work: Box::new(move |stream| rows::row_digests(stream, table.as_slice(), scale.height()).map(drop)),
    })
}

fn coset_digests(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let codeword = columns(stream, scale.height_log2, 3)?;
    Ok(Case {
        grid: "⌈leaves/128⌉ of 128",
        element: "value",
        elements: scale.height() as u64,
        bytes: 24.0 + 32.0 / 8.0,
        operations: COMPRESSION * 3.0 / 8.0,
        work: Box::new(move |stream| {
            rows::coset_digests(stream, codeword.as_slice(), scale.height_log2 - 1, 3).map(drop)
        }),
    })
}

fn joined_leaves(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let table = columns(stream, scale.height_log2, 1)?;
    let digests = Arc::new(rows::row_digests(stream, table.as_slice(), scale.height())?);
    Ok(Case {
        grid: "⌈leaves/128⌉ of 128",
        element: "leaf of two",
        elements: scale.height() as u64,
        bytes: 96.0,
        operations: COMPRESSION,
        work: Box::new(move |stream| join_leaves(stream, &[digests.clone(), digests.clone()]).map(drop)),
    })
}

fn tree(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let table = columns(stream, scale.height_log2, 1)?;
    let leaves = Arc::new(rows::row_digests(stream, table.as_slice(), scale.height())?);
    Ok(Case {
        grid: "⌈first level/512⌉ of 256",
        element: "node",
        elements: scale.height() as u64 - 2,
        bytes: 64.0,
        operations: COMPRESSION,
        work: Box::new(move |stream| {
            let layers = vec![(scale.height_log2, leaves.clone())];
            DeviceTree::build(stream, layers, 1, 1).map(drop)
        }),
    })
}

/// Positions of rows, all over `height`.
fn positions(height: usize) -> Vec<usize> {
    (0..height / 64).map(|index| index * 64 + index % 64).collect()
}

fn gathered_rows(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let table = columns(stream, scale.height_log2, scale.width)?;
    let positions = positions(scale.height());
    Ok(Case {
        grid: "⌈cells/128⌉ of 128",
        element: "cell",
        elements: (positions.len() * scale.width) as u64,
        bytes: 24.0,
        operations: ADDITION,
        work: Box::new(move |stream| {
            let (columns, height) = (table.as_slice(), scale.height());
            gather::rows(stream, columns, height, scale.height_log2, &positions).map(drop)
        }),
    })
}

fn gathered_digests(stream: &Stream, scale: Scale) -> Result<Case, DeviceError> {
    let table = columns(stream, scale.height_log2, 1)?;
    let digests = rows::row_digests(stream, table.as_slice(), scale.height())?;
    let places: Vec<u64> = positions(scale.height()).into_iter().map(|place| place as u64).collect();
    Ok(Case {
        grid: "⌈2·digests/128⌉ of 128",
        element: "digest",
        elements: places.len() as u64,
        bytes: 72.0,
        operations: 2.0 * ADDITION,
        work: Box::new(move |stream| gather::digests(stream, digests.as_slice(), &places).map(drop)),
    })
}
