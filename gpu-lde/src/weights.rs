//! What a table's messages and constraints are weighed with.

use lambda_air::dag::{ConstraintDag, DagInteraction};
use lambda_math::field::ext_coefficients;
use lambda_math::{Ext3, Goldilocks};
use p3_field::PrimeCharacteristicRing;

/// Where a table's weights lie, in extension elements: one per interaction, then one per message field, then
/// one per constraint (`math-cuda/kernels/constraints.cuh`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightLayout {
    interactions: u32,
    fields: u32,
    constraints: u32,
}

impl WeightLayout {
    /// The layout for `dag`.
    pub fn new(dag: &ConstraintDag) -> Self {
        Self {
            interactions: dag.interactions.len() as u32,
            fields: arity(dag) as u32,
            constraints: dag.constraints.len() as u32,
        }
    }

    /// The factor of a message of zeros of interaction `index`.
    pub const fn interaction(&self, index: u32) -> u32 {
        index
    }

    /// The weight of field `index` of every message.
    pub const fn field(&self, index: u32) -> u32 {
        self.interactions + index
    }

    /// The weight of constraint `index`.
    pub const fn constraint(&self, index: u32) -> u32 {
        self.interactions + self.fields + index
    }

    /// Number of weights with those of the constraints, which come last and which interactions do without.
    #[expect(clippy::len_without_is_empty, reason = "a table has weights")]
    pub const fn len(&self) -> u32 {
        self.constraint(self.constraints)
    }
}

/// The weights of `dag`, three words each: `γ - bus - α·length` for the interactions, `-α^(2+j)` for the
/// fields, where α and γ are the challenges of the bus argument; and `powers`, one for each constraint or
/// none.
pub fn weights(dag: &ConstraintDag, alpha: Ext3, gamma: Ext3, powers: &[Ext3]) -> Vec<Goldilocks> {
    let of_zeros = |interaction: &DagInteraction| {
        gamma
            - Goldilocks::from_u32(interaction.bus.id)
            - alpha * Goldilocks::from_usize(interaction.fields.len())
    };
    let fields = alpha.shifted_powers(alpha.square()).take(arity(dag)).map(|power| -power);
    let elements = dag.interactions.iter().map(of_zeros).chain(fields).chain(powers.iter().copied());
    elements.flat_map(ext_coefficients).collect()
}

fn arity(dag: &ConstraintDag) -> usize {
    dag.interactions.iter().map(|interaction| interaction.fields.len()).max().unwrap_or(0)
}
