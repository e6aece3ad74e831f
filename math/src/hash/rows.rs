//! Row digests and leaves of whole tables.

use super::lanes::{Lanes, Widest};
use super::tile::{hash_in_tiles, join};
use super::{DIGEST_BYTES, Digest, HashDomain, hash_leaf, hash_row};
use crate::field::Goldilocks;

/// Cells of a row in a block.
const BLOCK_CELLS: usize = 8;
/// Digests of a leaf in a block.
const BLOCK_DIGESTS: usize = 2;

/// `out[i]` = [`hash_row`] of row `i`, whose cells are `columns[0][i], columns[1][i], …`.
///
/// # Panics
/// When a column's length is not `out.len()`.
pub fn hash_rows(columns: &[&[Goldilocks]], out: &mut [Digest]) {
    rows_in_lanes::<Widest>(columns, out);
}

/// `out[i]` = [`hash_leaf`] of the digests `tables[0][i], tables[1][i], …`.
///
/// # Panics
/// When a table's length is not `out.len()`.
pub fn hash_leaves(tables: &[&[Digest]], out: &mut [Digest]) {
    leaves_in_lanes::<Widest>(tables, out);
}

fn rows_in_lanes<L: Lanes>(columns: &[&[Goldilocks]], out: &mut [Digest]) {
    assert!(columns.iter().all(|column| column.len() == out.len()), "a column has one cell for each row");
    hash_in_tiles::<L>(
        HashDomain::Row,
        size_of::<u64>() * columns.len(),
        out,
        |block, row| row_block(&columns[block * BLOCK_CELLS..], row),
        |row| hash_row(&columns.iter().map(|column| column[row]).collect::<Vec<_>>()),
    );
}

fn leaves_in_lanes<L: Lanes>(tables: &[&[Digest]], out: &mut [Digest]) {
    assert!(tables.iter().all(|table| table.len() == out.len()), "a table has one digest for each leaf");
    if let [only] = tables {
        return out.copy_from_slice(only);
    }
    hash_in_tiles::<L>(
        HashDomain::Leaf,
        DIGEST_BYTES * tables.len(),
        out,
        |block, row| leaf_block(&tables[block * BLOCK_DIGESTS..], row),
        |row| hash_leaf(&tables.iter().map(|table| table[row]).collect::<Vec<_>>()),
    );
}

/// The first eight columns of rows `row .. row + L::COUNT`, two words a cell.
#[inline(always)]
fn row_block<L: Lanes>(columns: &[&[Goldilocks]], row: usize) -> [L; 16] {
    let load = |column: &[Goldilocks]| L::load_cells(&column[row..][..L::COUNT]);
    let zero = [L::splat(0); 2];
    let words: [[L; 2]; BLOCK_CELLS] = match columns.first_chunk::<BLOCK_CELLS>() {
        Some(whole) => whole.map(load),
        None => core::array::from_fn(|k| columns.get(k).map_or(zero, |column| load(column))),
    };
    core::array::from_fn(|k| words[k / 2][k % 2])
}

/// The first two digests of leaves `row .. row + L::COUNT`.
#[inline(always)]
fn leaf_block<L: Lanes>(tables: &[&[Digest]], row: usize) -> [L; 16] {
    let load = |table: &&[Digest]| L::load_digests(&table[row..][..L::COUNT]);
    let zero = [L::splat(0); 8];
    join(&tables.first().map_or(zero, load), &tables.get(1).map_or(zero, load))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::ORDER;
    use crate::hash::lanes::every_lane_count;
    use crate::hash::tile::{MAX_TILE_ROWS, MIN_TILE_ROWS};

    /// Columns of pseudo-random and edge cells, canonical or not.
    fn columns(width: usize, height: usize) -> Vec<Vec<Goldilocks>> {
        let edges = [0, 1, ORDER - 1, ORDER, ORDER + 1, u64::MAX, u64::from(u32::MAX), 1 << 32];
        let cell = |i: usize| {
            let word = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            if i.is_multiple_of(5) { edges[(word >> 60) as usize % 8] } else { word }
        };
        let column = |c: usize| (0..height).map(|r| Goldilocks::new(cell(c * height + r))).collect();
        (0..width).map(column).collect()
    }

    fn rows_agree<L: Lanes>(width: usize, height: usize) {
        let columns = columns(width, height);
        let columns: Vec<&[Goldilocks]> = columns.iter().map(Vec::as_slice).collect();
        let mut digests = vec![Digest::default(); height];
        rows_in_lanes::<L>(&columns, &mut digests);
        for (row, digest) in digests.iter().enumerate() {
            let cells: Vec<_> = columns.iter().map(|column| column[row]).collect();
            assert_eq!(
                *digest,
                hash_row(&cells),
                "row {row} of {height}, {width} columns, {} lanes",
                L::COUNT
            );
        }
    }

    fn leaves_agree<L: Lanes>(tables: usize, height: usize) {
        let digest = |t: usize, i: usize| Digest::from(blake3::hash(format!("{t} {i}").as_bytes()));
        let tables: Vec<Vec<_>> = (0..tables).map(|t| (0..height).map(|i| digest(t, i)).collect()).collect();
        let tables: Vec<&[Digest]> = tables.iter().map(Vec::as_slice).collect();
        let mut leaves = vec![Digest::default(); height];
        leaves_in_lanes::<L>(&tables, &mut leaves);
        for (i, leaf) in leaves.iter().enumerate() {
            let digests: Vec<_> = tables.iter().map(|table| table[i]).collect();
            assert_eq!(*leaf, hash_leaf(&digests), "leaf {i}, {} tables, {} lanes", tables.len(), L::COUNT);
        }
    }

    /// Blocks, chunks and BLAKE3's tree of chunks, each one cell short, exact, and one cell over.
    #[test]
    fn rows_of_every_width_are_the_blake3_hashes() {
        for width in [0, 1, 2, 7, 8, 9, 16, 127, 128, 129, 255, 256, 257, 300, 384, 385, 640, 1025] {
            every_lane_count!(rows_agree(width, 16));
        }
    }

    /// Rows left over from the lanes, and from the tiles.
    #[test]
    fn rows_of_every_height_are_the_blake3_hashes() {
        for height in
            [0, 1, 3, 4, 15, 17, 31, 33, MIN_TILE_ROWS - 1, MIN_TILE_ROWS + 1, 2 * MAX_TILE_ROWS + 21]
        {
            every_lane_count!(rows_agree(11, height));
        }
        every_lane_count!(rows_agree(300, 2 * MIN_TILE_ROWS + 5));
    }

    #[test]
    fn leaves_of_several_tables_are_the_blake3_hashes() {
        for (tables, height) in
            [(0, 5), (1, 40), (2, 37), (3, 16), (4, 130), (31, 16), (32, 16), (33, 16), (65, 17)]
        {
            every_lane_count!(leaves_agree(tables, height));
        }
    }

    /// The cell of another row or table would be hashed, or none.
    #[test]
    #[should_panic(expected = "one cell for each row")]
    fn columns_of_unequal_height_are_refused() {
        let columns = columns(2, 16);
        hash_rows(&[&columns[0], &columns[1][1..]], &mut vec![Digest::default(); 16]);
    }
}
