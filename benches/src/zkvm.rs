//! A set of tables shaped like a zkVM's: 2^18 × 40, 2^17 × 30, 2^16 × 60 with 12, 6 and 8 interactions a
//! row, and a range table of 2^16 × 4. The same constraints and lookups for us and for the peer.
//!
//! A row of a wide table holds triples `(x, y, x·y²)` and, last, a selector that is off on one row of
//! sixteen. The first `x` are looked up in the range table; tuples of four cells are sent and received on
//! the same row, which costs what a memory argument costs.

use lambda_air::{Bus, Table, TableBuilder};
use lambda_math::{Columns, Goldilocks};
use p3_air::{Air, AirBuilder, BaseAir, PermutationAirBuilder, WindowAccess};
use p3_field::{Field, PrimeCharacteristicRing};
use p3_lookup::{Count, InteractionBuilder, LookupBus};

const RANGE: Bus = Bus::new(1, "range", &[16]);
const TUPLE: Bus = Bus::new(2, "tuple", &[64, 64, 64, 64]);
const PEER_RANGE: LookupBus<'static> = LookupBus::new("range");
const PEER_TUPLE: LookupBus<'static> = LookupBus::new("tuple");

/// Height of the range table, `log2`.
const RANGE_LOG2: u32 = 16;

/// The shape of one table.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    name: &'static str,
    height_log2: u32,
    width: usize,
    /// Range lookups a row.
    ranges: usize,
    /// Tuples sent and received a row.
    tuples: usize,
}

impl Shape {
    fn triples(self) -> usize {
        (self.width - 1) / 3
    }

    const fn is_range_table(self) -> bool {
        self.ranges == 0
    }
}

/// The four tables.
pub const SHAPES: [Shape; 4] = [
    Shape { name: "wide-18", height_log2: 18, width: 40, ranges: 4, tuples: 4 },
    Shape { name: "wide-17", height_log2: 17, width: 30, ranges: 2, tuples: 2 },
    Shape { name: "wide-16", height_log2: 16, width: 60, ranges: 2, tuples: 3 },
    Shape { name: "range", height_log2: RANGE_LOG2, width: 4, ranges: 0, tuples: 0 },
];

impl<F: Field> BaseAir<F> for Shape {
    fn width(&self) -> usize {
        self.width
    }
}

/// The constraints, bus traffic apart.
fn constrain<AB: AirBuilder<F = Goldilocks>>(shape: Shape, builder: &mut AB) {
    let main = builder.main();
    let (row, next) = (main.current_slice(), main.next_slice());
    if shape.is_range_table() {
        let [entry, _, y, cube] = [row[0], row[1], row[2], row[3]];
        builder.when_first_row().assert_zero(entry);
        let following: AB::Expr = entry.into() + AB::Expr::ONE;
        builder.when_transition().assert_eq(next[0], following);
        let y: AB::Expr = y.into();
        builder.assert_eq(y.clone() * y.clone() * y, cube);
        return;
    }
    builder.assert_bool(row[shape.width - 1]);
    for triple in row.chunks_exact(3).take(shape.triples()) {
        let y: AB::Expr = triple[1].into();
        let x: AB::Expr = triple[0].into();
        builder.assert_eq(x * y.clone() * y, triple[2]);
    }
}

/// Our side.
#[derive(Clone, Copy, Debug)]
pub struct Ours(pub Shape);

impl<F: Field> BaseAir<F> for Ours {
    fn width(&self) -> usize {
        self.0.width
    }
}

impl<AB: TableBuilder> Air<AB> for Ours {
    fn eval(&self, builder: &mut AB) {
        let shape = self.0;
        constrain(shape, builder);
        let main = builder.main();
        let row = main.current_slice();
        if shape.is_range_table() {
            builder.receive(&RANGE, row[1], [row[0]]);
            return;
        }
        let selector = row[shape.width - 1];
        for i in 0..shape.ranges {
            builder.send(&RANGE, selector, [row[3 * i]]);
        }
        for i in 0..shape.tuples {
            let tuple = [row[3 * i], row[3 * i + 1], row[3 * i + 2], row[3 * i + 3]];
            builder.send(&TUPLE, selector, tuple);
            builder.receive(&TUPLE, selector, tuple);
        }
    }
}

/// The peer's side.
impl<AB: PermutationAirBuilder<F = Goldilocks> + InteractionBuilder> Air<AB> for Shape {
    fn eval(&self, builder: &mut AB) {
        constrain(*self, builder);
        let main = builder.main();
        let row = main.current_slice();
        if self.is_range_table() {
            PEER_RANGE.table_entry(builder, [row[0]], row[1]);
            return;
        }
        let selector: AB::Expr = row[self.width - 1].into();
        for i in 0..self.ranges {
            PEER_RANGE.lookup_key(builder, [row[3 * i]], Count::bounded(selector.clone(), 1));
        }
        for i in 0..self.tuples {
            let tuple = || row[3 * i..3 * i + 4].iter().copied();
            PEER_TUPLE.lookup_key(builder, tuple(), Count::bounded(selector.clone(), 1));
            PEER_TUPLE.table_entry(builder, tuple(), selector.clone());
        }
    }
}

/// Our tables.
pub fn tables() -> Vec<Table> {
    SHAPES.map(|shape| Table::new(shape.name, Ours(shape))).into()
}

/// Pseudo-random traces that satisfy the tables.
pub fn traces() -> Vec<Columns> {
    let mut random = XorShift(0x9e37_79b9_7f4a_7c15);
    let mut counts = vec![0u64; 1 << RANGE_LOG2];
    let mut traces: Vec<Columns> =
        SHAPES[..3].iter().map(|&shape| wide_trace(shape, &mut random, &mut counts)).collect();
    let mut range = Columns::zeros(1 << RANGE_LOG2, 4);
    for (row, &count) in counts.iter().enumerate() {
        let y = Goldilocks::from_u64(random.next() >> 32);
        let cells = [Goldilocks::from_usize(row), Goldilocks::from_u64(count), y, y.cube()];
        for (column, cell) in cells.into_iter().enumerate() {
            range.column_mut(column)[row] = cell;
        }
    }
    traces.push(range);
    traces
}

fn wide_trace(shape: Shape, random: &mut XorShift, counts: &mut [u64]) -> Columns {
    let mut trace = Columns::zeros(1 << shape.height_log2, shape.width);
    for row in 0..trace.height() {
        let active = row % 16 != 0;
        trace.column_mut(shape.width - 1)[row] = Goldilocks::from_bool(active);
        for i in 0..shape.triples() {
            let x = random.next() & 0xffff;
            let y = Goldilocks::from_u64(random.next() >> 1);
            if active && i < shape.ranges {
                counts[x as usize] += 1;
            }
            let x = Goldilocks::from_u64(x);
            for (k, cell) in [x, y, x * y * y].into_iter().enumerate() {
                trace.column_mut(3 * i + k)[row] = cell;
            }
        }
    }
    trace
}

/// Marsaglia's generator; good enough for filling tables.
struct XorShift(u64);

impl XorShift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
