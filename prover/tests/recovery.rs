//! Recovery over a backend that fails on purpose: whatever fails, at whatever stage, the proof has the host's
//! bytes, or under `strict` there is a typed error. The ladder itself is tested beside `decide`.

mod support;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use lambda_math::{Columns, Digest, Ext3, Goldilocks};
use lambda_prover::backend::{Backend, DeepColumns, LookupInput, Preprocessed, QuotientInput};
use lambda_prover::host::Codeword;
use lambda_prover::{Action, Fault, HostBackend, Policy, ProveError, Proven, Scope, Stage, prove};
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
}

impl Flaky {
    fn new(policy: Policy, stage: Stage, trouble: Trouble) -> Self {
        let (failures, done) = (Mutex::new(0), Mutex::default());
        Self { policy, stage, trouble, wrong_quotients: Mutex::new(0), failures, done }
    }

    fn run(&self, stage: Stage) -> Result<(), Fault> {
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
