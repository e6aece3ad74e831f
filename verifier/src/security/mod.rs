//! The security calculator: proven bits of one proof, from its shape alone.
//!
//! The protocol is analysed round by round. In each round the verifier draws a challenge, and with a small
//! probability, the round's error, a challenge is drawn that lets a false statement survive. Security of
//! the non-interactive proof in the classical random-oracle model is the *least* of the rounds' levels;
//! grinding adds its bits to the round that it precedes and to no other. The chapter on security in the book
//! derives and cites every term.
//!
//! Invariants:
//! - integers and fixed point only, so that every machine prints the same figure;
//! - every figure is a lower bound: each rounding is against the claim, and the whole stays within
//!   `2^-10` bit of the exact value;
//! - a shape for which a formula is not proven is a [`ShapeError`], never a number;
//! - total: no input panics, and the time is bounded (about a tenth of a millisecond).
//!
//! What is *not* decided here: which level is enough. That is the profile's promise, compared with
//! [`SecurityReport::minimum`] by the verifier.

mod bits;
mod log2;
mod regime;
mod shape;

use alloc::vec::Vec;
use core::fmt;

pub use bits::Bits;
use log2::Log2;
pub use regime::{MAX_MULTIPLICITY, MIN_MULTIPLICITY, Regime};
pub use shape::{Fold, Shape, ShapeError};

/// The prime `p = 2^64 - 2^32 + 1`.
const GOLDILOCKS: u128 = 0xffff_ffff_0000_0001;

/// Degree of the extension that the challenges are drawn from: `|F| = p^3`.
const EXTENSION_DEGREE: u32 = 3;

/// A collision in the 256-bit hash costs `2^128` evaluations (birthday bound).
const HASH_COLLISION: Bits = Bits::from_whole(128);

/// A round of the protocol, named after what its challenge does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// Fingerprints of the bus messages and the poles of LogUp.
    Lookup,
    /// The combination of all constraints.
    Constraints,
    /// The out-of-domain point.
    OutOfDomain,
    /// The combination of all opening claims.
    Batching,
    /// A FRI fold, by its position in [`Shape::folds`].
    Fold(usize),
    /// The query positions.
    Query,
    /// Not a round: the collision resistance of the hash, which caps all of them.
    Hash,
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lookup => write!(f, "lookup"),
            Self::Constraints => write!(f, "constraints"),
            Self::OutOfDomain => write!(f, "out-of-domain"),
            Self::Batching => write!(f, "batching"),
            Self::Fold(index) => write!(f, "fold {index}"),
            Self::Query => write!(f, "query"),
            Self::Hash => write!(f, "hash"),
        }
    }
}

/// The level of every round under one regime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecurityReport {
    /// The proximity radius that the figures are proven for.
    pub regime: Regime,
    /// Every round with its level, in protocol order; the hash is last. A proof without a bus has no lookup
    /// round.
    pub rounds: Vec<(Round, Bits)>,
}

impl SecurityReport {
    /// The proven security level: that of the weakest round.
    pub fn minimum(&self) -> Bits {
        self.least().1
    }

    /// The round that decides; the first one if several are equal.
    pub fn weakest(&self) -> Round {
        self.least().0
    }

    /// The level of `round`, if the proof has it.
    pub fn level(&self, round: Round) -> Option<Bits> {
        self.rounds.iter().find(|(name, _)| *name == round).map(|&(_, bits)| bits)
    }

    fn least(&self) -> (Round, Bits) {
        let cap = (Round::Hash, HASH_COLLISION);
        self.rounds.iter().rev().fold(cap, |least, &round| if round.1 <= least.1 { round } else { least })
    }

    /// The least level among the rounds that `wanted` selects.
    fn least_of(&self, wanted: impl Fn(Round) -> bool) -> Option<Bits> {
        self.rounds.iter().filter(|(round, _)| wanted(*round)).map(|&(_, bits)| bits).min()
    }
}

impl fmt::Display for SecurityReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bits ({}; weakest round: {})", self.minimum(), self.regime, self.weakest())
    }
}

/// The levels in the unique-decoding regime, which needs no list decoding.
///
/// # Errors
/// A shape out of the ranges in which the formulas hold.
pub fn unique_decoding(shape: &Shape) -> Result<SecurityReport, ShapeError> {
    shape.validate()?;
    Ok(evaluate(shape, Regime::UniqueDecoding))
}

/// The levels in the Johnson regime, at the multiplicity that makes the minimum largest.
///
/// A larger multiplicity raises the level of the query round and lowers or keeps those of all other
/// rounds, so the best one is where they cross: a bisection of [`MIN_MULTIPLICITY`]`..=`[`MAX_MULTIPLICITY`]
/// finds it in fourteen evaluations. The hash does not take part in the choice.
///
/// # Errors
/// A shape out of the ranges in which the formulas hold.
pub fn johnson(shape: &Shape) -> Result<SecurityReport, ShapeError> {
    shape.validate()?;
    let at = |multiplicity| evaluate(shape, Regime::Johnson { multiplicity });

    // Invariant: the query round is weakest at every multiplicity below `first_above`, except perhaps at
    // the smallest, and is not weakest at any from `first_above` on.
    let mut below = MIN_MULTIPLICITY;
    let mut first_above = MAX_MULTIPLICITY.saturating_add(1);
    while below.saturating_add(1) < first_above {
        let middle = below.midpoint(first_above);
        if query_is_weakest(&at(middle)) {
            below = middle;
        } else {
            first_above = middle;
        }
    }
    let smaller = at(below);
    if first_above > MAX_MULTIPLICITY {
        return Ok(smaller);
    }
    let larger = at(first_above);
    let interactive = |report: &SecurityReport| report.least_of(|round| round != Round::Hash);
    Ok(if interactive(&larger) > interactive(&smaller) { larger } else { smaller })
}

/// The levels in the Johnson regime at a given multiplicity.
///
/// # Errors
/// A shape out of the ranges in which the formulas hold, or a multiplicity outside
/// [`MIN_MULTIPLICITY`]`..=`[`MAX_MULTIPLICITY`].
pub fn johnson_at(shape: &Shape, multiplicity: u32) -> Result<SecurityReport, ShapeError> {
    shape.validate()?;
    if !(MIN_MULTIPLICITY..=MAX_MULTIPLICITY).contains(&multiplicity) {
        return Err(ShapeError::Multiplicity { multiplicity });
    }
    Ok(evaluate(shape, Regime::Johnson { multiplicity }))
}

/// Whether no interactive round is weaker than the query round.
fn query_is_weakest(report: &SecurityReport) -> bool {
    let query = report.least_of(|round| round == Round::Query);
    query <= report.least_of(|round| !matches!(round, Round::Query | Round::Hash))
}

/// The level of every round of a shape that has been validated.
fn evaluate(shape: &Shape, regime: Regime) -> SecurityReport {
    let field = Log2::of(GOLDILOCKS).power(EXTENSION_DEGREE);
    let list = regime.list(shape.blowup_log2);
    let gap = |message_log2| regime.gap(shape.blowup_log2, message_log2).over(field);
    let mut rounds = Vec::with_capacity(shape.folds.len().saturating_add(6));

    if shape.lookup_terms > 0 {
        let width = u128::from(shape.message_width).saturating_add(2);
        let roots = Log2::of(u128::from(shape.lookup_terms)).times(Log2::of(width));
        rounds.push((Round::Lookup, roots.over(field).security()));
    }

    let constraints = Log2::of(u128::from(shape.constraints));
    rounds.push((Round::Constraints, list.times(constraints).over(field).security()));

    // The point avoids the trace domains and the coset: N + n < 2^33 of the 2^191 elements, which
    // lowers the logarithm of their number by far less than one unit of the fixed point.
    let points = field.lowered();
    let identity = Log2::of(out_of_domain_degree(shape));
    rounds.push((Round::OutOfDomain, list.times(identity).over(points).security()));

    let powers = Log2::of(u128::from(shape.claims.saturating_sub(1)));
    rounds.push((Round::Batching, gap(shape.trace_log2).times(powers).security()));

    let mut message_log2 = shape.trace_log2;
    for (index, fold) in shape.folds.iter().enumerate() {
        message_log2 = message_log2.saturating_sub(fold.arity_log2);
        let words = 1_u128.wrapping_shl(fold.arity_log2).saturating_add(u128::from(fold.joins));
        let powers = Log2::of(words.saturating_sub(1));
        rounds.push((Round::Fold(index), gap(message_log2).times(powers).security()));
    }

    let misses = regime.agreement(shape.blowup_log2).power(shape.queries);
    let query = misses.over(Log2::from_whole(shape.grinding_bits));
    rounds.push((Round::Query, query.security()));
    rounds.push((Round::Hash, HASH_COLLISION));
    SecurityReport { regime, rounds }
}

/// Degree of the identity that is checked out of domain, a bound on its roots: `d (N + o - 1) + N - 1`.
fn out_of_domain_degree(shape: &Shape) -> u128 {
    let height = 1_u128.wrapping_shl(shape.trace_log2);
    let column = height.saturating_add(u128::from(shape.openings)).saturating_sub(1);
    u128::from(shape.degree).saturating_mul(column).saturating_add(height).saturating_sub(1)
}
