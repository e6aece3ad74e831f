//! Result files.

use std::fs;
use std::io;
use std::path::Path;

use lambda_math::Goldilocks;
use p3_field::{Field, PackedValue};
use serde::Serialize;
use serde_json::{Value, json};

/// The machine that a result was made on.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// Processor.
    pub cpu: String,
    /// Threads that the benchmark used.
    pub threads: usize,
    /// Field elements in a SIMD register of this build.
    pub lanes: usize,
}

impl Machine {
    /// This machine, with the current rayon pool.
    pub fn this() -> Self {
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let cpu = info
            .lines()
            .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
            .map_or("unknown", |(_, name)| name);
        Self {
            cpu: cpu.to_owned(),
            threads: rayon::current_num_threads(),
            lanes: <Goldilocks as Field>::Packing::WIDTH,
        }
    }
}

/// Writes the `rows` of benchmark `bench` to `path`, if one is given.
pub fn write(path: Option<&Path>, bench: &str, rows: Vec<Value>) -> io::Result<()> {
    let Some(path) = path else { return Ok(()) };
    let result = json!({ "bench": bench, "machine": Machine::this(), "rows": rows });
    fs::write(path, format!("{result:#}\n"))
}
