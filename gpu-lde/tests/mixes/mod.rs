//! Systems of tables of different kinds, each with a true witness and the host's proof.
//!
//! | mix | tables | what it is for |
//! |---|---|---|
//! | `small` | seven of six heights | every feature of the protocol |
//! | `single` | `fibonacci` | one table, one part: nothing joins, no lookups, nothing preprocessed |
//! | `bare` | two `cubes`, `fibonacci` | no lookups; the widest table is not the tallest one |
//! | `kinds` | `fibonacci`, `cubes`, two `power`, `nibbles`, `squares` | each [`Kind`], preprocessed ones |
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use lambda_air::{Table, TableBuilder};
use lambda_math::{Columns, Goldilocks};
use lambda_prover::{HostBackend, Proven, System, Witness, prove};
use lambda_verifier::Statement;
use lambda_verifier::key::TableKey;
use p3_air::{Air, BaseAir, NamedAirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;

use crate::support::tables::{Fibonacci, NIBBLES, Power, Squares, tables};
use crate::support::{self, columns, count, field};

/// Index of `small` in [`MIXES`].
pub const SMALL: usize = 0;
/// Index of `bare`.
pub const BARE: usize = 2;
/// Index of `kinds`.
pub const KINDS: usize = 3;

/// All mixes.
pub static MIXES: LazyLock<[Mix; 4]> =
    LazyLock::new(|| [Mix::new("small", tables(), support::witness()), single(), bare(), kinds()]);

/// A system and what is proven of it.
pub struct Mix {
    /// Name.
    pub name: &'static str,
    /// The system.
    pub system: System,
    /// A true witness.
    pub witness: Witness,
    /// The host's proof.
    pub host: Proven,
}

impl Mix {
    /// A mix of `tables`, proven on the host.
    pub fn new(name: &'static str, tables: Vec<Table>, witness: Witness) -> Self {
        Self::of(name, support::system(tables), witness)
    }

    /// `witness` for `system`, proven on the host.
    pub fn of(name: &'static str, system: System, witness: Witness) -> Self {
        let host = prove(&system, &HostBackend, witness.clone(), &()).expect("the witness is true");
        Self { name, system, witness, host }
    }

    /// The kinds of its tables.
    pub fn kinds(&self) -> BTreeSet<Kind> {
        self.system.verifying_key().tables.iter().map(Kind::of).collect()
    }
}

/// What decides which buffers a table has on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// Parts of its quotient.
    pub parts: usize,
    /// Whether it has lookup columns beside the main ones.
    pub lookup: bool,
}

impl Kind {
    /// Those there are.
    pub const ALL: [Self; 4] = [
        Self { parts: 1, lookup: false },
        Self { parts: 1, lookup: true },
        Self { parts: 2, lookup: false },
        Self { parts: 2, lookup: true },
    ];

    fn of(table: &TableKey) -> Self {
        Self { parts: table.shape.quotient_parts(), lookup: table.shape.interactions > 0 }
    }
}

fn single() -> Mix {
    mix("single", vec![(Table::new("fibonacci", Fibonacci), support::fibonacci(6, 3, 5))])
}

fn bare() -> Mix {
    mix(
        "bare",
        vec![
            (Table::new("wide", Cubes { width: 17 }), (cubes(6, 17), vec![])),
            (Table::new("fibonacci", Fibonacci), support::fibonacci(8, 3, 5)),
            (Table::new("narrow", Cubes { width: 3 }), (cubes(4, 3), vec![])),
        ],
    )
}

fn kinds() -> Mix {
    let powers = [(7, 100), (5, 32)].map(|(height_log2, used)| (support::power(height_log2, used), used));
    let sent: Vec<Goldilocks> =
        powers.iter().flat_map(|(power, used)| power.column(0)[..*used].to_vec()).collect();
    let [(tall, _), (short, _)] = powers;
    mix(
        "kinds",
        vec![
            (Table::new("fibonacci", Fibonacci), support::fibonacci(6, 3, 5)),
            (Table::new("cubes", Cubes { width: 4 }), (cubes(5, 4), vec![])),
            (Table::new("tall", Power), (tall, vec![])),
            (Table::new("short", Power), (short, vec![])),
            (tables().remove(NIBBLES), (columns([count(16, sent.clone())]), vec![])),
            (Table::new("squares", Squares), (support::squares(count(16, sent)), vec![])),
        ],
    )
}

/// Of tables, each with its trace and public values, without messages.
fn mix(name: &'static str, tables: Vec<(Table, (Columns, Vec<Goldilocks>))>) -> Mix {
    let (tables, filled): (Vec<Table>, Vec<_>) = tables.into_iter().unzip();
    let (traces, public_values) = filled.into_iter().unzip();
    Mix::new(name, tables, Witness { traces, statement: Statement { public_values, messages: vec![] } })
}

/// Columns: a number that counts up, and then each the cube of the one before it. Two parts, no interactions.
#[derive(Clone, Copy, Debug)]
pub struct Cubes {
    /// Columns.
    pub width: usize,
}

impl<F> BaseAir<F> for Cubes {
    fn width(&self) -> usize {
        self.width
    }
}

impl<AB: TableBuilder> Air<AB> for Cubes {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let (row, next) = (main.current_slice(), main.next_slice()[0]);
        builder.when_transition().assert_eq_named(next, row[0] + AB::Expr::ONE, "the numbers count up");
        for pair in row.windows(2) {
            builder.assert_eq_named(pair[1], pair[0] * pair[0] * pair[0], "a cube is that of the one before");
        }
    }
}

/// A trace of [`Cubes`].
pub fn cubes(height_log2: u32, width: usize) -> Columns {
    let numbers: Vec<Goldilocks> = (0..1 << height_log2).map(|row| field(row + 7)).collect();
    let columns =
        std::iter::successors(Some(numbers), |column| Some(column.iter().map(Goldilocks::cube).collect()));
    Columns::from_values(columns.take(width).flatten().collect(), 1 << height_log2)
}
