//! Test kit of the tables that receive on `ALU` with a row per operation.
//!
//! A row is judged as the rest of the machine would: do the constraints hold, is every lookup an entry of its
//! fixed table, and is the operation that the row claims one that the processor could ask for, with the right
//! result? A **forged** row passes all but the last. The kit looks for forged rows near honest ones: one cell
//! changed, several changed together, cells of two honest rows mixed.

mod wraps;

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use lambda_air::rows::{Interaction, RowPair, Selectors};
use lambda_air::{AnyAir, ConstraintDag, Direction, RowBuilder, TableShape};
use lambda_math::Goldilocks;
use p3_field::{PrimeCharacteristicRing, PrimeField64};

use super::{Lookups, Row};
use crate::buses::{ALU, BYTE_AND, BYTE_PAIR, POWER, RANGE16};
use crate::isa::AluOp;
use crate::record::AluEvent;

/// What a row notes as looked up: buses and messages.
#[derive(Default)]
pub struct Log(Vec<(u32, Vec<u64>)>);

impl Lookups for Log {
    fn range16(&mut self, value: u16) {
        self.0.push((RANGE16.id, vec![value.into()]));
    }

    fn byte_and(&mut self, x: u8, y: u8) {
        self.0.push((BYTE_AND.id, vec![x.into(), y.into(), (x & y).into()]));
    }

    fn byte_pair(&mut self, x: u8, y: u8) {
        self.0.push((BYTE_PAIR.id, vec![x.into(), y.into()]));
    }

    fn power(&mut self, exponent: u8) {
        self.0.push((POWER.id, vec![exponent.into(), 1 << exponent]));
    }
}

/// What a row says on `ALU`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    /// Nothing.
    None,
    /// Something that no processor asks for: an unknown operation, or words that are none.
    Unheard,
    /// An operation with the right result.
    True,
    /// A wrong result, or a multiplicity other than 0 and 1.
    False,
}

/// What the machine finds in a row.
#[derive(Debug)]
struct Judgement {
    /// Constraints that fail, by index.
    broken: Vec<usize>,
    /// Whether all lookups are entries of fixed tables.
    found: bool,
    /// What the row says.
    claim: Claim,
}

/// A table with a row per ALU operation.
pub struct AluTable {
    air: Box<dyn AnyAir>,
    columns: Vec<String>,
    ops: &'static [AluOp],
    row: Box<FillRow>,
    constraints: Vec<String>,
}

/// How a row is filled.
type FillRow = dyn Fn(&AluEvent, &mut Log) -> Vec<Goldilocks>;

/// Counts of a table.
#[derive(Debug, PartialEq, Eq)]
pub struct Counts {
    /// Main columns.
    pub main: usize,
    /// Lookup columns over the extension.
    pub lookup: usize,
    /// Interactions.
    pub interactions: usize,
    /// Constraints.
    pub constraints: usize,
    /// Largest degree.
    pub degree: usize,
}

impl AluTable {
    /// The table of `air` for `ops`.
    pub fn new<R: Row<Goldilocks>>(
        air: impl AnyAir + 'static,
        columns: Vec<String>,
        ops: &'static [AluOp],
        row: impl Fn(&AluEvent, &mut Log) -> R + 'static,
    ) -> Self {
        let constraints = air.capture().names;
        let row = move |event: &AluEvent, log: &mut Log| {
            let mut cells = Vec::new();
            row(event, log).for_each(&mut |cell| cells.push(cell));
            cells
        };
        Self { air: Box::new(air), columns, ops, row: Box::new(row), constraints }
    }

    /// The honest row of `a op b`.
    fn honest(&self, op: AluOp, a: u64, b: u64) -> Vec<Goldilocks> {
        (self.row)(&AluEvent { op, a, b }, &mut Log::default())
    }

    /// Index of the column called `name`, or of the first one if there are several.
    fn column(&self, name: &str) -> usize {
        self.columns.iter().position(|column| base(column) == name).expect("the table has the column")
    }

    /// Counts of the table.
    pub fn counts(&self) -> Counts {
        let dag = ConstraintDag::new(&self.air.capture());
        let shape = TableShape::new(&*self.air, &dag, 0).expect("the table has a shape");
        Counts {
            main: shape.main_width,
            lookup: shape.lookup_columns(),
            interactions: shape.interactions,
            constraints: shape.constraints,
            degree: shape.degree,
        }
    }

    /// Checks that exactly the constraints `expected` could hold modulo p without holding over the integers,
    /// where columns are at most what they are looked up as, or `known`, or 1.
    pub fn check_wraps(&self, known: &[(&str, u64)], expected: &[&str]) {
        let dag = ConstraintDag::new(&self.air.capture());
        let columns = || self.columns.iter().map(|column| base(column)).enumerate();
        let known = known.iter().flat_map(|&(name, largest)| {
            columns().filter(move |&(_, column)| column == name).map(move |(index, _)| (index, largest))
        });
        let wraps = wraps::could_wrap(&dag, known);
        let names: Vec<&str> = wraps.into_iter().map(|index| base(&self.constraints[index])).collect();
        assert_eq!(names, expected);
    }

    fn evaluate(&self, row: &[Goldilocks]) -> (Vec<usize>, Vec<Interaction<Goldilocks>>) {
        let rows = RowPair {
            main: [row, row],
            preprocessed: [&[], &[]],
            public_values: &[],
            selectors: Selectors {
                is_first_row: Goldilocks::ZERO,
                is_last_row: Goldilocks::ZERO,
                is_transition: Goldilocks::ONE,
            },
        };
        let mut builder = RowBuilder::new(rows);
        self.air.eval_row(&mut builder);
        let broken = builder.constraints.iter().enumerate().filter(|(_, value)| **value != Goldilocks::ZERO);
        (broken.map(|(index, _)| index).collect(), builder.interactions)
    }

    /// Judges `row`.
    fn judge(&self, row: &[Goldilocks]) -> Judgement {
        let (broken, interactions) = self.evaluate(row);
        let mut judgement = Judgement { broken, found: true, claim: Claim::None };
        for interaction in &interactions {
            if interaction.bus.id == ALU.id {
                judgement.claim = claim(interaction);
            } else {
                judgement.found &= interaction.multiplicity == Goldilocks::ZERO || is_entry(interaction);
            }
        }
        judgement
    }

    /// Names of the constraints that fail, without repetition.
    fn broken_names(&self, judgement: &Judgement) -> Vec<&str> {
        let mut names: Vec<&str> =
            judgement.broken.iter().map(|&index| base(&self.constraints[index])).collect();
        names.dedup();
        names
    }

    /// Honest rows are valid, claim the right thing and note their lookups.
    pub fn check_honest(&self) {
        let mut random = Random(1);
        let pairs = EDGES.into_iter().flat_map(|a| EDGES.map(|b| (a, b)));
        let pairs: Vec<_> = pairs.chain((0..500).map(|_| random.operands())).collect();
        for &op in self.ops {
            for &(a, b) in &pairs {
                self.check_honest_row(AluEvent { op, a, b });
            }
        }
    }

    fn check_honest_row(&self, event: AluEvent) {
        let mut log = Log::default();
        let row = (self.row)(&event, &mut log);
        assert_eq!(row.len(), self.columns.len());
        let judgement = self.judge(&row);
        assert_eq!(self.broken_names(&judgement), [""; 0], "{event:x?}");
        assert!(judgement.found && judgement.claim == Claim::True, "{event:x?}: {judgement:?}");
        let (_, interactions) = self.evaluate(&row);
        let mut sent = Vec::new();
        for Interaction { bus, multiplicity, fields, direction } in interactions {
            let fields: Vec<u64> = fields.iter().map(Goldilocks::as_canonical_u64).collect();
            assert_eq!(multiplicity, Goldilocks::ONE);
            if bus.id == ALU.id {
                assert_eq!(direction, Direction::Receive);
                let AluEvent { op, a, b } = event;
                let words = [a, b, op.apply(a, b)].map(|value| [value & 0xffff_ffff, value >> 32]);
                assert_eq!(fields[0], op as u64);
                assert_eq!(fields[1..], *words.as_flattened(), "{event:x?}");
            } else {
                assert_eq!(direction, Direction::Send);
                sent.push((bus.id, fields));
            }
        }
        sent.sort();
        log.0.sort();
        assert_eq!(sent, log.0, "{event:x?}: lookups sent and noted");
    }

    /// A row of zeros is valid and says nothing on any bus.
    pub fn check_padding(&self) {
        let (broken, interactions) = self.evaluate(&vec![Goldilocks::ZERO; self.columns.len()]);
        assert_eq!(broken, [0; 0]);
        assert!(interactions.iter().all(|interaction| interaction.multiplicity == Goldilocks::ZERO));
    }

    /// A row to be forged from the honest one of `a op b`, which `constraint` alone stops.
    pub fn forge(&self, constraint: &'static str, op: AluOp, a: u64, b: u64) -> Forgery<'_> {
        Forgery { table: self, constraint, row: self.honest(op, a, b) }
    }

    /// Looks for forged rows near honest ones, and checks that each constraint is needed: that a row found or
    /// one of `forgeries` would be forged but for this constraint. `implied` are the exceptions, which follow
    /// from other constraints and lookups.
    pub fn check_constraints(&self, tries: usize, forgeries: &[Forgery<'_>], implied: &[&str]) {
        let mut search = Search { table: self, needed: BTreeSet::new() };
        for forgery in forgeries {
            let judgement = self.judge(&forgery.row);
            assert_eq!(self.broken_names(&judgement), [forgery.constraint]);
            assert!(
                judgement.found && judgement.claim == Claim::False,
                "{}: {judgement:?}",
                forgery.constraint
            );
            search.needed.insert(forgery.constraint);
        }
        let mut random = Random(2);
        let rows: Vec<_> = (0..24 * self.ops.len())
            .map(|i| {
                let (a, b) = random.operands();
                self.honest(self.ops[i % self.ops.len()], a, b)
            })
            .collect();
        for row in &rows {
            search.change_each(row, &mut random);
        }
        for _ in 0..tries {
            let [row, other] = [(); 2].map(|()| &rows[random.below(rows.len())]);
            search.change_some(row, &mut random);
            search.mix(row, other, &mut random);
        }
        let all: BTreeSet<&str> = self.constraints.iter().map(|name| base(name)).collect();
        let idle: Vec<&str> = all.difference(&search.needed).copied().collect();
        assert_eq!(idle, implied, "constraints that no row needs");
    }
}

/// A forged row but for one constraint.
pub struct Forgery<'a> {
    table: &'a AluTable,
    constraint: &'static str,
    row: Vec<Goldilocks>,
}

impl Forgery<'_> {
    /// Puts `values` in the columns from `name` on.
    pub fn put<const N: usize>(self, name: &str, values: [u64; N]) -> Self {
        self.put_field(name, values.map(Goldilocks::from_u64))
    }

    /// Puts field elements in the columns from `name` on.
    pub fn put_field<const N: usize>(mut self, name: &str, values: [Goldilocks; N]) -> Self {
        let first = self.table.column(name);
        self.row[first..][..N].copy_from_slice(&values);
        self
    }
}

/// The halves of the words of `value`, low first.
pub fn quarters(value: u64) -> [u64; 4] {
    [0, 16, 32, 48].map(|shift| value >> shift & 0xffff)
}

/// The fraction `numerator / denominator` in the field.
pub fn fraction(numerator: u64, denominator: u64) -> Goldilocks {
    Goldilocks::from_u64(numerator) / Goldilocks::from_u64(denominator)
}

/// The name of a column without its index, or of a constraint without the one that p3 adds to shared names.
fn base(name: &str) -> &str {
    let column = name.split('[').next().unwrap_or(name);
    column.split("::").next().unwrap_or(column)
}

struct Search<'a> {
    table: &'a AluTable,
    needed: BTreeSet<&'a str>,
}

impl Search<'_> {
    fn try_row(&mut self, row: &[Goldilocks]) {
        let judgement = self.table.judge(row);
        match judgement.broken[..] {
            [] if judgement.found && judgement.claim == Claim::False => {
                let cells: Vec<_> = self.table.columns.iter().zip(row).collect();
                panic!("a forged row: {cells:x?}");
            }
            [index] if judgement.found && judgement.claim == Claim::False => {
                self.needed.insert(base(&self.table.constraints[index]));
            }
            _ => {}
        }
    }

    fn change_each(&mut self, row: &[Goldilocks], random: &mut Random) {
        let mut changed = row.to_vec();
        for cell in 0..row.len() {
            let honest = row[cell];
            let others = WEIGHTS.into_iter().flat_map(|weight| {
                let weight = Goldilocks::from_u64(weight);
                [honest + weight, honest - weight]
            });
            let special = [-honest, Goldilocks::ZERO, Goldilocks::ONE, Goldilocks::from_u64(random.next())];
            for value in others.chain(special) {
                changed[cell] = value;
                self.try_row(&changed);
            }
            changed[cell] = honest;
        }
    }

    /// Changes two to four cells, by weights that carries between limbs have.
    fn change_some(&mut self, row: &[Goldilocks], random: &mut Random) {
        let mut changed = row.to_vec();
        for _ in 0..2 + random.below(3) {
            let cell = random.below(row.len());
            let weight = Goldilocks::from_u64(*random.pick(&WEIGHTS));
            changed[cell] += if random.below(2) == 0 { weight } else { -weight };
            self.try_row(&changed);
        }
    }

    /// Takes some cells from another honest row.
    fn mix(&mut self, row: &[Goldilocks], other: &[Goldilocks], random: &mut Random) {
        let mut mixed = row.to_vec();
        for _ in 0..1 + random.below(6) {
            let cell = random.below(row.len());
            mixed[cell] = other[cell];
            self.try_row(&mixed);
        }
    }
}

fn claim(interaction: &Interaction<Goldilocks>) -> Claim {
    if interaction.multiplicity == Goldilocks::ZERO {
        return Claim::None;
    }
    if interaction.multiplicity != Goldilocks::ONE {
        return Claim::False;
    }
    let fields: Vec<u64> = interaction.fields.iter().map(Goldilocks::as_canonical_u64).collect();
    let op = AluOp::ALL.into_iter().find(|&op| op as u64 == fields[0]);
    let (Some(op), true) = (op, fields[1..].iter().all(|&word| word >> 32 == 0)) else {
        return Claim::Unheard;
    };
    let [a, b, c] = [1, 3, 5].map(|low| fields[low] | fields[low + 1] << 32);
    if op.apply(a, b) == c { Claim::True } else { Claim::False }
}

fn is_entry(interaction: &Interaction<Goldilocks>) -> bool {
    let fields: Vec<u64> = interaction.fields.iter().map(Goldilocks::as_canonical_u64).collect();
    match (interaction.bus.id, &fields[..]) {
        (id, &[value]) if id == RANGE16.id => value < 1 << 16,
        (id, &[x, y, and]) if id == BYTE_AND.id => x < 256 && y < 256 && and == x & y,
        (id, &[exponent, power]) if id == POWER.id => exponent <= 16 && power == 1 << exponent,
        _ => panic!("no fixed table receives {:?}", interaction.bus),
    }
}

/// By how much cells change: weights of limbs and their carries, and 2^64 modulo p.
const WEIGHTS: [u64; 9] = [1, 2, 31, 1 << 5, 1 << 15, 1 << 16, 1 << 31, 1 << 32, 0xffff_ffff];

/// Operands at which something changes.
const EDGES: [u64; 33] = [
    0,
    1,
    2,
    3,
    15,
    16,
    17,
    31,
    32,
    33,
    47,
    48,
    63,
    64,
    127,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_0001,
    0x8000_0000_0000,
    0x7fff_ffff_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0xffff_ffff_0000_0000,
    // The field's modulus.
    0xffff_ffff_0000_0001,
    0xffff_ffff_8000_0000,
    0xffff_ffff_ffff_fffe,
    0xffff_ffff_ffff_ffff,
];

/// A reproducible source of test data (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Two operands: any, an edge, short, or close to each other.
    fn operands(&mut self) -> (u64, u64) {
        let a = self.operand();
        let b = match self.below(4) {
            0 => a.wrapping_add(self.next() % 3).wrapping_sub(1),
            1 => a ^ 1 << self.below(64),
            _ => self.operand(),
        };
        (a, b)
    }

    fn operand(&mut self) -> u64 {
        match self.below(3) {
            0 => *self.pick(&EDGES),
            1 => self.next() >> self.below(64),
            _ => self.next(),
        }
    }
}
