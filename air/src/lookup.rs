//! How a table's bus interactions are laid out in lookup columns.
//!
//! Interaction `i` contributes `±m_i / (γ - fingerprint_i)` on each row (LogUp: Haböck 2022, eprint
//! 2022/1530, section 3). Interactions are put in **groups** of one or two. Every group but the last has a
//! column `c` over the extension field with
//!
//! ```text
//!     c·f_a·f_b = m_a·f_b + m_b·f_a        f = γ - fingerprint,  m signed by the direction
//! ```
//!
//! and the last group is folded into the table's running sum `S`, which is cyclic so that it needs no
//! boundary constraint:
//!
//! ```text
//!     (S' - S + T/N - Σ c)·f_a·f_b = m_a·f_b + m_b·f_a
//! ```
//!
//! Adding up the rows gives `T = Σ m/f`, the table's sum. `K` interactions of linear messages thus take
//! `⌈K/2⌉` columns.

use alloc::vec::Vec;

use crate::dag::{ConstraintDag, Degree};
use crate::shape::ShapeError;

/// Largest constraint degree of a system: a quotient of two parts.
pub const MAX_DEGREE: usize = 3;

/// One or two interactions, by index, that share a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// First interaction.
    pub first: usize,
    /// Second one, if any.
    pub second: Option<usize>,
}

/// The groups of a table's interactions, in order; the last belongs to the running sum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LookupLayout {
    /// Groups; empty where the table has no interactions.
    pub groups: Vec<Group>,
    /// Largest degree of a lookup constraint, 0 where there are none.
    pub degree: usize,
}

impl LookupLayout {
    /// Lays out the interactions of `dag` so that no lookup constraint exceeds [`MAX_DEGREE`], and degree 2
    /// where the table's other constraints have at most that and one interaction needs no partner.
    pub fn new(
        dag: &ConstraintDag,
        degrees: &[Degree],
        constraint_degree: usize,
    ) -> Result<Self, ShapeError> {
        let interactions: Vec<InteractionDegree> = dag
            .interactions
            .iter()
            .map(|interaction| InteractionDegree {
                multiplicity: degrees[interaction.multiplicity as usize].constraint_degree(),
                message: interaction
                    .fields
                    .iter()
                    .map(|&field| degrees[field as usize].constraint_degree())
                    .max()
                    .unwrap_or(0),
            })
            .collect();
        let limit = if constraint_degree <= 2 && interactions.len() == 1 { 2 } else { MAX_DEGREE };
        match Self::pack(&interactions, limit) {
            Err(_) if limit < MAX_DEGREE => Self::pack(&interactions, MAX_DEGREE),
            packed => packed,
        }
    }

    fn pack(interactions: &[InteractionDegree], limit: usize) -> Result<Self, ShapeError> {
        let mut layout = Self::default();
        let mut index = 0;
        while let Some(&first) = interactions.get(index) {
            let pair = interactions.get(index + 1).map(|&second| first.paired(second));
            let (group, degree) = match pair {
                Some(degree) if degree <= limit => (Group { first: index, second: Some(index + 1) }, degree),
                _ => (Group { first: index, second: None }, first.alone()),
            };
            if degree > limit {
                return Err(ShapeError::InteractionDegree { interaction: index, degree, limit });
            }
            index += 1 + usize::from(group.second.is_some());
            layout.degree = layout.degree.max(degree);
            layout.groups.push(group);
        }
        Ok(layout)
    }

    /// Extension columns: one per group (the last one's is the running sum).
    pub fn columns(&self) -> usize {
        self.groups.len()
    }
}

#[derive(Clone, Copy)]
struct InteractionDegree {
    multiplicity: usize,
    message: usize,
}

impl InteractionDegree {
    /// Degree of `c·f - m`.
    fn alone(self) -> usize {
        (1 + self.message).max(self.multiplicity)
    }

    /// Degree of `c·f_a·f_b - m_a·f_b - m_b·f_a`.
    fn paired(self, other: Self) -> usize {
        (1 + self.message + other.message)
            .max(self.multiplicity + other.message)
            .max(other.multiplicity + self.message)
    }
}
