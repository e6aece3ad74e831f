//! The device as a backend of the prover.
//!
//! Each stage has a device arm and a host arm. A stage runs on the device unless its table is planned on the
//! host, or it or its table has been moved there; then it takes its input from wherever it is and runs as the
//! host backend does. Of a streamed table the device arms take a piece at a time. The backend plans when a
//! proof begins, reports what fails and does what recovery asks for; it decides nothing else.

mod compose;
mod device;
mod host;
mod xcheck;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use lambda_math::{Columns, Digest, Ext3, Goldilocks};
use lambda_math_cuda::arena::Reservation;
use lambda_math_cuda::kernels::ntt::Twiddles;
use lambda_math_cuda::{Device, DeviceBuffer, DeviceError, Stream};
use lambda_prover::backend::{Backend, DeepColumns, LookupInput, Preprocessed, QuotientInput};
use lambda_prover::{Action, DeviceMemory, Fault, Policy, Scope, Stage};
use lambda_verifier::layout::Layout;
use lambda_verifier::{ProvingKey, VerifyingKey};
use p3_field::PrimeCharacteristicRing;

use crate::failure::Failure;
use crate::options::BackendOptions;
use crate::placement::{Counters, Place, Placement};
use crate::plan::DevicePlan;
use crate::resident::Resident;
use crate::resident_tree::{ResidentDigests, ResidentTree};

pub use xcheck::{Cause, Finding, Shape};

/// By how much a table that was asked to work on smaller pieces divides them.
const SHRINK_FACTOR: u64 = 16;

/// A device that computes proofs.
#[derive(Debug)]
pub struct DeviceBackend {
    device: Device,
    options: BackendOptions,
    /// Those of the proof that is being made: what a broken one does ends with the proof.
    twiddles: Mutex<Option<Arc<Twiddles>>>,
    /// One stream for each scope.
    streams: Mutex<BTreeMap<Scope, Stream>>,
    plan: Mutex<Option<Arc<DevicePlan>>>,
    placement: Mutex<Placement>,
    /// What the proof may use of the device's memory, as far as the plan goes.
    reservation: Mutex<Option<Reservation>>,
    counters: Mutex<Counters>,
    /// Columns that may be on the device.
    residents: Mutex<Vec<Weak<Resident>>>,
    evidence: Mutex<xcheck::Evidence>,
}

/// A codeword and its height, `log2`.
#[derive(Debug)]
pub struct ResidentCodeword {
    columns: Arc<Resident>,
    height_log2: u32,
    /// Leaves of its cosets of `2^LEAF_LOG2` points, where folding has made them.
    leaves: Leaves,
}

type Leaves = Option<Arc<DeviceBuffer<Digest>>>;

impl DeviceBackend {
    /// A backend on `device`. It takes memory when a stage does, so that any budget will do.
    ///
    /// # Errors
    /// Any that the device reports.
    pub fn new(device: &Device, options: BackendOptions) -> Result<Self, DeviceError> {
        let stream = device.stream()?;
        Ok(Self {
            device: device.clone(),
            options,
            twiddles: Mutex::default(),
            streams: Mutex::new(BTreeMap::from([(Scope::Proof, stream)])),
            plan: Mutex::default(),
            placement: Mutex::default(),
            reservation: Mutex::default(),
            counters: Mutex::default(),
            residents: Mutex::default(),
            evidence: Mutex::default(),
        })
    }

    /// Its device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Its switches.
    pub fn options(&self) -> &BackendOptions {
        &self.options
    }

    /// What recovery and residency cost in the last proof that began.
    pub fn counters(&self) -> Counters {
        *lock(&self.counters)
    }

    /// The plan of the last proof that began.
    pub fn plan(&self) -> Option<Arc<DevicePlan>> {
        lock(&self.plan).clone()
    }

    /// Where a scope's columns are. What is not of one table has none elsewhere than where it is computed.
    fn place(&self, scope: Scope) -> Place {
        match scope {
            Scope::Table(table) => self.placement().of(table),
            Scope::Height(_) | Scope::Proof => Place::Resident,
        }
    }

    /// Most bytes that a chunk of rows or columns takes.
    fn chunk_bytes(&self, scope: Scope) -> u64 {
        let plan = self.plan();
        let chunk_bytes = plan.map_or(self.options.chunk_bytes, |plan| plan.chunk_bytes);
        match scope {
            Scope::Table(table) if self.placement().is_shrunk(table) => chunk_bytes / SHRINK_FACTOR,
            _ => chunk_bytes,
        }
    }

    fn placement(&self) -> MutexGuard<'_, Placement> {
        lock(&self.placement)
    }

    fn count(&self, change: impl FnOnce(&mut Counters)) {
        change(&mut lock(&self.counters));
    }

    fn stream(&self, scope: Scope) -> Result<Stream, DeviceError> {
        let mut streams = lock(&self.streams);
        if let Some(stream) = streams.get(&scope) {
            return Ok(stream.clone());
        }
        let stream = self.device.stream()?;
        streams.insert(scope, stream.clone());
        Ok(stream)
    }

    fn twiddles(&self, stream: &Stream) -> Result<Arc<Twiddles>, DeviceError> {
        let mut twiddles = lock(&self.twiddles);
        if let Some(twiddles) = &*twiddles {
            return Ok(twiddles.clone());
        }
        Ok(twiddles.insert(Arc::new(Twiddles::new(stream)?)).clone())
    }

    /// Notes columns that recovery may move.
    fn register(&self, resident: Arc<Resident>) -> Arc<Resident> {
        let mut residents = lock(&self.residents);
        residents.retain(|resident| resident.strong_count() > 0);
        residents.push(Arc::downgrade(&resident));
        resident
    }

    fn residents(&self, wanted: impl Fn(&Resident) -> bool) -> Vec<Arc<Resident>> {
        let residents = lock(&self.residents);
        residents.iter().filter_map(Weak::upgrade).filter(|resident| wanted(resident)).collect()
    }

    /// Runs a stage's device arm, or its host arm where its scope is on the host.
    fn stage<T>(
        &self,
        stage: Stage,
        scope: Scope,
        device: impl FnOnce(&Stream) -> Result<T, Failure>,
        host: impl FnOnce(&Stream) -> Result<T, Failure>,
    ) -> Result<T, Fault> {
        let run = || -> Result<T, Failure> {
            if self.options.force_downgrade.contains(&stage) {
                self.move_to_host(stage, scope)?;
            }
            let stream = self.stream(scope)?;
            let is_on_host = self.placement().is_on_host(stage, scope);
            if is_on_host { host(&stream) } else { device(&stream) }
        };
        run().map_err(|failure| failure.into_fault(stage, scope))
    }

    /// Takes a table's columns off the device: all of them are copied before the first leaves it. Returns
    /// the bytes that they had.
    fn spill(&self, scope: Scope) -> Result<u64, Failure> {
        let Scope::Table(_) = scope else { return Ok(0) };
        let stream = self.stream(scope)?;
        let residents = self.residents(|resident| resident.scope() == scope);
        for resident in &residents {
            resident.host(&stream)?;
        }
        Ok(residents.iter().map(|resident| resident.evict()).sum())
    }

    /// Has a table take less memory: one that is resident is streamed, one that is streamed works on smaller
    /// pieces.
    fn shrink(&self, scope: Scope) -> Result<bool, Failure> {
        let Scope::Table(table) = scope else { return Ok(false) };
        match self.place(scope) {
            Place::Resident => {
                let spilled = self.spill(scope)?;
                self.placement().stream(table);
                self.count(|counters| {
                    counters.streamed += 1;
                    counters.spilled_bytes += spilled;
                });
                Ok(true)
            }
            Place::Streamed => Ok(self.placement().shrink(table)),
            Place::Host => Ok(false),
        }
    }

    /// Moves a stage's scope to the host, a table with all of its columns.
    fn move_to_host(&self, stage: Stage, scope: Scope) -> Result<bool, Failure> {
        if self.placement().is_on_host(stage, scope) {
            return Ok(false);
        }
        let spilled = self.spill(scope)?;
        self.placement().move_to_host(stage, scope);
        self.count(|counters| {
            counters.downgrades += 1;
            counters.spilled_bytes += spilled;
        });
        Ok(true)
    }

    fn evict(&self) -> bool {
        let evicted: u64 = self.residents(|_| true).iter().map(|resident| resident.evict()).sum();
        self.count(|counters| counters.evicted_bytes += evicted);
        evicted > 0
    }

    fn drain(&self) -> Result<(), DeviceError> {
        self.device.synchronize()?;
        self.count(|counters| counters.drains += 1);
        Ok(())
    }
}

/// A lock that a panic elsewhere does not spoil.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Backend for DeviceBackend {
    type Trace = Arc<Resident>;
    type Lde = Arc<Resident>;
    type Digests = ResidentDigests;
    type Tree = Arc<ResidentTree>;
    type Denominators = Arc<Resident>;
    type Codeword = ResidentCodeword;

    fn begin(&self, key: &VerifyingKey, layout: &Layout) {
        self.end();
        let chunk_bytes = self.options.chunk_bytes;
        let wanted = DevicePlan::new(key, layout, chunk_bytes).peak_bytes();
        let reservation = self.device.ledger().reserve(wanted);
        let plan = DevicePlan::within(key, layout, chunk_bytes, reservation.bytes(), self.options.policy);
        *self.placement() = Placement::new(&plan);
        *lock(&self.plan) = Some(Arc::new(plan));
        *lock(&self.reservation) = Some(reservation);
        *lock(&self.evidence) = xcheck::Evidence::default();
        *lock(&self.counters) = Counters::default();
    }

    fn end(&self) {
        *lock(&self.twiddles) = None;
        *lock(&self.reservation) = None;
        self.forget_parts();
    }

    fn memory(&self, since_allocations: u64) -> Option<DeviceMemory> {
        let stats = self.device.stats();
        Some(DeviceMemory {
            used_bytes: stats.used_bytes,
            highest_bytes: self.device.highest_bytes_since(since_allocations),
            budget_bytes: stats.budget_bytes,
            allocations: stats.allocations,
        })
    }

    fn policy(&self) -> Option<Policy> {
        Some(self.options.policy)
    }

    fn recover(&self, action: Action, stage: Stage, scope: Scope) -> Result<bool, Fault> {
        self.suspect(stage, scope);
        let done = match action {
            Action::Evict => Ok(self.evict()),
            Action::Drain => self.drain().map(|()| true).map_err(Failure::from),
            Action::Shrink => self.shrink(scope),
            Action::Downgrade => self.move_to_host(stage, scope),
            Action::Restart | Action::Fail => Ok(false),
        };
        done.map_err(|failure| failure.into_fault(stage, scope))
    }

    fn load(&self, table: usize, columns: &Arc<Columns>) -> Result<Self::Trace, Fault> {
        let scope = Scope::Table(table);
        let load = || self.register(Resident::on_host(scope, "trace", columns.clone()));
        self.stage(Stage::Load, scope, |_| Ok(load()), |_| Ok(load()))
    }

    fn load_preprocessed(&self, key: &ProvingKey, table: usize) -> Result<Option<Preprocessed<Self>>, Fault> {
        let scope = Scope::Table(table);
        let load = || {
            key.preprocessed[table].as_ref().map(|columns| Preprocessed {
                trace: self.register(Resident::on_host(scope, "preprocessed trace", columns.trace.clone())),
                lde: self.register(Resident::on_host(scope, "preprocessed LDE", columns.lde.clone())),
            })
        };
        self.stage(Stage::LoadPreprocessed, scope, |_| Ok(load()), |_| Ok(load()))
    }

    fn load_preprocessed_tree(&self, key: &ProvingKey) -> Result<Option<Self::Tree>, Fault> {
        Ok(key.preprocessed_tree.clone().map(ResidentTree::on_host))
    }

    fn extend(
        &self,
        table: usize,
        blowup_log2: u32,
        traces: &[(&Self::Trace, Goldilocks)],
    ) -> Result<Self::Lde, Fault> {
        let lde = self.stage(
            Stage::Extend,
            Scope::Table(table),
            |stream| self.extend_on_device(stream, table, blowup_log2, traces),
            |stream| host::extend(stream, table, blowup_log2, traces),
        )?;
        Ok(self.register(lde))
    }

    fn extend_owned(
        &self,
        table: usize,
        blowup_log2: u32,
        trace: &mut Option<Self::Trace>,
    ) -> Result<Self::Lde, Fault> {
        let kept = trace.as_ref().expect("a trace is taken once");
        let lde = self.extend(table, blowup_log2, &[(kept, Goldilocks::ONE)])?;
        *trace = None;
        Ok(lde)
    }

    fn row_digests(&self, table: usize, lde: &Self::Lde) -> Result<Self::Digests, Fault> {
        self.stage(
            Stage::RowDigests,
            Scope::Table(table),
            |stream| self.row_digests_on_device(stream, lde),
            |stream| host::row_digests(stream, table, lde),
        )
    }

    fn tree(&self, blowup_log2: u32, digests: &mut Vec<(u32, Self::Digests)>) -> Result<Self::Tree, Fault> {
        let tree = self.stage(
            Stage::Tree,
            Scope::Proof,
            |stream| {
                let tree = device::tree(stream, blowup_log2, digests)?;
                if self.plan().is_some_and(|plan| plan.spills_trees) {
                    tree.move_to_host(stream)?;
                }
                Ok(tree)
            },
            |stream| host::tree(stream, blowup_log2, digests),
        )?;
        digests.clear();
        Ok(tree)
    }

    fn cap(&self, tree: &Self::Tree) -> Vec<Digest> {
        tree.cap().to_vec()
    }

    fn lookup(&self, input: LookupInput<'_, Self>) -> Result<(Self::Trace, Ext3), Fault> {
        let (columns, sum) = self.stage(
            Stage::Lookup,
            Scope::Table(input.table.index),
            |stream| self.lookup_on_device(stream, &input),
            |stream| host::lookup(stream, &input),
        )?;
        Ok((self.register(columns), sum))
    }

    fn quotient(&self, input: QuotientInput<'_, Self>) -> Result<Vec<Self::Trace>, Fault> {
        let table = input.table.index;
        let suspected = self.suspected(table);
        let parts = self.stage(
            Stage::Quotient,
            Scope::Table(table),
            |stream| self.quotient_on_device(stream, &input),
            |stream| host::quotient(stream, &input),
        )?;
        let parts: Vec<Arc<Resident>> = parts.into_iter().map(|part| self.register(part)).collect();
        if let Some(suspected) = suspected {
            // A device that fails meanwhile fails the next stage too, and recovery hears of it there.
            let _ = self.investigate(&input, &suspected, &parts);
        }
        self.keep_parts(table, &parts);
        Ok(parts)
    }

    fn denominators(&self, height_log2: u32, zeta: Ext3) -> Result<Self::Denominators, Fault> {
        let denominators = self.stage(
            Stage::Denominators,
            Scope::Height(height_log2),
            |stream| device::denominators(stream, height_log2, zeta),
            |_| host::denominators(height_log2, zeta),
        )?;
        Ok(self.register(denominators))
    }

    fn evaluate(
        &self,
        lde: &Self::Lde,
        denominators: &Self::Denominators,
        zeta: Ext3,
        next: &[usize],
    ) -> Result<(Vec<Ext3>, Vec<Ext3>), Fault> {
        self.stage(
            Stage::Evaluate,
            lde.scope(),
            |stream| self.evaluate_on_device(stream, lde, denominators, zeta, next),
            |stream| host::evaluate(stream, lde, denominators, zeta, next),
        )
    }

    fn deep(
        &self,
        height_log2: u32,
        blowup_log2: u32,
        columns: &[DeepColumns<'_, Self>],
        denominators: &Self::Denominators,
        gamma: Ext3,
    ) -> Result<Self::Codeword, Fault> {
        self.forget_parts();
        let columns = self.stage(
            Stage::Deep,
            Scope::Height(height_log2),
            |stream| self.deep_on_device(stream, height_log2, blowup_log2, columns, denominators, gamma),
            |stream| host::deep(stream, height_log2, blowup_log2, columns, denominators, gamma),
        )?;
        Ok(ResidentCodeword { columns: self.register(columns), height_log2, leaves: None })
    }

    fn commit_codeword(&self, codeword: &Self::Codeword, arity_log2: u32) -> Result<Self::Tree, Fault> {
        self.stage(
            Stage::CommitCodeword,
            Scope::Height(codeword.height_log2),
            |stream| device::commit_codeword(stream, codeword, arity_log2),
            |stream| host::commit_codeword(stream, codeword, arity_log2),
        )
    }

    fn fold(
        &self,
        codeword: &Self::Codeword,
        arity_log2: u32,
        challenge: Ext3,
    ) -> Result<Self::Codeword, Fault> {
        let height_log2 = codeword.height_log2 - arity_log2;
        let hashes = self.plan().is_some_and(|plan| plan.hashed_folds.contains(&height_log2));
        let (columns, leaves) = self.stage(
            Stage::Fold,
            Scope::Height(codeword.height_log2),
            |stream| device::fold(stream, codeword, arity_log2, challenge, hashes),
            |stream| Ok((host::fold(stream, codeword, arity_log2, challenge)?, None)),
        )?;
        Ok(ResidentCodeword { columns: self.register(columns), height_log2, leaves })
    }

    fn join(
        &self,
        codeword: &mut Self::Codeword,
        shorter: &Self::Codeword,
        weight: Ext3,
    ) -> Result<(), Fault> {
        let joined = self.stage(
            Stage::Join,
            Scope::Height(codeword.height_log2),
            |stream| device::join(stream, codeword, shorter, weight),
            |stream| host::join(stream, codeword, shorter, weight),
        )?;
        codeword.columns = self.register(joined);
        codeword.leaves = None;
        Ok(())
    }

    fn interpolate(&self, codeword: &Self::Codeword) -> Result<Vec<Ext3>, Fault> {
        self.stage(
            Stage::Interpolate,
            Scope::Proof,
            |stream| self.interpolate_on_device(stream, codeword),
            |stream| host::interpolate(stream, codeword),
        )
    }

    fn grind(&self, seed: &[u8; 32], bits: u32) -> Result<u64, Fault> {
        self.stage(
            Stage::Grind,
            Scope::Proof,
            |stream| device::grind(stream, seed, bits),
            |_| host::grind(seed, bits),
        )
    }

    fn open_rows(
        &self,
        lde: &Self::Lde,
        height_log2: u32,
        positions: &[usize],
    ) -> Result<Vec<Goldilocks>, Fault> {
        self.stage(
            Stage::OpenRows,
            lde.scope(),
            |stream| device::open_rows(stream, lde, height_log2, positions),
            |stream| host::open_rows(stream, lde, height_log2, positions),
        )
    }

    fn open_codeword(&self, codeword: &Self::Codeword, positions: &[usize]) -> Result<Vec<Ext3>, Fault> {
        self.stage(
            Stage::OpenCodeword,
            Scope::Proof,
            |stream| device::open_codeword(stream, codeword, positions),
            |stream| host::open_codeword(stream, codeword, positions),
        )
    }

    fn open_tree(&self, tree: &Self::Tree, positions: &[usize]) -> Result<Vec<Digest>, Fault> {
        self.stage(
            Stage::OpenTree,
            Scope::Proof,
            |stream| Ok(tree.open(stream, positions)?),
            |stream| {
                tree.move_to_host(stream)?;
                Ok(tree.open(stream, positions)?)
            },
        )
    }
}
