//! What each entry point costs a multiprocessor, read from the assembler's log.

use std::collections::BTreeMap;

use serde::Serialize;

/// Costs of the entry points of a family. Sorted, so that the file changes only where a cost does.
#[derive(Debug, Default)]
pub struct Resources {
    entries: BTreeMap<String, Entry>,
}

/// Costs of one entry point. Bytes are the most on any architecture.
#[derive(Debug, Default, Serialize)]
struct Entry {
    /// Static shared memory of a block; what a launch adds is not in it.
    shared_bytes: u32,
    /// Local memory of a thread: arrays that are indexed at run time.
    stack_bytes: u32,
    /// Registers of a thread, by architecture.
    registers: BTreeMap<u32, u32>,
    #[serde(skip)]
    spilled_bytes: BTreeMap<u32, u32>,
}

impl Resources {
    /// Number of entry points.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds what `ptxas --verbose` logged for one architecture.
    pub fn read_log(&mut self, architecture: u32, log: &str) {
        let mut entry = "";
        for line in log.lines() {
            if line.contains("Compiling entry function") {
                entry = line.split('\'').nth(1).unwrap_or_default();
                self.entries.entry(entry.to_owned()).or_default();
            }
            let Some(costs) = self.entries.get_mut(entry) else { continue };
            if let Some(bytes) = before(line, " bytes stack frame") {
                costs.stack_bytes = costs.stack_bytes.max(bytes);
                let spilled = before(line, " bytes spill stores").max(before(line, " bytes spill loads"));
                costs.spilled_bytes.insert(architecture, spilled.unwrap_or(0));
            }
            if let Some(registers) = before(line, " registers") {
                costs.registers.insert(architecture, registers);
                costs.shared_bytes = costs.shared_bytes.max(before(line, " bytes smem").unwrap_or(0));
            }
        }
    }

    /// One complaint for each entry point and architecture that spills registers.
    pub fn spills(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        for (name, entry) in &self.entries {
            for (architecture, bytes) in entry.spilled_bytes.iter().filter(|(_, bytes)| **bytes > 0) {
                complaints.push(format!("{name} spills {bytes} bytes of registers on sm_{architecture}"));
            }
        }
        complaints
    }

    /// A JSON object with one line for each entry point.
    pub fn to_json(&self) -> String {
        let lines: Vec<String> = self
            .entries
            .iter()
            .map(|(name, entry)| {
                let costs = serde_json::to_string(entry).expect("numbers under names are JSON");
                format!("  \"{name}\": {costs}")
            })
            .collect();
        format!("{{\n{}\n}}\n", lines.join(",\n"))
    }
}

/// The number that stands before `unit` in the line.
fn before(line: &str, unit: &str) -> Option<u32> {
    line.split_once(unit)?.0.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// What the log says beside its measurements: warnings, each with the source line it is about.
pub fn warnings(log: &str) -> Option<String> {
    const MEASUREMENTS: [&str; 6] = [
        "Compiling entry function",
        "Function properties",
        " stack frame",
        " registers",
        "Compile time",
        " gmem",
    ];
    let is_measurement =
        |line: &str| line.starts_with("ptxas") && MEASUREMENTS.iter().any(|what| line.contains(what));
    let words: Vec<&str> =
        log.lines().filter(|line| !line.trim().is_empty() && !is_measurement(line)).collect();
    (!words.is_empty()).then(|| words.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
ptxas info    : 8 bytes gmem, 16 bytes cmem[3]
ptxas info    : Compiling entry function 'fold_wide' for 'sm_90'
ptxas info    : Function properties for fold_wide
ptxas         .     40 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 15 registers, used 0 barriers, 40 bytes cumulative stack size
ptxas info    : Compile time = 3.459 ms
ptxas info    : Compiling entry function 'fold_sum' for 'sm_90'
ptxas info    : Function properties for fold_sum
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 18 registers, used 1 barriers, 64 bytes smem
ptxas info    : Compile time = 4.350 ms
";

    #[test]
    fn a_log_becomes_a_sorted_line_for_each_entry() {
        let mut resources = Resources::default();
        resources.read_log(90, LOG);
        let expected = "{\n  \
            \"fold_sum\": {\"shared_bytes\":64,\"stack_bytes\":0,\"registers\":{\"90\":18}},\n  \
            \"fold_wide\": {\"shared_bytes\":0,\"stack_bytes\":40,\"registers\":{\"90\":15}}\n}\n";
        assert_eq!(resources.to_json(), expected);
        assert_eq!(resources.spills(), ["fold_wide spills 12 bytes of registers on sm_90"]);
    }

    #[test]
    fn what_is_no_measurement_is_a_warning() {
        assert_eq!(warnings(LOG), None);
        let warning = "a.cu(3): warning #177-D: variable \"x\" was declared but never referenced\n    u32 x;";
        assert_eq!(warnings(&format!("{LOG}{warning}\n\n")).as_deref(), Some(warning));
        assert!(warnings("ptxas warning : Registers are limited\n").is_some());
    }

    #[test]
    fn the_worst_architecture_counts() {
        let mut resources = Resources::default();
        resources.read_log(80, &LOG.replace("64 bytes smem", "128 bytes smem"));
        resources.read_log(90, LOG);
        assert_eq!(resources.entries["fold_sum"].shared_bytes, 128);
        assert_eq!(resources.entries["fold_sum"].registers, BTreeMap::from([(80, 18), (90, 18)]));
        assert_eq!(resources.spills().len(), 2);
    }
}
