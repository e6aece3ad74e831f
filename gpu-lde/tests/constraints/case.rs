//! A table with random cells, on the host and on the device.

use lambda_air::program::Roots;
use lambda_air::{AnyAir, ConstraintDag, TableShape};
use lambda_gpu_lde::ConstraintEvaluator;
use lambda_math::field::ORDER;
use lambda_math::{Ext3, Goldilocks};
use lambda_math_cuda::kernels::lookup::MESSAGE_COLUMNS;
use lambda_math_cuda::kernels::program::{BodyInput, BodyOutput, ColumnSlice};
use lambda_math_cuda::{DeviceBuffer, Stream};

use crate::kit::random;
use crate::legs::Trace;
use crate::reference::{Challenges, RowValues, rows};

/// Cells between a column of the table and the next one, which belong to other slabs.
const GAP: usize = 24;

/// A table and what the host computes of it.
pub struct Case {
    name: String,
    /// Its body.
    pub dag: ConstraintDag,
    trace: Trace,
    challenges: Challenges,
    expected: Vec<RowValues>,
}

impl Case {
    /// A table of `height` rows, the same for the same seed.
    pub fn new(name: String, air: &dyn AnyAir, dag: ConstraintDag, height: usize, seed: u64) -> Self {
        let shape = TableShape::new(air, &dag, air.preprocessed_width()).expect("a table");
        let mut state = seed;
        let widths = [shape.main_width, shape.preprocessed_width, shape.public_values];
        let trace = Trace::generate(height, widths, || cell(&mut state));
        let mut element = || Ext3::new([cell(&mut state), cell(&mut state), cell(&mut state)]);
        let challenges = Challenges { alpha: element(), gamma: element(), constraint: element() };
        let expected = rows(&dag, &shape, &trace, &challenges);
        Self { name, dag, trace, challenges, expected }
    }

    /// Evaluates the rows in chunks of `chunk_rows`, the last one shorter, and compares every value.
    pub fn check(&self, stream: &Stream, evaluator: &ConstraintEvaluator, roots: Roots, chunk_rows: usize) {
        let height = self.trace.height();
        let columns = [&self.trace.main[..], &self.trace.preprocessed, &self.trace.selectors];
        let [main, preprocessed, selectors] = columns.map(|columns| upload(stream, columns));
        let public_values = (!self.trace.public_values.is_empty())
            .then(|| stream.upload(&self.trace.public_values, "public values").expect("it fits"));
        let weights = self.challenges.weights(&self.dag, roots);
        let weights = stream.upload(&weights, "weights").expect("it fits");
        for start in (0..height).step_by(chunk_rows) {
            let rows = chunk_rows.min(height - start);
            let input = BodyInput {
                main: slice(main.as_ref(), height).expect("a table has main columns"),
                preprocessed: slice(preprocessed.as_ref(), height),
                selectors: slice(selectors.as_ref(), height),
                public_values: public_values.as_ref().map(DeviceBuffer::as_slice),
                weights: weights.as_slice(),
                height,
                start,
                rows,
            };
            let mut messages = output(stream, evaluator.message_values(rows));
            let mut sums = output(stream, evaluator.sum_values(rows));
            let mut out = BodyOutput {
                messages: messages.as_mut().map(DeviceBuffer::as_slice_mut),
                sums: sums.as_mut().map(DeviceBuffer::as_slice_mut),
            };
            evaluator.evaluate(stream, &input, &mut out).expect("it runs");
            let [messages, sums] = [messages, sums].map(|values| download(stream, values));
            self.compare(start, rows, &messages, &sums);
        }
    }

    fn compare(&self, start: usize, rows: usize, messages: &[Goldilocks], sums: &[Goldilocks]) {
        for (row, expected) in self.expected[start..start + rows].iter().enumerate() {
            let place = || format!("{}, row {}", self.name, start + row);
            let column = |values: &[Goldilocks], column: usize| values[column * rows + row];
            for (interaction, &message) in expected.messages.iter().enumerate() {
                let first = interaction * MESSAGE_COLUMNS;
                let values = [0, 1, 2, 3].map(|k| column(messages, first + k));
                assert_eq!(values, message, "{}: interaction {interaction}", place());
            }
            if !sums.is_empty() {
                assert_eq!([0, 1, 2].map(|k| column(sums, k)), expected.sum, "{}: constraints", place());
            }
        }
    }
}

/// A cell: often 0, 1, -1 or a word that is not canonical.
fn cell(state: &mut u64) -> Goldilocks {
    let word = random(state);
    Goldilocks::new(match word % 8 {
        0 => 0,
        1 => 1,
        2 => ORDER - 1,
        3 => ORDER + (word >> 33),
        4 => u64::MAX,
        _ => random(state),
    })
}

/// Columns with [`GAP`] cells in front of each.
fn upload(stream: &Stream, columns: &[Vec<Goldilocks>]) -> Option<DeviceBuffer<Goldilocks>> {
    let gap = [Goldilocks::new(0x1234_5678_9abc_def0); GAP];
    let cells: Vec<Goldilocks> =
        columns.iter().flat_map(|column| gap.iter().chain(column)).copied().collect();
    (!cells.is_empty()).then(|| stream.upload(&cells, "columns").expect("it fits"))
}

fn slice(columns: Option<&DeviceBuffer<Goldilocks>>, height: usize) -> Option<ColumnSlice<'_>> {
    columns.map(|columns| ColumnSlice { values: columns.slice(GAP..), stride: height + GAP })
}

fn output(stream: &Stream, len: usize) -> Option<DeviceBuffer<Goldilocks>> {
    (len > 0).then(|| stream.alloc(len, "output").expect("it fits"))
}

fn download(stream: &Stream, values: Option<DeviceBuffer<Goldilocks>>) -> Vec<Goldilocks> {
    values.map(|values| stream.download(&values).expect("it runs")).unwrap_or_default()
}
