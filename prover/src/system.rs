//! A system of tables, ready to be proven.

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
    programs: Vec<TablePrograms>,
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
        let key = ProvingKey::new(profile, tables)?;
        let programs = key
            .verifying
            .tables
            .iter()
            .map(|table| TablePrograms {
                composition: ConstraintProgram::new(&table.dag, Roots::All),
                interactions: ConstraintProgram::new(&table.dag, Roots::Interactions),
            })
            .collect();
        Ok(Self { key, programs })
    }

    /// The verifier's side.
    pub const fn verifying_key(&self) -> &VerifyingKey {
        &self.key.verifying
    }

    /// Programs of each table, in registry order.
    pub fn programs(&self) -> &[TablePrograms] {
        &self.programs
    }
}
