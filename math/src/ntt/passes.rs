//! The blocked extension of a group of columns.
//!
//! 1. Top inverse stages, a tile at a time: [`tile_width`] adjacent elements of every chunk.
//! 2. Chunk by chunk: the remaining inverse stages; per block of 64 the last six levels, the weights, and
//!    the first six levels forward of every slab; then the slabs' chunk stages.
//! 3. Top forward stages of every slab, again a tile at a time.
//!
//! Coefficients wait in the first slab computed, so there is no scratch but a tile. All columns of the
//! group go through a chunk together and share its twiddles.

use core::array;
use core::marker::PhantomData;

use rayon::prelude::*;

use super::lanes::{Factor, LaneFactor, Lanes, WIDTH, forward, forward_plain, inverse};
use super::plan::{BLOCK, NttPlan, Stage, Weights};
use crate::domain::{reverse_bits, root_of_unity};
use crate::field::Goldilocks;
use p3_field::PrimeCharacteristicRing;

/// Most columns in a group.
pub(super) const GROUP: usize = 8;
/// Most elements in a tile: 128 KiB, half of a small second-level cache.
const TILE: usize = 1 << 14;

/// Adjacent elements of a tile: as many as fit, from two cache lines to eight, because the rows are a page
/// or more apart and what one look-up of a page costs is shared by its elements.
fn tile_width(rows: usize) -> usize {
    (TILE / rows).clamp(2 * WIDTH, 8 * WIDTH)
}

/// Who works on a group.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Workers {
    /// The calling thread.
    Caller,
    /// All threads of the pool.
    Pool,
}

impl Workers {
    /// Runs `task` for `0..count` with one scratch of `scratch` elements a worker.
    fn run(self, count: usize, scratch: usize, task: impl Fn(&mut [Goldilocks], usize) + Sync) {
        let new_scratch = || Goldilocks::zero_vec(scratch);
        match self {
            Self::Caller => {
                let mut scratch = new_scratch();
                (0..count).for_each(|index| task(&mut scratch, index));
            }
            Self::Pool => {
                (0..count).into_par_iter().for_each_init(new_scratch, |scratch, index| task(scratch, index));
            }
        }
    }
}

/// One column's input and output, shared by workers that touch disjoint elements of the output.
#[derive(Clone, Copy)]
pub(super) struct Column<'a> {
    input: *const Goldilocks,
    output: *mut Goldilocks,
    lifetime: PhantomData<&'a mut Goldilocks>,
}

// SAFETY: a column is a pair of exclusive and shared borrows of plain values; `extend` gives each worker
// different elements of the output.
unsafe impl Send for Column<'_> {}
// SAFETY: as above.
unsafe impl Sync for Column<'_> {}

impl<'a> Column<'a> {
    /// A column of the plan's height.
    pub(super) fn new(plan: &NttPlan, input: &'a [Goldilocks], output: &'a mut [Goldilocks]) -> Self {
        assert_eq!(input.len(), plan.height(), "one value per row");
        assert_eq!(output.len(), plan.height() * plan.blowup(), "one slab per coset");
        Self { input: input.as_ptr(), output: output.as_mut_ptr(), lifetime: PhantomData }
    }
}

/// Writes the slabs of `weights` for up to [`GROUP`] columns.
pub(super) fn extend(plan: &NttPlan, weights: &[Weights], columns: &[Column<'_>], workers: Workers) {
    let Some(first) = weights.first() else { return };
    let work_offset = first.slab * plan.height();
    let chunk = plan.chunk();
    let chunks = plan.height() / chunk;
    let width = tile_width(chunks);
    let tiles = if plan.top_stages().is_empty() { 0 } else { chunk / width };
    let scratch = if plan.top_stages().len() > 1 { chunks * width } else { 0 };
    workers.run(columns.len() * tiles, scratch, |tile, index| {
        let column = columns[index / tiles];
        // SAFETY: input and output have the plan's size, and only this task touches this tile of the slab.
        unsafe {
            inverse_tile(plan, column.input, column.output.add(work_offset), tile, (index % tiles) * width);
        }
    });
    let roots = LaneRoots::new();
    workers.run(chunks, 0, |_, index| {
        // SAFETY: input and output have the plan's size, and only this task touches this chunk of any slab.
        unsafe { extend_chunk(plan, &roots, weights, columns, work_offset, index) }
    });
    workers.run(columns.len() * weights.len() * tiles, scratch, |tile, index| {
        let (index, at) = (index / tiles, (index % tiles) * width);
        let offset = weights[index % weights.len()].slab * plan.height();
        // SAFETY: the output has the plan's size, and only this task touches this tile of the slab.
        unsafe { forward_tile(plan, columns[index / weights.len()].output.add(offset), tile, at) }
    });
}

/// Elements to what a top stage touches next: the next row of the same block, else the next block, else the
/// next tile.
fn rows_ahead(stage: &Stage, child_rows: usize, chunk: usize, width: usize) -> usize {
    match (child_rows, stage.depth) {
        (1, 0) => width,
        (1, _) => chunk << stage.radix_log2,
        _ => chunk,
    }
}

/// Elements `at .. at + width` of every chunk through the top inverse stages.
///
/// # Safety
/// `input` and `output` must be valid for the plan's height, `output` for this task alone at the tile.
unsafe fn inverse_tile(
    plan: &NttPlan,
    input: *const Goldilocks,
    output: *mut Goldilocks,
    tile: &mut [Goldilocks],
    at: usize,
) {
    let chunk = plan.chunk();
    let stages = plan.top_stages();
    let width = tile_width(plan.height() / chunk);
    let tile = tile.as_mut_ptr();
    for (index, stage) in stages.iter().enumerate() {
        let radix = 1 << stage.radix_log2;
        let child_rows = (plan.height() / chunk) >> (stage.depth + stage.radix_log2);
        let ahead = rows_ahead(stage, child_rows, chunk, width);
        // SAFETY: rows below height / chunk and elements below the tile's width stay within the buffers.
        unsafe {
            let (from, from_row, from_ahead) =
                if index == 0 { (input.add(at), chunk, ahead) } else { (tile.cast_const(), width, 0) };
            let (to, to_row, to_ahead) =
                if index + 1 == stages.len() { (output.add(at), chunk, ahead) } else { (tile, width, 0) };
            for (block, factors) in stage.inverse.chunks_exact(radix).enumerate() {
                for row in 0..child_rows {
                    let row = block * radix * child_rows + row;
                    let (start, stride) = (from.add(row * from_row), child_rows * from_row);
                    let from = Rows { start, stride, ahead: from_ahead };
                    let (start, stride) = (to.add(row * to_row), child_rows * to_row);
                    let to = Rows { start, stride, ahead: to_ahead };
                    inverse_rows(stage.radix_log2, factors, from, to, width);
                }
            }
        }
    }
}

/// Elements `at .. at + width` of every chunk of a slab through the top forward stages.
///
/// # Safety
/// `slab` must be valid for the plan's height, for this task alone at the tile.
unsafe fn forward_tile(plan: &NttPlan, slab: *mut Goldilocks, tile: &mut [Goldilocks], at: usize) {
    let chunk = plan.chunk();
    let stages = plan.top_stages();
    let width = tile_width(plan.height() / chunk);
    let tile = tile.as_mut_ptr();
    for (index, stage) in stages.iter().enumerate().rev() {
        let radix = 1 << stage.radix_log2;
        let child_rows = (plan.height() / chunk) >> (stage.depth + stage.radix_log2);
        let ahead = rows_ahead(stage, child_rows, chunk, width);
        let segment_size = (child_rows * chunk) >> stage.below_log2;
        let factors_per_block = radix << stage.below_log2;
        // SAFETY: rows below height / chunk and elements below the tile's width stay within the buffers.
        unsafe {
            let (from, from_row, from_ahead) =
                if index + 1 == stages.len() { (slab.add(at), chunk, ahead) } else { (tile, width, 0) };
            let (to, to_row, to_ahead) =
                if index == 0 { (slab.add(at), chunk, ahead) } else { (tile, width, 0) };
            for (block, factors) in stage.forward.chunks_exact(factors_per_block).enumerate() {
                for row in 0..child_rows {
                    let segment = (row * chunk + at) / segment_size;
                    let row = block * radix * child_rows + row;
                    let (start, stride) = (from.add(row * from_row).cast_const(), child_rows * from_row);
                    let from = Rows { start, stride, ahead: from_ahead };
                    let (start, stride) = (to.add(row * to_row), child_rows * to_row);
                    let to = Rows { start, stride, ahead: to_ahead };
                    forward_rows(stage.radix_log2, &factors[segment * radix..], segment, from, to, width);
                }
            }
        }
    }
}

/// One chunk of all columns: inverse stages to coefficients, forward stages to every slab.
///
/// # Safety
/// The columns must have the plan's size, and no other task may touch this chunk of their outputs.
unsafe fn extend_chunk(
    plan: &NttPlan,
    roots: &LaneRoots,
    weights: &[Weights],
    columns: &[Column<'_>],
    work_offset: usize,
    index: usize,
) {
    let chunk = plan.chunk();
    let start = index * chunk;
    let in_place = !plan.top_stages().is_empty();
    for column in columns {
        // SAFETY: the caller's promise.
        unsafe {
            let to = column.output.add(work_offset + start);
            let mut from = if in_place { to.cast_const() } else { column.input };
            for stage in plan.chunk_stages() {
                inverse_chunk(plan, stage, from, to, index);
                from = to;
            }
        }
    }
    let in_place = in_place || !plan.chunk_stages().is_empty();
    let sources: [*const Goldilocks; GROUP] = array::from_fn(|c| match columns.get(c) {
        // SAFETY: the caller's promise.
        Some(column) if in_place => unsafe { column.output.add(work_offset + start).cast_const() },
        Some(column) => column.input,
        None => core::ptr::null(),
    });
    // SAFETY: the caller's promise.
    unsafe { extend_blocks(plan, roots, weights, columns, &sources, index) }
    for column in columns {
        for weights in weights {
            for stage in plan.chunk_stages().iter().rev() {
                // SAFETY: the caller's promise.
                unsafe {
                    forward_chunk(
                        plan,
                        stage,
                        column.output.add(weights.slab * plan.height() + start),
                        index,
                    );
                }
            }
        }
    }
}

/// The in-register levels of one chunk of all columns, whose values are read from `sources`.
///
/// # Safety
/// As for [`extend_chunk`]; `sources` must be valid for a chunk for each column.
unsafe fn extend_blocks(
    plan: &NttPlan,
    roots: &LaneRoots,
    weights: &[Weights],
    columns: &[Column<'_>],
    sources: &[*const Goldilocks; GROUP],
    chunk_index: usize,
) {
    let chunk = plan.chunk();
    let chunk_weights: Vec<Lanes> =
        weights.iter().map(|weights| Lanes::splat(weights.of_chunk(plan, chunk_index))).collect();
    let mut coefficients = [[Lanes::splat(Goldilocks::ZERO); WIDTH]; GROUP];
    for block in 0..chunk / BLOCK {
        let global = chunk_index * (chunk / BLOCK) + block;
        let segments = &plan.block_inverse[global];
        let lanes: [LaneFactor; WIDTH] = array::from_fn(|segment| {
            LaneFactor::new(Lanes::splat(plan.lane_inverse[global][segment]).times(roots.inverse[segment]))
        });
        for (coefficients, source) in coefficients.iter_mut().zip(sources).take(columns.len()) {
            // SAFETY: the caller's promise.
            let rows = array::from_fn(|row| unsafe { Lanes::load(source.add(block * BLOCK + row * WIDTH)) });
            *coefficients = inverse(Lanes::transpose(inverse(rows, segments)), &lanes);
        }
        // SAFETY: a row of the table has eight elements.
        let powers = unsafe { Lanes::load(plan.lane_forward[global].as_ptr()) };
        let lanes: [LaneFactor; WIDTH] =
            array::from_fn(|child| LaneFactor::new(powers.times(roots.forward[child])));
        for (weights, &chunk_weight) in weights.iter().zip(&chunk_weights) {
            let offset = weights.slab * plan.height() + chunk_index * chunk + block * BLOCK;
            let factors: [LaneFactor; WIDTH] = array::from_fn(|row| {
                // SAFETY: a row of the table has eight elements.
                let first = unsafe { Lanes::load(weights.first_chunk[block][row].as_ptr()) };
                LaneFactor::new(first.times(chunk_weight))
            });
            for (coefficients, column) in coefficients.iter().zip(columns) {
                let rows = forward(Lanes::transpose(forward(*coefficients, &factors)), &lanes);
                for (row, values) in rows.into_iter().enumerate() {
                    // SAFETY: the caller's promise.
                    unsafe { values.store(column.output.add(offset + row * WIDTH)) }
                }
            }
        }
    }
}

/// One inverse stage on a chunk.
///
/// # Safety
/// `from` and `to` must be valid for a chunk.
unsafe fn inverse_chunk(
    plan: &NttPlan,
    stage: &Stage,
    from: *const Goldilocks,
    to: *mut Goldilocks,
    chunk_index: usize,
) {
    let radix = 1 << stage.radix_log2;
    let size = plan.height() >> stage.depth;
    let segment = size / radix;
    let blocks = plan.chunk() / size;
    let factors = &stage.inverse[chunk_index * blocks * radix..][..blocks * radix];
    for (block, factors) in factors.chunks_exact(radix).enumerate() {
        // SAFETY: the blocks make up the chunk.
        unsafe {
            let from = Rows { start: from.add(block * size), stride: segment, ahead: 0 };
            let to = Rows { start: to.add(block * size), stride: segment, ahead: 0 };
            inverse_rows(stage.radix_log2, factors, from, to, segment);
        }
    }
}

/// One forward stage on a chunk, in place.
///
/// # Safety
/// `values` must be valid for a chunk.
unsafe fn forward_chunk(plan: &NttPlan, stage: &Stage, values: *mut Goldilocks, chunk_index: usize) {
    let radix = 1 << stage.radix_log2;
    let size = plan.height() >> stage.depth;
    let child = size / radix;
    let segment_size = child >> stage.below_log2;
    let blocks = plan.chunk() / size;
    let per_block = radix << stage.below_log2;
    let factors = &stage.forward[chunk_index * blocks * per_block..][..blocks * per_block];
    for (block, factors) in factors.chunks_exact(per_block).enumerate() {
        for (segment, factors) in factors.chunks_exact(radix).enumerate() {
            // SAFETY: the segments of the blocks make up the chunk.
            unsafe {
                let start = values.add(block * size + segment * segment_size);
                let from = Rows { start: start.cast_const(), stride: child, ahead: 0 };
                let to = Rows { start, stride: child, ahead: 0 };
                forward_rows(stage.radix_log2, factors, segment, from, to, segment_size);
            }
        }
    }
}

/// Rows of a butterfly.
#[derive(Clone, Copy)]
struct Rows<P> {
    /// Row 0.
    start: P,
    /// Elements from row to row.
    stride: usize,
    /// Elements to the rows of the next butterflies where those are far from this core; else zero.
    ahead: usize,
}

impl Rows<*const Goldilocks> {
    /// # Safety
    /// The rows must be readable for eight elements at `at`.
    #[inline(always)]
    unsafe fn load<const R: usize>(self, at: usize) -> [Lanes; R] {
        if self.ahead > 0 {
            for row in 0..R {
                prefetch(self.start.wrapping_add(row * self.stride + at + self.ahead));
            }
        }
        // SAFETY: the caller's promise.
        array::from_fn(|row| unsafe { Lanes::load(self.start.add(row * self.stride + at)) })
    }
}

impl Rows<*mut Goldilocks> {
    /// # Safety
    /// The rows must be writable for eight elements at `at`.
    #[inline(always)]
    unsafe fn store<const R: usize>(self, at: usize, rows: [Lanes; R]) {
        if self.ahead > 0 {
            for row in 0..R {
                prefetch(self.start.wrapping_add(row * self.stride + at + self.ahead));
            }
        }
        for (row, values) in rows.into_iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { values.store(self.start.add(row * self.stride + at)) }
        }
    }
}

/// Asks for a cache line, where the machine can be asked.
#[inline(always)]
fn prefetch(address: *const Goldilocks) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch has no effect but on the cache, whatever the address.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Inverse butterflies on `len` elements of each row.
///
/// # Safety
/// The rows must be valid for `len` elements, a multiple of [`WIDTH`].
#[inline(always)]
unsafe fn inverse_rows(
    radix_log2: u32,
    factors: &[Factor],
    from: Rows<*const Goldilocks>,
    to: Rows<*mut Goldilocks>,
    len: usize,
) {
    macro_rules! radix {
        ($radix:literal) => {{
            let factors: &[Factor; $radix] = factors.first_chunk().expect("a factor a row");
            for at in (0..len).step_by(WIDTH) {
                // SAFETY: the caller's promise.
                unsafe { to.store(at, inverse(from.load::<$radix>(at), factors)) }
            }
        }};
    }
    match radix_log2 {
        1 => radix!(2),
        2 => radix!(4),
        _ => radix!(8),
    }
}

/// Forward butterflies on `len` elements of each row, which are in segment `segment` of the child.
///
/// # Safety
/// The rows must be valid for `len` elements, a multiple of [`WIDTH`].
#[inline(always)]
unsafe fn forward_rows(
    radix_log2: u32,
    factors: &[Factor],
    segment: usize,
    from: Rows<*const Goldilocks>,
    to: Rows<*mut Goldilocks>,
    len: usize,
) {
    macro_rules! radix {
        ($radix:literal) => {{
            let factors: &[Factor; $radix] = factors.first_chunk().expect("a factor a row");
            for at in (0..len).step_by(WIDTH) {
                // SAFETY: the caller's promise.
                unsafe {
                    let rows = from.load::<$radix>(at);
                    to.store(at, if segment == 0 { forward_plain(rows) } else { forward(rows, factors) });
                }
            }
        }};
    }
    match radix_log2 {
        1 => radix!(2),
        2 => radix!(4),
        _ => radix!(8),
    }
}

/// Powers of the 64th root of unity that a block of 64 has between its two transforms of eight.
struct LaneRoots {
    /// `[segment][child lane]`.
    inverse: [Lanes; WIDTH],
    /// `[child][segment lane]`.
    forward: [Lanes; WIDTH],
}

impl LaneRoots {
    fn new() -> Self {
        let root = root_of_unity(BLOCK.trailing_zeros());
        let power = |child, segment| root.exp_u64((reverse_bits(child, 3) * segment) as u64);
        let table = |entry: &dyn Fn(usize, usize) -> Goldilocks| -> [Lanes; WIDTH] {
            array::from_fn(|row| {
                let values: [Goldilocks; WIDTH] = array::from_fn(|lane| entry(row, lane));
                // SAFETY: there are eight values.
                unsafe { Lanes::load(values.as_ptr()) }
            })
        };
        Self { inverse: table(&|segment, child| power(child, 64 - segment)), forward: table(&power) }
    }
}
