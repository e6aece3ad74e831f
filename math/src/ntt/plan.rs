//! Twiddles of the blocked transforms, and the weights that move coefficients from coset to coset.
//!
//! The inverse transform of `N = 2^k` values splits `X^N - 1` into `X^(N/2^d) - ζ_b`, block `b` of depth
//! `d`, down to linear factors in bit-reversed order. Block `b` has `ζ_b = exp(-2πi·f(b))` with `f(b)` the
//! bits of `b` mirrored at the radix point (van der Corput), the same at every depth. A stage of radix `R`
//! multiplies the `i`-th of the block's `R` segments by `exp(-2πi·f(b)·i/R)`, one constant for the whole
//! segment, and transforms across the segments. The forward transform is the transposed network with
//! conjugate constants; there the multiplication that follows a stage is left to the next one.
//!
//! *Top* stages reach across chunks of `2^12` elements, *chunk* stages stay within one, and the last six
//! levels transform 64 consecutive elements in registers.

use p3_field::{Field, PrimeCharacteristicRing};
use rayon::prelude::*;

use super::lanes::{Factor, WIDTH};
use crate::domain::{reverse_bits, root_of_unity, slab_shift};
use crate::field::Goldilocks;

/// `log2` of the elements that the in-register levels transform.
pub(super) const BLOCK_LOG2: u32 = 6;
/// Those elements.
pub(super) const BLOCK: usize = 1 << BLOCK_LOG2;
/// `log2` of the longest run of elements that is transformed in the cache: 32 KiB.
const CHUNK_LOG2: u32 = 12;

/// Sign of the roots' exponents.
#[derive(Clone, Copy)]
enum Direction {
    Forward,
    Inverse,
}

/// Several levels at once, above the in-register levels.
pub(super) struct Stage {
    /// The stage splits `2^depth` blocks.
    pub(super) depth: u32,
    /// `log2` of the radix.
    pub(super) radix_log2: u32,
    /// `log2` of the radix of the next deeper stage.
    pub(super) below_log2: u32,
    /// `[block][segment]`.
    pub(super) inverse: Vec<Factor>,
    /// `[block][segment of the child][child]`: what the deeper stage has left to multiply by.
    pub(super) forward: Vec<Factor>,
}

impl Stage {
    fn new(depth: u32, radix_log2: u32, below_log2: u32) -> Self {
        let inverse = block_roots(depth, radix_log2, Direction::Inverse)
            .into_par_iter()
            .flat_map_iter(|root| root.powers().take(1 << radix_log2).map(Factor::new))
            .collect();
        let forward = block_roots(depth + radix_log2, below_log2, Direction::Forward)
            .par_chunks_exact(1 << radix_log2)
            .flat_map_iter(|children| {
                (0..1 << below_log2).flat_map(move |segment| {
                    children.iter().map(move |root| Factor::new(root.exp_u64(segment)))
                })
            })
            .collect();
        Self { depth, radix_log2, below_log2, inverse, forward }
    }
}

/// Twiddles for the extension of columns of one height at one blowup.
///
/// Built once per height and shared by columns and threads; about `12·N` bytes for height `N`.
pub struct NttPlan {
    height_log2: u32,
    blowup_log2: u32,
    top_stages: usize,
    stages: Vec<Stage>,
    /// Per block of 64: factors of its eight segments.
    pub(super) block_inverse: Vec<[Factor; WIDTH]>,
    /// Per block of 64 with `r = exp(-2πi·f(block)/64)`: `r^0 .. r^7`.
    pub(super) lane_inverse: Vec<[Goldilocks; WIDTH]>,
    /// The inverses of those powers.
    pub(super) lane_forward: Vec<[Goldilocks; WIDTH]>,
}

impl NttPlan {
    /// Plan for columns of `2^height_log2` rows extended by `2^blowup_log2`.
    ///
    /// # Panics
    /// When the field has no subgroup of the extended height (`height_log2 + blowup_log2 > 32`).
    pub fn new(height_log2: u32, blowup_log2: u32) -> Self {
        assert!(height_log2 + blowup_log2 <= 32, "no subgroup of the extended height");
        let mut plan = Self {
            height_log2,
            blowup_log2,
            top_stages: 0,
            stages: Vec::new(),
            block_inverse: Vec::new(),
            lane_inverse: Vec::new(),
            lane_forward: Vec::new(),
        };
        let Some(levels) = height_log2.checked_sub(BLOCK_LOG2) else { return plan };
        let top = radices(height_log2.saturating_sub(CHUNK_LOG2));
        plan.top_stages = top.len();
        let radices = [top, radices(levels.min(CHUNK_LOG2 - BLOCK_LOG2))].concat();
        let mut depth = 0;
        for (index, &radix_log2) in radices.iter().enumerate() {
            let below_log2 = radices.get(index + 1).copied().unwrap_or(WIDTH.trailing_zeros());
            plan.stages.push(Stage::new(depth, radix_log2, below_log2));
            depth += radix_log2;
        }
        let powers = |radix_log2, direction| -> Vec<[Goldilocks; WIDTH]> {
            let roots = block_roots(levels, radix_log2, direction);
            roots.into_par_iter().map(|root| core::array::from_fn(|i| root.exp_u64(i as u64))).collect()
        };
        plan.block_inverse =
            powers(3, Direction::Inverse).into_par_iter().map(|powers| powers.map(Factor::new)).collect();
        plan.lane_inverse = powers(BLOCK_LOG2, Direction::Inverse);
        plan.lane_forward = powers(BLOCK_LOG2, Direction::Forward);
        plan
    }

    /// Rows of an input column.
    pub const fn height(&self) -> usize {
        1 << self.height_log2
    }

    /// Slabs of an output column.
    pub const fn blowup(&self) -> usize {
        1 << self.blowup_log2
    }

    /// `log2` of [`Self::height`].
    pub(super) const fn height_log2(&self) -> u32 {
        self.height_log2
    }

    /// Elements of a chunk.
    pub(super) fn chunk(&self) -> usize {
        1 << self.height_log2.min(CHUNK_LOG2)
    }

    /// Stages across chunks, the widest first.
    pub(super) fn top_stages(&self) -> &[Stage] {
        &self.stages[..self.top_stages]
    }

    /// Stages within a chunk, the widest first.
    pub(super) fn chunk_stages(&self) -> &[Stage] {
        &self.stages[self.top_stages..]
    }
}

/// What coefficients are multiplied by between the inverse transform and a slab's forward transform:
/// coefficient `k` by `ratio^k / N`.
pub(super) struct Weights {
    /// The slab.
    pub(super) slab: usize,
    /// The slab's shift over the input's.
    ratio: Goldilocks,
    /// Weights of chunk 0 as the in-register levels take them: `[block of 64][row][lane]` is element
    /// `8·lane + row` of the block.
    pub(super) first_chunk: Vec<[[Goldilocks; WIDTH]; WIDTH]>,
}

impl Weights {
    /// Weights for `slab` of the plan and an input on `input_shift · H_N`.
    pub(super) fn new(plan: &NttPlan, slab: usize, input_shift: Goldilocks) -> Self {
        let ratio = slab_shift(slab, plan.height_log2, plan.blowup_log2) * input_shift.inverse();
        let chunk = plan.chunk();
        let chunk_log2 = chunk.trailing_zeros();
        let scale = Goldilocks::from_u64(plan.height() as u64).inverse();
        let powers = ratio.exp_power_of_2((plan.height_log2 - chunk_log2) as usize).shifted_powers(scale);
        let powers = powers.collect_n(chunk);
        let element = |position| powers[reverse_bits(position, chunk_log2)];
        let first_chunk = (0..chunk / BLOCK)
            .map(|block| {
                core::array::from_fn(|row| {
                    core::array::from_fn(|lane| element(block * BLOCK + lane * WIDTH + row))
                })
            })
            .collect();
        Self { slab, ratio, first_chunk }
    }

    /// Weights of `chunk` over those of chunk 0.
    pub(super) fn of_chunk(&self, plan: &NttPlan, chunk: usize) -> Goldilocks {
        let chunks_log2 = plan.height_log2 - plan.chunk().trailing_zeros();
        self.ratio.exp_u64(reverse_bits(chunk, chunks_log2) as u64)
    }
}

/// `log2` of the radices of stages that together make `levels` levels: eights, and fours for the rest.
fn radices(levels: u32) -> Vec<u32> {
    match (levels, levels % 3) {
        (1, _) => vec![1],
        (_, 0) => vec![3; levels as usize / 3],
        (_, 2) => [vec![3; levels as usize / 3], vec![2]].concat(),
        _ => [vec![3; levels as usize / 3 - 1], vec![2, 2]].concat(),
    }
}

/// `exp(±2πi·f(b)/2^radix_log2)` for the blocks `b` of `depth`.
fn block_roots(depth: u32, radix_log2: u32, direction: Direction) -> Vec<Goldilocks> {
    let mut roots = Vec::with_capacity(1 << depth);
    roots.push(Goldilocks::ONE);
    for bit in 0..depth {
        // f(b + 2^bit) = f(b) + 2^-(bit + 1).
        let root = root_of_unity(radix_log2 + bit + 1);
        let step = match direction {
            Direction::Forward => root,
            Direction::Inverse => root.inverse(),
        };
        roots.extend_from_within(..);
        roots[1 << bit..].iter_mut().for_each(|root| *root *= step);
    }
    roots
}
