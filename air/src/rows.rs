//! Evaluating an AIR's body on one pair of rows.

use alloc::vec::Vec;

use lambda_math::Goldilocks;
use p3_air::{AirBuilder, Name, NamedAirBuilder, RowWindow};
use p3_field::{Algebra, Field};

use crate::bus::{Bus, BusBuilder, Direction};

/// A value a cell can have: the base field for traces, the extension for polynomials at a point.
pub trait Value: Field + Algebra<Goldilocks> {}

impl<E: Field + Algebra<Goldilocks>> Value for E {}

/// The three row selectors at the evaluation point.
///
/// The first two are the Lagrange polynomials of their rows, `Z(x)/(N·(x-1))` and `ω^-1·Z(x)/(N·(x-ω^-1))`
/// with `Z(x) = x^N - 1`: one on their row, zero on the others. The third is `x-ω^-1`, whose values have no
/// meaning but being zero or not; it may not appear in interactions.
#[derive(Clone, Copy, Debug)]
pub struct Selectors<E> {
    /// One on the first row, zero elsewhere.
    pub is_first_row: E,
    /// One on the last row, zero elsewhere.
    pub is_last_row: E,
    /// Zero on the last row only.
    pub is_transition: E,
}

/// The cells an AIR's body may look at.
#[derive(Clone, Copy, Debug)]
pub struct RowPair<'a, E> {
    /// Main columns, this row and the next.
    pub main: [&'a [E]; 2],
    /// Preprocessed columns, this row and the next.
    pub preprocessed: [&'a [E]; 2],
    /// The table's public values.
    pub public_values: &'a [Goldilocks],
    /// Selectors of this row.
    pub selectors: Selectors<E>,
}

/// A bus interaction on one row.
#[derive(Clone, Debug)]
pub struct Interaction<E> {
    /// Side of the bus.
    pub direction: Direction,
    /// The bus.
    pub bus: Bus,
    /// How often.
    pub multiplicity: E,
    /// The message.
    pub fields: Vec<E>,
}

/// The builder that evaluates. After `eval`, [`constraints`](Self::constraints) and
/// [`interactions`](Self::interactions) hold the values in program order, index for index those of the
/// capture.
#[derive(Debug)]
pub struct RowBuilder<'a, E> {
    rows: RowPair<'a, E>,
    preprocessed: RowWindow<'a, E>,
    /// Value of each constraint; zero where it holds.
    pub constraints: Vec<E>,
    /// Interactions of this row.
    pub interactions: Vec<Interaction<E>>,
}

impl<'a, E: Value> RowBuilder<'a, E> {
    /// A builder for the given rows.
    pub fn new(rows: RowPair<'a, E>) -> Self {
        let [current, next] = rows.preprocessed;
        let preprocessed = RowWindow::from_two_rows(current, next);
        Self { rows, preprocessed, constraints: Vec::new(), interactions: Vec::new() }
    }
}

impl<'a, E: Value> AirBuilder for RowBuilder<'a, E> {
    type F = Goldilocks;
    type Expr = E;
    type Var = E;
    type PreprocessedWindow = RowWindow<'a, E>;
    type MainWindow = RowWindow<'a, E>;
    type PublicVar = Goldilocks;
    type PeriodicVar = Goldilocks;

    fn main(&self) -> Self::MainWindow {
        let [current, next] = self.rows.main;
        RowWindow::from_two_rows(current, next)
    }

    fn preprocessed(&self) -> &Self::PreprocessedWindow {
        &self.preprocessed
    }

    fn is_first_row(&self) -> Self::Expr {
        self.rows.selectors.is_first_row
    }

    fn is_last_row(&self) -> Self::Expr {
        self.rows.selectors.is_last_row
    }

    fn is_transition(&self) -> Self::Expr {
        self.rows.selectors.is_transition
    }

    fn assert_zero<I: Into<Self::Expr>>(&mut self, x: I) {
        self.constraints.push(x.into());
    }

    fn public_values(&self) -> &[Self::PublicVar] {
        self.rows.public_values
    }
}

/// Names cost nothing here: they are not evaluated.
impl<E: Value> NamedAirBuilder for RowBuilder<'_, E> {
    fn assert_zero_named<I, N>(&mut self, x: I, _name: N)
    where
        I: Into<Self::Expr>,
        N: Name,
    {
        self.constraints.push(x.into());
    }
}

impl<E: Value> BusBuilder for RowBuilder<'_, E> {
    fn interact<const N: usize>(
        &mut self,
        direction: Direction,
        bus: &Bus,
        multiplicity: Self::Expr,
        fields: [Self::Expr; N],
    ) {
        let fields = fields.into_iter().collect();
        self.interactions.push(Interaction { direction, bus: *bus, multiplicity, fields });
    }
}
