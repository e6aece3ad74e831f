//! The Fibonacci recurrence over the field, one term a row.
//!
//! - Public values: term 0, term 1, and term `height - 1` of the sequence `a_{i+2} = a_{i+1} + a_i`.
//! - Sends on [`RANGE16`]: both limbs of the row's number, on every row.
//!
//! The recurrence needs no row number. The number is here to be range-checked: the constraints fix `low +
//! 2^16·high`, and only the bus makes the two limbs unique. Two limbs suffice for heights up to 2^32.

use core::array;

use lambda_air::TableBuilder;
#[cfg(feature = "trace")]
use lambda_math::Columns;
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, NamedAirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;

use crate::RANGE16;

/// Name of the table.
pub const NAME: &str = "fibonacci";

/// Main columns.
pub const WIDTH: usize = 4;

/// A row, or one thing per column.
#[derive(Clone, Copy, Debug)]
pub struct FibonacciColumns<T> {
    /// The term of this row.
    pub term: T,
    /// The term of the row after it.
    pub following: T,
    /// The row's number, low limb and high limb of 16 bits.
    pub row_limbs: [T; 2],
}

impl<T> FibonacciColumns<T> {
    /// Names the entries of `cells`, which are in column order.
    pub fn new(cells: [T; WIDTH]) -> Self {
        let [term, following, low, high] = cells;
        Self { term, following, row_limbs: [low, high] }
    }
}

/// The constraints (module docs).
#[derive(Clone, Copy, Debug)]
pub struct FibonacciAir;

impl<F> BaseAir<F> for FibonacciAir {
    fn width(&self) -> usize {
        WIDTH
    }

    fn num_public_values(&self) -> usize {
        3
    }
}

impl<AB: TableBuilder> Air<AB> for FibonacciAir {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let current = FibonacciColumns::new(array::from_fn(|i| main.current_slice()[i]));
        let next = FibonacciColumns::new(array::from_fn(|i| main.next_slice()[i]));
        let [first, second, last] = array::from_fn(|i| builder.public_values()[i]);
        let row_number = |[low, high]: [AB::Var; 2]| low + high * AB::Expr::from_u32(1 << 16);
        let number = row_number(current.row_limbs);

        let mut first_row = builder.when_first_row();
        first_row.assert_eq_named(current.term, first, "the first row holds public value 0");
        first_row.assert_eq_named(current.following, second, "the first row is followed by public value 1");
        first_row.assert_zero_named(number.clone(), "the first row has number 0");

        let mut transition = builder.when_transition();
        transition.assert_eq_named(next.term, current.following, "the next term is the following one");
        transition.assert_eq_named(
            next.following,
            current.term + current.following,
            "a term is the sum of the two before it",
        );
        transition.assert_eq_named(
            row_number(next.row_limbs),
            number + AB::Expr::ONE,
            "the next row's number is one more",
        );

        builder.when_last_row().assert_eq_named(current.term, last, "the last row holds public value 2");

        for limb in current.row_limbs {
            builder.send(&RANGE16, AB::Expr::ONE, [limb]);
        }
    }
}

/// Term `index` of the sequence that begins with `first`, `second`, in `O(log index)` operations.
///
/// With the Fibonacci numbers `F(0) = 0`, `F(1) = 1` it is `F(n-1)·first + F(n)·second`. They are computed
/// by doubling: `F(2k) = F(k)·(2F(k+1) - F(k))` and `F(2k+1) = F(k)² + F(k+1)²`.
pub fn term(first: Goldilocks, second: Goldilocks, index: u64) -> Goldilocks {
    let (mut at, mut after) = (Goldilocks::ZERO, Goldilocks::ONE);
    for bit in (0..u64::BITS - index.leading_zeros()).rev() {
        let even = at * (after.double() - at);
        let odd = at.square() + after.square();
        (at, after) = if index >> bit & 1 == 0 { (even, odd) } else { (odd, even + odd) };
    }
    (after - at) * first + at * second
}

/// The public values of a table of `2^height_log2` rows.
pub fn public_values(first: Goldilocks, second: Goldilocks, height_log2: u32) -> [Goldilocks; 3] {
    [first, second, term(first, second, (1 << height_log2) - 1)]
}

/// Fills a table of `2^height_log2` rows.
///
/// # Panics
/// When `height_log2` is above 32.
#[cfg(feature = "trace")]
pub fn trace(first: Goldilocks, second: Goldilocks, height_log2: u32) -> Columns {
    assert!(height_log2 <= 32, "a row number has two limbs of 16 bits");
    let height = 1usize << height_log2;
    let mut trace = Columns::zeros(height, WIDTH);
    let mut columns = trace.values_mut().chunks_exact_mut(height);
    let columns = array::from_fn(|_| columns.next().expect("the trace has WIDTH columns"));
    let FibonacciColumns { term, following, row_limbs: [low, high] } = FibonacciColumns::new(columns);
    let (mut at, mut after) = (first, second);
    for row in 0..height {
        term[row] = at;
        following[row] = after;
        (at, after) = (after, at + after);
        low[row] = Goldilocks::from_usize(row & 0xffff);
        high[row] = Goldilocks::from_usize(row >> 16);
    }
    trace
}

/// The values that the table `trace` sends on [`RANGE16`].
#[cfg(feature = "trace")]
pub fn range_lookups(trace: &Columns) -> impl Iterator<Item = Goldilocks> {
    let columns = FibonacciColumns::new(array::from_fn(|i| trace.column(i)));
    columns.row_limbs.into_iter().flatten().copied()
}
