//! A table of a system: a name and an AIR behind one object-safe trait.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use lambda_math::{Ext3, Goldilocks};
use p3_air::{Air, BaseAir};
use p3_matrix::Matrix;

use crate::capture::{Capture, CaptureBuilder, capture};
use crate::rows::RowBuilder;

/// An AIR as the rest of the system uses it. Implemented for every `p3_air::Air` that accepts this crate's
/// builders, so a Plonky3 AIR is a table as it stands.
pub trait AnyAir: Send + Sync {
    /// Main columns.
    fn width(&self) -> usize;
    /// Public values of the table.
    fn public_values(&self) -> usize;
    /// Preprocessed columns, column by column, and their height; `None` where there are none.
    fn preprocessed(&self) -> Option<Preprocessed>;
    /// Preprocessed columns that the body is offered.
    fn preprocessed_width(&self) -> usize;
    /// What the AIR relies on outside of its body that this protocol does not provide, if anything.
    fn unsupported(&self) -> Option<&'static str>;
    /// Records the body.
    fn capture(&self) -> Capture;
    /// Evaluates the body on a pair of trace rows.
    fn eval_row(&self, builder: &mut RowBuilder<'_, Goldilocks>);
    /// Evaluates the body on polynomials at a point.
    fn eval_point(&self, builder: &mut RowBuilder<'_, Ext3>);
}

/// The preprocessed columns of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preprocessed {
    /// Rows, the table's fixed height.
    pub height: usize,
    /// Cells, column after column.
    pub values: alloc::vec::Vec<Goldilocks>,
}

impl<A> AnyAir for A
where
    A: BaseAir<Goldilocks> + Air<CaptureBuilder> + Send,
    A: for<'a> Air<RowBuilder<'a, Goldilocks>> + for<'a> Air<RowBuilder<'a, Ext3>>,
{
    fn width(&self) -> usize {
        BaseAir::<Goldilocks>::width(self)
    }

    fn public_values(&self) -> usize {
        BaseAir::<Goldilocks>::num_public_values(self)
    }

    fn preprocessed(&self) -> Option<Preprocessed> {
        let rows = BaseAir::<Goldilocks>::preprocessed_trace(self)?;
        let columns = rows.transpose();
        Some(Preprocessed { height: rows.height(), values: columns.values })
    }

    fn preprocessed_width(&self) -> usize {
        BaseAir::<Goldilocks>::preprocessed_width(self)
    }

    fn unsupported(&self) -> Option<&'static str> {
        if BaseAir::<Goldilocks>::assumes_boolean_trace(self) {
            Some("a commitment whose cells are bits")
        } else if !BaseAir::<Goldilocks>::public_boundary_io(self).is_empty() {
            Some("trace cells bound to public values outside of its constraints")
        } else if BaseAir::<Goldilocks>::num_periodic_columns(self) > 0 {
            Some("periodic columns")
        } else {
            None
        }
    }

    fn capture(&self) -> Capture {
        capture(self)
    }

    fn eval_row(&self, builder: &mut RowBuilder<'_, Goldilocks>) {
        self.eval(builder);
    }

    fn eval_point(&self, builder: &mut RowBuilder<'_, Ext3>) {
        self.eval(builder);
    }
}

/// A named AIR.
pub struct Table {
    /// Name for reports and errors, unique within its system.
    pub name: String,
    /// What it asserts.
    pub air: Box<dyn AnyAir>,
    /// Height of preprocessed columns that are known by their commitment alone.
    pub committed_height: Option<usize>,
}

impl Table {
    /// Names `air`.
    pub fn new(name: impl Into<String>, air: impl AnyAir + 'static) -> Self {
        Self { name: name.into(), air: Box::new(air), committed_height: None }
    }

    /// Names `air`, whose preprocessed columns have `height` rows and are not looked at: for a verifier that
    /// has the commitment to them.
    pub fn committed(name: impl Into<String>, air: impl AnyAir + 'static, height: usize) -> Self {
        Self { name: name.into(), air: Box::new(air), committed_height: Some(height) }
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Table({})", self.name)
    }
}
