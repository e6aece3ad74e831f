//! Honest traces of the small system, and short ways to prove with it.
#![allow(dead_code, reason = "each test file uses its own part")]

#[path = "../../../verifier/tests/support/tables.rs"]
pub mod tables;

pub mod forger;

use std::sync::LazyLock;

use lambda_air::Table;
use lambda_math::{Columns, Goldilocks};
use lambda_prover::{HostBackend, Profile, ProveError, Proven, System, Witness, prove};
use lambda_verifier::{PublicMessage, Statement};
use p3_field::{PrimeCharacteristicRing, PrimeField64};

/// Heights of the small system, `log2`.
pub const HEIGHTS_LOG2: [u8; 7] = [9, 6, 5, 5, 7, 4, 4];

/// Rows of `power` that are used.
pub const USED: usize = 50;

/// Rows of `right` that the statement asks for.
pub const ASKED: [usize; 2] = [3, 17];

/// The small system.
pub static SMALL: LazyLock<System> =
    LazyLock::new(|| System::new(Profile::Test, tables::tables()).expect("the tables are a system"));

/// A proof of the small system.
pub static PROVEN: LazyLock<Proven> =
    LazyLock::new(|| prove_small(witness()).expect("the honest witness is provable"));

/// Proves `witness` for the small system.
pub fn prove_small(witness: Witness) -> Result<Proven, ProveError> {
    prove(&SMALL, &HostBackend, witness, &())
}

/// A system of `tables` under the test profile.
pub fn system(tables: Vec<Table>) -> System {
    System::new(Profile::Test, tables).expect("the tables are a system")
}

/// An element of the field.
pub fn field(value: u64) -> Goldilocks {
    Goldilocks::from_u64(value)
}

/// `columns`, which all have the same height, as a matrix.
pub fn columns<const N: usize>(columns: [Vec<Goldilocks>; N]) -> Columns {
    let height = columns[0].len();
    Columns::from_values(columns.concat(), height)
}

/// A true witness of the small system.
pub fn witness() -> Witness {
    let (fibonacci, fibonacci_values) = fibonacci(HEIGHTS_LOG2[tables::FIBONACCI].into(), 3, 5);
    let (left, right) = pairs();
    let messages = ASKED.map(|row| PublicMessage {
        bus: tables::ANSWER.id.into(),
        multiplicity: Goldilocks::ONE,
        fields: vec![right.column(0)[row], right.column(1)[row]],
    });
    let (power, digits) = (power(HEIGHTS_LOG2[tables::POWER].into(), USED), digits(0xabc0));
    let nibbles = count(16, nibble_sends(&power, &right, &digits));
    let squares = squares(count(16, square_sends(&power, &digits)));
    let traces = vec![fibonacci, power, left, right, digits, columns([nibbles]), squares];
    let mut public_values = vec![Vec::new(); traces.len()];
    public_values[tables::FIBONACCI] = fibonacci_values;
    public_values[tables::DIGITS] = vec![field(0xabc0)];
    Witness { traces, statement: Statement { public_values, messages: messages.to_vec() } }
}

/// A trace of `fibonacci` and its public values.
pub fn fibonacci(height_log2: u32, first: u64, second: u64) -> (Columns, Vec<Goldilocks>) {
    let [mut terms, mut following] = [Vec::new(), Vec::new()];
    let (mut term, mut next) = (field(first), field(second));
    for _ in 0..1 << height_log2 {
        terms.push(term);
        following.push(next);
        (term, next) = (next, term + next);
    }
    let last = terms[terms.len() - 1];
    (columns([terms, following]), vec![field(first), field(second), last])
}

/// A trace of `power`, of which the first `used` rows are used.
pub fn power(height_log2: u32, used: usize) -> Columns {
    let bases: Vec<Goldilocks> = (0..1 << height_log2).map(|row| field(row * 7 % 16)).collect();
    let used: Vec<Goldilocks> = (0..1 << height_log2).map(|row| Goldilocks::from_bool(row < used)).collect();
    let squares = bases.iter().zip(&used).map(|(base, &used)| base.square() * used).collect();
    let cubes = bases.iter().map(Goldilocks::cube).collect();
    columns([bases, squares, cubes, used])
}

/// A trace of `squares` whose numbers are sent so often.
pub fn squares(counts: Vec<Goldilocks>) -> Columns {
    let following = (0..16).map(|row| field((row + 1) % 16).square()).collect();
    columns([counts, following])
}

fn pairs() -> (Columns, Columns) {
    let gaps: Vec<u64> = (0..32).map(|row| row * 5 % 16).collect();
    let keys: Vec<u64> = gaps
        .iter()
        .scan(2, |key, gap| {
            let this = *key;
            *key += gap + 1;
            Some(this)
        })
        .collect();
    let pair = |row: usize| (field(keys[row]), field(keys[row]).exp_u64(1000));
    let sorted = (0..32).map(pair).unzip();
    let (keys, values): (Vec<_>, Vec<_>) = sorted;
    let (shuffled_keys, shuffled_values) = (0..32).map(|row| pair(row * 13 % 32)).unzip();
    let gaps = gaps.into_iter().map(field).collect();
    let asked = (0..32).map(|row| Goldilocks::from_bool(ASKED.contains(&row))).collect();
    (columns([shuffled_keys, shuffled_values]), columns([keys, values, gaps, asked]))
}

fn digits(first: u64) -> Columns {
    let numbers = || first..first + 128;
    let digit = |index: u32| numbers().map(move |number| field(number >> (4 * index) & 0xf)).collect();
    columns([numbers().map(field).collect(), digit(0), digit(1), digit(2), digit(3)])
}

fn nibble_sends(power: &Columns, right: &Columns, digits: &Columns) -> Vec<Goldilocks> {
    let mut sent = power.column(0)[..USED].to_vec();
    sent.extend(right.column(2));
    sent.extend((1..5).flat_map(|digit| digits.column(digit)));
    sent
}

fn square_sends(power: &Columns, digits: &Columns) -> Vec<Goldilocks> {
    [&power.column(0)[..USED], digits.column(1)].concat()
}

/// How often each number below `height` occurs in `sent`.
pub fn count(height: usize, sent: Vec<Goldilocks>) -> Vec<Goldilocks> {
    let mut counts = vec![Goldilocks::ZERO; height];
    for number in sent {
        counts[number.as_canonical_u64() as usize] += Goldilocks::ONE;
    }
    counts
}
