//! What tables break: constraints on each row, lookups of what is no entry, messages that do not balance.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use lambda_air::rows::{Interaction, RowPair, Selectors};
use lambda_air::table::Preprocessed;
use lambda_air::{AnyAir, Direction, RowBuilder, Table};
use lambda_machine::buses::{BYTE_AND, BYTE_PAIR, IMAGE, POWER, PROGRAM, RANGE16};
use lambda_machine::program::Program;
use lambda_machine::tables::TableId;
use lambda_machine::tables::image::ImageAir;
use lambda_machine::tables::rom::RomAir;
use lambda_math::Goldilocks;
use p3_field::{PrimeCharacteristicRing, PrimeField64};

use crate::forge::Forged;

/// Names of the constraints of each table, as `table: constraint`.
static CONSTRAINTS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let names = |id: TableId| {
        let table =
            id.table(|| Table::new("rom", RomAir::unknown()), || Table::new("image", ImageAir::unknown()));
        let base = |name: &String| {
            let base = name.split("::").next().expect("a name is not empty");
            format!("{}: {base}", id.name())
        };
        table.air.capture().names.iter().map(base).collect()
    };
    TableId::ALL.map(names).into()
});

/// The tables of a program.
pub struct Judge {
    tables: Vec<Judged>,
    /// Rows of `rom` by what they receive.
    instructions: HashMap<Vec<Goldilocks>, usize>,
    image_base: u32,
    image: Vec<u64>,
}

/// A table with what reports say of it.
struct Judged {
    air: Box<dyn AnyAir>,
    preprocessed: Option<Preprocessed>,
}

/// A row with its neighbour and what the claim says about the table.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub table: TableId,
    pub row: usize,
    pub height: usize,
    pub public_values: &'a [Goldilocks],
}

/// What a row says.
pub struct Evaluated {
    /// Names of the constraints that fail, as `table: constraint`.
    pub constraints: BTreeSet<String>,
    /// Messages whose multiplicity is not 0, lookups aside.
    pub messages: Vec<Interaction<Goldilocks>>,
    /// Lookups whose multiplicity is not 0.
    pub lookups: Vec<Interaction<Goldilocks>>,
}

impl Judge {
    pub fn new(program: &Program) -> Self {
        let tables = TableId::ALL.map(|id| {
            let Table { air, .. } = id.table(
                || Table::new("rom", RomAir::new(program, program.code.len())),
                || Table::new("image", ImageAir::unknown()),
            );
            let has_rows = matches!(id, TableId::Registers | TableId::Rom);
            let preprocessed = if has_rows { air.preprocessed() } else { None };
            Judged { preprocessed, air }
        });
        let rom = tables[TableId::Rom.index()].preprocessed.as_ref().expect("a table with entries");
        Self {
            instructions: (0..rom.height).map(|row| (cells(rom, row), row)).collect(),
            image_base: program.image_base,
            image: program.image.clone(),
            tables: tables.into(),
        }
    }

    /// Everything that is broken.
    pub fn broken(&self, forged: &Forged<'_>) -> BTreeSet<String> {
        let statement = match forged.statement() {
            Ok(statement) => statement,
            Err(error) => return [error].into(),
        };
        let mut broken = BTreeSet::new();
        let mut ledger = Ledger::default();
        for message in &statement.messages {
            ledger.add("output", message.fields.clone(), message.multiplicity);
        }
        for (place, rows) in forged.places(&statement) {
            let Evaluated { constraints, messages, lookups } = self.evaluate(place, [&rows[0], &rows[1]]);
            broken.extend(constraints);
            let missing = lookups.into_iter().filter(|lookup| !self.is_entry(lookup));
            for message in messages.into_iter().chain(missing) {
                let net = net(&message);
                ledger.add(message.bus.name, message.fields, net);
            }
        }
        broken.extend(ledger.unbalanced());
        broken
    }

    /// What the row at `place` says, followed by the next one.
    pub fn evaluate(&self, place: Place<'_>, main: [&[Goldilocks]; 2]) -> Evaluated {
        let Place { table, row, height, public_values } = place;
        let judged = &self.tables[table.index()];
        let preprocessed = [row, (row + 1) % height]
            .map(|row| judged.preprocessed.as_ref().map_or(Vec::new(), |columns| cells(columns, row)));
        let mut builder = RowBuilder::new(RowPair {
            main,
            preprocessed: [&preprocessed[0], &preprocessed[1]],
            public_values,
            selectors: Selectors {
                is_first_row: Goldilocks::from_bool(row == 0),
                is_last_row: Goldilocks::from_bool(row + 1 == height),
                is_transition: Goldilocks::from_bool(row + 1 != height),
            },
        });
        judged.air.eval_row(&mut builder);
        let values = builder.constraints.iter().zip(&CONSTRAINTS[table.index()]);
        let failing = values.filter(|(value, _)| **value != Goldilocks::ZERO);
        let constraints = failing.map(|(_, name)| name.clone()).collect();
        let active = builder.interactions.into_iter().filter(|own| own.multiplicity != Goldilocks::ZERO);
        let (lookups, messages) = active.partition(is_lookup);
        Evaluated { constraints, messages, lookups }
    }

    /// Whether a table of entries has what is looked up.
    pub fn is_entry(&self, lookup: &Interaction<Goldilocks>) -> bool {
        let fields: Vec<u64> = lookup.fields.iter().map(Goldilocks::as_canonical_u64).collect();
        match (lookup.bus, &fields[..]) {
            (RANGE16, &[value]) => value < 1 << 16,
            (BYTE_AND, &[x, y, and]) => x < 256 && y < 256 && and == x & y,
            (BYTE_PAIR, &[x, y]) => x < 256 && y < 256,
            (POWER, &[exponent, power]) => exponent <= 16 && power == 1 << exponent,
            (PROGRAM, _) => self.instructions.contains_key(&lookup.fields),
            (IMAGE, &[cell, low, high]) => {
                let value = self.image.get(cell.wrapping_sub(self.image_base.into()) as usize);
                value.is_some_and(|value| (low, high) == (value & 0xffff_ffff, value >> 32))
            }
            _ => panic!("{:?} is no bus of lookups", lookup.bus),
        }
    }

    /// The row of `rom` that receives the message.
    pub fn instruction(&self, fields: &[Goldilocks]) -> usize {
        self.instructions[fields]
    }

    /// Names of the buses on which the row looks up what is no entry.
    pub fn missing(&self, evaluated: &Evaluated) -> BTreeSet<&'static str> {
        let missing = evaluated.lookups.iter().filter(|lookup| !self.is_entry(lookup));
        missing.map(|lookup| lookup.bus.name).collect()
    }
}

/// Whether `table` has something to say beside entries.
pub fn is_evaluated(table: TableId) -> bool {
    table.is_chunked() || table == TableId::Registers
}

fn is_lookup(interaction: &Interaction<Goldilocks>) -> bool {
    [RANGE16, BYTE_AND, BYTE_PAIR, POWER, PROGRAM, IMAGE].contains(&interaction.bus)
}

/// What an interaction adds to the balance of its message.
pub fn net(interaction: &Interaction<Goldilocks>) -> Goldilocks {
    match interaction.direction {
        Direction::Send => interaction.multiplicity,
        Direction::Receive => -interaction.multiplicity,
    }
}

fn cells(columns: &Preprocessed, row: usize) -> Vec<Goldilocks> {
    columns.values.iter().skip(row).step_by(columns.height).copied().collect()
}

/// The balance of each message, by bus.
#[derive(Default)]
struct Ledger(HashMap<(&'static str, Vec<Goldilocks>), Goldilocks>);

impl Ledger {
    fn add(&mut self, bus: &'static str, fields: Vec<Goldilocks>, net: Goldilocks) {
        *self.0.entry((bus, fields)).or_default() += net;
    }

    fn unbalanced(self) -> impl Iterator<Item = String> {
        let unbalanced = self.0.into_iter().filter(|(_, net)| *net != Goldilocks::ZERO);
        unbalanced.map(|((bus, _), _)| bus.to_owned())
    }
}

/// Names of all constraints of `table`, as `table: constraint`.
pub fn constraints(table: TableId) -> BTreeSet<String> {
    CONSTRAINTS[table.index()].iter().cloned().collect()
}
