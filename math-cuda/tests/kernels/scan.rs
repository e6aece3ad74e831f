//! Sums and running sums against one addition after the other.

use std::cell::Cell;

use lambda_math::Goldilocks;
use lambda_math_cuda::kernels::scan::{column_sums, running_sums};
use p3_field::{Field, PrimeCharacteristicRing};

use crate::kit::{each_device, values};

/// Around a thread's run, the threads of a block, and a tile; one and several levels.
const ROWS: [usize; 10] = [1, 7, 8, 255, 257, 2047, 2048, 2049, 4096, 10_000];

/// Columns that get each other's sums, or rows past the end that count.
#[test]
fn sums_of_columns() {
    each_device(|_, stream| {
        for rows in ROWS {
            for columns in [1, 3, 5] {
                let cells = values(columns * rows, rows as u64);
                let buffer = stream.upload(&cells, "columns").unwrap();
                let sums = column_sums(stream, &buffer, rows).unwrap();
                let expected: Vec<Goldilocks> =
                    cells.chunks_exact(rows).map(|column| column.iter().copied().sum()).collect();
                assert_eq!(stream.download(&sums).unwrap(), expected, "{columns} columns of {rows}");
            }
        }
    });
}

/// A running sum that includes its own row, forgets the tiles before, or takes off the mean once too often.
#[test]
fn running_sums_of_columns() {
    each_device(|_, stream| {
        for rows in ROWS {
            let cells = values(3 * rows, rows as u64);
            let mut expected = cells.clone();
            let mut totals = Vec::new();
            for column in expected.chunks_exact_mut(rows) {
                let total: Goldilocks = column.iter().copied().sum();
                let mean = total * Goldilocks::from_usize(rows).inverse();
                let mut running = Goldilocks::ZERO;
                for cell in column {
                    let value = std::mem::replace(cell, running);
                    running += value - mean;
                }
                assert_eq!(running, Goldilocks::ZERO, "the running sum is cyclic");
                totals.push(total);
            }
            let mut buffer = stream.upload(&cells, "columns").unwrap();
            let sums = running_sums(stream, &mut buffer, rows).unwrap();
            assert_eq!(stream.download(&sums).unwrap(), totals, "{rows} rows");
            assert_eq!(stream.download(&buffer).unwrap(), expected, "{rows} rows");
        }
    });
}

/// Sums of sums of tile sums: the third level.
#[test]
fn more_tiles_than_a_tile_has_rows() {
    let rows = (1 << 22) + 1;
    let cells = values(rows, 5);
    let total: Goldilocks = cells.iter().copied().sum();
    // It takes a second or two: on the first kind of device alone.
    let done = Cell::new(false);
    each_device(|_, stream| {
        if done.replace(true) {
            return;
        }
        let mut buffer = stream.upload(&cells, "column").unwrap();
        let sums = running_sums(stream, &mut buffer, rows).unwrap();
        assert_eq!(stream.download(&sums).unwrap(), [total]);
        let last = stream.download(buffer.slice(rows - 1..)).unwrap();
        let mean = total * Goldilocks::from_usize(rows).inverse();
        assert_eq!(last, [mean - cells[rows - 1]]);
    });
}
