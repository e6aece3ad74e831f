//! A system of tables, ready to be proven.

use std::sync::Arc;

use lambda_air::ConstraintProgram;
use lambda_air::Table;
use lambda_air::program::Roots;
use lambda_verifier::error::KeyError;
use lambda_verifier::{Profile, ProvingKey, VerifyingKey};

/// The keys of a system and its tables' programs; made once, used for many proofs.
#[derive(Debug)]
pub struct System {
    /// Keys and preprocessed columns.
    pub key: ProvingKey,
    programs: Vec<Arc<TablePrograms>>,
}

/// A table's body as programs.
#[derive(Debug)]
pub struct TablePrograms {
    /// Constraints and interactions.
    pub composition: ConstraintProgram,
    /// Interactions only.
    pub interactions: ConstraintProgram,
}

impl System {
    /// The system `tables` under `profile`.
    ///
    /// # Errors
    /// When the tables break a rule of the protocol.
    pub fn new(profile: Profile, tables: Vec<Table>) -> Result<Self, KeyError> {
        Ok(Self::from_key(ProvingKey::new(profile, tables)?))
    }

    /// The system with the given keys.
    pub fn from_key(key: ProvingKey) -> Self {
        let programs = key
            .verifying
            .tables
            .iter()
            .map(|table| {
                Arc::new(TablePrograms {
                    composition: ConstraintProgram::new(&table.dag, Roots::All),
                    interactions: ConstraintProgram::new(&table.dag, Roots::Interactions),
                })
            })
            .collect();
        Self { key, programs }
    }

    /// The system in which table `i` occurs `instances[i]` times.
    ///
    /// # Errors
    /// When a table with preprocessed columns does not occur once, or there are too many tables or none.
    pub fn with_instances(&self, instances: &[usize]) -> Result<Self, KeyError> {
        let key = self.key.with_instances(instances)?;
        let programs = self
            .programs
            .iter()
            .zip(instances)
            .flat_map(|(programs, &count)| std::iter::repeat_n(programs, count).cloned())
            .collect();
        Ok(Self { key, programs })
    }

    /// The verifier's side.
    pub const fn verifying_key(&self) -> &VerifyingKey {
        &self.key.verifying
    }

    /// Programs of each table, in registry order.
    pub fn programs(&self) -> &[Arc<TablePrograms>] {
        &self.programs
    }
}
