//! Lookup columns and compositions on the device: a chunk of rows at a time, so that messages and sums take a
//! bounded part of the memory.

use std::ops::Range;
use std::sync::Arc;

use lambda_air::program::Roots;
use lambda_math::field::{EXT_DEGREE, ext_coefficients, ext_from_coefficients};
use lambda_math::{Ext3, Goldilocks, domain};
use lambda_math_cuda::kernels::batch_inverse::ZeroFlag;
use lambda_math_cuda::kernels::domain as points;
use lambda_math_cuda::kernels::lookup::{self, Groups, MessageChunk};
use lambda_math_cuda::kernels::program::{BodyInput, BodyOutput, ColumnSlice};
use lambda_math_cuda::kernels::quotient::{self, LookupConstraints};
use lambda_math_cuda::{DeviceBuffer, DeviceError, Stream};
use lambda_prover::backend::{LookupInput, QuotientInput, TableContext};
use lambda_prover::{Fault, Scope};
use lambda_verifier::transcript::LookupChallenges;
use p3_field::{Field, PrimeCharacteristicRing};

use super::DeviceBackend;
use crate::evaluate::ConstraintEvaluator;
use crate::failure::Failure;
use crate::placement::Place;
use crate::plan::reads_selectors;
use crate::resident::{Resident, Window};
use crate::weights::weights;
use crate::window;

/// What all chunks of a table share.
struct Body {
    evaluator: ConstraintEvaluator,
    weights: DeviceBuffer<Goldilocks>,
    public_values: Option<DeviceBuffer<Goldilocks>>,
    groups: Option<Groups>,
}

impl Body {
    fn new(
        stream: &Stream,
        table: &TableContext<'_>,
        roots: Roots,
        challenges: LookupChallenges,
        powers: &[Ext3],
    ) -> Result<Self, DeviceError> {
        let dag = &table.key.dag;
        let weights = weights(dag, challenges.alpha, challenges.gamma, powers);
        let groups: Vec<(u32, Option<u32>)> = table
            .key
            .shape
            .lookup
            .groups
            .iter()
            .map(|group| (group.first as u32, group.second.map(|second| second as u32)))
            .collect();
        let public = table.public_values;
        Ok(Self {
            evaluator: ConstraintEvaluator::new(stream, dag, roots)?,
            weights: stream.upload(&weights, "weights")?,
            public_values: (!public.is_empty())
                .then(|| stream.upload(public, "public values"))
                .transpose()?,
            groups: (!groups.is_empty()).then(|| Groups::upload(stream, &groups)).transpose()?,
        })
    }

    /// What the evaluation of `rows` of a table of `height` rows reads.
    fn input<'a>(
        &'a self,
        main: &'a Window,
        preprocessed: Option<&'a Window>,
        selectors: Option<&'a DeviceBuffer<Goldilocks>>,
        rows: &Range<usize>,
        height: usize,
    ) -> BodyInput<'a> {
        let start = main.start();
        BodyInput {
            main: main.columns(),
            preprocessed: preprocessed.map(Window::columns),
            selectors: selectors
                .map(|columns| ColumnSlice { values: columns.slice(rows.start - start..), stride: height }),
            public_values: self.public_values.as_ref().map(|values| values.as_slice()),
            weights: self.weights.as_slice(),
            height: main.height(),
            start,
            rows: rows.len(),
        }
    }
}

impl DeviceBackend {
    /// The rows `rows` of `slab` on the device: where the table is resident all of its columns are there.
    fn window(
        &self,
        stream: &Stream,
        columns: &Arc<Resident>,
        slab: &Range<usize>,
        rows: &Range<usize>,
    ) -> Result<Window, DeviceError> {
        match self.place(columns.scope()) {
            Place::Streamed => columns.window(stream, slab, rows),
            Place::Resident | Place::Host => columns.slab(stream, slab, rows),
        }
    }

    /// Chunks of the rows of a table of `height` rows, whose evaluation reads `columns`.
    fn chunks(
        &self,
        body: &Body,
        scope: Scope,
        height: usize,
        columns: &[Option<&Arc<Resident>>],
    ) -> impl Iterator<Item = Range<usize>> + use<> {
        let width: usize = columns.iter().flatten().map(|columns| columns.width()).sum();
        let input_bytes = match self.place(scope) {
            Place::Streamed => (width * size_of::<Goldilocks>()) as u64,
            Place::Resident | Place::Host => 0,
        };
        body.evaluator.chunks(height, self.chunk_bytes(scope), input_bytes)
    }

    pub(super) fn lookup_on_device(
        &self,
        stream: &Stream,
        input: &LookupInput<'_, Self>,
    ) -> Result<(Arc<Resident>, Ext3), Failure> {
        let table = input.table;
        let scope = Scope::Table(table.index);
        let height = 1usize << table.height_log2;
        let body = Body::new(stream, &table, Roots::Interactions, input.challenges, &[])?;
        let groups = body.groups.as_ref().expect("a table with lookup columns has groups");
        let selectors = reads_selectors(&table.key.dag)
            .then(|| points::trace_selectors(stream, table.height_log2))
            .transpose()?;
        let mut columns = stream.alloc::<Goldilocks>(groups.count() * EXT_DEGREE * height, "lookup trace")?;
        let mut flag = ZeroFlag::new(stream)?;
        let slab = 0..height;
        for rows in self.chunks(&body, scope, height, &[Some(input.main), input.preprocessed]) {
            let mut messages =
                stream.alloc::<Goldilocks>(body.evaluator.message_values(rows.len()), "messages")?;
            let main = self.window(stream, input.main, &slab, &rows)?;
            let preprocessed =
                input.preprocessed.map(|columns| self.window(stream, columns, &slab, &rows)).transpose()?;
            let body_input = body.input(&main, preprocessed.as_ref(), selectors.as_ref(), &rows, height);
            let mut output = BodyOutput { messages: Some(messages.as_slice_mut()), sums: None };
            body.evaluator.evaluate(stream, &body_input, &mut output)?;
            let chunk = MessageChunk { messages: messages.as_slice(), start: rows.start, rows: rows.len() };
            lookup::terms(stream, chunk, groups, &mut columns, height, &mut flag)?;
        }
        let sums = lookup::accumulate(stream, &mut columns, height)?;
        if flag.is_set(stream)? {
            let check = "message off the bus argument's pole";
            return Err(Fault::Corrupt { table: table.index, check }.into());
        }
        let sums = stream.download(&sums)?;
        let sum = ext_from_coefficients([sums[0], sums[1], sums[2]]);
        Ok((Resident::on_device(scope, "lookup trace", height, columns), sum))
    }

    pub(super) fn quotient_on_device(
        &self,
        stream: &Stream,
        input: &QuotientInput<'_, Self>,
    ) -> Result<Vec<Arc<Resident>>, Failure> {
        let parts = input.table.key.shape.quotient_parts();
        if parts < 2 || !self.options.serialize_window {
            return self.parts(stream, input, parts);
        }
        let (window, waited) = window::enter();
        if let Some(waited) = waited {
            self.count(|counters| {
                counters.window_waits += 1;
                counters.window_wait_nanoseconds += waited.as_nanos() as u64;
            });
        }
        let outcome = self.parts(stream, input, parts);
        // The window is the device's work, not its issue.
        let ended = stream.synchronize();
        drop(window);
        let outcome = outcome?;
        ended?;
        Ok(outcome)
    }

    fn parts(
        &self,
        stream: &Stream,
        input: &QuotientInput<'_, Self>,
        parts: usize,
    ) -> Result<Vec<Arc<Resident>>, Failure> {
        let shape = &input.table.key.shape;
        let powers: Vec<Ext3> = input.alpha.powers().take(shape.composed_constraints()).collect();
        let (of_body, of_lookup) = powers.split_at(shape.constraints);
        let body = Body::new(stream, &input.table, Roots::All, input.challenges, of_body)?;
        let of_lookup: Vec<Goldilocks> =
            of_lookup.iter().flat_map(|&power| ext_coefficients(power)).collect();
        let of_lookup = stream.upload(&of_lookup, "powers")?;
        (0..parts).map(|slab| self.part(stream, input, slab, &body, &of_lookup)).collect()
    }

    fn part(
        &self,
        stream: &Stream,
        input: &QuotientInput<'_, Self>,
        slab: usize,
        body: &Body,
        of_lookup: &DeviceBuffer<Goldilocks>,
    ) -> Result<Arc<Resident>, Failure> {
        let table = input.table;
        let scope = Scope::Table(table.index);
        let height_log2 = table.height_log2;
        let height = 1usize << height_log2;
        let lde_height = input.main.height();
        let shift = domain::slab_shift(slab, height_log2, lde_height.trailing_zeros() - height_log2);
        let scale = (shift.exp_power_of_2(height_log2 as usize) - Goldilocks::ONE).inverse();
        let selectors = reads_selectors(&table.key.dag)
            .then(|| points::coset_selectors(stream, height_log2, shift))
            .transpose()?;
        let mut part = stream.alloc::<Goldilocks>(EXT_DEGREE * height, "quotient part")?;
        let slab = slab * height..(slab + 1) * height;
        let columns = [Some(input.main), input.preprocessed, input.lookup];
        for rows in self.chunks(body, scope, height, &columns) {
            let mut messages =
                stream.alloc::<Goldilocks>(body.evaluator.message_values(rows.len()), "messages")?;
            let mut sums =
                stream.alloc::<Goldilocks>(body.evaluator.sum_values(rows.len()), "constraint sums")?;
            let window = |columns: &Arc<Resident>| self.window(stream, columns, &slab, &rows);
            let main = window(input.main)?;
            let preprocessed = input.preprocessed.map(window).transpose()?;
            let lookup = input.lookup.map(window).transpose()?;
            let body_input = body.input(&main, preprocessed.as_ref(), selectors.as_ref(), &rows, height);
            let mut output =
                BodyOutput { messages: Some(messages.as_slice_mut()), sums: Some(sums.as_slice_mut()) };
            body.evaluator.evaluate(stream, &body_input, &mut output)?;
            let chunk = MessageChunk { messages: messages.as_slice(), start: rows.start, rows: rows.len() };
            let constraints =
                lookup.as_ref().zip(body.groups.as_ref()).map(|(lookup, groups)| LookupConstraints {
                    chunk,
                    groups,
                    lookup: lookup.lookup(),
                    powers: of_lookup,
                    mean: input.lookup_sum * Goldilocks::from_usize(height).inverse(),
                });
            quotient::finish(stream, rows.start, sums.as_slice(), constraints, scale, &mut part, height)?;
        }
        Ok(Resident::on_device(scope, "quotient part", height, part))
    }
}
