//! Number-theoretic transforms of columns, and the low-degree extension of whole tables.
//!
//! The inverse transform takes evaluations in natural order to coefficients in bit-reversed order, the
//! forward transform takes those back to evaluations in natural order, so nothing is ever permuted.
//! [`coset_lde`] is what the prover calls; `plan` has the constants and the network they belong to,
//! `passes` the order in which memory is visited, `lanes` the butterflies. [`ntt`] and [`intt`] are plain
//! radix-2 transforms for polynomials of a few coefficients.

mod lanes;
mod passes;
mod plan;

use p3_field::{Field, PrimeCharacteristicRing};
use rayon::prelude::*;

use crate::columns::Columns;
use crate::domain::{reverse_bits, root_of_unity, slab_shift};
use crate::field::Goldilocks;

use passes::{Column, GROUP, Workers, extend};
pub use plan::NttPlan;
use plan::{BLOCK, Weights};

/// Least height at which the work on one group of columns is split among threads.
const POOL_HEIGHT: usize = 1 << 15;

/// Extends one column from `input_shift · H_N` to the slabs of [`crate::domain`], on the calling thread.
///
/// `input` holds `N` evaluations in natural order; slab `σ` goes to `output[σ·N .. (σ+1)·N]`, natural order.
/// For many columns [`coset_lde`] is faster: it shares the preparation of constants among them.
///
/// # Panics
/// When `input` or `output` do not have the plan's lengths, or `input_shift` is zero.
pub fn coset_lde_column(
    plan: &NttPlan,
    input: &[Goldilocks],
    input_shift: Goldilocks,
    output: &mut [Goldilocks],
) {
    assert_eq!(input.len(), plan.height(), "one value per row");
    extend_columns(plan, input, input_shift, output, Workers::Caller);
}

/// Extends every column of `input` from `input_shift · H_N`, on all threads; the result has `blowup · N`
/// rows.
///
/// Where no memory of an earlier table is at hand, most of the time goes to the system for fresh pages.
/// Needs no scratch but `max(2^14, N/2^8)` elements a thread, and none below `N = 2^16`.
///
/// # Panics
/// When the columns do not have the plan's height, or `input_shift` is zero.
pub fn coset_lde(plan: &NttPlan, input: &Columns, input_shift: Goldilocks) -> Columns {
    let mut output = Columns::scratch(plan.height() * plan.blowup(), input.width());
    coset_lde_into(plan, input, input_shift, &mut output);
    output
}

/// [`coset_lde`] into columns that exist already, whatever they hold.
///
/// # Panics
/// As [`coset_lde`], and when `output` is not of `input`'s width and the extended height.
pub fn coset_lde_into(plan: &NttPlan, input: &Columns, input_shift: Goldilocks, output: &mut Columns) {
    assert_eq!(output.width(), input.width(), "a column for each column");
    if input.width() > 0 {
        assert_eq!(input.height(), plan.height(), "one value per row");
        assert_eq!(output.height(), plan.height() * plan.blowup(), "one slab per coset");
        extend_columns(plan, input.values(), input_shift, output.values_mut(), Workers::Pool);
    }
}

/// [`coset_lde`] in the memory of `input`, which grows to the result's size, unless memory of an earlier
/// table is at hand.
///
/// # Panics
/// As [`coset_lde`].
pub fn coset_lde_owned(plan: &NttPlan, input: Columns, input_shift: Goldilocks) -> Columns {
    let (height, blowup) = (plan.height(), plan.blowup());
    let mut end = input.width();
    if end > 0 {
        assert_eq!(input.height(), height, "one value per row");
    }
    if let Some(mut output) = Columns::recycled(height * blowup, end) {
        coset_lde_into(plan, &input, input_shift, &mut output);
        return output;
    }
    let mut columns = input.grow(height * blowup);
    let values = columns.values_mut();
    // Column c moves from c·N to c·B·N. The upper part of what is left is written behind all that is still
    // to be read.
    while end > 1 {
        let start = end.div_ceil(blowup);
        if start == end {
            break;
        }
        let (unread, free) = values.split_at_mut(start * blowup * height);
        let input = &unread[start * height..end * height];
        let output = &mut free[..(end - start) * blowup * height];
        extend_columns(plan, input, input_shift, output, Workers::Pool);
        end = start;
    }
    for column in (0..end).rev() {
        let input = values[column * height..][..height].to_vec();
        let output = &mut values[column * blowup * height..][..blowup * height];
        extend_columns(plan, &input, input_shift, output, Workers::Pool);
    }
    columns
}

/// Extends the columns that make up `input` to those that make up `output`.
fn extend_columns(
    plan: &NttPlan,
    input: &[Goldilocks],
    input_shift: Goldilocks,
    output: &mut [Goldilocks],
    workers: Workers,
) {
    let (height, height_log2) = (plan.height(), plan.height_log2());
    let width = input.len() / height;
    assert_eq!(output.len(), width * height * plan.blowup(), "one slab per coset");
    let shift = |slab| slab_shift(slab, height_log2, plan.blowup().trailing_zeros());
    let (same, others): (Vec<usize>, Vec<usize>) =
        (0..plan.blowup()).partition(|&slab| shift(slab) == input_shift);
    let inputs = input.chunks_exact(height);
    let outputs = output.chunks_exact_mut(height * plan.blowup());
    if height < BLOCK {
        let ratios: Vec<_> = (0..plan.blowup()).map(|slab| shift(slab) * input_shift.inverse()).collect();
        inputs.zip(outputs).for_each(|(input, output)| extend_short(input, &ratios, output));
        return;
    }
    let weights: Vec<Weights> = others.iter().map(|&slab| Weights::new(plan, slab, input_shift)).collect();
    let mut columns: Vec<Column<'_>> = Vec::with_capacity(width);
    for (input, output) in inputs.zip(outputs) {
        for slab in &same {
            output[slab * height..][..height].copy_from_slice(input);
        }
        columns.push(Column::new(plan, input, output));
    }
    match workers {
        // Whole groups are the better tasks when there are enough of them to keep all threads busy.
        Workers::Pool if height < POOL_HEIGHT || width >= 4 * GROUP * rayon::current_num_threads() => {
            columns.par_chunks(GROUP).for_each(|columns| extend(plan, &weights, columns, Workers::Caller));
        }
        _ => columns.chunks(GROUP).for_each(|columns| extend(plan, &weights, columns, workers)),
    }
}

/// Extends a column shorter than [`BLOCK`]; slab `σ` is `ratios[σ]` times the input's coset.
fn extend_short(input: &[Goldilocks], ratios: &[Goldilocks], output: &mut [Goldilocks]) {
    let mut coefficients = input.to_vec();
    intt(&mut coefficients);
    for (&ratio, slab) in ratios.iter().zip(output.chunks_exact_mut(input.len())) {
        for ((y, &c), power) in slab.iter_mut().zip(&coefficients).zip(ratio.powers()) {
            *y = c * power;
        }
        ntt(slab);
    }
}

/// Evaluates the polynomial with coefficients `values` at `ω^j`, `j = 0..N`; natural order in and out.
///
/// # Panics
/// When the length is not a power of two.
pub fn ntt(values: &mut [Goldilocks]) {
    assert!(values.len().is_power_of_two(), "a transform's length is a power of two");
    let log2 = values.len().trailing_zeros();
    for i in 0..values.len() {
        let j = reverse_bits(i, log2);
        if i < j {
            values.swap(i, j);
        }
    }
    for level in 0..log2 {
        let half = 1usize << level;
        let root = root_of_unity(level + 1);
        for block in values.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for ((u, v), twiddle) in low.iter_mut().zip(high).zip(root.powers()) {
                let t = *v * twiddle;
                (*u, *v) = (*u + t, *u - t);
            }
        }
    }
}

/// Inverse of [`ntt`].
///
/// # Panics
/// When the length is not a power of two.
pub fn intt(values: &mut [Goldilocks]) {
    ntt(values);
    let scale = Goldilocks::from_u64(values.len() as u64).inverse();
    if let Some((_, rest)) = values.split_first_mut() {
        rest.reverse();
    }
    values.iter_mut().for_each(|x| *x *= scale);
}

#[cfg(test)]
mod tests;
