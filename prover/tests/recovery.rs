//! Recovery over a backend that fails on purpose: whatever fails, at whatever stage, the proof has the host's
//! bytes, or under `strict` there is a typed error. The ladder itself is tested beside `decide`.

mod support;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use lambda_math::{Columns, Digest, Ext3, Goldilocks};
use lambda_prover::backend::{Backend, DeepColumns, LookupInput, Preprocessed, QuotientInput};
use lambda_prover::host::Codeword;
use lambda_prover::recovery::Shortage;
use lambda_prover::report::StageReport;
use lambda_prover::{
    Action, DeviceMemory, Fault, HostBackend, Policy, ProveError, Proven, Report, Round, Scope, Stage, prove,
};
use lambda_verifier::ProvingKey;
use p3_field::PrimeCharacteristicRing;
use support::{PROVEN, SMALL, witness};

/// How often a stage fails, and how.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    /// Until the backend has done this.
    MemoryUntil(Action),
    /// So many times.
    Launches(usize),
    /// From the first run on.
    Lost,
}

/// The host, with one stage in trouble.
struct Flaky {
    policy: Policy,
    stage: Stage,
    trouble: Trouble,
    /// So many runs of `quotient` give a wrong value for table 0.
    wrong_quotients: Mutex<usize>,
    failures: Mutex<usize>,
    /// Actions done, by stage and scope.
    done: Mutex<BTreeMap<(Stage, Scope), Vec<Action>>>,
    /// Runs of stages so far; each is an allocation that is gone at its end.
    runs: Mutex<u64>,
}

/// Bytes in use within the run of a stage that had so many before it: fewer each time, so that no earlier
/// height passes for a later one.
const fn level_bytes(runs: u64) -> u64 {
    1_000_000 - runs
}

/// Bytes in use after so many runs.
const fn used_bytes(runs: u64) -> u64 {
    10 + runs
}

const BUDGET_BYTES: u64 = 2_000_000;

impl Flaky {
    fn new(policy: Policy, stage: Stage, trouble: Trouble) -> Self {
        let (failures, done) = (Mutex::new(0), Mutex::default());
        let (wrong_quotients, runs) = (Mutex::new(0), Mutex::new(0));
        Self { policy, stage, trouble, wrong_quotients, failures, done, runs }
    }

    fn run(&self, stage: Stage) -> Result<(), Fault> {
        *self.runs.lock().unwrap() += 1;
        if stage != self.stage {
            return Ok(());
        }
        let scope = Scope::Proof;
        let mut failures = self.failures.lock().unwrap();
        let fault = match self.trouble {
            Trouble::MemoryUntil(action) => {
                // One scope's trouble at a time: the last one that was acted on.
                let relieved = self.done.lock().unwrap().values().any(|done| done.contains(&action));
                (!relieved).then_some(Fault::OutOfMemory { stage, scope, wanted: 2, free: 1 })
            }
            Trouble::Launches(count) => {
                let reason = "refused".to_owned();
                (*failures < count).then_some(Fault::Launch { stage, scope, reason })
            }
            Trouble::Lost => Some(Fault::DeviceLost { reason: "gone".to_owned() }),
        };
        match fault {
            None => Ok(()),
            Some(fault) => {
                *failures += 1;
                Err(fault)
            }
        }
    }
}

impl Backend for Flaky {
    type Trace = Arc<Columns>;
    type Lde = Arc<Columns>;
    type Digests = Vec<Digest>;
    type Tree = <HostBackend as Backend>::Tree;
    type Denominators = Columns;
    type Codeword = Codeword;

    fn memory(&self, since_allocations: u64) -> Option<DeviceMemory> {
        let allocations = *self.runs.lock().unwrap();
        let highest_bytes = (since_allocations..allocations).map(level_bytes).max().unwrap_or(0);
        let used_bytes = used_bytes(allocations);
        Some(DeviceMemory { used_bytes, highest_bytes, budget_bytes: BUDGET_BYTES, allocations })
    }

    fn policy(&self) -> Option<Policy> {
        Some(self.policy)
    }

    fn recover(&self, action: Action, stage: Stage, scope: Scope) -> Result<bool, Fault> {
        self.done.lock().unwrap().entry((stage, scope)).or_default().push(action);
        Ok(true)
    }

    fn load(&self, table: usize, columns: &Arc<Columns>) -> Result<Self::Trace, Fault> {
        self.run(Stage::Load)?;
        HostBackend.load(table, columns)
    }

    #[expect(clippy::map_identity, reason = "the two are values of different types")]
    fn load_preprocessed(&self, key: &ProvingKey, table: usize) -> Result<Option<Preprocessed<Self>>, Fault> {
        self.run(Stage::LoadPreprocessed)?;
        let loaded = HostBackend.load_preprocessed(key, table)?;
        Ok(loaded.map(|Preprocessed { trace, lde }| Preprocessed { trace, lde }))
    }

    fn load_preprocessed_tree(&self, key: &ProvingKey) -> Result<Option<Self::Tree>, Fault> {
        HostBackend.load_preprocessed_tree(key)
    }

    fn extend(
        &self,
        table: usize,
        blowup_log2: u32,
        traces: &[(&Self::Trace, Goldilocks)],
    ) -> Result<Self::Lde, Fault> {
        self.run(Stage::Extend)?;
        HostBackend.extend(table, blowup_log2, traces)
    }

    fn extend_owned(
        &self,
        table: usize,
        blowup_log2: u32,
        trace: &mut Option<Self::Trace>,
    ) -> Result<Self::Lde, Fault> {
        self.run(Stage::Extend)?;
        HostBackend.extend_owned(table, blowup_log2, trace)
    }

    fn row_digests(&self, table: usize, lde: &Self::Lde) -> Result<Self::Digests, Fault> {
        self.run(Stage::RowDigests)?;
        HostBackend.row_digests(table, lde)
    }

    fn tree(&self, blowup_log2: u32, digests: &mut Vec<(u32, Self::Digests)>) -> Result<Self::Tree, Fault> {
        self.run(Stage::Tree)?;
        HostBackend.tree(blowup_log2, digests)
    }

    fn cap(&self, tree: &Self::Tree) -> Vec<Digest> {
        HostBackend.cap(tree)
    }

    fn lookup(&self, input: LookupInput<'_, Self>) -> Result<(Self::Trace, Ext3), Fault> {
        self.run(Stage::Lookup)?;
        let LookupInput { table, program, main, preprocessed, challenges } = input;
        HostBackend.lookup(LookupInput { table, program, main, preprocessed, challenges })
    }

    fn quotient(&self, input: QuotientInput<'_, Self>) -> Result<Vec<Self::Trace>, Fault> {
        self.run(Stage::Quotient)?;
        let QuotientInput { table, program, main, preprocessed, lookup, challenges, lookup_sum, alpha } =
            input;
        let index = table.index;
        let mut parts = HostBackend.quotient(QuotientInput {
            table,
            program,
            main,
            preprocessed,
            lookup,
            challenges,
            lookup_sum,
            alpha,
        })?;
        let mut wrong = self.wrong_quotients.lock().unwrap();
        if index == 0 && *wrong > 0 {
            *wrong -= 1;
            let mut part = (*parts[0]).clone();
            part.column_mut(1)[3] += Goldilocks::ONE;
            parts[0] = Arc::new(part);
        }
        Ok(parts)
    }

    fn denominators(&self, height_log2: u32, zeta: Ext3) -> Result<Self::Denominators, Fault> {
        self.run(Stage::Denominators)?;
        HostBackend.denominators(height_log2, zeta)
    }

    fn evaluate(
        &self,
        lde: &Self::Lde,
        denominators: &Self::Denominators,
        zeta: Ext3,
        next: &[usize],
    ) -> Result<(Vec<Ext3>, Vec<Ext3>), Fault> {
        self.run(Stage::Evaluate)?;
        HostBackend.evaluate(lde, denominators, zeta, next)
    }

    fn deep(
        &self,
        height_log2: u32,
        blowup_log2: u32,
        columns: &[DeepColumns<'_, Self>],
        denominators: &Self::Denominators,
        gamma: Ext3,
    ) -> Result<Self::Codeword, Fault> {
        self.run(Stage::Deep)?;
        let columns: Vec<DeepColumns<'_, HostBackend>> = columns
            .iter()
            .map(|&DeepColumns { lde, next, values, next_values }| DeepColumns {
                lde,
                next,
                values,
                next_values,
            })
            .collect();
        HostBackend.deep(height_log2, blowup_log2, &columns, denominators, gamma)
    }

    fn commit_codeword(&self, codeword: &Self::Codeword, arity_log2: u32) -> Result<Self::Tree, Fault> {
        self.run(Stage::CommitCodeword)?;
        HostBackend.commit_codeword(codeword, arity_log2)
    }

    fn fold(&self, codeword: &Self::Codeword, arity_log2: u32, challenge: Ext3) -> Result<Codeword, Fault> {
        self.run(Stage::Fold)?;
        HostBackend.fold(codeword, arity_log2, challenge)
    }

    fn join(&self, codeword: &mut Codeword, shorter: &Codeword, weight: Ext3) -> Result<(), Fault> {
        self.run(Stage::Join)?;
        HostBackend.join(codeword, shorter, weight)
    }

    fn interpolate(&self, codeword: &Self::Codeword) -> Result<Vec<Ext3>, Fault> {
        self.run(Stage::Interpolate)?;
        HostBackend.interpolate(codeword)
    }

    fn grind(&self, seed: &[u8; 32], bits: u32) -> Result<u64, Fault> {
        self.run(Stage::Grind)?;
        HostBackend.grind(seed, bits)
    }

    fn open_rows(
        &self,
        lde: &Self::Lde,
        height_log2: u32,
        positions: &[usize],
    ) -> Result<Vec<Goldilocks>, Fault> {
        self.run(Stage::OpenRows)?;
        HostBackend.open_rows(lde, height_log2, positions)
    }

    fn open_codeword(&self, codeword: &Self::Codeword, positions: &[usize]) -> Result<Vec<Ext3>, Fault> {
        self.run(Stage::OpenCodeword)?;
        HostBackend.open_codeword(codeword, positions)
    }

    fn open_tree(&self, tree: &Self::Tree, positions: &[usize]) -> Result<Vec<Digest>, Fault> {
        self.run(Stage::OpenTree)?;
        HostBackend.open_tree(tree, positions)
    }
}

fn run(backend: &Flaky) -> Result<Proven, ProveError> {
    prove(&SMALL, backend, witness(), &())
}

/// The proof is the host's, and the report tells of these actions.
fn assert_recovered(backend: &Flaky, expected: &[Action]) {
    let proven = run(backend).unwrap_or_else(|error| panic!("{}: {error}", backend.stage));
    assert!(proven.proof == PROVEN.proof, "{}: another proof", backend.stage);
    let actions: Vec<Action> = proven.report.recovery.iter().map(|event| event.action).collect();
    assert_eq!(actions, expected, "{}", backend.stage);
}

/// Each rung of the ladder, at each stage.
#[test]
fn every_stage_survives_shortage_of_memory() {
    let ladder = [Action::Evict, Action::Drain, Action::Shrink, Action::Downgrade];
    for &stage in Stage::ALL {
        for (rung, &action) in ladder.iter().enumerate() {
            let backend = Flaky::new(Policy::Recover, stage, Trouble::MemoryUntil(action));
            assert_recovered(&backend, &ladder[..=rung]);
        }
    }
}

#[test]
fn every_stage_survives_refused_launches() {
    for &stage in Stage::ALL {
        assert_recovered(&Flaky::new(Policy::Recover, stage, Trouble::Launches(1)), &[Action::Drain]);
        let backend = Flaky::new(Policy::Recover, stage, Trouble::Launches(2));
        assert_recovered(&backend, &[Action::Drain, Action::Downgrade]);
        // The host arm fails too: the whole proof moves.
        let backend = Flaky::new(Policy::Recover, stage, Trouble::Launches(usize::MAX));
        assert_recovered(&backend, &[Action::Drain, Action::Downgrade, Action::Restart]);
    }
}

#[test]
fn every_stage_survives_the_loss_of_the_device() {
    for &stage in Stage::ALL {
        assert_recovered(&Flaky::new(Policy::Recover, stage, Trouble::Lost), &[Action::Restart]);
    }
}

#[test]
fn strict_gives_a_typed_error_instead_of_leaving_the_device() {
    for &stage in Stage::ALL {
        let backend = Flaky::new(Policy::Strict, stage, Trouble::MemoryUntil(Action::Downgrade));
        let error = run(&backend).expect_err("strict");
        let is_typed =
            matches!(error, ProveError::Fault(Fault::OutOfMemory { stage: at, .. }) if at == stage);
        assert!(is_typed, "{stage}: {error}");
        let tried: Vec<Action> = backend.done.lock().unwrap().values().flatten().copied().collect();
        assert_eq!(tried, [Action::Evict, Action::Drain, Action::Shrink], "{stage}");

        let error = run(&Flaky::new(Policy::Strict, stage, Trouble::Lost)).expect_err("strict");
        assert!(matches!(error, ProveError::Fault(Fault::DeviceLost { .. })), "{stage}: {error}");
    }
}

/// A stage that nobody runs cannot be recovered by anybody.
#[test]
fn every_stage_is_run() {
    for &stage in Stage::ALL {
        let backend = Flaky::new(Policy::Strict, stage, Trouble::Lost);
        assert!(run(&backend).is_err(), "{stage} is in the list and never runs");
    }
}

fn with_wrong_quotients(policy: Policy, count: usize) -> Flaky {
    let backend = Flaky::new(policy, Stage::Quotient, Trouble::Launches(0));
    *backend.wrong_quotients.lock().unwrap() = count;
    backend
}

/// A wrong composition with right inputs, as many times as it takes.
#[test]
fn a_wrong_quotient_is_computed_again_and_never_proven() {
    assert_recovered(&with_wrong_quotients(Policy::Recover, 1), &[Action::Drain]);
    assert_recovered(&with_wrong_quotients(Policy::Recover, 2), &[Action::Drain, Action::Downgrade]);
    let all = [Action::Drain, Action::Downgrade, Action::Restart];
    assert_recovered(&with_wrong_quotients(Policy::Recover, 3), &all);
    let backend = with_wrong_quotients(Policy::Strict, 1);
    assert!(run(&backend).expect("the second one is right").proof == PROVEN.proof);
    let error = run(&with_wrong_quotients(Policy::Strict, 2)).expect_err("strict");
    assert!(matches!(error, ProveError::Unsatisfied { .. }), "{error}");
}

/// A trace that is really wrong stays wrong: the host has the last word.
#[test]
fn recovery_does_not_prove_a_wrong_trace() {
    let mut wrong = witness();
    wrong.traces[0].column_mut(0)[1] += Goldilocks::ONE;
    let backend = Flaky::new(Policy::Recover, Stage::Quotient, Trouble::Launches(0));
    let error = prove(&SMALL, &backend, wrong, &()).expect_err("a wrong trace");
    assert!(matches!(error, ProveError::Unsatisfied { .. } | ProveError::Unbalanced), "{error}");
}

/// Stages in order, one after the other, each within its round.
fn assert_in_order(report: &Report) {
    let rounds = &report.rounds;
    assert!(rounds.windows(2).all(|pair| pair[0].start_seconds + pair[0].seconds <= pair[1].start_seconds));
    assert!(report.stages.windows(2).all(|pair| pair[0].end_seconds <= pair[1].start_seconds));
    for stage in &report.stages {
        let StageReport { round, start_seconds, end_seconds, .. } = *stage;
        assert!(start_seconds <= end_seconds, "{stage:?}");
        let is_within = rounds.iter().any(|report| {
            let end = report.start_seconds + report.seconds;
            report.round == round && report.start_seconds <= start_seconds && end_seconds <= end
        });
        assert!(is_within, "{stage:?} in {rounds:?}");
        assert!(end_seconds <= report.seconds, "{stage:?}");
    }
}

/// Bug: a stage is missing from the report, has another's name or table, or the wrong time.
#[test]
fn the_report_has_every_stage() {
    let report = &PROVEN.report;
    assert_in_order(report);
    for stage in Stage::ALL {
        assert!(report.stages.iter().any(|report| report.stage == stage.name()), "{stage} is missing");
    }
    let of = |stage: Stage| -> Vec<(&str, Round)> {
        let stages = report.stages.iter().filter(|report| report.stage == stage.name());
        stages.map(|report| (report.scope.as_str(), report.round)).collect()
    };
    let names = report.tables.iter().map(|table| table.table.as_str());
    let once: Vec<(&str, Round)> = names.clone().map(|name| (name, Round::Quotient)).collect();
    assert_eq!(of(Stage::Quotient), once, "each table once, in order");
    assert_eq!(of(Stage::Grind), [("the proof", Round::Fri)]);
    assert!(
        of(Stage::Deep).iter().all(|(scope, round)| scope.starts_with("height 2^") && *round == Round::Fri)
    );
    assert!(report.stages.iter().all(|stage| stage.memory.is_none()), "the host has no memory of its own");
    assert!(names.clone().all(|name| of(Stage::OpenRows).contains(&(name, Round::Open))));
}

/// Bug: the most within a stage is that of an earlier one, or what was there before it does not count.
#[test]
fn the_report_has_the_devices_memory_at_each_stage() {
    let backend = Flaky::new(Policy::Recover, Stage::Quotient, Trouble::Launches(0));
    let report = run(&backend).expect("nothing fails").report;
    let mut runs = 0;
    for stage in &report.stages {
        let memory = stage.memory.expect("the backend has memory");
        // The preprocessed tree is loaded without a run.
        let has_run = memory.used_bytes > used_bytes(runs);
        let highest = if has_run { level_bytes(runs) } else { used_bytes(runs) };
        runs += u64::from(has_run);
        let expected = (used_bytes(runs), highest, BUDGET_BYTES);
        assert_eq!((memory.used_bytes, memory.highest_bytes, memory.budget_bytes), expected, "{stage:?}");
    }
    assert_eq!(runs, *backend.runs.lock().unwrap());
}

/// Bug: an event does not say where and when, or its numbers are in words only.
#[test]
fn events_have_place_time_and_numbers() {
    let backend = Flaky::new(Policy::Recover, Stage::Quotient, Trouble::MemoryUntil(Action::Downgrade));
    let report = run(&backend).expect("it is recovered from").report;
    let stage = report.stages.iter().find(|stage| stage.stage == "quotient").expect("it ran");
    assert_eq!(report.recovery.len(), 4);
    for event in &report.recovery {
        assert_eq!((event.stage.as_str(), &event.scope), ("quotient", &report.tables[0].table));
        assert_eq!(event.round, Round::Quotient);
        assert_eq!(event.shortage, Some(Shortage { wanted_bytes: 2, free_bytes: 1 }));
        assert_eq!(event.fault, "2 bytes wanted, 1 free in one piece");
        assert!(stage.start_seconds <= event.at_seconds && event.at_seconds <= stage.end_seconds);
    }
    assert!(report.recovery.is_sorted_by_key(|event| event.at_seconds));
}

/// Bug: a restart loses what was there before it, the clock starts again, or nobody says what failed.
#[test]
fn a_restart_goes_on_with_the_same_report() {
    let report =
        run(&Flaky::new(Policy::Recover, Stage::Lookup, Trouble::Lost)).expect("the host does it").report;
    assert_in_order(&report);
    let rounds: Vec<Round> = report.rounds.iter().map(|report| report.round).collect();
    assert_eq!(rounds, [&[Round::Trace, Round::Main, Round::Lookup], &Round::ALL[..]].concat());
    let [event] = &report.recovery[..] else { panic!("{:?}", report.recovery) };
    assert_eq!((event.stage.as_str(), event.round), ("lookup", Round::Lookup));
    assert!(report.tables.iter().any(|table| table.table == event.scope), "{event:?}");
    assert_eq!((event.fault.as_str(), event.shortage), ("the device is given up: gone", None));
    let on_device = |stage: &StageReport| stage.memory.is_some();
    assert!(report.stages.iter().all(|stage| on_device(stage) == (stage.end_seconds <= event.at_seconds)));
    assert!(report.stages.iter().any(on_device) && !report.stages.iter().all(on_device));
}
