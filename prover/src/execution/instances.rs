//! How the rows of a table are split into instances.

use super::fill::height;

/// Rows of padding that another instance has to save. It costs the openings of its columns, some 100 kB of a
/// proof; 2^16 rows less of a wide table save more than a tenth of a second.
const WORTHWHILE_ROWS: usize = 1 << 16;

/// Heights of the instances that `rows` rows are split into: as many of `max_rows` as are full, then what
/// takes the least. All but the last are full.
pub fn heights(rows: usize, max_rows: usize) -> Vec<usize> {
    let mut heights = vec![max_rows; rows / max_rows];
    if !rows.is_multiple_of(max_rows) {
        heights.extend(of_rest(rows % max_rows));
    }
    heights
}

/// One instance, or the largest full one and those of the rest.
fn of_rest(rows: usize) -> Vec<usize> {
    let one = height(rows);
    let half = one / 2;
    if rows <= half {
        return vec![one];
    }
    let mut several = vec![half];
    several.extend(of_rest(rows - half));
    let cost = several.iter().sum::<usize>() + WORTHWHILE_ROWS * (several.len() - 1);
    if cost <= one { several } else { vec![one] }
}

/// `rows` in pieces, one for each of their instances.
pub fn split<T>(rows: &[T], max_rows: usize) -> Vec<&[T]> {
    let mut rest = rows;
    let pieces = heights(rows.len(), max_rows).into_iter().map(|height| {
        let (piece, after) = rest.split_at(height.min(rest.len()));
        rest = after;
        piece
    });
    pieces.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug: an instance that is not full before another one, rows left out, or one instance too many.
    #[test]
    fn instances_hold_all_rows() {
        let (most, k) = (1 << 20, 1 << 10);
        for (rows, expected) in [
            (0, vec![]),
            (1, vec![16]),
            (16, vec![16]),
            (17, vec![32]),
            (1 << 16, vec![64 * k]),
            // Too small to be worth it, then just so.
            (65 * k, vec![128 * k]),
            (128 * k + 1, vec![128 * k, 16]),
            (192 * k, vec![128 * k, 64 * k]),
            (192 * k + 1, vec![256 * k]),
            (384 * k, vec![256 * k, 128 * k]),
            (385 * k, vec![512 * k]),
            (769 * k, vec![512 * k, 256 * k, k]),
            (most, vec![most]),
            (most + 1, vec![most, 16]),
            (3 * most + 640 * k, vec![most, most, most, 512 * k, 128 * k]),
        ] {
            assert_eq!(heights(rows, most), expected, "{rows} rows");
            let numbers: Vec<usize> = (0..rows).collect();
            let pieces = split(&numbers, most);
            assert_eq!(pieces.concat(), numbers);
            for (piece, height) in pieces.iter().zip(&expected) {
                let is_last = piece.last() == numbers.last();
                assert!(piece.len() == *height || is_last && piece.len() < *height, "{rows} rows");
            }
        }
    }
}
