//! What a prover and a verifier need to know of a table, derived from its body.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::dag::{ConstraintDag, Leaf, MAX_TRANSITIONS, Node, NodeId, RowOffset};
use crate::lookup::{LookupLayout, MAX_DEGREE};
use crate::table::AnyAir;

/// Why an AIR cannot be a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// A constraint's degree is above the limit.
    #[error(
        "constraint {constraint} has degree {degree}, the limit is {MAX_DEGREE}; split it with another column"
    )]
    ConstraintDegree {
        /// Index in program order.
        constraint: usize,
        /// Its degree.
        degree: usize,
    },
    /// A constraint multiplies too many transition selectors.
    #[error(
        "constraint {constraint} multiplies {transitions} transition selectors, the limit: {MAX_TRANSITIONS}"
    )]
    Transitions {
        /// Index in program order.
        constraint: usize,
        /// Selectors multiplied.
        transitions: usize,
    },
    /// An interaction's degree is above the limit.
    #[error(
        "interaction {interaction} needs degree {degree}, the limit is {limit}; put its message in columns"
    )]
    InteractionDegree {
        /// Index in program order.
        interaction: usize,
        /// Degree of its lookup constraint.
        degree: usize,
        /// The limit.
        limit: usize,
    },
    /// The AIR is sound only with a feature that the protocol lacks.
    #[error("the AIR relies on {feature}, which this protocol does not provide")]
    Unsupported {
        /// The feature.
        feature: &'static str,
    },
    /// The AIR's preprocessed columns are not as many as it declares.
    #[error("the AIR declares {declared} preprocessed columns and has {got}")]
    PreprocessedWidth {
        /// What its body is offered.
        declared: usize,
        /// What would be committed.
        got: usize,
    },
    /// An interaction reads the transition selector, whose values mean nothing.
    #[error("interaction {interaction} reads is_transition; use 1 - is_last_row")]
    TransitionInInteraction {
        /// Index in program order.
        interaction: usize,
    },
    /// The table has no main columns.
    #[error("the table has no main columns")]
    NoColumns,
    /// A table without constraints and interactions proves nothing.
    #[error("the table has neither constraints nor interactions")]
    NothingAsserted,
}

/// Counts, degrees and layouts of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableShape {
    /// Main columns.
    pub main_width: usize,
    /// Preprocessed columns.
    pub preprocessed_width: usize,
    /// Main columns that a constraint or message reads at the next row, ascending.
    pub main_next: Vec<usize>,
    /// Preprocessed columns read at the next row, ascending.
    pub preprocessed_next: Vec<usize>,
    /// Public values.
    pub public_values: usize,
    /// Constraints of the body.
    pub constraints: usize,
    /// Bus interactions a row.
    pub interactions: usize,
    /// Longest message, with the bus id and the length counted; 0 without interactions.
    pub message_width: usize,
    /// Layout of the lookup columns.
    pub lookup: LookupLayout,
    /// Largest degree of any constraint, the lookup ones included.
    pub degree: usize,
}

impl TableShape {
    /// Derives the shape of `air` whose body is `dag`; `preprocessed_width` columns are committed beforehand.
    pub fn new(air: &dyn AnyAir, dag: &ConstraintDag, preprocessed_width: usize) -> Result<Self, ShapeError> {
        if let Some(feature) = air.unsupported() {
            return Err(ShapeError::Unsupported { feature });
        }
        let declared = air.preprocessed_width();
        if declared != preprocessed_width {
            return Err(ShapeError::PreprocessedWidth { declared, got: preprocessed_width });
        }
        if air.width() == 0 {
            return Err(ShapeError::NoColumns);
        }
        if dag.constraints.is_empty() && dag.interactions.is_empty() {
            return Err(ShapeError::NothingAsserted);
        }
        let degrees = dag.degrees();
        let mut degree = 0;
        for (constraint, &root) in dag.constraints.iter().enumerate() {
            let transitions = degrees[root as usize].transitions;
            if transitions > MAX_TRANSITIONS {
                return Err(ShapeError::Transitions { constraint, transitions });
            }
            let own = degrees[root as usize].constraint_degree();
            if own > MAX_DEGREE {
                return Err(ShapeError::ConstraintDegree { constraint, degree: own });
            }
            degree = degree.max(own);
        }
        for (interaction, own) in dag.interactions.iter().enumerate() {
            let mut roots = own.fields.iter().chain([&own.multiplicity]);
            if roots.any(|&root| degrees[root as usize].transitions > 0) {
                return Err(ShapeError::TransitionInInteraction { interaction });
            }
        }
        let lookup = LookupLayout::new(dag, &degrees, degree)?;
        let (main_next, preprocessed_next) = next_row_columns(dag);
        Ok(Self {
            main_width: air.width(),
            preprocessed_width,
            main_next,
            preprocessed_next,
            public_values: air.public_values(),
            constraints: dag.constraints.len(),
            interactions: dag.interactions.len(),
            message_width: dag.interactions.iter().map(|i| i.fields.len() + 2).max().unwrap_or(0),
            degree: degree.max(lookup.degree),
            lookup,
        })
    }

    /// Parts of the quotient: its degree is below `parts·N`. 1 or 2.
    pub fn quotient_parts(&self) -> usize {
        self.degree.saturating_sub(1).max(1)
    }

    /// Lookup columns over the extension field.
    pub fn lookup_columns(&self) -> usize {
        self.lookup.columns()
    }

    /// Constraints of the table's composition: those of the body, then one per lookup column.
    pub fn composed_constraints(&self) -> usize {
        self.constraints + self.lookup_columns()
    }
}

/// Columns read at the next row by anything reachable from a root.
fn next_row_columns(dag: &ConstraintDag) -> (Vec<usize>, Vec<usize>) {
    let mut reached = alloc::vec![false; dag.nodes.len()];
    let mut pending: Vec<NodeId> = dag.constraints.clone();
    for interaction in &dag.interactions {
        pending.push(interaction.multiplicity);
        pending.extend(&interaction.fields);
    }
    let (mut main, mut preprocessed) = (BTreeSet::new(), BTreeSet::new());
    while let Some(id) = pending.pop() {
        if core::mem::replace(&mut reached[id as usize], true) {
            continue;
        }
        let node = dag.nodes[id as usize];
        match node {
            Node::Leaf(Leaf::Main(column, RowOffset::Next)) => {
                main.insert(column as usize);
            }
            Node::Leaf(Leaf::Preprocessed(column, RowOffset::Next)) => {
                preprocessed.insert(column as usize);
            }
            _ => pending.extend(node.operands()),
        }
    }
    (main.into_iter().collect(), preprocessed.into_iter().collect())
}
