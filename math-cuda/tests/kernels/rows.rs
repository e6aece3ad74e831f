//! Row digests and codeword leaves against `lambda_math::hash`.

use lambda_math::domain::reverse_bits;
use lambda_math::hash::{hash_row, hash_rows};
use lambda_math::{Digest, Goldilocks};
use lambda_math_cuda::Stream;
use lambda_math_cuda::kernels::rows::{RowHasher, coset_digests, row_digests};
use p3_field::PrimeField64;

use crate::kit;

/// Cells of which some are not canonical: those are hashed as their canonical ones.
fn cells(count: usize, seed: u64) -> Vec<Goldilocks> {
    let shifted = |value: Goldilocks| {
        let sum = value.as_canonical_u64().checked_add(Goldilocks::ORDER_U64);
        sum.map_or(value, Goldilocks::new)
    };
    kit::values(count, seed).into_iter().map(shifted).collect()
}

fn expected(cells: &[Goldilocks], rows: usize) -> Vec<Digest> {
    let columns: Vec<&[Goldilocks]> = cells.chunks_exact(rows).collect();
    let mut digests = vec![Digest::default(); rows];
    hash_rows(&columns, &mut digests);
    digests
}

fn digests(stream: &Stream, cells: &[Goldilocks], rows: usize, pieces: &[usize]) -> Vec<Digest> {
    let columns = stream.upload(cells, "columns").unwrap();
    let width = cells.len() / rows;
    let mut hasher = RowHasher::new(stream, rows, width).unwrap();
    let mut first = 0;
    for &piece in pieces {
        let last = width.min(first + piece);
        hasher.absorb(stream, columns.slice(first * rows..last * rows)).unwrap();
        first = last;
    }
    stream.download(&hasher.finish()).unwrap()
}

// A block, chunk or subtree of BLAKE3 that is short, whole or one cell over; a flag or a counter wrong at any
// of them; a chaining value lost between launches.
#[test]
fn rows_of_every_width_are_hashed_like_on_the_host() {
    const WIDTHS: [usize; 21] =
        [0, 1, 2, 7, 8, 9, 16, 127, 128, 129, 255, 256, 257, 300, 384, 385, 511, 640, 897, 1025, 1300];
    kit::each_device(|_, stream| {
        for width in WIDTHS {
            let rows = 3;
            let cells = cells(width * rows, width as u64);
            let columns = stream.upload(&cells, "columns").unwrap();
            let whole = match width {
                0 => RowHasher::new(stream, rows, 0).unwrap().finish(),
                _ => row_digests(stream, columns.as_slice(), rows).unwrap(),
            };
            let expected = expected(&cells, rows);
            assert_eq!(stream.download(&whole).unwrap(), expected, "{width} columns at once");
            let pieces = [8, 120, 16, 1024, 128, 8, 8];
            assert_eq!(digests(stream, &cells, rows, &pieces), expected, "{width} columns in pieces");
        }
    });
}

// Threads beyond the last row.
#[test]
fn rows_of_every_height_are_hashed_like_on_the_host() {
    kit::each_device(|_, stream| {
        for rows in [1, 2, 31, 127, 128, 129, 1000] {
            let cells = cells(10 * rows, rows as u64);
            let columns = stream.upload(&cells, "columns").unwrap();
            let digests = row_digests(stream, columns.as_slice(), rows).unwrap();
            assert_eq!(stream.download(&digests).unwrap(), expected(&cells, rows), "{rows} rows");
        }
    });
}

// A column left out would still give digests.
#[test]
#[should_panic(expected = "3 columns are missing")]
fn digests_of_part_of_the_columns_are_refused() {
    kit::each_device(|_, stream| {
        let columns = stream.upload(&cells(16, 1), "columns").unwrap();
        let mut hasher = RowHasher::new(stream, 2, 11).unwrap();
        hasher.absorb(stream, columns.as_slice()).unwrap();
        hasher.finish();
    });
}

// Values of a coset in the order of entries instead of positions, cosets of the wrong slab.
#[test]
fn leaves_are_the_cosets_of_a_codeword() {
    kit::each_device(|_, stream| {
        for (height_log2, slabs, arity_log2) in
            [(0u32, 2usize, 0u32), (3, 2, 3), (6, 2, 1), (7, 4, 3), (5, 1, 5), (8, 8, 2)]
        {
            let (height, rows) = (1usize << height_log2, slabs << height_log2);
            let codeword = cells(3 * rows, height_log2.into());
            let columns = stream.upload(&codeword, "codeword").unwrap();
            let digests = coset_digests(stream, columns.as_slice(), height_log2, arity_log2).unwrap();
            let leaves = height >> arity_log2;
            let leaf = |index: usize| {
                let (slab, entry) = (index / leaves, index % leaves);
                let row = |o: usize| slab * height + entry + leaves * reverse_bits(o, arity_log2);
                let values =
                    (0..1 << arity_log2).flat_map(|o| [0, rows, 2 * rows].map(|k| codeword[k + row(o)]));
                hash_row(&values.collect::<Vec<_>>())
            };
            let expected: Vec<Digest> = (0..rows >> arity_log2).map(leaf).collect();
            assert_eq!(
                stream.download(&digests).unwrap(),
                expected,
                "cosets of 2^{arity_log2} in {slabs} slabs of 2^{height_log2}"
            );
        }
    });
}
