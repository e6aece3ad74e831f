//! Lookup columns and compositions on the device: a chunk of rows at a time, so that messages and sums take a
//! bounded part of the memory.

use std::sync::Arc;

use lambda_air::dag::{ConstraintDag, Leaf, Node};
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
use lambda_prover::{Fault, Scope, Stage};
use lambda_verifier::transcript::LookupChallenges;
use p3_field::{Field, PrimeCharacteristicRing};

use super::DeviceBackend;
use crate::evaluate::ConstraintEvaluator;
use crate::failure::Failure;
use crate::resident::Resident;
use crate::weights::weights;
use crate::window;

/// By how much a stage that was asked to shrink divides its chunks.
const SHRINK_FACTOR: u64 = 16;

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
}

impl DeviceBackend {
    fn chunk_bytes(&self, stage: Stage, scope: Scope) -> u64 {
        let shrunk = self.placement().is_shrunk(stage, scope);
        if shrunk { self.options.chunk_bytes / SHRINK_FACTOR } else { self.options.chunk_bytes }
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
        let main = input.main.device(stream)?;
        let preprocessed = input.preprocessed.map(|columns| columns.device(stream)).transpose()?;
        let selectors = reads_selectors(&table.key.dag)
            .then(|| points::trace_selectors(stream, table.height_log2))
            .transpose()?;
        let mut columns = stream.alloc::<Goldilocks>(groups.count() * EXT_DEGREE * height, "lookup trace")?;
        let mut flag = ZeroFlag::new(stream)?;
        for rows in body.evaluator.chunks(height, self.chunk_bytes(Stage::Lookup, scope)) {
            let mut messages =
                stream.alloc::<Goldilocks>(body.evaluator.message_values(rows.len()), "messages")?;
            let body_input = BodyInput {
                main: ColumnSlice { values: main.as_slice(), stride: height },
                preprocessed: preprocessed
                    .as_ref()
                    .map(|columns| ColumnSlice { values: columns.as_slice(), stride: height }),
                selectors: selectors
                    .as_ref()
                    .map(|columns| ColumnSlice { values: columns.as_slice(), stride: height }),
                public_values: body.public_values.as_ref().map(|values| values.as_slice()),
                weights: body.weights.as_slice(),
                height,
                start: rows.start,
                rows: rows.len(),
            };
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
        let first = slab * height;
        let shift = domain::slab_shift(slab, height_log2, lde_height.trailing_zeros() - height_log2);
        let scale = (shift.exp_power_of_2(height_log2 as usize) - Goldilocks::ONE).inverse();
        let main = input.main.device(stream)?;
        let preprocessed = input.preprocessed.map(|columns| columns.device(stream)).transpose()?;
        let lookup = input.lookup.map(|columns| columns.device(stream)).transpose()?;
        let selectors = reads_selectors(&table.key.dag)
            .then(|| points::coset_selectors(stream, height_log2, shift))
            .transpose()?;
        let mut part = stream.alloc::<Goldilocks>(EXT_DEGREE * height, "quotient part")?;
        for rows in body.evaluator.chunks(height, self.chunk_bytes(Stage::Quotient, scope)) {
            let mut messages =
                stream.alloc::<Goldilocks>(body.evaluator.message_values(rows.len()), "messages")?;
            let mut sums =
                stream.alloc::<Goldilocks>(body.evaluator.sum_values(rows.len()), "constraint sums")?;
            let body_input = BodyInput {
                main: ColumnSlice { values: main.slice(first..), stride: lde_height },
                preprocessed: preprocessed
                    .as_ref()
                    .map(|columns| ColumnSlice { values: columns.slice(first..), stride: lde_height }),
                selectors: selectors
                    .as_ref()
                    .map(|columns| ColumnSlice { values: columns.as_slice(), stride: height }),
                public_values: body.public_values.as_ref().map(|values| values.as_slice()),
                weights: body.weights.as_slice(),
                height,
                start: rows.start,
                rows: rows.len(),
            };
            let mut output =
                BodyOutput { messages: Some(messages.as_slice_mut()), sums: Some(sums.as_slice_mut()) };
            body.evaluator.evaluate(stream, &body_input, &mut output)?;
            let chunk = MessageChunk { messages: messages.as_slice(), start: rows.start, rows: rows.len() };
            let constraints =
                lookup.as_ref().zip(body.groups.as_ref()).map(|(lookup, groups)| LookupConstraints {
                    chunk,
                    groups,
                    lookup: lookup.slice(first..),
                    lde_height,
                    powers: of_lookup,
                    mean: input.lookup_sum * Goldilocks::from_usize(height).inverse(),
                });
            quotient::finish(stream, rows.start, sums.as_slice(), constraints, scale, &mut part, height)?;
        }
        Ok(Resident::on_device(scope, "quotient part", height, part))
    }
}

fn reads_selectors(dag: &ConstraintDag) -> bool {
    dag.nodes.iter().any(|node| matches!(node, Node::Leaf(Leaf::Selector(_))))
}
