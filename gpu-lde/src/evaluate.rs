//! Evaluating a table's body on the device.

use std::ops::Range;

use lambda_air::program::Roots;
use lambda_air::{ConstraintDag, ConstraintProgram};
use lambda_math::Goldilocks;
use lambda_math::field::EXT_DEGREE;
use lambda_math_cuda::kernels::lookup::MESSAGE_COLUMNS;
use lambda_math_cuda::kernels::program::{BodyInput, BodyOutput, BodyShape, Program};
use lambda_math_cuda::{DeviceError, Grid, Kernel, Stream};

use crate::codegen::THREADS;
use crate::encode::{encode, shape};
use crate::kernels::TableKernels;

/// Evaluates the body of one table for one purpose.
#[derive(Debug)]
pub struct ConstraintEvaluator {
    way: Way,
    roots: Roots,
    interactions: usize,
}

#[derive(Debug)]
enum Way {
    /// Kernels of the table's own, with what each reads and writes.
    Generated(Vec<(&'static Kernel, BodyShape)>),
    Interpreted(Program),
}

impl ConstraintEvaluator {
    /// An evaluator of `roots` of `dag`: by the table's own kernels, or by interpreting its program.
    ///
    /// # Errors
    /// Those of [`Stream::upload`].
    pub fn new(stream: &Stream, dag: &ConstraintDag, roots: Roots) -> Result<Self, DeviceError> {
        let Some(kernels) = TableKernels::find(dag) else {
            return Self::interpreted(stream, dag, roots);
        };
        let shape = shape(dag, &ConstraintProgram::new(dag, roots));
        let mut launches = Vec::new();
        if shape.interactions > 0 {
            launches.push((kernels.interactions, BodyShape { sums: false, ..shape }));
        }
        if shape.sums {
            launches.push((kernels.constraints, BodyShape { interactions: 0, ..shape }));
        }
        Ok(Self { way: Way::Generated(launches), roots, interactions: dag.interactions.len() })
    }

    /// An evaluator that interprets the program, whether or not the table has kernels of its own.
    ///
    /// # Errors
    /// Those of [`Stream::upload`].
    pub fn interpreted(stream: &Stream, dag: &ConstraintDag, roots: Roots) -> Result<Self, DeviceError> {
        let program = Program::upload(stream, &encode(dag, &ConstraintProgram::new(dag, roots)))?;
        Ok(Self { way: Way::Interpreted(program), roots, interactions: dag.interactions.len() })
    }

    /// Whether the table's own kernels do it.
    pub fn is_generated(&self) -> bool {
        matches!(self.way, Way::Generated(_))
    }

    /// Values of the messages of a chunk of `rows` rows.
    pub fn message_values(&self, rows: usize) -> usize {
        self.interactions * MESSAGE_COLUMNS * rows
    }

    /// Values of the sums of a chunk of `rows` rows.
    pub fn sum_values(&self, rows: usize) -> usize {
        match self.roots {
            Roots::All => EXT_DEGREE * rows,
            Roots::Interactions => 0,
        }
    }

    /// Device memory that a chunk of `rows` rows takes: its output and the interpreter's registers, bytes.
    pub fn chunk_bytes(&self, rows: usize) -> u64 {
        let values = self.message_values(rows) + self.sum_values(rows);
        let scratch = match &self.way {
            Way::Generated(_) => 0,
            Way::Interpreted(program) => program.scratch_bytes(rows),
        };
        (values * size_of::<Goldilocks>()) as u64 + scratch
    }

    /// The rows of a table of `height` rows, a power of two, in chunks of equal length that take at most
    /// `budget_bytes`, `input_bytes` a row included, or are one block of threads where even that takes more.
    pub fn chunks(
        &self,
        height: usize,
        budget_bytes: u64,
        input_bytes: u64,
    ) -> impl Iterator<Item = Range<usize>> + use<> {
        let mut rows = height;
        while rows > THREADS as usize && self.chunk_bytes(rows) + input_bytes * rows as u64 > budget_bytes {
            rows /= 2;
        }
        (0..height).step_by(rows).map(move |start| start..start + rows)
    }

    /// Evaluates the rows of `input`. A column and a weight are read from the cache as often as the body
    /// reads them; `math-cuda/kernels/constraints.cuh` has the layout of the output.
    ///
    /// # Panics
    /// When something that the body reads is missing for a row, or the output has another size than
    /// [`message_values`](Self::message_values) and [`sum_values`](Self::sum_values).
    ///
    /// # Errors
    /// Those of [`Launch::run`](lambda_math_cuda::Launch::run) and, where the program is interpreted,
    /// [`Stream::alloc`].
    pub fn evaluate(
        &self,
        stream: &Stream,
        input: &BodyInput<'_>,
        output: &mut BodyOutput<'_>,
    ) -> Result<(), DeviceError> {
        let has_constraints = match &self.way {
            Way::Generated(launches) => {
                for (kernel, shape) in launches {
                    let launch = stream.launch(kernel, Grid::linear(input.rows as u64, THREADS));
                    input.arguments(launch, shape, output).run()?;
                }
                launches.iter().any(|(_, shape)| shape.sums)
            }
            Way::Interpreted(program) => {
                program.run(stream, input, output)?;
                program.shape().sums
            }
        };
        // A table without constraints has sums of nothing.
        match &mut output.sums {
            Some(sums) if self.roots == Roots::All && !has_constraints => stream.fill_zero(sums.reborrow()),
            _ => Ok(()),
        }
    }
}
