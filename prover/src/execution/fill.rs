//! Events to columns: each row of a table is filled on its own, blocks of rows in parallel.

use lambda_machine::tables::{Counts, Row};
use lambda_math::{Columns, Goldilocks};
use lambda_verifier::profile::MIN_HEIGHT_LOG2;
use rayon::prelude::*;

/// Rows of a block.
const BLOCK_ROWS: usize = 1 << 12;

/// The smallest height that holds `rows` rows.
pub fn height(rows: usize) -> usize {
    rows.next_power_of_two().max(1 << MIN_HEIGHT_LOG2)
}

/// A table with one row per event, and what its rows look up.
///
/// `row` gets the event's index with the event. Rows after the last event are `padding(index)`.
pub fn fill<E: Sync, R: Row<Goldilocks>>(
    events: &[E],
    row: impl Fn(usize, &E, &mut Counts) -> R + Sync,
    padding: impl Fn(usize) -> Option<R> + Sync,
) -> (Columns, Counts) {
    let mut columns = Columns::zeros(height(events.len()), R::WIDTH);
    let counts = columns
        .row_blocks_mut(BLOCK_ROWS)
        .into_par_iter()
        .enumerate()
        .fold(Counts::default, |mut counts, (block, mut columns)| {
            let rows = columns.first().map_or(0, |column| column.len());
            for offset in 0..rows {
                let index = block * BLOCK_ROWS + offset;
                let filled = match events.get(index) {
                    Some(event) => Some(row(index, event, &mut counts)),
                    None => padding(index),
                };
                if let Some(filled) = filled {
                    let mut column = columns.iter_mut();
                    filled.for_each(&mut |cell| {
                        column.next().expect("a column for each cell")[offset] = cell;
                    });
                }
            }
            counts
        })
        .reduce(Counts::default, |sum, counts| sum.merge(&counts));
    (columns, counts)
}

/// One column of counts, zeros after the last.
pub fn counted(columns: &[&[u32]], height: usize) -> Columns {
    let mut table = Columns::zeros(height, columns.len());
    for (index, counts) in columns.iter().enumerate() {
        let column = table.column_mut(index);
        column.iter_mut().zip(*counts).for_each(|(cell, &count)| {
            *cell = <Goldilocks as p3_field::PrimeCharacteristicRing>::from_u32(count);
        });
    }
    table
}
