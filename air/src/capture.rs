//! Recording an AIR's body as symbolic expressions.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use lambda_math::Goldilocks;
use p3_air::{
    Air, AirBuilder, BaseEntry, BaseLeaf, Name, NamedAirBuilder, SymbolicExpr, SymbolicExpression,
    SymbolicVariable,
};
use p3_matrix::dense::RowMajorMatrix;

use crate::bus::{Bus, BusBuilder, Direction};

/// Expression type of the capture: p3's symbolic tree over the base field.
pub type Expression = SymbolicExpression<Goldilocks>;

/// One `send` or `receive` of an AIR's body.
#[derive(Clone, Debug)]
pub struct CapturedInteraction {
    /// Side of the bus.
    pub direction: Direction,
    /// The bus.
    pub bus: Bus,
    /// How often.
    pub multiplicity: Expression,
    /// The message, one expression per field of the bus.
    pub fields: Vec<Expression>,
}

/// An AIR's body as data: what it asserts and what it puts on buses, in program order.
#[derive(Clone, Debug, Default)]
pub struct Capture {
    /// Expressions asserted to vanish on every row.
    pub constraints: Vec<Expression>,
    /// The claim each constraint makes: its name where the body gives one, else `#index`.
    pub names: Vec<String>,
    /// Bus interactions.
    pub interactions: Vec<CapturedInteraction>,
}

/// Runs the body of `air` once and records it.
pub fn capture<A>(air: &A) -> Capture
where
    A: Air<CaptureBuilder> + ?Sized,
{
    let mut builder = CaptureBuilder::new(air.width(), air.preprocessed_width(), air.num_public_values());
    air.eval(&mut builder);
    builder.capture
}

/// The builder that records.
#[derive(Debug)]
pub struct CaptureBuilder {
    main: RowMajorMatrix<SymbolicVariable<Goldilocks>>,
    preprocessed: RowMajorMatrix<SymbolicVariable<Goldilocks>>,
    public_values: Vec<SymbolicVariable<Goldilocks>>,
    capture: Capture,
}

impl CaptureBuilder {
    fn new(width: usize, preprocessed_width: usize, public_values: usize) -> Self {
        let window = |width: usize, entry: fn(usize) -> BaseEntry| {
            let variables = (0..2)
                .flat_map(|offset| (0..width).map(move |column| SymbolicVariable::new(entry(offset), column)))
                .collect();
            RowMajorMatrix::new(variables, width)
        };
        Self {
            main: window(width, |offset| BaseEntry::Main { offset }),
            preprocessed: window(preprocessed_width, |offset| BaseEntry::Preprocessed { offset }),
            public_values: (0..public_values)
                .map(|index| SymbolicVariable::new(BaseEntry::Public, index))
                .collect(),
            capture: Capture::default(),
        }
    }

    fn push(&mut self, constraint: Expression, name: String) {
        self.capture.constraints.push(constraint);
        self.capture.names.push(name);
    }
}

impl AirBuilder for CaptureBuilder {
    type F = Goldilocks;
    type Expr = Expression;
    type Var = SymbolicVariable<Goldilocks>;
    type PreprocessedWindow = RowMajorMatrix<Self::Var>;
    type MainWindow = RowMajorMatrix<Self::Var>;
    type PublicVar = SymbolicVariable<Goldilocks>;
    type PeriodicVar = SymbolicVariable<Goldilocks>;

    fn main(&self) -> Self::MainWindow {
        self.main.clone()
    }

    fn preprocessed(&self) -> &Self::PreprocessedWindow {
        &self.preprocessed
    }

    fn is_first_row(&self) -> Self::Expr {
        SymbolicExpr::Leaf(BaseLeaf::IsFirstRow)
    }

    fn is_last_row(&self) -> Self::Expr {
        SymbolicExpr::Leaf(BaseLeaf::IsLastRow)
    }

    fn is_transition(&self) -> Self::Expr {
        SymbolicExpr::Leaf(BaseLeaf::IsTransition)
    }

    fn assert_zero<I: Into<Self::Expr>>(&mut self, x: I) {
        let name = format!("#{}", self.capture.constraints.len());
        self.push(x.into(), name);
    }

    fn public_values(&self) -> &[Self::PublicVar] {
        &self.public_values
    }
}

impl NamedAirBuilder for CaptureBuilder {
    fn assert_zero_named<I, N>(&mut self, x: I, name: N)
    where
        I: Into<Self::Expr>,
        N: Name,
    {
        self.push(x.into(), name.evaluate().to_string());
    }
}

impl BusBuilder for CaptureBuilder {
    fn interact<const N: usize>(
        &mut self,
        direction: Direction,
        bus: &Bus,
        multiplicity: Self::Expr,
        fields: [Self::Expr; N],
    ) {
        assert_eq!(N, bus.arity(), "a message on {bus:?} has {} fields", bus.arity());
        let fields = fields.into_iter().collect();
        self.capture.interactions.push(CapturedInteraction { direction, bus: *bus, multiplicity, fields });
    }
}
