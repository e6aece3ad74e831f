//! Proving that a program ran: from its execution record to a proof file.

mod census;
mod fill;
mod instances;
mod witness;

use lambda_machine::program::Program;
use lambda_machine::record::ExecutionRecord;
use lambda_verifier::VerifyingKey;
use lambda_verifier::error::KeyError;
use lambda_verifier::execution::{ExecutionProof, ProgramCommitment};
use lambda_verifier::file::Id;
use lambda_verifier::profile::Profile;
use lambda_verifier::verify::Accepted;

pub use census::{Census, TableCensus};
pub use witness::{ExecutionWitness, fill_tables};

use crate::backend::Backend;
use crate::error::ProveError;
use crate::prove::{Witness, prove};
use crate::report::{Observer, Report};
use crate::system::System;

/// Most rows of a table instance.
pub const MAX_ROWS: usize = 1 << 22;

/// A program with the keys that prove its executions; made once, used for many proofs.
#[derive(Debug)]
pub struct ProvableProgram {
    program: Program,
    commitment: ProgramCommitment,
    system: System,
    max_rows: usize,
}

/// A proof of an execution that has been verified.
#[derive(Clone, Debug)]
pub struct ProvenExecution {
    /// The proof file.
    pub file: ExecutionProof,
    /// What the verifier said.
    pub accepted: Accepted,
    /// How it came about.
    pub report: Report,
}

impl ProvableProgram {
    /// Commits `program` under `profile`.
    ///
    /// # Errors
    /// When the program is larger than the protocol allows.
    pub fn new(profile: Profile, program: Program) -> Result<Self, KeyError> {
        let (commitment, key) = ProgramCommitment::new(profile, &program)?;
        Ok(Self { program, commitment, system: System::from_key(key), max_rows: MAX_ROWS })
    }

    /// Splits tables into instances of at most `max_rows` rows, a power of two of at least 16, instead of
    /// [`MAX_ROWS`]. This is a parameter of the proof: its bytes depend on it.
    #[must_use]
    pub fn with_max_rows(self, max_rows: usize) -> Self {
        Self { max_rows, ..self }
    }

    /// The program.
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// Identity of the program under the profile.
    pub fn id(&self) -> Id {
        self.commitment.id(self.system.verifying_key())
    }

    /// The system with each table once.
    pub const fn system(&self) -> &System {
        &self.system
    }

    /// What the execution that `record` tells of costs.
    pub fn census(&self, record: &ExecutionRecord) -> Census {
        Census::new(self.system.verifying_key(), &self.program, record, self.max_rows)
    }

    /// The key and the heights (`log2`) of a proof of an execution with this census.
    ///
    /// # Errors
    /// When there are too many tables.
    pub fn shape(&self, census: &Census) -> Result<(VerifyingKey, Vec<u8>), KeyError> {
        let (instances, heights_log2) = census.heights_log2(self.max_rows);
        Ok((self.system.verifying_key().with_instances(&instances)?, heights_log2))
    }

    /// The census of a run of `cycles` instructions that is otherwise like `census`.
    #[must_use]
    pub fn scaled(&self, census: Census, cycles: u64) -> Census {
        census.scaled(cycles, self.max_rows)
    }

    /// Traces and claim of the execution that `record` tells of.
    pub fn witness(&self, record: &ExecutionRecord) -> ExecutionWitness {
        fill_tables(&self.program, &self.commitment, record, self.max_rows)
    }

    /// The system with as many instances of each table as `witness` has, and the witness for it.
    ///
    /// # Errors
    /// When the execution needs more instances than a proof may have.
    pub fn instantiate(&self, witness: ExecutionWitness) -> Result<(System, Witness), ProveError> {
        let ExecutionWitness { claim, traces } = witness;
        let system = self.system.with_instances(&claim.instances()?)?;
        let heights: Vec<u8> = traces.iter().map(|trace| trace.height().trailing_zeros() as u8).collect();
        let statement = claim.statement(&heights)?;
        Ok((system, Witness { traces, statement }))
    }

    /// Proves the execution that `witness` is of, on `backend`, telling `observer`.
    ///
    /// # Errors
    /// As [`prove`], and when the execution is larger than a proof may be.
    pub fn prove<B: Backend>(
        &self,
        backend: &B,
        witness: ExecutionWitness,
        observer: &dyn Observer,
    ) -> Result<ProvenExecution, ProveError> {
        let claim = witness.claim.clone();
        let (system, witness) = self.instantiate(witness)?;
        let proven = prove(&system, backend, witness, observer)?;
        let profile = system.verifying_key().profile;
        let file = ExecutionProof { profile, program_id: self.id(), statement: claim, proof: proven.proof };
        Ok(ProvenExecution { file, accepted: proven.accepted, report: proven.report })
    }
}
