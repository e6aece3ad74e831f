//! Bus messages on a block of rows: fingerprints and signed multiplicities of every interaction.

use lambda_air::Direction;
use lambda_air::dag::DagInteraction;
use lambda_air::interpreter::Packed;
use lambda_air::lookup::Group;
use lambda_math::{Ext3, Goldilocks};
use lambda_verifier::composition::fingerprint;
use lambda_verifier::transcript::LookupChallenges;
use p3_field::{ExtensionField, PrimeCharacteristicRing};

/// A SIMD register of extension field elements.
pub type PackedExt = <Ext3 as ExtensionField<Goldilocks>>::ExtensionPacking;

/// What a table's messages are weighed with, the same on every row.
pub struct MessageWeights {
    /// Per interaction, `γ - bus - α·length`.
    constants: Vec<Ext3>,
    /// Per message field, `α^(2+j)`.
    fields: Vec<Ext3>,
    receives: Vec<bool>,
}

impl MessageWeights {
    /// The weights of `interactions`.
    pub fn new(interactions: &[DagInteraction], challenges: LookupChallenges) -> Self {
        let arity = interactions.iter().map(|i| i.fields.len()).max().unwrap_or(0);
        let constant = |interaction: &DagInteraction| {
            let zeros = vec![Goldilocks::ZERO; interaction.fields.len()];
            let id = Goldilocks::from_u32(interaction.bus.id);
            challenges.gamma - fingerprint(id, &zeros, challenges.alpha)
        };
        Self {
            constants: interactions.iter().map(constant).collect(),
            fields: challenges.alpha.shifted_powers(challenges.alpha.square()).take(arity).collect(),
            receives: interactions.iter().map(|i| i.direction == Direction::Receive).collect(),
        }
    }
}

/// The messages of a block.
pub struct Messages<'w> {
    weights: &'w MessageWeights,
    packs: usize,
    /// `γ - fingerprint`, interaction after interaction.
    factors: Vec<PackedExt>,
    /// Signed multiplicities, interaction after interaction.
    multiplicities: Vec<Packed>,
}

impl<'w> Messages<'w> {
    /// Messages of a block of `packs` SIMD registers per column.
    pub fn new(weights: &'w MessageWeights, packs: usize) -> Self {
        let cells = weights.constants.len() * packs;
        Self {
            weights,
            packs,
            factors: vec![PackedExt::ZERO; cells],
            multiplicities: vec![Packed::ZERO; cells],
        }
    }

    /// Starts a block.
    pub fn reset(&mut self) {
        for (factors, &constant) in self.factors.chunks_exact_mut(self.packs).zip(&self.weights.constants) {
            factors.fill(constant.into());
        }
    }

    /// Takes field `field` of the message of `interaction`.
    #[inline(always)]
    pub fn field(&mut self, interaction: usize, field: usize, values: impl Fn(usize) -> Packed) {
        let weight = PackedExt::from(self.weights.fields[field]);
        let factors = &mut self.factors[interaction * self.packs..][..self.packs];
        for (i, factor) in factors.iter_mut().enumerate() {
            *factor -= weight * values(i);
        }
    }

    /// Takes the multiplicity of `interaction`.
    #[inline(always)]
    pub fn multiplicity(&mut self, interaction: usize, values: impl Fn(usize) -> Packed) {
        let receives = self.weights.receives[interaction];
        let cells = &mut self.multiplicities[interaction * self.packs..][..self.packs];
        for (i, cell) in cells.iter_mut().enumerate() {
            *cell = if receives { -values(i) } else { values(i) };
        }
    }

    /// Numerator and denominator of a group's terms in register `i` of the block:
    /// `m_a/f_a + m_b/f_b = (m_a·f_b + m_b·f_a) / (f_a·f_b)`.
    #[inline]
    pub fn group(&self, group: Group, i: usize) -> (PackedExt, PackedExt) {
        let (m_a, f_a) = self.term(group.first, i);
        match group.second {
            None => (m_a.into(), f_a),
            Some(second) => {
                let (m_b, f_b) = self.term(second, i);
                (f_b * m_a + f_a * m_b, f_a * f_b)
            }
        }
    }

    fn term(&self, interaction: usize, i: usize) -> (Packed, PackedExt) {
        let index = interaction * self.packs + i;
        (self.multiplicities[index], self.factors[index])
    }
}
