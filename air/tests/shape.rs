//! Shapes: which bodies are refused, how lookup columns are packed, what is derived.

use lambda_air::capture::{Capture, Expression};
use lambda_air::dag::{ConstraintDag, MAX_TRANSITIONS};
use lambda_air::lookup::{Group, LookupLayout, MAX_DEGREE};
use lambda_air::{AnyAir, Bus, BusBuilder, Direction, ShapeError, TableBuilder, TableShape};
use lambda_math::Goldilocks;
use p3_air::{Air, AirBuilder, BaseAir, BoundaryEnd, BoundaryPublic, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use proptest::prelude::*;

const WIDTH: usize = 4;
const BUS: Bus = Bus::new(1, "values", &[64]);

/// An AIR of given degrees: a constraint for each entry of `constraints`, an interaction for each pair of
/// degrees of a multiplicity and a message.
#[derive(Clone, Debug, Default)]
struct DegreesAir {
    width: usize,
    constraints: Vec<usize>,
    interactions: Vec<[usize; 2]>,
}

impl DegreesAir {
    fn new(constraints: &[usize], interactions: &[[usize; 2]]) -> Self {
        Self { width: WIDTH, constraints: constraints.into(), interactions: interactions.into() }
    }

    fn shape(&self) -> Result<TableShape, ShapeError> {
        shape(self)
    }
}

fn shape(air: &dyn AnyAir) -> Result<TableShape, ShapeError> {
    TableShape::new(air, &ConstraintDag::new(&air.capture()), air.preprocessed_width())
}

impl BaseAir<Goldilocks> for DegreesAir {
    fn width(&self) -> usize {
        self.width
    }
}

impl<AB: TableBuilder> Air<AB> for DegreesAir {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let power = |degree: usize, column: usize| -> AB::Expr {
            (0..degree).map(|_| main.current_slice()[column].into()).product()
        };
        for &degree in &self.constraints {
            builder.assert_zero(power(degree, 0));
        }
        for (index, &[multiplicity, message]) in self.interactions.iter().enumerate() {
            builder.send(&BUS, power(multiplicity, 1), [power(message, index % WIDTH)]);
        }
    }
}

/// Bug: a body the quotient has no room for is accepted, and no proof of it can be made.
#[test]
fn degrees_above_the_limit_are_refused() {
    assert_eq!(
        DegreesAir::new(&[3, 1, 4], &[]).shape(),
        Err(ShapeError::ConstraintDegree { constraint: 2, degree: 4 })
    );
    assert_eq!(
        DegreesAir::new(&[1], &[[1, 1], [1, 3]]).shape(),
        Err(ShapeError::InteractionDegree { interaction: 1, degree: 4, limit: MAX_DEGREE })
    );
    assert_eq!(
        DegreesAir::new(&[1], &[[4, 1]]).shape(),
        Err(ShapeError::InteractionDegree { interaction: 0, degree: 4, limit: MAX_DEGREE })
    );
}

/// Bug: the transition selector's factor is forgotten, and a constraint one coefficient above the limit
/// accepted.
#[test]
fn transition_selectors_count() {
    /// A power of the first column, times a power of the selector.
    struct Guarded {
        selectors: usize,
        power: u64,
    }
    impl BaseAir<Goldilocks> for Guarded {
        fn width(&self) -> usize {
            1
        }
    }
    impl<AB: TableBuilder> Air<AB> for Guarded {
        fn eval(&self, builder: &mut AB) {
            let x: AB::Expr = builder.main().current_slice()[0].into();
            let selectors: AB::Expr = (0..self.selectors).map(|_| builder.is_transition()).product();
            builder.assert_zero(selectors * x.exp_u64(self.power));
        }
    }
    let degree = |selectors, power| shape(&Guarded { selectors, power }).map(|shape| shape.degree);
    assert_eq!(degree(0, 3), Ok(3));
    assert_eq!(degree(2, 3), Ok(3));
    assert_eq!(degree(3, 3), Err(ShapeError::ConstraintDegree { constraint: 0, degree: 4 }));
    assert_eq!(degree(1, 1), Ok(2));
    assert_eq!(degree(MAX_TRANSITIONS, 2), Ok(3));
    assert_eq!(degree(16, 2), Err(ShapeError::Transitions { constraint: 0, transitions: 16 }));
}

/// Bug: a message or a multiplicity reads the transition selector, whose values on the rows are not 0 and 1.
#[test]
fn transition_selectors_stay_out_of_interactions() {
    enum Guard {
        Multiplicity,
        Message,
        LastRow,
    }
    impl BaseAir<Goldilocks> for Guard {
        fn width(&self) -> usize {
            1
        }
    }
    impl<AB: TableBuilder> Air<AB> for Guard {
        fn eval(&self, builder: &mut AB) {
            let x = builder.main().current_slice()[0];
            builder.send(&BUS, AB::Expr::ONE, [x]);
            match self {
                Self::Multiplicity => builder.when_transition().receive(&BUS, AB::Expr::ONE, [x]),
                Self::Message => builder.receive(&BUS, AB::Expr::ONE, [builder.is_transition() + x]),
                Self::LastRow => builder.when_last_row().receive(&BUS, AB::Expr::ONE, [x]),
            }
        }
    }
    let refused = Err(ShapeError::TransitionInInteraction { interaction: 1 });
    assert_eq!(shape(&Guard::Multiplicity), refused);
    assert_eq!(shape(&Guard::Message), refused);
    assert_eq!(shape(&Guard::LastRow).map(|shape| shape.interactions), Ok(2));
}

/// Bug: a table that commits to nothing or asserts nothing is accepted.
#[test]
fn empty_tables_are_refused() {
    let columnless = DegreesAir { width: 0, constraints: vec![0], ..DegreesAir::default() };
    assert_eq!(columnless.shape(), Err(ShapeError::NoColumns));
    assert_eq!(DegreesAir::new(&[], &[]).shape(), Err(ShapeError::NothingAsserted));
    assert!(DegreesAir::new(&[1], &[]).shape().is_ok());
    assert!(DegreesAir::new(&[], &[[1, 1]]).shape().is_ok());
}

/// Bug: an AIR that relies on its prover for more than its constraints is proven without that.
#[test]
fn foreign_features_are_refused() {
    enum Foreign {
        Bits,
        Cells([BoundaryPublic; 1]),
        Periods,
        Width,
    }
    impl BaseAir<Goldilocks> for Foreign {
        fn width(&self) -> usize {
            1
        }
        fn preprocessed_width(&self) -> usize {
            usize::from(matches!(self, Self::Width))
        }
        fn assumes_boolean_trace(&self) -> bool {
            matches!(self, Self::Bits)
        }
        fn public_boundary_io(&self) -> &[BoundaryPublic] {
            if let Self::Cells(cells) = self { cells } else { &[] }
        }
        fn num_periodic_columns(&self) -> usize {
            usize::from(matches!(self, Self::Periods))
        }
    }
    impl<AB: TableBuilder> Air<AB> for Foreign {
        fn eval(&self, builder: &mut AB) {
            let x = builder.main().current_slice()[0];
            builder.assert_bool(x);
        }
    }
    let refused = |air: Foreign| TableShape::new(&air, &ConstraintDag::new(&air.capture()), 0);
    for air in
        [Foreign::Bits, Foreign::Cells([BoundaryPublic::new(0, BoundaryEnd::First, 0)]), Foreign::Periods]
    {
        assert!(matches!(refused(air), Err(ShapeError::Unsupported { .. })));
    }
    assert_eq!(refused(Foreign::Width), Err(ShapeError::PreprocessedWidth { declared: 1, got: 0 }));
}

const fn pair(first: usize) -> Group {
    Group { first, second: Some(first + 1) }
}

const fn single(first: usize) -> Group {
    Group { first, second: None }
}

/// Bug: an interaction is left out of the groups, or columns are wasted.
#[test]
fn linear_messages_are_paired() {
    for interactions in 0..14 {
        let shape = DegreesAir::new(&[3], &vec![[1, 1]; interactions]).shape().expect("a table");
        let mut groups: Vec<Group> = (0..interactions / 2).map(|index| pair(2 * index)).collect();
        if interactions % 2 == 1 {
            groups.push(single(interactions - 1));
        }
        assert_eq!(shape.lookup.groups, groups);
        assert_eq!(shape.lookup_columns(), interactions.div_ceil(2));
        assert_eq!(shape.composed_constraints(), 1 + interactions.div_ceil(2));
        assert_eq!(shape.message_width, if interactions == 0 { 0 } else { 3 });
    }
}

/// Bug: a pair of which one message is quadratic exceeds the limit, or a message that could have a partner
/// has none.
#[test]
fn quadratic_messages_stay_alone() {
    let groups = |interactions: &[[usize; 2]]| {
        DegreesAir::new(&[3], interactions).shape().map(|shape| shape.lookup.groups)
    };
    assert_eq!(groups(&[[1, 2], [1, 1], [1, 1]]), Ok(vec![single(0), pair(1)]));
    assert_eq!(groups(&[[1, 1], [1, 2], [1, 1]]), Ok(vec![single(0), single(1), single(2)]));
    assert_eq!(groups(&[[1, 1], [1, 1], [1, 2]]), Ok(vec![pair(0), single(2)]));
    // Constant messages leave room for a partner.
    assert_eq!(groups(&[[1, 2], [1, 0]]), Ok(vec![pair(0)]));
    // A multiplicity meets the partner's message: 2 + 1 fits, 3 + 1 does not.
    assert_eq!(groups(&[[2, 1], [2, 1]]), Ok(vec![pair(0)]));
    assert_eq!(groups(&[[3, 1], [1, 1]]), Ok(vec![single(0), single(1)]));
}

/// Bug: a table pays for a second quotient part that its only interaction does not need, or does not pay
/// where it must.
#[test]
fn one_interaction_keeps_a_quadratic_table_quadratic() {
    let parts = |constraints: &[usize], interactions: &[[usize; 2]]| {
        let shape = DegreesAir::new(constraints, interactions).shape().expect("a table");
        (shape.degree, shape.quotient_parts())
    };
    assert_eq!(parts(&[2], &[[1, 1]]), (2, 1));
    assert_eq!(parts(&[], &[[1, 1]]), (2, 1));
    assert_eq!(parts(&[2], &[[2, 1]]), (2, 1));
    assert_eq!(parts(&[2], &[[1, 2]]), (3, 2));
    assert_eq!(parts(&[2], &[[3, 1]]), (3, 2));
    assert_eq!(parts(&[2], &[[1, 1], [1, 1]]), (3, 2));
    assert_eq!(parts(&[3], &[[1, 1]]), (3, 2));
    assert_eq!(parts(&[1], &[]), (1, 1));
    assert_eq!(parts(&[2], &[]), (2, 1));
    assert_eq!(parts(&[3], &[]), (3, 2));
}

/// Degree of the lookup constraints, found by writing them out: the column is main column 0.
fn written_out(capture: &Capture, layout: &LookupLayout) -> usize {
    let column = || Expression::from(p3_air::SymbolicVariable::new(p3_air::BaseEntry::Main { offset: 0 }, 0));
    let term = |index: usize| {
        let interaction = &capture.interactions[index];
        let challenge = || Expression::from(p3_air::SymbolicVariable::new(p3_air::BaseEntry::Public, 0));
        let message =
            interaction.fields.iter().fold(challenge(), |sum, field| sum * challenge() + field.clone());
        let sign =
            if interaction.direction == Direction::Send { Expression::ONE } else { Expression::NEG_ONE };
        (interaction.multiplicity.clone() * sign, challenge() - message)
    };
    let constraints: Vec<Expression> = layout
        .groups
        .iter()
        .map(|group| {
            let (m_a, f_a) = term(group.first);
            match group.second.map(term) {
                None => column() * f_a - m_a,
                Some((m_b, f_b)) => column() * f_a.clone() * f_b.clone() - (m_a * f_b + m_b * f_a),
            }
        })
        .collect();
    let names = vec![String::new(); constraints.len()];
    let dag = ConstraintDag::new(&Capture { constraints, names, interactions: Vec::new() });
    let degrees = dag.degrees();
    dag.constraints.iter().map(|&id| degrees[id as usize].constraint_degree()).max().unwrap_or(0)
}

proptest! {
    /// Bug: the layout's arithmetic of degrees is not that of the constraints it stands for.
    #[test]
    fn lookup_degrees_are_those_of_the_constraints(
        interactions in prop::collection::vec([0usize..4, 0usize..3], 1..8),
        constraint in 1usize..4,
    ) {
        let air = DegreesAir::new(&[constraint], &interactions);
        if let Ok(shape) = air.shape() {
            prop_assert_eq!(written_out(&air.capture(), &shape.lookup), shape.lookup.degree);
            let covered: Vec<usize> =
                shape.lookup.groups.iter().flat_map(|g| [Some(g.first), g.second]).flatten().collect();
            prop_assert_eq!(covered, (0..interactions.len()).collect::<Vec<_>>());
        } else {
            prop_assert!(false, "every interaction fits alone: {:?}", air.shape());
        }
    }
}

/// Bug: a column that a message or a selector-guarded constraint reads at the next row is not opened there.
#[test]
fn next_row_columns_are_derived() {
    struct Next;
    impl BaseAir<Goldilocks> for Next {
        fn width(&self) -> usize {
            8
        }
        fn preprocessed_width(&self) -> usize {
            3
        }
        /// A hint that is wrong, and not used.
        fn main_next_row_columns(&self) -> Vec<usize> {
            vec![0]
        }
    }
    impl<AB: TableBuilder> Air<AB> for Next {
        fn eval(&self, builder: &mut AB) {
            let (main, fixed) = (builder.main(), builder.preprocessed().clone());
            let (local, next) = (main.current_slice(), main.next_slice());
            builder.when_transition().assert_eq(next[5], local[0]);
            builder.assert_zero(next[3] * local[3]);
            // Asserts nothing of column 6: the products cancel or vanish.
            builder.assert_zero(next[6] - next[6] + local[1]);
            builder.assert_zero(local[2] + next[6] * AB::Expr::ZERO);
            builder.send(&BUS, next[7], [local[4]]);
            builder.receive(&BUS, fixed.next_slice()[2], [next[1]]);
        }
    }
    let shape = shape(&Next).expect("a table");
    assert_eq!(shape.main_next, [1, 3, 5, 7]);
    assert_eq!(shape.preprocessed_next, [2]);
    assert_eq!((shape.main_width, shape.preprocessed_width, shape.interactions), (8, 3, 2));
}
