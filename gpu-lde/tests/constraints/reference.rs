//! What the host computes: the body by `lambda_air::interpreter`, messages and sums by their definitions.

use lambda_air::dag::DagInteraction;
use lambda_air::program::Roots;
use lambda_air::{ConstraintDag, ConstraintProgram, Direction, TableShape};
use lambda_gpu_lde::weights::weights;
use lambda_math::field::ext_coefficients;
use lambda_math::{Ext3, Goldilocks};
use p3_field::PrimeCharacteristicRing;

use crate::legs::{Trace, interpret};

/// Challenges of a proof.
#[derive(Clone, Copy, Debug)]
pub struct Challenges {
    /// Of fingerprints.
    pub alpha: Ext3,
    /// The pole.
    pub gamma: Ext3,
    /// Of constraints.
    pub constraint: Ext3,
}

impl Challenges {
    /// The weights of a table for `roots`.
    pub fn weights(&self, dag: &ConstraintDag, roots: Roots) -> Vec<Goldilocks> {
        let count = if roots == Roots::All { dag.constraints.len() } else { 0 };
        let powers: Vec<Ext3> = self.constraint.powers().take(count).collect();
        weights(dag, self.alpha, self.gamma, &powers)
    }
}

/// A row's messages, four values an interaction, and its sum of constraints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowValues {
    /// Coefficients of the factor, and the signed multiplicity.
    pub messages: Vec<[Goldilocks; 4]>,
    /// Coefficients of `Σ α^k·C_k`.
    pub sum: [Goldilocks; 3],
}

/// Every row of `trace`.
pub fn rows(
    dag: &ConstraintDag,
    shape: &TableShape,
    trace: &Trace,
    challenges: &Challenges,
) -> Vec<RowValues> {
    let program = ConstraintProgram::new(dag, Roots::All);
    let values = interpret(dag, &program, trace, [&shape.main_next, &shape.preprocessed_next]);
    let row = |values: &crate::legs::Values| {
        let powers = challenges.constraint.powers();
        let sum: Ext3 = powers.zip(&values.constraints).map(|(power, &constraint)| power * constraint).sum();
        let messages = dag.interactions.iter().zip(&values.fields).zip(&values.multiplicities);
        RowValues {
            messages: messages
                .map(|((interaction, fields), &multiplicity)| {
                    message(interaction, fields, multiplicity, challenges)
                })
                .collect(),
            sum: ext_coefficients(sum),
        }
    };
    values.iter().map(row).collect()
}

fn message(
    interaction: &DagInteraction,
    fields: &[Goldilocks],
    multiplicity: Goldilocks,
    challenges: &Challenges,
) -> [Goldilocks; 4] {
    let header = [Goldilocks::from_u32(interaction.bus.id), Goldilocks::from_usize(fields.len())];
    let words = header.iter().chain(fields);
    let fingerprint: Ext3 = challenges.alpha.powers().zip(words).map(|(power, &word)| power * word).sum();
    let [c0, c1, c2] = ext_coefficients(challenges.gamma - fingerprint);
    let signed = match interaction.direction {
        Direction::Send => multiplicity,
        Direction::Receive => -multiplicity,
    };
    [c0, c1, c2, signed]
}
