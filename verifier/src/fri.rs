//! What both sides of the low-degree test agree on: the fold schedule and the fold itself.
//!
//! A codeword of trace height `N` is a polynomial of degree below `N` in `y = x/g`, given on `H_n`, `n =
//! B·N`. Folding by `a = 2^s` writes `f(y) = Σ y^k·f_k(y^a)` and keeps `Σ β^k·f_k`, a codeword of height
//! `N/a` (FRI: Ben-Sasson, Bentov, Horesh, Riabzev 2018, section 3). A shorter table's codeword joins,
//! times a challenge of its own, when the folded one has come down to its height.

use alloc::vec::Vec;

use lambda_math::{Ext3, Goldilocks, domain};
use p3_field::{Field, PrimeCharacteristicRing};

use crate::profile::{FINAL_LOG2, FOLD_ARITY_LOG2};

/// One fold of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldStep {
    /// Height of the codeword that is folded, `log2`.
    pub from_log2: u32,
    /// Fold by `2^arity_log2`.
    pub arity_log2: u32,
    /// A shorter codeword joins after the fold.
    pub joins: bool,
}

impl FoldStep {
    /// Height of the folded codeword, `log2`.
    pub const fn to_log2(self) -> u32 {
        self.from_log2.saturating_sub(self.arity_log2)
    }
}

/// The folds for codewords of the given distinct heights (`log2`, descending).
///
/// Folds are by 8 unless a shorter codeword or the last polynomial lies nearer. The last polynomial has
/// `2^min(6, shortest)` coefficients.
pub fn fold_schedule(heights_log2: &[u32]) -> Vec<FoldStep> {
    let (Some(&tallest), Some(&shortest)) = (heights_log2.first(), heights_log2.last()) else {
        return Vec::new();
    };
    let last = shortest.min(FINAL_LOG2);
    let mut steps = Vec::new();
    let mut from_log2 = tallest;
    while from_log2 > last {
        let next = heights_log2.iter().copied().find(|&height| height < from_log2).unwrap_or(last);
        let arity_log2 = from_log2.saturating_sub(next).min(FOLD_ARITY_LOG2);
        let to_log2 = from_log2.saturating_sub(arity_log2);
        steps.push(FoldStep { from_log2, arity_log2, joins: heights_log2.contains(&to_log2) });
        from_log2 = to_log2;
    }
    steps
}

/// Coefficients of the last polynomial, `log2`, for distinct heights in descending order.
pub fn final_log2(heights_log2: &[u32]) -> u32 {
    heights_log2.last().map_or(0, |&shortest| shortest.min(FINAL_LOG2))
}

/// Folds one coset: `values` are `f(y·ω_a^k)` for `k = 0..a` in natural order, `a` a power of two.
///
/// On the coset `f` is the polynomial `P(Y) = Σ f_k(y^a)·Y^k`, so the folded value `Σ β^k·f_k(y^a)` is
/// `P(β)`.
pub fn fold_coset(values: &[Ext3], y: Goldilocks, beta: Ext3) -> Ext3 {
    let arity = u64::try_from(values.len()).unwrap_or(1);
    let root_inverse = domain::root_of_unity(arity.trailing_zeros()).inverse();
    let ratio = beta * y.inverse();
    // P(y·X) has coefficients c_m = 1/a · Σ_k v_k·ω^(-mk), and P(β) = Σ c_m·(β/y)^m.
    let mut sum = Ext3::ZERO;
    let mut power = Ext3::ONE;
    let mut step = Goldilocks::ONE;
    for _ in 0..values.len() {
        let coefficient = values.iter().rev().fold(Ext3::ZERO, |acc, &value| acc * step + value);
        sum += coefficient * power;
        power *= ratio;
        step *= root_inverse;
    }
    sum * Goldilocks::from_u64(arity).inverse()
}
