//! The security calculator: against an independent one, its monotonicity, its limits, the profiles' promises.

use std::fmt::Write as _;

use lambda_verifier::security::{
    Bits, Fold, MAX_MULTIPLICITY, MIN_MULTIPLICITY, Regime, Round, SecurityReport, Shape, ShapeError,
    johnson, johnson_at, unique_decoding,
};
use proptest::prelude::*;

/// How far below the exact level a figure may lie.
const ACCURACY: f64 = 1.0 / 1024.0;

/// Bounds the errors of the double-precision figures in the grid.
const REFERENCE_ERROR: f64 = 1e-8;

fn as_float(bits: Bits) -> f64 {
    bits.raw() as f64 / (1_u64 << Bits::FRACTION_BITS) as f64
}

fn assert_bound(line: &str, round: Round, bits: Bits, expected: f64) {
    let (actual, expected) = (as_float(bits), expected.max(0.0));
    assert!(actual <= expected + REFERENCE_ERROR, "{round}: {actual} claims more than {expected}: {line}");
    assert!(actual >= expected - ACCURACY, "{round}: {actual} is too far below {expected}: {line}");
}

/// One line of the grid: a shape, the regime's name, the multiplicity, and the expected levels.
struct Row<'a> {
    line: &'a str,
    shape: Shape,
    regime: &'a str,
    multiplicity: u32,
    expected: Vec<(Round, f64)>,
    minimum: f64,
}

fn parse(line: &str) -> Row<'_> {
    let cells: Vec<&str> = line.split(',').collect();
    let [
        trace_log2,
        blowup_log2,
        claims,
        constraints,
        degree,
        openings,
        terms,
        width,
        folds,
        queries,
        grinding,
        regime,
        multiplicity,
        levels @ ..,
    ] = cells.as_slice()
    else {
        panic!("short line: {line}");
    };
    let fold = |text: &str| Fold {
        arity_log2: text.trim_end_matches('+').parse().unwrap(),
        joins: text.ends_with('+'),
    };
    let shape = Shape {
        trace_log2: trace_log2.parse().unwrap(),
        blowup_log2: blowup_log2.parse().unwrap(),
        claims: claims.parse().unwrap(),
        constraints: constraints.parse().unwrap(),
        degree: degree.parse().unwrap(),
        openings: openings.parse().unwrap(),
        lookup_terms: terms.parse().unwrap(),
        message_width: width.parse().unwrap(),
        folds: folds.split_whitespace().map(fold).collect(),
        queries: queries.parse().unwrap(),
        grinding_bits: grinding.parse().unwrap(),
    };
    let &[lookup, constraints, out_of_domain, batching, folds, query, minimum] = levels else {
        panic!("levels: {line}");
    };
    let mut expected = Vec::new();
    if !lookup.is_empty() {
        expected.push((Round::Lookup, lookup.parse().unwrap()));
    }
    expected.push((Round::Constraints, constraints.parse().unwrap()));
    expected.push((Round::OutOfDomain, out_of_domain.parse().unwrap()));
    expected.push((Round::Batching, batching.parse().unwrap()));
    for (index, level) in folds.split_whitespace().enumerate() {
        expected.push((Round::Fold(index), level.parse().unwrap()));
    }
    expected.push((Round::Query, query.parse().unwrap()));
    Row {
        line,
        shape,
        regime,
        multiplicity: if multiplicity.is_empty() { 0 } else { multiplicity.parse().unwrap() },
        expected,
        minimum: minimum.parse().unwrap(),
    }
}

fn assert_row(row: &Row<'_>, report: &SecurityReport) {
    let (hash, rounds) = report.rounds.split_last().unwrap();
    assert_eq!(*hash, (Round::Hash, Bits::from_whole(128)));
    assert_eq!(rounds.len(), row.expected.len(), "{}", row.line);
    for (&(round, bits), &(name, level)) in rounds.iter().zip(&row.expected) {
        assert_eq!(round, name, "{}", row.line);
        assert_bound(row.line, round, bits, level);
    }
    assert_bound(row.line, report.weakest(), report.minimum(), row.minimum);
}

/// Any wrong term, factor, sign or rounding direction shows here, round by round.
#[test]
fn every_round_bounds_the_reference_from_below() {
    let lines = include_str!("data/security_grid.csv").lines();
    let rows: Vec<Row<'_>> = lines.filter(|line| !line.starts_with('#')).skip(1).map(parse).collect();
    assert!(rows.len() > 600);
    for row in &rows {
        match row.regime {
            "unique" => assert_row(row, &unique_decoding(&row.shape).unwrap()),
            "johnson" => assert_row(row, &johnson_at(&row.shape, row.multiplicity).unwrap()),
            "best" => {
                assert_row(row, &johnson_at(&row.shape, row.multiplicity).unwrap());
                let least = row.expected.iter().map(|&(_, level)| level).fold(f64::INFINITY, f64::min);
                let found = johnson(&row.shape).unwrap();
                let found = found.rounds.iter().filter(|(round, _)| *round != Round::Hash);
                let (round, bits) = *found.min_by_key(|(_, bits)| *bits).unwrap();
                assert_bound(row.line, round, bits, least);
            }
            other => panic!("regime {other}"),
        }
    }
}

/// The two profiles that promise 128 bits: name, blowup and query count.
const PROFILES: [(&str, u32, u32); 2] = [("default", 1, 227), ("compact", 3, 75)];

/// Opening claims, message width, log2 of the lookup interactions a row: an ordinary proof, and the largest.
const WIDTHS: [(u64, u64, u32); 2] = [(1000, 16, 7), (4000, 32, 9)];

/// A proof under a profile, with a shorter table joining at every fold.
fn profile_shape(
    blowup_log2: u32,
    queries: u32,
    trace_log2: u32,
    (claims, message_width, interactions_log2): (u64, u64, u32),
) -> Shape {
    let mut folds = Vec::new();
    let mut remaining = trace_log2;
    while remaining > 6 {
        let arity_log2 = 3.min(remaining - 6);
        folds.push(Fold { arity_log2, joins: true });
        remaining -= arity_log2;
    }
    Shape {
        trace_log2,
        blowup_log2,
        claims,
        constraints: claims + claims / 2,
        degree: 3,
        openings: 2,
        lookup_terms: 1 << (trace_log2 + interactions_log2),
        message_width,
        folds,
        queries,
        grinding_bits: 20,
    }
}

/// A change of query count, blowup or formula that takes a profile below its promise.
#[test]
fn profiles_keep_their_promise_up_to_the_largest_proof() {
    for (name, blowup_log2, queries) in PROFILES {
        for trace_log2 in Shape::MIN_TRACE_LOG2..=24 {
            let shape = profile_shape(blowup_log2, queries, trace_log2, WIDTHS[1]);
            let report = johnson(&shape).unwrap();
            assert!(report.minimum() >= Bits::from_whole(128), "{name} at 2^{trace_log2}: {report}");
            // A union bound over the list of main traces, below 2^12, would not make this round the weakest.
            assert!(report.level(Round::Lookup).unwrap() >= Bits::from_whole(128 + 12));
        }
    }
    let largest = profile_shape(1, 227, 24, WIDTHS[1]);
    assert_eq!((largest.lookup_terms, largest.claims), (1 << 33, 4000));
    assert_eq!(unique_decoding(&largest).unwrap().minimum().whole(), 114);
    let largest = profile_shape(3, 75, 24, WIDTHS[1]);
    assert_eq!(unique_decoding(&largest).unwrap().minimum().whole(), 82);
}

/// The table of the book's chapter on security; printed, and compared with the chapter.
#[test]
fn profile_table_matches_the_book() {
    let mut table = String::new();
    for (name, blowup_log2, queries) in PROFILES {
        for trace_log2 in [16, 18, 20, 22, 24] {
            for width in WIDTHS {
                let shape = profile_shape(blowup_log2, queries, trace_log2, width);
                let unique = unique_decoding(&shape).unwrap();
                let johnson = johnson(&shape).unwrap();
                let Regime::Johnson { multiplicity } = johnson.regime else { panic!("{johnson}") };
                let level = |round| johnson.level(round).unwrap();
                writeln!(
                    table,
                    "| {name} | 2^{trace_log2} | {} | {} | {} | {multiplicity} | {} | {} | {} | {} | {} |",
                    width.0,
                    unique.minimum(),
                    johnson.minimum(),
                    level(Round::Lookup),
                    level(Round::OutOfDomain),
                    level(Round::Batching),
                    level(Round::Fold(0)),
                    level(Round::Query),
                )
                .unwrap();
            }
        }
    }
    print!("{table}");
    let chapter = include_str!("../../docs/src/protocol/security.md");
    for line in table.lines() {
        assert!(chapter.lines().any(|written| written == line), "the chapter lacks\n{line}");
    }
}

fn ordinary() -> Shape {
    profile_shape(1, 227, 20, WIDTHS[0])
}

/// Puts one number of a shape out of range.
type Spoil = fn(&mut Shape);

/// A shape that a formula does not cover must not get a figure.
#[test]
fn shapes_out_of_range_are_refused() {
    let fold = |arity_log2| Fold { arity_log2, joins: false };
    let cases: [(Spoil, ShapeError); 13] = [
        (|s| s.trace_log2 = 3, ShapeError::TraceTooShort { trace_log2: 3 }),
        (|s| s.blowup_log2 = 0, ShapeError::NoDistance),
        (|s| s.trace_log2 = 32, ShapeError::DomainTooLong { domain_log2: 33 }),
        (|s| s.blowup_log2 = u32::MAX, ShapeError::DomainTooLong { domain_log2: u32::MAX }),
        (|s| s.claims = 0, ShapeError::Zero { what: "claims" }),
        (|s| s.constraints = 0, ShapeError::Zero { what: "constraints" }),
        (|s| s.degree = 0, ShapeError::Zero { what: "degree" }),
        (|s| s.openings = 0, ShapeError::Openings { openings: 0 }),
        (|s| s.openings = 16, ShapeError::Openings { openings: 16 }),
        (
            |s| s.lookup_terms = 0xffff_ffff_0000_0001,
            ShapeError::LookupTerms { terms: 0xffff_ffff_0000_0001 },
        ),
        (|s| s.queries = 0, ShapeError::Queries { queries: 0 }),
        (|s| s.queries = 65_537, ShapeError::Queries { queries: 65_537 }),
        (|s| s.grinding_bits = 33, ShapeError::Grinding { bits: 33 }),
    ];
    for (spoil, error) in cases {
        let mut shape = ordinary();
        spoil(&mut shape);
        assert_eq!(unique_decoding(&shape), Err(error));
        assert_eq!(johnson(&shape), Err(error));
        assert_eq!(johnson_at(&shape, 20), Err(error));
        assert!(!error.to_string().is_empty());
    }
    for (folds, error) in [
        (vec![fold(3), fold(0)], ShapeError::EmptyFold { index: 1 }),
        (vec![fold(16), fold(5)], ShapeError::FoldTooFar { index: 1, folded_log2: 21, trace_log2: 20 }),
        (
            vec![fold(4), fold(u32::MAX)],
            ShapeError::FoldTooFar { index: 1, folded_log2: u32::MAX, trace_log2: 20 },
        ),
    ] {
        assert_eq!(unique_decoding(&Shape { folds, ..ordinary() }), Err(error));
    }
    for multiplicity in [0, MIN_MULTIPLICITY - 1, MAX_MULTIPLICITY + 1, u32::MAX] {
        assert_eq!(johnson_at(&ordinary(), multiplicity), Err(ShapeError::Multiplicity { multiplicity }));
    }
}

/// The ends of every range are accepted and give a figure.
#[test]
fn the_ends_of_the_ranges_are_accepted() {
    let largest = Shape {
        trace_log2: 31,
        blowup_log2: 1,
        claims: u64::MAX,
        constraints: u64::MAX,
        degree: u64::MAX,
        openings: Shape::MAX_OPENINGS,
        lookup_terms: 0xffff_ffff_0000_0000,
        message_width: u64::MAX,
        folds: vec![Fold { arity_log2: 31, joins: true }],
        queries: Shape::MAX_QUERIES,
        grinding_bits: Shape::MAX_GRINDING_BITS,
    };
    let report = johnson_at(&largest, MAX_MULTIPLICITY).unwrap();
    assert_eq!((report.minimum().whole(), report.weakest()), (35, Round::Batching));
    let shortest = Shape { blowup_log2: 28, trace_log2: 4, folds: vec![], ..largest };
    assert_eq!(unique_decoding(&shortest).unwrap().rounds.len(), 6);
    let smallest = Shape {
        trace_log2: 4,
        blowup_log2: 1,
        claims: 1,
        constraints: 1,
        degree: 1,
        openings: 1,
        lookup_terms: 0,
        message_width: 0,
        folds: vec![],
        queries: 65_536,
        grinding_bits: 0,
    };
    let report = johnson(&smallest).unwrap();
    assert_eq!((report.minimum(), report.weakest()), (Bits::from_whole(128), Round::Hash));
    assert_eq!(report.level(Round::Lookup), None);
}

#[test]
fn names_print_as_the_book_has_them() {
    let report = unique_decoding(&ordinary()).unwrap();
    assert_eq!(report.to_string(), "114.2 bits (unique decoding; weakest round: query)");
    let names: Vec<String> = report.rounds.iter().map(|(round, _)| round.to_string()).collect();
    let expected =
        "lookup, constraints, out-of-domain, batching, fold 0, fold 1, fold 2, fold 3, fold 4, query, hash";
    assert_eq!(names.join(", "), expected);
    assert_eq!(Regime::Johnson { multiplicity: 36 }.to_string(), "Johnson, m = 36");
}

/// Counts with the ends of the range, powers of two and their neighbours as likely as everything else.
fn count() -> impl Strategy<Value = u64> {
    (0_u32..64, 0_u64..3, any::<u64>(), any::<bool>()).prop_map(|(shift, offset, random, near_power)| {
        let value = if near_power { (1 << shift) + offset - 1 } else { random >> shift };
        value.max(1)
    })
}

fn folds(trace_log2: u32) -> impl Strategy<Value = Vec<Fold>> {
    proptest::collection::vec((1_u32..6, any::<bool>()), 0..8).prop_map(move |steps| {
        let mut remaining = trace_log2;
        let mut folds = Vec::new();
        for (arity_log2, joins) in steps {
            let arity_log2 = arity_log2.min(remaining);
            if arity_log2 > 0 {
                remaining -= arity_log2;
                folds.push(Fold { arity_log2, joins });
            }
        }
        folds
    })
}

fn shape() -> impl Strategy<Value = Shape> {
    (4_u32..30, 1_u32..6).prop_flat_map(|(trace_log2, blowup_log2)| {
        let blowup_log2 = blowup_log2.min(31 - trace_log2);
        let counts = (count(), count(), count(), count(), count());
        (counts, folds(trace_log2), 1_u64..15, 1_u32..2000, 0_u32..32).prop_map(
            move |(
                (claims, constraints, degree, terms, message_width),
                folds,
                openings,
                queries,
                grinding_bits,
            )| Shape {
                trace_log2,
                blowup_log2,
                claims,
                constraints,
                degree,
                openings,
                lookup_terms: terms.min(1 << 62),
                message_width,
                folds,
                queries,
                grinding_bits,
            },
        )
    })
}

/// The reports of a shape: unique decoding, Johnson at a fixed multiplicity, Johnson at the best one.
fn reports(shape: &Shape, multiplicity: u32) -> [SecurityReport; 3] {
    [unique_decoding(shape).unwrap(), johnson_at(shape, multiplicity).unwrap(), johnson(shape).unwrap()]
}

/// A change that makes the attacker's task easier.
fn weaken(mut shape: Shape, which: usize, by: u64) -> Shape {
    match which {
        0 => shape.claims = shape.claims.saturating_add(by),
        1 => shape.constraints = shape.constraints.saturating_add(by),
        2 => shape.degree = shape.degree.saturating_add(by),
        3 => shape.openings += 1,
        4 => shape.lookup_terms = shape.lookup_terms.saturating_add(by).min(1 << 63),
        5 => shape.message_width = shape.message_width.saturating_add(by),
        6 => shape.queries = (shape.queries - 1).max(1),
        7 => shape.grinding_bits = shape.grinding_bits.saturating_sub(1),
        8 => shape.trace_log2 += 1,
        _ => shape.folds.iter_mut().for_each(|fold| fold.joins = true),
    }
    shape
}

proptest! {
    /// A rounding that jumps, or a term with the wrong sign, would reward a weaker shape.
    #[test]
    fn a_weaker_shape_never_gets_more(
        shape in shape(),
        which in 0_usize..10,
        by in count(),
        multiplicity in MIN_MULTIPLICITY..=MAX_MULTIPLICITY,
    ) {
        let weaker = weaken(shape.clone(), which, by);
        let pairs = reports(&shape, multiplicity).into_iter().zip(reports(&weaker, multiplicity));
        for (index, (strong, weak)) in pairs.enumerate() {
            prop_assert!(weak.minimum() <= strong.minimum());
            if index < 2 {
                for ((_, strong), (_, weak)) in strong.rounds.iter().zip(&weak.rounds) {
                    prop_assert!(weak <= strong);
                }
            }
        }
    }

    /// What the bisection rests on: the query round gains with the multiplicity, no other round does.
    #[test]
    fn rounds_are_monotone_in_the_multiplicity(
        shape in shape(),
        multiplicity in MIN_MULTIPLICITY..MAX_MULTIPLICITY,
    ) {
        let smaller = johnson_at(&shape, multiplicity).unwrap();
        let larger = johnson_at(&shape, multiplicity + 1).unwrap();
        for (&(round, smaller), &(_, larger)) in smaller.rounds.iter().zip(&larger.rounds) {
            if round == Round::Query {
                prop_assert!(smaller <= larger);
            } else {
                prop_assert!(smaller >= larger);
            }
        }
    }

    #[test]
    fn no_multiplicity_beats_the_one_chosen(
        shape in shape(),
        multiplicity in MIN_MULTIPLICITY..=MAX_MULTIPLICITY,
    ) {
        let best = johnson(&shape).unwrap();
        prop_assert!(best.minimum() >= johnson_at(&shape, multiplicity).unwrap().minimum());
    }

    #[test]
    fn the_minimum_is_the_level_of_the_weakest_round(shape in shape()) {
        let report = johnson(&shape).unwrap();
        prop_assert_eq!(report.level(report.weakest()), Some(report.minimum()));
        prop_assert!(report.rounds.iter().all(|(_, bits)| *bits >= report.minimum()));
    }

    /// Hostile numbers: an answer or an error, never a panic.
    #[test]
    fn any_numbers_are_answered(
        small in proptest::collection::vec(prop_oneof![0_u32..40, any::<u32>()], 5),
        large in proptest::collection::vec(prop_oneof![0_u64..40, any::<u64>(), Just(u64::MAX)], 6),
        arities in proptest::collection::vec(prop_oneof![0_u32..8, any::<u32>()], 0..40),
    ) {
        let shape = Shape {
            trace_log2: small[0],
            blowup_log2: small[1],
            claims: large[0],
            constraints: large[1],
            degree: large[2],
            openings: large[3],
            lookup_terms: large[4],
            message_width: large[5],
            folds: arities.into_iter().map(|arity_log2| Fold { arity_log2, joins: true }).collect(),
            queries: small[2],
            grinding_bits: small[3],
        };
        let answers = [unique_decoding(&shape), johnson_at(&shape, small[4]), johnson(&shape)];
        for report in answers.into_iter().flatten() {
            prop_assert!(report.minimum() <= Bits::from_whole(128));
        }
    }
}
