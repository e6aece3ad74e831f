//! What the result and the report of a proof say about who computed it.

use lambda_gpu_lde::DeviceBackend;
use lambda_math_cuda::Driver;
use lambda_prover::Action;
use lambda_prover::recovery::RecoveryEvent;
use lambda_verifier::command::human_bytes;
use serde_json::{Value, json};

use super::Computer;

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
    pub fn json(&self) -> Value {
        let mut value = json!({"kind": self.kind(), "name": self.name(), "reason": self.reason});
        if let Some(backend) = &self.backend {
            let stats = backend.device().stats();
            let info = backend.device().info();
            let findings: Vec<String> = backend.findings().iter().map(ToString::to_string).collect();
            let members = json!({
                "compute_capability": capability(info.capability),
                "driver": driver(backend.device().driver()),
                "budget_bytes": stats.budget_bytes,
                "peak_bytes": stats.peak_bytes,
                "peak_extent_bytes": stats.peak_extent_bytes,
                "allocations": stats.allocations,
                "counters": counters(backend),
                "findings": findings,
            });
            for (key, member) in members.as_object().into_iter().flatten() {
                value[key] = member.clone();
            }
        }
        value
    }
}

fn counters(backend: &DeviceBackend) -> Value {
    let counters = backend.counters();
    json!({
        "downgrades": counters.downgrades,
        "drains": counters.drains,
        "spilled_bytes": counters.spilled_bytes,
        "evicted_bytes": counters.evicted_bytes,
        "window_waits": counters.window_waits,
        "window_wait_seconds": counters.window_wait_nanoseconds as f64 / 1e9,
    })
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
