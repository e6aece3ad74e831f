//! An access to a cell: what every table that touches memory or registers does.
//!
//! The contents of a cell are a chain on [`CELLS`]: an access receives the token that the one before it sent
//! and sends its own. A token's time is below 2^32 (times are clocks, and the verifier bounds the clock), and
//! `time - time_before - 1` is shown to be below 2^32 by its halves, so a token is older than the access that
//! takes it: no access sees the future, and none can be taken twice, because each token is sent once
//! (Blum, Evans, Gemmell, Kannan, Naor: Checking the correctness of memories, 1991).

use lambda_air::TableBuilder;
use lambda_math::Goldilocks;
use p3_field::PrimeCharacteristicRing;

use super::Lookups;
use super::limbs::high_half;
use crate::buses::{CELLS, RANGE16};

/// Which cell is accessed, as expressions.
pub struct Cell<E> {
    /// Space of the cell.
    pub space: u32,
    /// Number of the cell.
    pub number: E,
}

/// The times of an access, as expressions.
pub struct Times<E> {
    /// Of the access.
    pub now: E,
    /// Of the access before.
    pub before: E,
    /// Low half of `now - before - 1`.
    pub gap_low: E,
}

/// Accesses a cell where `multiplicity` is 1, nothing where it is 0: four interactions.
pub fn access<AB: TableBuilder>(
    builder: &mut AB,
    multiplicity: impl Into<AB::Expr>,
    cell: Cell<AB::Expr>,
    [before, after]: [[AB::Expr; 2]; 2],
    times: Times<AB::Expr>,
) {
    let multiplicity = multiplicity.into();
    let space = AB::Expr::from_u32(cell.space);
    let token = |[low, high]: [AB::Expr; 2], time: &AB::Expr| {
        [space.clone(), cell.number.clone(), low, high, time.clone()]
    };
    builder.receive(&CELLS, multiplicity.clone(), token(before, &times.before));
    builder.send(&CELLS, multiplicity.clone(), token(after, &times.now));
    let gap = times.now - times.before - AB::Expr::ONE;
    builder.send(&RANGE16, multiplicity.clone(), [times.gap_low.clone()]);
    builder.send(&RANGE16, multiplicity, [high_half(gap, times.gap_low)]);
}

/// Fills `gap_low`.
///
/// # Panics
/// When `before` is not earlier than `now`: the record is no execution's.
pub fn gap_low(now: u32, before: u32, lookups: &mut impl Lookups) -> Goldilocks {
    let gap = now.checked_sub(before + 1).expect("an access follows the one before it");
    lookups.word(gap);
    Goldilocks::from_u16(gap as u16)
}
