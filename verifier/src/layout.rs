//! The shape of a proof: which table is where, and how long everything is.
//!
//! A [`Layout`] exists only for heights that the protocol allows, so that whoever holds one need not check
//! them again. The prover places its columns by it, the verifier compares the proof's lengths with it.

use alloc::vec::Vec;
use core::fmt;

use lambda_math::field::EXT_DEGREE;

use crate::error::{Part, VerifyError};
use crate::fri::{FoldStep, final_log2, fold_schedule};
use crate::key::{TableKey, VerifyingKey};
use crate::profile::{
    CAP_LOG2, MAX_CLAIMS, MAX_HEIGHT_LOG2, MAX_LOOKUP_TERMS_LOG2, MIN_HEIGHT_LOG2, Profile,
};
use crate::security::{Fold, Shape};
use crate::statement::Statement;

/// The committed trees over tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tree {
    /// Preprocessed columns; its cap is part of the verifying key.
    Preprocessed,
    /// Main columns.
    Main,
    /// Lookup columns.
    Lookup,
    /// Quotient parts.
    Quotient,
}

impl Tree {
    /// All trees, in the order in which their columns are batched.
    pub const ALL: [Self; 4] = [Self::Preprocessed, Self::Main, Self::Lookup, Self::Quotient];

    /// Base columns that `table` has in this tree.
    pub fn width(self, table: &TableKey) -> usize {
        let shape = &table.shape;
        match self {
            Self::Preprocessed => shape.preprocessed_width,
            Self::Main => shape.main_width,
            Self::Lookup => shape.lookup_columns().saturating_mul(EXT_DEGREE),
            Self::Quotient => shape.quotient_parts().saturating_mul(EXT_DEGREE),
        }
    }

    /// Base columns of `table` in this tree that are also opened at the next row.
    pub fn next_columns(self, table: &TableKey) -> Vec<usize> {
        let shape = &table.shape;
        match self {
            Self::Preprocessed => shape.preprocessed_next.clone(),
            Self::Main => shape.main_next.clone(),
            // The running sum is the last lookup column.
            Self::Lookup => {
                let end = self.width(table);
                (end.saturating_sub(EXT_DEGREE)..end).collect()
            }
            Self::Quotient => Vec::new(),
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Preprocessed => "preprocessed",
            Self::Main => "main",
            Self::Lookup => "lookup",
            Self::Quotient => "quotient",
        })
    }
}

/// The shape of one proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Parameters.
    pub profile: Profile,
    /// Height of each table, `log2`.
    pub heights_log2: Vec<u32>,
    /// The distinct heights, tallest first.
    pub distinct_log2: Vec<u32>,
    /// The folds of the low-degree test.
    pub folds: Vec<FoldStep>,
}

impl Layout {
    /// The layout of a proof of `key`'s system with the given heights.
    pub fn new(key: &VerifyingKey, heights_log2: &[u8]) -> Result<Self, VerifyError> {
        check_length(Part::Heights, 0, key.tables.len(), heights_log2.len())?;
        for (table, (&log2, table_key)) in heights_log2.iter().zip(&key.tables).enumerate() {
            let height = u32::from(log2);
            if !(MIN_HEIGHT_LOG2..=MAX_HEIGHT_LOG2).contains(&height) {
                return Err(VerifyError::Height { table, log2 });
            }
            if let Some(expected) = table_key.preprocessed_log2
                && expected != height
            {
                return Err(VerifyError::PreprocessedHeight { table, expected, got: height });
            }
        }
        let heights_log2: Vec<u32> = heights_log2.iter().map(|&log2| log2.into()).collect();
        let mut distinct_log2 = heights_log2.clone();
        distinct_log2.sort_unstable_by(|a, b| b.cmp(a));
        distinct_log2.dedup();
        let folds = fold_schedule(&distinct_log2);
        let layout = Self { profile: key.profile, heights_log2, distinct_log2, folds };
        layout.check_limits(key)?;
        Ok(layout)
    }

    fn check_limits(&self, key: &VerifyingKey) -> Result<(), VerifyError> {
        let terms = self.lookup_terms(key);
        if terms > 1 << MAX_LOOKUP_TERMS_LOG2 {
            return Err(VerifyError::LookupTerms { log2: terms.ilog2() });
        }
        let claims = self.claims(key);
        if claims > MAX_CLAIMS {
            return Err(VerifyError::Claims { claims, limit: MAX_CLAIMS });
        }
        Ok(())
    }

    /// Tallest table, `log2` of rows.
    pub fn tallest_log2(&self) -> u32 {
        self.distinct_log2.first().copied().unwrap_or(0)
    }

    /// The largest evaluation domain, `log2` of points: query positions lie below `2^domain_log2`.
    pub fn domain_log2(&self) -> u32 {
        self.tallest_log2().saturating_add(self.profile.blowup_log2())
    }

    /// Tables with columns in `tree`: index, key and height (`log2`), in registry order.
    pub fn tables<'a>(
        &'a self,
        key: &'a VerifyingKey,
        tree: Tree,
    ) -> impl Iterator<Item = (usize, &'a TableKey, u32)> {
        key.tables
            .iter()
            .zip(&self.heights_log2)
            .enumerate()
            .filter(move |(_, (table, _))| tree.width(table) > 0)
            .map(|(index, (table, &height))| (index, table, height))
    }

    /// Digests of a cap over leaves of which the tallest table has height `2^tallest_log2`.
    pub fn cap_length(&self, tallest_log2: u32) -> usize {
        let leaves_log2 = tallest_log2.saturating_add(self.profile.blowup_log2());
        1usize.checked_shl(leaves_log2.min(CAP_LOG2)).unwrap_or(0)
    }

    /// Digests of `tree`'s cap; 0 where no table has columns in it.
    pub fn tree_cap_length(&self, key: &VerifyingKey, tree: Tree) -> usize {
        self.tables(key, tree).map(|(_, _, height)| height).max().map_or(0, |log2| self.cap_length(log2))
    }

    /// Coefficients of the last FRI polynomial.
    pub fn final_length(&self) -> usize {
        1usize.checked_shl(final_log2(&self.distinct_log2)).unwrap_or(0)
    }

    /// LogUp terms of all tables, saturating.
    fn lookup_terms(&self, key: &VerifyingKey) -> u64 {
        self.tables(key, Tree::Lookup)
            .map(|(_, table, height)| {
                let rows = 1u64.checked_shl(height).unwrap_or(u64::MAX);
                rows.saturating_mul(to_u64(table.shape.interactions))
            })
            .fold(0, u64::saturating_add)
    }

    /// Out-of-domain values of all tables.
    fn claims(&self, key: &VerifyingKey) -> u64 {
        let values = |table: &TableKey| {
            Tree::ALL
                .into_iter()
                .map(|tree| tree.width(table).saturating_add(tree.next_columns(table).len()))
                .fold(0, usize::saturating_add)
        };
        to_u64(key.tables.iter().map(values).fold(0, usize::saturating_add))
    }

    /// What the security of a proof of `statement` depends on.
    pub fn security_shape(&self, key: &VerifyingKey, statement: &Statement) -> Shape {
        let shapes = || key.tables.iter().map(|table| &table.shape);
        let folds = self.folds.iter();
        Shape {
            trace_log2: self.tallest_log2(),
            blowup_log2: self.profile.blowup_log2(),
            claims: self.claims(key),
            constraints: to_u64(shapes().map(|s| s.composed_constraints()).fold(0, usize::saturating_add)),
            degree: to_u64(shapes().map(|s| s.degree).max().unwrap_or(1).max(1)),
            openings: 2,
            lookup_terms: self.lookup_terms(key).saturating_add(to_u64(statement.messages.len())),
            message_width: to_u64(shapes().map(|s| s.message_width).max().unwrap_or(0)),
            folds: folds.map(|f| Fold { arity_log2: f.arity_log2, joins: f.joins }).collect(),
            queries: self.profile.queries(),
            grinding_bits: self.profile.grinding_bits(),
        }
    }
}

/// Errs unless a list has the length that the layout gives.
pub fn check_length(part: Part, index: usize, expected: usize, got: usize) -> Result<(), VerifyError> {
    if expected == got { Ok(()) } else { Err(VerifyError::Length { part, index, expected, got }) }
}

/// Lossless on every platform that has 64-bit addresses or less.
fn to_u64(x: usize) -> u64 {
    u64::try_from(x).unwrap_or(u64::MAX)
}
