//! `verify`: the rounds in order.

use crate::error::VerifyError;
use crate::file::{FileError, ProofFile};
use crate::key::VerifyingKey;
use crate::layout::Layout;
use crate::proof::Proof;
use crate::rounds::{r01_trace, r02_main, r03_lookup, r04_quotient, r05_ood, r06_fri, r07_open};
use crate::security::SecurityReport;
use crate::statement::Statement;
use crate::transcript::Transcript;

/// What an accepted proof is worth.
#[derive(Clone, Debug)]
#[must_use]
pub struct Accepted {
    /// Its shape.
    pub layout: Layout,
    /// Provable bits in the list-decoding (Johnson) regime, round by round.
    pub johnson: SecurityReport,
    /// Provable bits within the unique-decoding radius, round by round.
    pub unique_decoding: SecurityReport,
}

/// Checks that `proof` proves `statement` about the system `key`.
///
/// # Errors
/// The first check that fails, in the order of the rounds. Everything in `proof` is taken for hostile.
pub fn verify(key: &VerifyingKey, statement: &Statement, proof: &Proof) -> Result<Accepted, VerifyError> {
    let accepted = r01_trace::check_shape(key, statement, proof)?;
    let layout = &accepted.layout;
    let mut transcript = Transcript::new(key, statement, layout);
    let lookup = r02_main::bind(&mut transcript, proof);
    let alpha = r03_lookup::bind_and_balance(&mut transcript, key, statement, proof, lookup)?;
    let zeta = r04_quotient::bind(&mut transcript, layout, proof);
    let gamma = r05_ood::check(&mut transcript, key, statement, layout, proof, lookup, alpha, zeta)?;
    let queries = r06_fri::bind(&mut transcript, layout, proof)?;
    let codewords = r07_open::check_rows(key, layout, proof, zeta, gamma, &queries.positions)?;
    r07_open::check_layers(layout, proof, &queries, codewords)?;
    Ok(accepted)
}

/// Checks a proof file against a key: the header first, then [`verify`].
///
/// The statement is the file's own. It is returned because the caller must compare it with what is
/// expected: an accepted file only says that *this* statement holds.
///
/// # Errors
/// The first check that fails.
pub fn verify_file<'f>(
    key: &VerifyingKey,
    file: &'f ProofFile,
) -> Result<(Accepted, &'f Statement), FileError> {
    file.check_program(key)?;
    let accepted = verify(key, &file.statement, &file.proof).map_err(FileError::Invalid)?;
    Ok((accepted, &file.statement))
}
