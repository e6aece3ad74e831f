//! [`Regime`]: how far from the code a word may be while the analysis still binds it, and what that costs.
//!
//! Notation: message length `k = 2^message_log2`, rate `ρ = 2^-b` with `b = blowup_log2`, domain length
//! `n = k 2^b`, proximity radius `θ`, multiplicity `m` and `u = 2m + 1`. Square roots of the rate are the
//! half powers `2^(-b/2)`, so that every factor below is an integer or a half power of two.

use core::fmt;

use super::log2::Log2;

/// Smallest multiplicity of the Johnson regime, as BCHKS25 (eprint 2025/2055) Theorem 4.2 states it.
pub const MIN_MULTIPLICITY: u32 = 3;

/// Largest multiplicity that [`johnson`](super::johnson) tries. There a query is worth 0.0002 bits less
/// than in the limit, and at 0.2 bits a query or more, that is less than one query in a thousand.
pub const MAX_MULTIPLICITY: u32 = 4095;

/// The proximity radius of the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// `θ = (1 - ρ) / 2`: at most one codeword is near a word.
    UniqueDecoding,
    /// `θ = 1 - √ρ (1 + 1/(2m))`: at most `(m + 1/2) / √ρ` codewords are.
    Johnson {
        /// The multiplicity `m` of the interpolation in the list decoder; a larger one moves the radius
        /// towards `1 - √ρ` and makes the list and the gap errors larger.
        multiplicity: u32,
    },
}

impl Regime {
    /// `1 - θ`, the fraction of positions at which a word that passes agrees with the code.
    ///
    /// Unique decoding `(2^b + 1) / 2^(b+1)`, Johnson `2^(-b/2) u / 2m`.
    pub(super) fn agreement(self, blowup_log2: u32) -> Log2 {
        match self {
            Self::UniqueDecoding => {
                let numerator = power_of_two(blowup_log2).saturating_add(1);
                Log2::of(numerator).over(Log2::from_whole(blowup_log2.saturating_add(1)))
            }
            Self::Johnson { multiplicity } => Log2::of(odd(multiplicity))
                .over(Log2::of(u128::from(multiplicity).saturating_mul(2)))
                .over(Log2::from_half(blowup_log2)),
        }
    }

    /// The number of codewords within `θ` of a word: 1, or `(m + 1/2) / √ρ = 2^(b/2) u / 2`.
    pub(super) fn list(self, blowup_log2: u32) -> Log2 {
        match self {
            Self::UniqueDecoding => Log2::from_whole(0),
            Self::Johnson { multiplicity } => {
                Log2::of(odd(multiplicity)).times(Log2::from_half(blowup_log2)).over(Log2::from_whole(1))
            }
        }
    }

    /// The number of challenges for which the combination `f_0 + γ f_1` of two words is within `θ` of the
    /// code although the words do not agree with it on one common set: the gap error times `|F|`.
    ///
    /// Unique decoding, BCHKS25 (eprint 2025/2055) Theorem 1.3: `θ n + 1 = ((2^b - 1) k + 2) / 2`.
    ///
    /// Johnson, BCHKS25 (eprint 2025/2055) Theorem 4.2, with `M = m + 1/2`:
    ///
    /// ```text
    ///   (2 M^5 + 3 M θ ρ) n / (3 ρ^(3/2)) + M / √ρ  =  2^(b/2) (u/48) (2^b n u^4 + 24 n θ + 24)
    /// ```
    pub(super) fn gap(self, blowup_log2: u32, message_log2: u32) -> Log2 {
        match self {
            Self::UniqueDecoding => {
                let count = power_of_two(blowup_log2)
                    .saturating_sub(1)
                    .saturating_mul(power_of_two(message_log2))
                    .saturating_add(2);
                Log2::of(count).over(Log2::from_whole(1))
            }
            Self::Johnson { multiplicity } => {
                let u = odd(multiplicity);
                let domain = power_of_two(message_log2.saturating_add(blowup_log2));
                let main =
                    power_of_two(blowup_log2).saturating_mul(domain).saturating_mul(u.saturating_pow(4));
                let radius = johnson_radius(blowup_log2, multiplicity);
                // Rounded up: the shift drops less than the 1 that is added to the 24.
                let side = radius.saturating_mul(domain).saturating_mul(24) >> RADIUS_PLACES;
                Log2::of(main.saturating_add(side).saturating_add(25))
                    .times(Log2::of(u))
                    .over(Log2::of(48))
                    .times(Log2::from_half(blowup_log2))
            }
        }
    }
}

impl fmt::Display for Regime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UniqueDecoding => write!(f, "unique decoding"),
            Self::Johnson { multiplicity } => write!(f, "Johnson, m = {multiplicity}"),
        }
    }
}

/// Binary places of [`johnson_radius`].
const RADIUS_PLACES: u32 = 48;

/// `θ = 1 - 2^(-b/2) u / 2m` in units of `2^-48`, rounded up.
fn johnson_radius(blowup_log2: u32, multiplicity: u32) -> u128 {
    let root = power_of_two((2 * RADIUS_PLACES).saturating_sub(blowup_log2)).isqrt();
    let agreement = root
        .saturating_mul(odd(multiplicity))
        .checked_div(u128::from(multiplicity).saturating_mul(2))
        .unwrap_or(0);
    power_of_two(RADIUS_PLACES).saturating_sub(agreement)
}

/// `u = 2m + 1`.
fn odd(multiplicity: u32) -> u128 {
    u128::from(multiplicity).saturating_mul(2).saturating_add(1)
}

/// `2^exponent`; the exponents of an accepted shape are at most 96.
fn power_of_two(exponent: u32) -> u128 {
    1_u128.checked_shl(exponent).unwrap_or(u128::MAX)
}
