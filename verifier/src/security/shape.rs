//! [`Shape`]: the numbers that the error terms depend on, and the ranges in which the terms hold.

use alloc::vec::Vec;

use super::{GOLDILOCKS, MAX_MULTIPLICITY, MIN_MULTIPLICITY};

/// What the error terms of one proof depend on.
///
/// The verifier derives all of it: widths, constraints and interactions from its own AIRs, blowup, folds,
/// queries and grinding from its own profile. Only the table heights come from the proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Height `N` of the tallest table, as a logarithm.
    pub trace_log2: u32,
    /// Inverse rate of the code, as a logarithm; the same for every table.
    pub blowup_log2: u32,
    /// Opening claims `B`: pairs of a column and an out-of-domain point, over all tables. Each is one
    /// word of the batch, weighted with its own power of one challenge.
    pub claims: u64,
    /// Constraints `C` combined with one challenge, summed over all tables.
    pub constraints: u64,
    /// Largest total degree `d` of a constraint in the trace columns.
    pub degree: u64,
    /// Out-of-domain points `o` at which one column is opened.
    pub openings: u64,
    /// LogUp terms `I`: rows times interactions, summed over all tables; 0 if there is no bus.
    pub lookup_terms: u64,
    /// Elements `W` of the widest bus message, its length included: the degree of a fingerprint.
    pub message_width: u64,
    /// The FRI folds in order.
    pub folds: Vec<Fold>,
    /// Query positions, drawn with replacement.
    pub queries: u32,
    /// Bits of grinding before the query positions are drawn.
    pub grinding_bits: u32,
}

/// One FRI fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The fold combines `2^arity_log2` values into one.
    pub arity_log2: u32,
    /// A shorter codeword joins the folded one, with randomness that no other word of this round uses: the
    /// next power of the fold challenge, or a challenge drawn together with it. It is one more word of
    /// the combination, so its error adds to the round.
    pub joins: bool,
}

impl Shape {
    /// Shortest table the formulas are applied to, as a logarithm.
    pub const MIN_TRACE_LOG2: u32 = 4;

    /// Two-adicity of the multiplicative group: the longest evaluation domain, as a logarithm.
    pub const MAX_DOMAIN_LOG2: u32 = 32;

    /// Most points a column may be opened at: below the height of the shortest table.
    pub const MAX_OPENINGS: u64 = 15;

    /// Most queries that are worth a name; it keeps the fixed point far from its limits.
    pub const MAX_QUERIES: u32 = 1 << 16;

    /// Most grinding that an honest prover could be asked for.
    pub const MAX_GRINDING_BITS: u32 = 32;

    /// Checks that every formula holds for this shape.
    ///
    /// # Errors
    /// The first number that is out of range.
    pub(super) fn validate(&self) -> Result<(), ShapeError> {
        if self.trace_log2 < Self::MIN_TRACE_LOG2 {
            return Err(ShapeError::TraceTooShort { trace_log2: self.trace_log2 });
        }
        if self.blowup_log2 == 0 {
            return Err(ShapeError::NoDistance);
        }
        let domain_log2 = self.trace_log2.saturating_add(self.blowup_log2);
        if domain_log2 > Self::MAX_DOMAIN_LOG2 {
            return Err(ShapeError::DomainTooLong { domain_log2 });
        }
        for (what, count) in
            [("claims", self.claims), ("constraints", self.constraints), ("degree", self.degree)]
        {
            if count == 0 {
                return Err(ShapeError::Zero { what });
            }
        }
        if self.openings == 0 || self.openings > Self::MAX_OPENINGS {
            return Err(ShapeError::Openings { openings: self.openings });
        }
        if u128::from(self.lookup_terms) >= GOLDILOCKS {
            return Err(ShapeError::LookupTerms { terms: self.lookup_terms });
        }
        if self.queries == 0 || self.queries > Self::MAX_QUERIES {
            return Err(ShapeError::Queries { queries: self.queries });
        }
        if self.grinding_bits > Self::MAX_GRINDING_BITS {
            return Err(ShapeError::Grinding { bits: self.grinding_bits });
        }
        self.validate_folds()
    }

    /// Checks that the folds shrink the word and do not fold below a constant.
    fn validate_folds(&self) -> Result<(), ShapeError> {
        let mut folded_log2 = 0_u32;
        for (index, fold) in self.folds.iter().enumerate() {
            if fold.arity_log2 == 0 {
                return Err(ShapeError::EmptyFold { index });
            }
            folded_log2 = folded_log2.saturating_add(fold.arity_log2);
            if folded_log2 > self.trace_log2 {
                return Err(ShapeError::FoldTooFar { index, folded_log2, trace_log2: self.trace_log2 });
            }
        }
        Ok(())
    }
}

/// A shape for which the error terms are not proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// The tallest table is shorter than [`Shape::MIN_TRACE_LOG2`] allows.
    #[error("tallest table has 2^{trace_log2} rows, fewer than 2^{}", Shape::MIN_TRACE_LOG2)]
    TraceTooShort {
        /// Its height, as a logarithm.
        trace_log2: u32,
    },
    /// Blowup 1: the code has no distance, and no proximity radius is positive.
    #[error("blowup 1 leaves the code without distance")]
    NoDistance,
    /// The evaluation domain is longer than the field has a subgroup for.
    #[error("evaluation domain of 2^{domain_log2} points, more than 2^{}", Shape::MAX_DOMAIN_LOG2)]
    DomainTooLong {
        /// Its length, as a logarithm.
        domain_log2: u32,
    },
    /// A count that every proof has is zero.
    #[error("{what} is zero")]
    Zero {
        /// The field of [`Shape`].
        what: &'static str,
    },
    /// Opening points outside `1..=MAX_OPENINGS`.
    #[error("{openings} opening points a column, not in 1..={}", Shape::MAX_OPENINGS)]
    Openings {
        /// Points a column.
        openings: u64,
    },
    /// As many LogUp terms as the field's characteristic: multiplicities could wrap.
    #[error("{terms} lookup terms, not below the characteristic {GOLDILOCKS}")]
    LookupTerms {
        /// Terms over all tables.
        terms: u64,
    },
    /// Queries outside `1..=MAX_QUERIES`.
    #[error("{queries} queries, not in 1..={}", Shape::MAX_QUERIES)]
    Queries {
        /// Queries asked for.
        queries: u32,
    },
    /// More grinding than [`Shape::MAX_GRINDING_BITS`].
    #[error("{bits} bits of grinding, more than {}", Shape::MAX_GRINDING_BITS)]
    Grinding {
        /// Bits asked for.
        bits: u32,
    },
    /// A fold of arity 1.
    #[error("fold {index} has arity 1")]
    EmptyFold {
        /// Its position in [`Shape::folds`].
        index: usize,
    },
    /// The folds together are longer than the tallest table.
    #[error("folds up to {index} divide 2^{trace_log2} rows by 2^{folded_log2}")]
    FoldTooFar {
        /// The first fold that is too much.
        index: usize,
        /// Logarithm of the arities up to it, multiplied.
        folded_log2: u32,
        /// Height of the tallest table, as a logarithm.
        trace_log2: u32,
    },
    /// A multiplicity outside the range of the Johnson bound.
    #[error("multiplicity {multiplicity}, not in {MIN_MULTIPLICITY}..={MAX_MULTIPLICITY}")]
    Multiplicity {
        /// The multiplicity asked for.
        multiplicity: u32,
    },
}
