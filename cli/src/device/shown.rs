//! What the result and the report of a proof say about who computed it.

use lambda_gpu_lde::{DeviceBackend, DevicePlan, Place, PlannedTable};
use lambda_math_cuda::Driver;
use lambda_prover::Action;
use lambda_prover::recovery::{RecoveryEvent, Shortage};
use lambda_verifier::command::human_bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Computer;

/// Who computed a proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComputerReport {
    /// `host`, `cuda` or `emu`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Why it is this one.
    pub reason: String,
    /// The device, where it is one.
    #[serde(flatten)]
    pub device: Option<DeviceReport>,
}

/// A device after a proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceReport {
    /// What it can execute.
    pub compute_capability: String,
    /// The driver's path and CUDA version.
    pub driver: Value,
    /// Device memory that the proof might have.
    pub budget_bytes: u64,
    /// Most of it in use at one time.
    pub peak_bytes: u64,
    /// The smallest budget in which the same would have fitted.
    pub peak_extent_bytes: u64,
    /// Allocations, refused ones included.
    pub allocations: u64,
    /// What was planned before the proof.
    pub plan: Option<PlanReport>,
    /// What recovery and residency cost.
    pub counters: CountersReport,
    /// What `--xcheck` found.
    pub findings: Vec<String>,
}

/// Where the tables were to be computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanReport {
    /// Bytes in use at the fullest moment.
    pub peak_bytes: u64,
    /// Whether trees over tables were to go to the host once they were built.
    pub spills_trees: bool,
    /// Whether nothing was to be computed on the device.
    pub host_only: bool,
    /// The tables.
    pub places: Vec<PlaceReport>,
}

/// Where a table was to be computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceReport {
    /// Name.
    pub table: String,
    /// `resident`, `streamed` or `host`.
    pub place: String,
    /// Bytes that were missing for the next better place.
    pub missing_bytes: Option<u64>,
}

impl PlanReport {
    fn new(plan: &DevicePlan) -> Self {
        let place = |table: &PlannedTable| PlaceReport {
            table: table.table.clone(),
            place: place(table.place).to_owned(),
            missing_bytes: table.missing_bytes,
        };
        Self {
            peak_bytes: plan.peak_bytes(),
            spills_trees: plan.spills_trees,
            host_only: plan.host_only,
            places: plan.tables.iter().map(place).collect(),
        }
    }

    /// How many tables are where, for people.
    pub fn text(&self) -> String {
        if self.host_only {
            return "all on the host".to_owned();
        }
        let count = |place: Place, verb: &str| {
            let name = self::place(place);
            let count = self.places.iter().filter(|table| table.place == name).count();
            (count > 0).then(|| format!("{count} {verb}"))
        };
        let counts = [
            count(Place::Resident, "resident"),
            count(Place::Streamed, "streamed"),
            count(Place::Host, "on the host"),
        ];
        counts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// What recovery and residency cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CountersReport {
    /// Tables, and stages of other scopes, that moved to the host.
    pub downgrades: u64,
    /// Waits for all work.
    pub drains: u64,
    /// Bytes copied to the host because something moved there.
    pub spilled_bytes: u64,
    /// Bytes of copies on the device that were dropped to make room.
    pub evicted_bytes: u64,
    /// Times that a composition waited for another's end.
    pub window_waits: u64,
    /// How long they waited.
    pub window_wait_seconds: f64,
}

impl Computer {
    /// `host`, `cuda` or `emu`.
    pub fn kind(&self) -> &'static str {
        match &self.backend {
            None => "host",
            Some(backend) if backend.device().driver().emulator().is_some() => "emu",
            Some(_) => "cuda",
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.backend.as_ref().map_or("host", |backend| &backend.device().info().name)
    }

    /// For people, after a proof with `recovery`.
    pub fn text(&self, recovery: &[RecoveryEvent]) -> String {
        let Some(backend) = &self.backend else { return "host".to_owned() };
        let stats = backend.device().stats();
        let mut text = format!(
            "{}, peak {} of {}",
            self.name(),
            human_bytes(stats.peak_bytes as usize),
            human_bytes(stats.budget_bytes as usize)
        );
        if let Some(plan) = backend.plan() {
            text.push_str(&format!(", tables: {}", PlanReport::new(&plan).text()));
        }
        match backend.counters().downgrades {
            0 => {}
            1 => text.push_str(", 1 downgrade"),
            count => text.push_str(&format!(", {count} downgrades")),
        }
        if recovery.iter().any(|event| event.action == Action::Restart) {
            text.push_str(", finished on the host");
        }
        for finding in backend.findings() {
            text.push_str(&format!("\nfinding    {finding}"));
        }
        text
    }

    /// For programs, after a proof.
    pub fn report(&self) -> ComputerReport {
        ComputerReport {
            kind: self.kind().to_owned(),
            name: self.name().to_owned(),
            reason: self.reason.clone(),
            device: self.backend.as_ref().map(DeviceReport::new),
        }
    }
}

impl DeviceReport {
    fn new(backend: &DeviceBackend) -> Self {
        let (stats, info, counters) = (backend.device().stats(), backend.device().info(), backend.counters());
        Self {
            compute_capability: capability(info.capability),
            driver: driver(backend.device().driver()),
            budget_bytes: stats.budget_bytes,
            peak_bytes: stats.peak_bytes,
            peak_extent_bytes: stats.peak_extent_bytes,
            allocations: stats.allocations,
            plan: backend.plan().map(|plan| PlanReport::new(&plan)),
            counters: CountersReport {
                downgrades: counters.downgrades,
                drains: counters.drains,
                spilled_bytes: counters.spilled_bytes,
                evicted_bytes: counters.evicted_bytes,
                window_waits: counters.window_waits,
                window_wait_seconds: counters.window_wait_nanoseconds as f64 / 1e9,
            },
            findings: backend.findings().iter().map(ToString::to_string).collect(),
        }
    }
}

/// The fault of `event`, for people.
pub fn fault(event: &RecoveryEvent) -> String {
    match event.shortage {
        None => event.fault.clone(),
        Some(Shortage { wanted_bytes, free_bytes }) => format!(
            "{} wanted, {} free in one piece",
            human_bytes(wanted_bytes as usize),
            human_bytes(free_bytes as usize)
        ),
    }
}

/// What was done about the fault of `event`, for people.
pub const fn done(event: &RecoveryEvent) -> &'static str {
    match event.action {
        Action::Evict => "made room, and tried again",
        Action::Drain => "waited for all work, and tried again",
        Action::Shrink => "went on a piece at a time",
        Action::Downgrade => "went on on the host",
        Action::Restart => "began again on the host",
        Action::Fail => "gave up",
    }
}

/// The name of a place.
pub const fn place(place: Place) -> &'static str {
    match place {
        Place::Resident => "resident",
        Place::Streamed => "streamed",
        Place::Host => "host",
    }
}

/// A driver for programs.
pub fn driver(driver: &Driver) -> Value {
    json!({"path": driver.path().display().to_string(), "cuda_version": version(driver)})
}

/// The CUDA version of a driver.
pub fn version(driver: &Driver) -> String {
    format!("{}.{}", driver.version() / 1000, driver.version() % 1000 / 10)
}

/// A compute capability.
pub fn capability((major, minor): (i32, i32)) -> String {
    format!("{major}.{minor}")
}
