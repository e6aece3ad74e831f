//! The configuration of one emulated device, as JSON.

use std::path::PathBuf;

use serde::Deserialize;

use crate::faults::Planned;
use crate::schedule::Policy;

/// What a device is and how it behaves. Every field is optional in the JSON.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Chooses schedule, thread order and what a fault without coordinates hits.
    pub seed: u64,
    /// The word that fresh memory is filled with.
    pub junk: u64,
    /// When work is done that nothing waits for.
    pub schedule: Policy,
    /// As `cuDriverGetVersion` answers: 1000 times major plus ten times minor. Newer PTX is refused.
    pub driver_version: i32,
    /// Major and minor; PTX for a higher target is refused.
    pub compute_capability: [u32; 2],
    /// Streaming multiprocessors, for hosts that size their grids by it.
    pub multiprocessors: u32,
    /// Threads that execute the blocks of one launch.
    pub launch_threads: usize,
    /// Folder to write every launch to; see [`crate::record`].
    pub record: Option<PathBuf>,
    /// What goes wrong when.
    pub faults: Vec<Planned>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            memory_bytes: 1 << 30,
            seed: 0,
            junk: 0xdead_beef_dead_beef,
            schedule: Policy::Random,
            driver_version: 13_000,
            compute_capability: [9, 0],
            multiprocessors: 132,
            launch_threads: 2,
            record: None,
            faults: vec![],
        }
    }
}

impl Config {
    /// Parses a configuration; empty text is the default.
    ///
    /// # Errors
    /// Text that is not such JSON, in words.
    pub fn parse(json: &str) -> Result<Self, String> {
        if json.trim().is_empty() {
            return Ok(Self::default());
        }
        let config: Self =
            serde_json::from_str(json).map_err(|error| format!("device configuration: {error}"))?;
        config.faults.iter().try_for_each(Planned::check)?;
        Ok(config)
    }

    /// The newest PTX version that the driver takes.
    pub fn newest_ptx(&self) -> (u32, u32) {
        let (major, minor) = ((self.driver_version / 1000) as u32, (self.driver_version % 1000 / 10) as u32);
        match (major, minor) {
            // CUDA 12.5 and 12.6 share PTX 8.5; from there on PTX is one behind.
            (12, 6..) => (8, minor - 1),
            (..=3, _) => (0, 0),
            _ => (major - 4, minor),
        }
    }
}
