//! `prove`: the rounds in order.

use std::sync::Arc;

use lambda_math::Columns;
use lambda_verifier::balance::check_balance;
use lambda_verifier::layout::{Layout, Tree};
use lambda_verifier::verify::Accepted;
use lambda_verifier::{Proof, Statement, Transcript, VerifyingKey, verify};

use crate::backend::Backend;
use crate::error::ProveError;
use crate::fault::Stage;
use crate::host::HostBackend;
use crate::memory::{MemoryPlan, PeakMeter};
use crate::recorder::{Recorder, Records};
use crate::recovery::{Policy, Recovery};
use crate::report::{Observer, Report, Round, TableReport};
use crate::rounds::r05_ood::{Challenges, Commitments};
use crate::rounds::{r01_trace, r02_main, r03_lookup, r04_quotient, r05_ood, r06_fri, r07_open};
use crate::system::System;

/// What is proven, and why it is true.
#[derive(Clone, Debug)]
pub struct Witness {
    /// Main columns of each table, in registry order.
    pub traces: Vec<Columns>,
    /// Public values and messages.
    pub statement: Statement,
}

/// A proof that has been verified.
#[derive(Clone, Debug)]
pub struct Proven {
    /// The proof.
    pub proof: Proof,
    /// What it states.
    pub statement: Statement,
    /// What the verifier said.
    pub accepted: Accepted,
    /// How it came about.
    pub report: Report,
}

/// Proves `witness` for `system` on `backend`, telling `observer`.
///
/// Where the backend's policy is to recover, a proof that cannot be finished on it, or that comes out wrong,
/// begins again on the host, whose word is final.
///
/// # Errors
/// When the witness does not fit the system, does not satisfy it, or the backend fails. A proof that does
/// not verify is never returned.
pub fn prove<B: Backend>(
    system: &System,
    backend: &B,
    witness: Witness,
    observer: &dyn Observer,
) -> Result<Proven, ProveError> {
    let Witness { traces, statement } = witness;
    let traces: Vec<Arc<Columns>> = traces.into_iter().map(Arc::new).collect();
    let recorder = Recorder::new(observer, system.verifying_key());
    let recovery = Recovery::new(backend, &recorder);
    if backend.policy() != Some(Policy::Recover) {
        return attempt(system, &recovery, &recorder, traces, statement);
    }
    match attempt(system, &recovery, &recorder, traces.clone(), statement.clone()) {
        Err(error) if may_be_the_backends(&error) => {
            recovery.restart(&error);
            attempt(system, &Recovery::new(&HostBackend, &recorder), &recorder, traces, statement)
        }
        outcome => outcome,
    }
}

/// Whether another backend might not meet this error.
const fn may_be_the_backends(error: &ProveError) -> bool {
    matches!(
        error,
        ProveError::Fault(_)
            | ProveError::Unbalanced
            | ProveError::Unsatisfied { .. }
            | ProveError::SelfCheck(_)
    )
}

/// A proof that a backend has been told of; dropping it tells that the proof has ended.
struct Begun<'a, B: Backend>(&'a B);

impl<'a, B: Backend> Begun<'a, B> {
    fn new(backend: &'a B, key: &VerifyingKey, layout: &Layout) -> Self {
        backend.begin(key, layout);
        Self(backend)
    }
}

impl<B: Backend> Drop for Begun<'_, B> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Proves on one backend.
fn attempt<B: Backend>(
    system: &System,
    recovery: &Recovery<'_, B>,
    recorder: &Recorder<'_>,
    traces: Vec<Arc<Columns>>,
    statement: Statement,
) -> Result<Proven, ProveError> {
    let key = system.verifying_key();
    let heights_log2 = r01_trace::heights_log2(system, &traces)?;
    let layout = Layout::new(key, &heights_log2).map_err(ProveError::Shape)?;
    lambda_verifier::check_statement(key, &statement).map_err(ProveError::Shape)?;
    let _begun = Begun::new(recovery.backend(), key, &layout);
    let plan = MemoryPlan::new(key, &layout);
    let meter = PeakMeter::start(traces.iter().map(|trace| trace.bytes() as u64).sum());
    let tables = key.tables.len();

    let (job, traces) = recorder.round(Round::Trace, tables, || {
        r01_trace::load(recorder, recovery, system, &statement, layout, traces)
    })?;
    let mut transcript = Transcript::new(key, &statement, &job.layout);

    let (main, traces) = recorder.round(Round::Main, tables, || r02_main::commit(recorder, &job, traces))?;
    let lookup_challenges = transcript.main(&main.cap);

    let with_lookup = job.layout.tables(key, Tree::Lookup).count();
    let (lookup, sums) = recorder.round(Round::Lookup, with_lookup, || {
        r03_lookup::commit(recorder, &job, traces, lookup_challenges)
    })?;
    let lookup_sums: Vec<_> = job.layout.tables(key, Tree::Lookup).map(|(table, ..)| sums[table]).collect();
    check_balance(key, &statement, &lookup_sums, lookup_challenges).map_err(|_| ProveError::Unbalanced)?;
    let alpha = transcript.lookup(&lookup.cap, &lookup_sums);

    // A quotient that does not fit its table at ζ is computed again, as long as recovery has a way: the
    // transcript goes back to before it.
    let before_quotient = transcript;
    let (quotient, out_of_domain, denominators, mut transcript) = loop {
        let mut transcript = before_quotient.clone();
        let quotient = recorder.round(Round::Quotient, tables, || {
            r04_quotient::commit(recorder, &job, &main, &lookup, lookup_challenges, &sums, alpha)
        })?;
        let zeta = transcript.quotient(&quotient.cap, &job.layout);
        let commitments = Commitments { main: &main, lookup: &lookup, quotient: &quotient };
        let challenges = Challenges { lookup: lookup_challenges, sums: &sums, alpha, zeta };
        let evaluated = recorder
            .round(Round::Ood, tables, || r05_ood::evaluate(recorder, &job, &commitments, challenges))?;
        match evaluated.wrong {
            None => break (quotient, evaluated.values, evaluated.denominators, transcript),
            Some(table) if recovery.corrupt(Stage::Quotient, table, "composition") => {}
            Some(table) => return Err(ProveError::Unsatisfied { table: key.tables[table].name.clone() }),
        }
    };
    let commitments = Commitments { main: &main, lookup: &lookup, quotient: &quotient };
    let gamma = transcript.out_of_domain(&out_of_domain);

    let fri = recorder.round(Round::Fri, job.layout.folds.len() + 1, || {
        r06_fri::commit(recorder, &job, &mut transcript, &commitments, &out_of_domain, &denominators, gamma)
    })?;

    let openings = recorder.round(Round::Open, Tree::ALL.len(), || {
        r07_open::open(recorder, &job, &commitments, &fri.layers, &fri.positions)
    })?;

    let proof = Proof {
        heights_log2,
        main_cap: main.cap.clone(),
        lookup_cap: lookup.cap.clone(),
        lookup_sums,
        quotient_cap: quotient.cap.clone(),
        out_of_domain,
        fri: fri.proof,
        openings,
    };
    let accepted = recorder
        .round(Round::Verify, 0, || verify(key, &statement, &proof))
        .map_err(ProveError::SelfCheck)?;
    let Records { rounds, stages, recovery } = recorder.records();
    let report = Report {
        profile: key.profile.to_string(),
        johnson_bits: accepted.johnson.minimum().to_string(),
        unique_decoding_bits: accepted.unique_decoding.minimum().to_string(),
        seconds: recorder.seconds(),
        tables: job.tables().map(|table| TableReport::new(&table)).collect(),
        rounds,
        stages,
        recovery,
        planned_peak_bytes: plan.peak_bytes(),
        measured_peak_bytes: meter.peak_bytes(),
    };
    Ok(Proven { proof, statement, accepted, report })
}
