//! What was wrong when a composition did not hold at ζ.
//!
//! With [`BackendOptions::xcheck`](crate::BackendOptions) the backend keeps the parts of each composition
//! until they have been checked. When recovery asks for another run of a composition that had ended well, its
//! values were wrong: the second run is compared with the first, the first with the host's, computed from
//! what is in the device's memory, and that memory with what must be in it: columns of which slab 0
//! determines the rest, and lookup columns that the main ones determine. Nothing else depends on what is
//! found.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use lambda_air::program::{ConstraintProgram, Roots};
use lambda_math::ntt::{intt, ntt};
use lambda_math::{Columns, domain};
use lambda_math_cuda::Stream;
use lambda_prover::backend::{Backend, LookupInput, QuotientInput};
use lambda_prover::{HostBackend, Scope, Stage};
use p3_field::{Field, PrimeCharacteristicRing};

use super::{DeviceBackend, host, lock};
use crate::failure::Failure;
use crate::resident::Resident;

/// Where a wrong buffer differs from the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// In every cell.
    AllCells,
    /// In one cell.
    OneCell {
        /// Its column.
        column: usize,
        /// Its row.
        row: usize,
    },
    /// In cells of one column.
    OneColumn {
        /// The column.
        column: usize,
        /// How many.
        cells: usize,
    },
    /// In cells of one row.
    OneRow {
        /// The row.
        row: usize,
        /// How many.
        cells: usize,
    },
    /// In cells of several columns and rows.
    Scattered {
        /// How many.
        cells: usize,
    },
}

/// How a buffer came to be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The stage computed something else from the same input when it ran again: a race, or a wrong result.
    Transient,
    /// The stage computed the same when it ran again.
    Repeated,
    /// The buffer's cells do not belong together: its memory was overwritten, or it was made wrong.
    Memory,
}

/// A buffer that was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Index of the table.
    pub table: usize,
    /// The stage that left it.
    pub stage: Stage,
    /// The buffer.
    pub buffer: String,
    /// Where it differs.
    pub shape: Shape,
    /// Why, as far as can be told.
    pub cause: Cause,
}

/// What the backend keeps until compositions have been checked, and what it found.
#[derive(Debug, Default)]
pub struct Evidence {
    /// Parts of each table's last composition.
    parts: BTreeMap<usize, Vec<Arc<Resident>>>,
    /// Tables whose composition recovery was asked about.
    suspects: BTreeSet<usize>,
    findings: Vec<Finding>,
}

impl Shape {
    /// Where `got` differs from `expected`, of the same size, if it does.
    pub fn of(expected: &Columns, got: &Columns) -> Option<Self> {
        let differing: Vec<(usize, usize)> = expected
            .iter()
            .zip(got.iter())
            .enumerate()
            .flat_map(|(column, (expected, got))| {
                let rows = expected.iter().zip(got).enumerate();
                rows.filter(|(_, (expected, got))| expected != got).map(move |(row, _)| (column, row))
            })
            .collect();
        let cells = differing.len();
        let &(column, row) = differing.first()?;
        Some(if cells == 1 {
            Self::OneCell { column, row }
        } else if cells == expected.values().len() {
            Self::AllCells
        } else if differing.iter().all(|&(other, _)| other == column) {
            Self::OneColumn { column, cells }
        } else if differing.iter().all(|&(_, other)| other == row) {
            Self::OneRow { row, cells }
        } else {
            Self::Scattered { cells }
        })
    }
}

impl DeviceBackend {
    /// What was wrong in the last proof, if the backend was to look for it.
    pub fn findings(&self) -> Vec<Finding> {
        lock(&self.evidence).findings.clone()
    }

    /// Recovery does something about a stage.
    pub(super) fn suspect(&self, stage: Stage, scope: Scope) {
        if let (true, Stage::Quotient, Scope::Table(table)) = (self.options.xcheck, stage, scope) {
            lock(&self.evidence).suspects.insert(table);
        }
    }

    /// The parts of a table's composition that ended well and is asked for again because it was wrong.
    pub(super) fn suspected(&self, table: usize) -> Option<Vec<Arc<Resident>>> {
        let mut evidence = lock(&self.evidence);
        let parts = evidence.parts.remove(&table);
        evidence.suspects.remove(&table).then_some(parts).flatten()
    }

    /// Keeps the parts of a composition that ended well.
    pub(super) fn keep_parts(&self, table: usize, parts: &[Arc<Resident>]) {
        if self.options.xcheck {
            lock(&self.evidence).parts.insert(table, parts.to_vec());
        }
    }

    /// The compositions have been checked.
    pub(super) fn forget_parts(&self) {
        lock(&self.evidence).parts.clear();
    }

    /// Finds out what was wrong with `first`; `second` is from another run.
    pub(super) fn investigate(
        &self,
        input: &QuotientInput<'_, Self>,
        first: &[Arc<Resident>],
        second: &[Arc<Resident>],
    ) -> Result<(), Failure> {
        let table = input.table.index;
        let stream = self.stream(Scope::Table(table))?;
        let mut findings = Vec::new();
        let expected = host::quotient(&stream, input)?;
        for (index, ((expected, first), second)) in expected.iter().zip(first).zip(second).enumerate() {
            let (expected, first) = (expected.host(&stream)?, first.host(&stream)?);
            if let Some(shape) = Shape::of(&expected, &first) {
                let repeated = Shape::of(&first, &*second.host(&stream)?).is_none();
                let cause = if repeated { Cause::Repeated } else { Cause::Transient };
                let buffer = format!("quotient part {index}");
                findings.push(Finding { table, stage: Stage::Quotient, buffer, shape, cause });
            }
        }
        for (buffer, lde) in [("main LDE", Some(input.main)), ("lookup LDE", input.lookup)] {
            let Some(lde) = lde else { continue };
            if let Some(shape) = shape_of_extension(&stream, table, input.table.height_log2, lde)? {
                let (stage, cause, buffer) = (Stage::Extend, Cause::Memory, buffer.to_owned());
                findings.push(Finding { table, stage, buffer, shape, cause });
            }
        }
        // Columns that do not belong together say nothing about what was made of them.
        if findings.iter().all(|finding| finding.stage != Stage::Extend)
            && let Some(shape) = shape_of_lookup(&stream, input)?
        {
            let (stage, cause, buffer) = (Stage::Lookup, Cause::Memory, "lookup trace".to_owned());
            findings.push(Finding { table, stage, buffer, shape, cause });
        }
        let known = &mut lock(&self.evidence).findings;
        findings.retain(|finding| !known.contains(finding));
        known.extend(findings);
        Ok(())
    }
}

/// Where an extension is not that of its slab 0.
fn shape_of_extension(
    stream: &Stream,
    table: usize,
    height_log2: u32,
    lde: &Arc<Resident>,
) -> Result<Option<Shape>, Failure> {
    let lde = lde.host(stream)?;
    let height = 1 << height_log2;
    let blowup_log2 = lde.height().trailing_zeros() - height_log2;
    let slab_0 = lde.iter().flat_map(|column| &column[..height]).copied().collect();
    let slab_0 = Arc::new(Columns::from_values(slab_0, height));
    let shift = domain::slab_shift(0, height_log2, blowup_log2);
    let expected = HostBackend.extend(table, blowup_log2, &[(&slab_0, shift)])?;
    Ok(Shape::of(&expected, &lde))
}

/// Where the lookup columns are not those of the main ones.
fn shape_of_lookup(
    stream: &Stream,
    input: &QuotientInput<'_, DeviceBackend>,
) -> Result<Option<Shape>, Failure> {
    let Some(lookup) = input.lookup else { return Ok(None) };
    let table = input.table;
    let trace = |lde: &Arc<Resident>| -> Result<Arc<Columns>, Failure> {
        Ok(Arc::new(on_trace_domain(&*lde.host(stream)?, table.height_log2)))
    };
    let preprocessed = input.preprocessed.map(trace).transpose()?;
    let (expected, _) = HostBackend.lookup(LookupInput {
        table,
        program: &ConstraintProgram::new(&table.key.dag, Roots::Interactions),
        main: &trace(input.main)?,
        preprocessed: preprocessed.as_ref(),
        challenges: input.challenges,
    })?;
    Ok(Shape::of(&expected, &*trace(lookup)?))
}

/// The columns of which slab 0 of `lde` is an extension: their coefficients are those on the slab's coset,
/// divided by the powers of its offset.
fn on_trace_domain(lde: &Columns, height_log2: u32) -> Columns {
    let height = 1 << height_log2;
    let shift = domain::slab_shift(0, height_log2, lde.height().trailing_zeros() - height_log2);
    let values = lde.iter().flat_map(|column| {
        let mut values = column[..height].to_vec();
        intt(&mut values);
        values.iter_mut().zip(shift.inverse().powers()).for_each(|(value, power)| *value *= power);
        ntt(&mut values);
        values
    });
    Columns::from_values(values.collect(), height)
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllCells => f.write_str("all cells"),
            Self::OneCell { column, row } => write!(f, "one cell, column {column} row {row}"),
            Self::OneColumn { column, cells } => write!(f, "{cells} cells of column {column}"),
            Self::OneRow { row, cells } => write!(f, "{cells} cells of row {row}"),
            Self::Scattered { cells } => write!(f, "{cells} cells"),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Transient => "a second run came out otherwise",
            Self::Repeated => "a second run came out the same",
            Self::Memory => "its cells do not belong together",
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, stage, buffer, shape, cause } = self;
        write!(f, "{stage} of table {table}: {buffer} differs in {shape}; {cause}")
    }
}
