//! The trace checker on a system of a counter, a permutation and a lookup.

use lambda_air::dag::{Leaf, RowOffset, Selector};
use lambda_air::{Bus, Table, TableBuilder};
use lambda_math::{Columns, Goldilocks};
use lambda_prover::check::{Limits, Nearest, Place, Reading, ShapeFault, TraceReport, check_traces_within};
use lambda_prover::check_traces;
use lambda_verifier::{Profile, ProvingKey, PublicMessage, Statement};
use p3_air::{Air, AirBuilder, BaseAir, NamedAirBuilder, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;

/// (position, value) of each row of the counter.
const CELLS: Bus = Bus::new(1, "cells", &[8, 64]);
/// (root, square).
const SQUARES: Bus = Bus::new(2, "squares", &[8, 16]);

/// Several times the rows that one task checks.
const HEIGHT: usize = 256;
const SQUARES_HEIGHT: usize = 16;

/// Counts up from the public start: columns `position`, `value`, `small`.
///
/// Sends its rows on `CELLS` and, where `small` is set, looks up the square of 3 on `SQUARES`.
struct Counter;

impl BaseAir<Goldilocks> for Counter {
    fn width(&self) -> usize {
        3
    }
    fn num_public_values(&self) -> usize {
        1
    }
}

impl<AB: TableBuilder> Air<AB> for Counter {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let ([position, value, small], next) =
            ([0, 1, 2].map(|c| main.current_slice()[c]), main.next_slice());
        let start: AB::Expr = builder.public_values()[0].into();
        builder.when_first_row().assert_eq(value, start);
        builder.when_first_row().assert_zero(position);
        builder.when_transition().assert_eq_named(
            next[0],
            position + AB::Expr::ONE,
            "the position counts rows",
        );
        builder
            .when_transition()
            .assert_zero_named(next[1] - value - AB::Expr::TWO, "the value grows by two");
        builder.assert_zero(small * (small - AB::Expr::ONE));
        builder.when_last_row().assert_zero_named(next[0], "the next row of the last is the first");
        builder.send(&CELLS, AB::Expr::ONE, [position, value]);
        builder.send(&SQUARES, small, [AB::Expr::from_u8(3), AB::Expr::from_u8(9)]);
    }
}

/// The counter's rows in any order.
struct Shuffled;

impl BaseAir<Goldilocks> for Shuffled {
    fn width(&self) -> usize {
        2
    }
}

impl<AB: TableBuilder> Air<AB> for Shuffled {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let [position, value] = [0, 1].map(|column| main.current_slice()[column]);
        builder.receive(&CELLS, AB::Expr::ONE, [position, value]);
    }
}

/// Squares of 0 to 15, preprocessed, with how often each is looked up.
struct Squares;

impl BaseAir<Goldilocks> for Squares {
    fn width(&self) -> usize {
        1
    }
    fn preprocessed_width(&self) -> usize {
        2
    }
    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<Goldilocks>> {
        let cells = (0..SQUARES_HEIGHT).flat_map(|root| [root, root * root]).map(Goldilocks::from_usize);
        Some(RowMajorMatrix::new(cells.collect(), 2))
    }
}

impl<AB: TableBuilder> Air<AB> for Squares {
    fn eval(&self, builder: &mut AB) {
        let count = builder.main().current_slice()[0];
        let fixed = builder.preprocessed().clone();
        let [root, square] = [0, 1].map(|column| fixed.current_slice()[column]);
        builder.receive(&SQUARES, count, [root, square]);
    }
}

fn key() -> ProvingKey {
    let tables = vec![
        Table::new("counter", Counter),
        Table::new("shuffled", Shuffled),
        Table::new("squares", Squares),
    ];
    ProvingKey::new(Profile::Test, tables).expect("a system")
}

/// Rows whose `small` is set; each looks up the square of 3.
const SMALL_ROWS: [usize; 3] = [4, 9, 31];

fn honest() -> (Vec<Columns>, Statement) {
    let start = 5;
    let cell = |row: usize| [row, start + 2 * row].map(Goldilocks::from_usize);
    let mut counter = Columns::zeros(HEIGHT, 3);
    let mut shuffled = Columns::zeros(HEIGHT, 2);
    for row in 0..HEIGHT {
        let [position, value] = cell(row);
        counter.column_mut(0)[row] = position;
        counter.column_mut(1)[row] = value;
        // Odd, hence a permutation of the rows.
        let [position, value] = cell((row * 13 + 7) % HEIGHT);
        shuffled.column_mut(0)[row] = position;
        shuffled.column_mut(1)[row] = value;
    }
    for row in SMALL_ROWS {
        counter.column_mut(2)[row] = Goldilocks::ONE;
    }
    let mut squares = Columns::zeros(SQUARES_HEIGHT, 1);
    squares.column_mut(0)[3] = Goldilocks::from_usize(SMALL_ROWS.len());
    // The statement itself looks up the square of 2.
    squares.column_mut(0)[2] = Goldilocks::ONE;
    let message = PublicMessage {
        bus: SQUARES.id.into(),
        multiplicity: Goldilocks::ONE,
        fields: field_elements(&[2, 4]),
    };
    let public_values = vec![field_elements(&[start as u64]), vec![], vec![]];
    (vec![counter, shuffled, squares], Statement { public_values, messages: vec![message] })
}

fn field_elements(values: &[u64]) -> Vec<Goldilocks> {
    values.iter().map(|&value| Goldilocks::from_u64(value)).collect()
}

/// What is wrong after `change` is made to the honest traces.
fn report(key: &ProvingKey, change: impl FnOnce(&mut Vec<Columns>, &mut Statement)) -> TraceReport {
    let (mut traces, mut statement) = honest();
    change(&mut traces, &mut statement);
    check_traces(key, &traces, &statement).expect_err("the traces are wrong")
}

/// Bug: the checker finds fault with what the prover can prove.
#[test]
fn honest_traces_pass() {
    let (traces, statement) = honest();
    if let Err(report) = check_traces(&key(), &traces, &statement) {
        panic!("{report}");
    }
}

/// The constraints of the counter, index for index, that a cell's change must break, and the rows.
fn broken_constraints(column: usize, row: usize) -> Vec<(usize, Vec<usize>)> {
    let around: Vec<usize> =
        [row.checked_sub(1), (row + 1 < HEIGHT).then_some(row)].into_iter().flatten().collect();
    match column {
        0 if row == 0 => vec![(1, vec![0]), (2, around), (5, vec![HEIGHT - 1])],
        0 => vec![(2, around)],
        1 if row == 0 => vec![(0, vec![0]), (3, around)],
        1 => vec![(3, around)],
        _ => vec![(4, vec![row])],
    }
}

/// Bug: an error somewhere (first row, last row, end of a chunk) goes unnoticed, or is blamed on another row.
#[test]
fn every_changed_cell_of_the_counter_is_found() {
    let key = key();
    let delta = Goldilocks::from_u64(1 << 40);
    for column in 0..3 {
        for row in 0..HEIGHT {
            let report = report(&key, |traces, _| traces[0].column_mut(column)[row] += delta);
            let [table] = report.tables.as_slice() else { panic!("one table is wrong: {report}") };
            assert_eq!(table.table, 0);
            let found: Vec<(usize, Vec<usize>)> = table
                .constraints
                .iter()
                .map(|constraint| {
                    (constraint.constraint, constraint.rows.iter().map(|row| row.row).collect())
                })
                .collect();
            assert_eq!(found, broken_constraints(column, row), "column {column}, row {row}");
            let bus = &report.buses[0];
            let at = |interaction| Place::Row { table: 0, row, interaction };
            if column < 2 {
                assert_eq!((bus.bus, bus.unbalanced_messages), (CELLS, 2));
                assert_eq!(bus.messages[0].sent.places, [at(0)]);
                assert_eq!(bus.messages[0].nearest.as_ref().map(|nearest| nearest.field), Some(column));
            } else {
                assert_eq!((bus.bus, bus.unbalanced_messages), (SQUARES, 1));
                assert_eq!(bus.messages[0].net, delta);
            }
        }
    }
}

/// Bug: a table without constraints, or a count, is not looked at.
#[test]
fn every_changed_cell_of_the_other_tables_is_found() {
    let key = key();
    for (table, bus) in [(1, CELLS), (2, SQUARES)] {
        let (traces, _) = honest();
        for column in 0..traces[table].width() {
            for row in 0..traces[table].height() {
                let report =
                    report(&key, |traces, _| traces[table].column_mut(column)[row] += Goldilocks::ONE);
                assert!(report.tables.is_empty());
                let [failure] = report.buses.as_slice() else { panic!("one bus is wrong: {report}") };
                assert_eq!(failure.bus, bus);
                let here = Place::Row { table, row, interaction: 0 };
                let is_here = |places: &[Place]| places.contains(&here);
                assert!(failure.messages.iter().any(|message| is_here(&message.received.places)), "{report}");
            }
        }
    }
}

/// Bug: the values in a report are not those that the constraint reads.
#[test]
fn a_failure_shows_what_the_constraint_reads() {
    let report = report(&key(), |traces, _| traces[0].column_mut(1)[12] = Goldilocks::from_u64(1000));
    let constraint = &report.tables[0].constraints[0];
    assert_eq!((constraint.name.as_str(), constraint.failing_rows), ("the value grows by two", 2));
    let row = &constraint.rows[0];
    assert_eq!((row.row, row.value), (11, Goldilocks::from_u64(1000 - 29)));
    let reading = |leaf, value| Reading { leaf, value: Goldilocks::from_u64(value) };
    let expected = [
        reading(Leaf::Main(1, RowOffset::Current), 27),
        reading(Leaf::Main(1, RowOffset::Next), 1000),
        reading(Leaf::Selector(Selector::Transition), 1),
    ];
    assert_eq!(row.readings, expected);
    assert_eq!(row.total_readings, 3);
}

/// Bug: the hint is a message that is wrong in the same direction, or in several fields.
#[test]
fn the_nearest_message_differs_in_one_field() {
    let report = report(&key(), |traces, _| {
        let (positions, values) = traces[1].values_mut().split_at_mut(HEIGHT);
        values[0] = Goldilocks::from_u64(777);
        positions[9] = Goldilocks::from_u64(900);
        (positions[5], values[5]) = (Goldilocks::from_u64(888), Goldilocks::from_u64(777));
    });
    let bus = &report.buses[0];
    assert_eq!(bus.unbalanced_messages, 6);
    let find = |fields: &[u64]| {
        let fields = field_elements(fields);
        bus.messages.iter().find(|message| message.fields == fields).expect("it is listed")
    };
    let nearest = |fields: &[u64], field, net| Some(Nearest { fields: field_elements(fields), field, net });
    assert_eq!(find(&[7, 777]).nearest, nearest(&[7, 19], 1, Goldilocks::ONE));
    assert_eq!(find(&[7, 19]).nearest, nearest(&[7, 777], 1, Goldilocks::NEG_ONE));
    assert_eq!(find(&[900, 253]).nearest, nearest(&[124, 253], 0, Goldilocks::ONE));
    // (7, 777) is as close, but it is received too often as well.
    assert_eq!(find(&[888, 777]).nearest, None);
    assert_eq!(find(&[72, 149]).nearest, None);
}

/// Bug: a message that the verifier sends is left out, or counted on the wrong side.
#[test]
fn the_statement_takes_part() {
    let key = key();
    let forged = report(&key, |_, statement| statement.messages[0].fields = field_elements(&[2, 5]));
    let messages = &forged.buses[0].messages;
    assert_eq!(messages[0].fields, field_elements(&[2, 5]));
    assert_eq!(messages[0].sent.places, [Place::Statement(0)]);
    let received = report(&key, |_, statement| statement.messages[0].multiplicity = Goldilocks::NEG_ONE);
    let message = &received.buses[0].messages[0];
    assert_eq!(message.sent.total_places, 0);
    assert_eq!(message.received.multiplicity, Goldilocks::TWO);
    assert_eq!(
        message.received.places,
        [Place::Statement(0), Place::Row { table: 2, row: 2, interaction: 0 }]
    );
    let start = report(&key, |_, statement| statement.public_values[0][0] = Goldilocks::TWO);
    assert_eq!((start.tables[0].constraints[0].constraint, start.buses.len()), (0, 0));
}

/// Bug: a constraint that uses the transition selector's value, instead of multiplying by it, passes here
/// and fails in the prover.
#[test]
fn the_transition_selector_is_not_taken_for_a_bit() {
    struct Bit;
    impl BaseAir<Goldilocks> for Bit {
        fn width(&self) -> usize {
            1
        }
    }
    impl<AB: TableBuilder> Air<AB> for Bit {
        fn eval(&self, builder: &mut AB) {
            let is_not_last = builder.main().current_slice()[0];
            let is_transition = builder.is_transition();
            builder.assert_zero(is_transition - is_not_last);
        }
    }
    let key = ProvingKey::new(Profile::Test, vec![Table::new("bit", Bit)]).expect("a system");
    let mut trace = Columns::zeros(16, 1);
    trace.column_mut(0)[..15].fill(Goldilocks::ONE);
    let statement = Statement { public_values: vec![vec![]], messages: vec![] };
    let report = check_traces(&key, &[trace], &statement).expect_err("the selector is no bit");
    let constraint = &report.tables[0].constraints[0];
    assert_eq!(constraint.failing_rows, 15);
    assert!(constraint.rows.iter().all(|row| row.value != Goldilocks::ZERO));
    assert_ne!(constraint.rows[0].readings[1].value, Goldilocks::ONE);
}

/// Bug: a wrong shape panics, or hides another one.
#[test]
fn wrong_shapes_are_told() {
    let key = key();
    let shapes = |change: fn(&mut Vec<Columns>, &mut Statement)| report(&key, change).shapes;
    let name = |table: &str| table.to_string();
    let faults = shapes(|traces, statement| {
        traces[0] = Columns::zeros(24, 3);
        traces[1] = Columns::zeros(8, 1);
        traces[2] = Columns::zeros(32, 1);
        statement.public_values[0].clear();
        statement.messages[0].fields.pop();
        statement.messages.push(PublicMessage { bus: 3, multiplicity: Goldilocks::ONE, fields: vec![] });
    });
    let expected = [
        ShapeFault::Height { table: name("counter"), height: 24 },
        ShapeFault::Height { table: name("shuffled"), height: 8 },
        ShapeFault::Width { table: name("shuffled"), expected: 2, got: 1 },
        ShapeFault::PreprocessedHeight { table: name("squares"), expected: 16, got: 32 },
        ShapeFault::PublicValues { table: name("counter"), expected: 1, got: 0 },
        ShapeFault::MessageFields { message: 0, bus: "squares", expected: 2, got: 1 },
        ShapeFault::UnknownBus { message: 1, bus: 3 },
    ];
    assert_eq!(faults, expected);
    let faults = shapes(|traces, statement| {
        traces.pop();
        traces[0] = Columns::default();
        statement.public_values.push(vec![]);
    });
    let expected = [
        ShapeFault::Traces { expected: 3, got: 2 },
        ShapeFault::Height { table: name("counter"), height: 0 },
        ShapeFault::PublicValueLists { expected: 3, got: 4 },
    ];
    assert_eq!(faults, expected);
}

/// Everything wrong at once: values of the counter are off from row 10 on, which the shuffled table does not
/// know.
fn disorder(traces: &mut [Columns]) {
    for (row, value) in traces[0].column_mut(1).iter_mut().enumerate().skip(10) {
        *value += Goldilocks::from_usize(100 * row);
    }
    traces[0].column_mut(2).fill(Goldilocks::TWO);
}

/// Bug: a limit is ignored, or what it leaves out is not counted.
#[test]
fn limits_bound_the_lists_and_not_the_counts() {
    let key = key();
    let (mut traces, statement) = honest();
    disorder(&mut traces);
    let limits = Limits { constraints: 1, rows: 2, readings: 1, messages: 3, places: 2, examined: 1 << 20 };
    let report = check_traces_within(&key, &traces, &statement, &limits).expect_err("wrong");
    let table = &report.tables[0];
    assert_eq!((table.constraints.len(), table.failing_constraints), (1, 2));
    let constraint = &table.constraints[0];
    assert_eq!((constraint.rows.len(), constraint.failing_rows), (2, HEIGHT - 10));
    assert_eq!((constraint.rows[0].readings.len(), constraint.rows[0].total_readings), (1, 3));
    let [cells, squares] = report.buses.as_slice() else { panic!("both buses are wrong: {report}") };
    assert_eq!((cells.messages.len(), cells.unbalanced_messages), (3, 2 * (HEIGHT - 10)));
    let sent = &squares.messages[0].sent;
    assert_eq!((sent.places.len(), sent.total_places), (2, HEIGHT));
    assert_eq!(sent.multiplicity, Goldilocks::from_usize(2 * HEIGHT));
    assert_eq!(report.unexamined_interactions, 0);
}

/// Bug: the search for unbalanced messages takes memory without bound, or claims to be complete where it
/// stopped.
#[test]
fn the_search_is_bounded() {
    let key = key();
    let (mut traces, statement) = honest();
    disorder(&mut traces);
    let limits = Limits { examined: 8, messages: usize::MAX, ..Limits::default() };
    let report = check_traces_within(&key, &traces, &statement, &limits).expect_err("wrong");
    let found: usize = report.buses.iter().map(|bus| bus.unbalanced_messages).sum();
    assert!((1..=8).contains(&found), "{found} messages");
    assert!(report.unexamined_interactions > 0);
    assert!(report.to_string().contains("were not examined"));
}

/// Bug: a report depends on how the rows were divided among threads.
#[test]
fn reports_do_not_depend_on_the_number_of_threads() {
    let key = key();
    let (mut traces, statement) = honest();
    disorder(&mut traces);
    let with_threads = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| check_traces(&key, &traces, &statement)).expect_err("wrong")
    };
    let one = with_threads(1);
    for threads in [2, 7] {
        assert_eq!(one, with_threads(threads));
    }
}

/// Bug: the text leaves out what an author needs to find the mistake.
#[test]
fn the_text_of_a_constraint_failure() {
    let text = report(&key(), |traces, _| {
        traces[0].column_mut(0)[20..].fill(-Goldilocks::from_u8(3));
        for column in 0..2 {
            let cells = traces[0].column(column).to_vec();
            traces[1].column_mut(column).copy_from_slice(&cells);
        }
    })
    .to_string();
    let expected = r#"the traces are wrong; 1 constraint fails

table counter, constraint "the position counts rows" (#2) fails on 236 rows
  row 19: its value is -23
    main[0] = 19
    main'[0] (next row) = -3
    is_transition = 1
  row 20: its value is -1
    main[0] = -3
    main'[0] (next row) = -3
    is_transition = 1
  row 21: its value is -1
    main[0] = -3
    main'[0] (next row) = -3
    is_transition = 1
  and 233 more rows"#;
    assert_eq!(text, expected);
}

/// Bug: as above, for messages.
#[test]
fn the_text_of_an_unbalanced_message() {
    let text = report(&key(), |traces, _| {
        traces[0].column_mut(2)[17] = Goldilocks::ONE;
        traces[1].column_mut(1)[6] += Goldilocks::ONE;
    })
    .to_string();
    let expected = "\
the traces are wrong; 3 bus messages do not balance

bus cells, message (85, 175) is sent once and received 0 times
  sent by table counter, row 85, interaction 0
  nearest: (85, 176), received once more than sent; its field 1 is 176, not 175

bus cells, message (85, 176) is sent 0 times and received once
  received by table shuffled, row 6, interaction 0
  nearest: (85, 175), sent once more than received; its field 1 is 175, not 176

bus squares, message (3, 9) is sent 4 times and received 3 times
  sent by table counter, row 4, interaction 1
  sent by table counter, row 9, interaction 1
  sent by table counter, row 17, interaction 1
  and 1 more place
  received by table squares, row 3, interaction 0";
    assert_eq!(text, expected);
}

/// Bug: as above, for shapes.
#[test]
fn the_text_of_wrong_shapes() {
    let text = report(&key(), |traces, statement| {
        traces[0] = Columns::zeros(24, 4);
        traces[2] = Columns::zeros(32, 1);
        statement.messages[0].fields.pop();
    })
    .to_string();
    let expected = "\
the traces do not have the system's shape:
  table counter: the trace's height is 24, not a power of two from 2^4 to 2^24
  table counter: the trace's width is 4, the AIR's is 3
  table squares: the trace's height is 32, that of the preprocessed columns 16
  message 0 of the statement: its length is 1, on bus squares it is 2";
    assert_eq!(text, expected);
}
