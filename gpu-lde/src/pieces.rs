//! How columns are divided where they do not go to the device all at once.

use std::ops::Range;

/// Columns that a row's hash absorbs at a time (`RowHasher`).
pub const HASHED_TOGETHER: usize = 8;

/// `width` columns of `column_bytes` each in pieces that take at most `budget_bytes`, each but the last one a
/// multiple of `together` columns, and at least so many where even they take more.
pub fn pieces(
    width: usize,
    column_bytes: u64,
    budget_bytes: u64,
    together: usize,
) -> impl Iterator<Item = Range<usize>> + use<> {
    let fitting = usize::try_from(budget_bytes / column_bytes).unwrap_or(usize::MAX);
    let columns = (fitting / together * together).clamp(together, width.max(together));
    (0..width).step_by(columns).map(move |start| start..width.min(start + columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bug: a piece that ends within a block of the rows' hashes, a column left out, or none that fits.
    #[test]
    fn pieces_cover_the_columns() {
        let cases: [(usize, u64, usize, &[usize]); 8] = [
            (20, 100, 1, &[0, 10, 20]),
            (20, 100, 8, &[0, 8, 16, 20]),
            (20, 1000, 8, &[0, 20]),
            (20, u64::MAX, 8, &[0, 20]),
            (3, 0, 8, &[0, 3]),
            (9, 0, 8, &[0, 8, 9]),
            (2, 0, 1, &[0, 1, 2]),
            (0, 100, 8, &[0]),
        ];
        for (width, budget, together, ends) in cases {
            let pieces: Vec<_> = pieces(width, 10, budget, together).collect();
            let expected: Vec<_> = ends.windows(2).map(|ends| ends[0]..ends[1]).collect();
            assert_eq!(pieces, expected, "{width} columns, {budget} bytes");
        }
    }
}
