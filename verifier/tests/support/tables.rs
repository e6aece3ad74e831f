//! A small system of seven tables that uses every feature of the protocol, for the tests of verifier and
//! prover.
//!
//! | table | height | interactions | what it adds |
//! |---|---|---|---|
//! | `fibonacci` | 2^9 | 0 | public values, first, last and transition rows |
//! | `power` | 2^6 | 2 | degree 3 without the next row, a flag as multiplicity, padding rows |
//! | `left` | 2^5 | 1 | no constraint of its own |
//! | `right` | 2^5 | 3 | a permutation of `left`, as tall; receives the statement's messages |
//! | `digits` | 2^7 | 5 | a message of degree 2, the next row |
//! | `nibbles` | 2^4 | 1 | one preprocessed column |
//! | `squares` | 2^4 | 1 | two preprocessed columns, one of them read at the next row |
//!
//! Quotients have one part in `fibonacci`, `left`, `nibbles` and `squares`, two in the others.

use core::array;

use lambda_air::{Bus, Table, TableBuilder};
use lambda_math::Goldilocks;
use p3_air::{Air, BaseAir, NamedAirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;

/// Numbers below 16.
pub const NIBBLE: Bus = Bus::new(1, "nibble", &[4]);
/// Numbers below 16 with their squares.
pub const SQUARE: Bus = Bus::new(2, "square", &[4, 8]);
/// Keys with values.
pub const PAIR: Bus = Bus::new(3, "pair", &[10, 64]);
/// Pairs that the statement asks for.
pub const ANSWER: Bus = Bus::new(4, "answer", &[10, 64]);

/// Indices of the tables.
pub const FIBONACCI: usize = 0;
/// Index of `power`.
pub const POWER: usize = 1;
/// Index of `left`.
pub const LEFT: usize = 2;
/// Index of `right`.
pub const RIGHT: usize = 3;
/// Index of `digits`.
pub const DIGITS: usize = 4;
/// Index of `nibbles`.
pub const NIBBLES: usize = 5;
/// Index of `squares`.
pub const SQUARES: usize = 6;

/// Rows of the preprocessed tables.
pub const FIXED_HEIGHT: usize = 16;

/// The tables, in registry order.
pub fn tables() -> Vec<Table> {
    tables_from(0)
}

/// The tables, but `nibbles` holds the numbers from `first` on.
pub fn tables_from(first: u64) -> Vec<Table> {
    vec![
        Table::new("fibonacci", Fibonacci),
        Table::new("power", Power),
        Table::new("left", Left),
        Table::new("right", Right),
        Table::new("digits", Digits),
        Table::new("nibbles", Nibbles { first }),
        Table::new("squares", Squares),
    ]
}

fn cells<T: Copy, const N: usize>(row: &[T]) -> [T; N] {
    array::from_fn(|i| row[i])
}

/// Columns: a term and the one after it. Public values: the first two terms, and the last row's.
#[derive(Clone, Copy, Debug)]
pub struct Fibonacci;

impl<F> BaseAir<F> for Fibonacci {
    fn width(&self) -> usize {
        2
    }

    fn num_public_values(&self) -> usize {
        3
    }
}

impl<AB: TableBuilder> Air<AB> for Fibonacci {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let [term, following] = cells(main.current_slice());
        let [next_term, next_following] = cells(main.next_slice());
        let [first, second, last] = cells(builder.public_values());

        let mut first_row = builder.when_first_row();
        first_row.assert_eq_named(term, first, "the first term is public");
        first_row.assert_eq_named(following, second, "the second term is public");
        let mut transition = builder.when_transition();
        transition.assert_eq_named(next_term, following, "the terms follow each other");
        transition.assert_eq_named(next_following, term + following, "a term is the sum of two");
        builder.when_last_row().assert_eq_named(term, last, "the last term is public");
    }
}

/// Columns: a number below 16, its square and cube, and whether the row is used.
#[derive(Clone, Copy, Debug)]
pub struct Power;

impl<F> BaseAir<F> for Power {
    fn width(&self) -> usize {
        4
    }
}

impl<AB: TableBuilder> Air<AB> for Power {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let [base, square, cube, used] = cells(main.current_slice());
        builder.assert_eq_named(cube, base * base * base, "the cube is that of the base");
        builder.assert_zero_named(used * (used - AB::Expr::ONE), "a row is used or not");
        builder.assert_zero_named((used - AB::Expr::ONE) * square, "a row that is not used has no square");
        builder.send(&NIBBLE, used, [base]);
        builder.send(&SQUARE, used, [base, square]);
    }
}

/// Columns: a key and its value.
#[derive(Clone, Copy, Debug)]
pub struct Left;

impl<F> BaseAir<F> for Left {
    fn width(&self) -> usize {
        2
    }
}

impl<AB: TableBuilder> Air<AB> for Left {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let [key, value] = cells::<_, 2>(main.current_slice());
        builder.send(&PAIR, AB::Expr::ONE, [key, value]);
    }
}

/// Columns: a key and its value, by ascending key; how far the next key is; whether the statement asks for
/// the pair.
#[derive(Clone, Copy, Debug)]
pub struct Right;

impl<F> BaseAir<F> for Right {
    fn width(&self) -> usize {
        4
    }
}

impl<AB: TableBuilder> Air<AB> for Right {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let [key, value, gap, asked] = cells(main.current_slice());
        let next_key = main.next_slice()[0];
        let step = gap + AB::Expr::ONE;
        builder.when_transition().assert_eq_named(next_key, key + step, "the next key is larger");
        builder.assert_zero_named(asked * (asked - AB::Expr::ONE), "a pair is asked for or not");
        builder.receive(&PAIR, AB::Expr::ONE, [key, value]);
        builder.send(&NIBBLE, AB::Expr::ONE, [gap]);
        builder.receive(&ANSWER, asked, [key, value]);
    }
}

/// Columns: a number that counts up from the public value, and its four hexadecimal digits.
#[derive(Clone, Copy, Debug)]
pub struct Digits;

impl<F> BaseAir<F> for Digits {
    fn width(&self) -> usize {
        5
    }

    fn num_public_values(&self) -> usize {
        1
    }
}

impl<AB: TableBuilder> Air<AB> for Digits {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let [number, d0, d1, d2, d3] = cells(main.current_slice());
        let next_number = main.next_slice()[0];
        let first = builder.public_values()[0];
        builder.when_first_row().assert_eq_named(number, first, "the first number is public");
        builder.when_transition().assert_eq_named(
            next_number,
            number + AB::Expr::ONE,
            "the numbers count up",
        );
        let sum = [d0, d1, d2, d3]
            .into_iter()
            .rev()
            .fold(AB::Expr::ZERO, |sum, digit| sum * AB::Expr::from_u32(16) + digit);
        builder.assert_eq_named(number, sum, "the number has these digits");
        for digit in [d0, d1, d2, d3] {
            builder.send(&NIBBLE, AB::Expr::ONE, [digit]);
        }
        builder.send(&SQUARE, AB::Expr::ONE, [d0.into(), d0 * d0]);
    }
}

/// Preprocessed: 16 numbers. Main: how often each is sent.
#[derive(Clone, Copy, Debug)]
pub struct Nibbles {
    first: u64,
}

impl BaseAir<Goldilocks> for Nibbles {
    fn width(&self) -> usize {
        1
    }

    fn preprocessed_width(&self) -> usize {
        1
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<Goldilocks>> {
        let numbers = (self.first..).take(FIXED_HEIGHT).map(Goldilocks::from_u64);
        Some(RowMajorMatrix::new(numbers.collect(), 1))
    }
}

impl<AB: TableBuilder> Air<AB> for Nibbles {
    fn eval(&self, builder: &mut AB) {
        let number = builder.preprocessed().current_slice()[0];
        let count = builder.main().current_slice()[0];
        builder.receive(&NIBBLE, count, [number]);
    }
}

/// Preprocessed: the numbers below 16, their squares. Main: how often each is sent, and the square of the
/// next row.
#[derive(Clone, Copy, Debug)]
pub struct Squares;

impl BaseAir<Goldilocks> for Squares {
    fn width(&self) -> usize {
        2
    }

    fn preprocessed_width(&self) -> usize {
        2
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<Goldilocks>> {
        let rows = (0..FIXED_HEIGHT).flat_map(|number| [number, number * number]);
        Some(RowMajorMatrix::new(rows.map(Goldilocks::from_usize).collect(), 2))
    }
}

impl<AB: TableBuilder> Air<AB> for Squares {
    fn eval(&self, builder: &mut AB) {
        let [number, square] = cells(builder.preprocessed().current_slice());
        let next_square = builder.preprocessed().next_slice()[1];
        let main = builder.main();
        let [count, following] = cells(main.current_slice());
        builder.assert_eq_named(following, next_square, "the next row's square follows");
        builder.receive(&SQUARE, count, [number, square]);
    }
}
