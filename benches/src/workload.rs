//! Whole systems to prove, by name.

use lambda_air::Table;
use lambda_demo::DemoInput;
use lambda_prover::{HostBackend, Profile, Proven, System, Witness, prove};
use lambda_verifier::Statement;

use crate::{keccak, zkvm};

/// A system and its witness.
pub struct Workload {
    /// Name on the command line and in results.
    pub name: &'static str,
    /// The system.
    pub system: System,
    witness: Witness,
}

/// All workloads.
pub const NAMES: [&str; 3] = ["keccak", "zkvm", "demo"];

impl Workload {
    /// The workload called `name`, one of [`NAMES`].
    ///
    /// # Panics
    /// On any other name.
    pub fn new(name: &str, profile: Profile) -> Self {
        let system = |tables: Vec<Table>| System::new(profile, tables).expect("the tables keep the rules");
        match name {
            "keccak" => {
                let traces = vec![keccak::columns(&keccak::rows(keccak::PERMUTATIONS))];
                let statement = Statement { public_values: vec![Vec::new()], messages: Vec::new() };
                Self {
                    name: "keccak",
                    system: system(keccak::tables()),
                    witness: Witness { traces, statement },
                }
            }
            "zkvm" => {
                let traces = zkvm::traces();
                let public_values = vec![Vec::new(); traces.len()];
                let statement = Statement { public_values, messages: Vec::new() };
                Self { name: "zkvm", system: system(zkvm::tables()), witness: Witness { traces, statement } }
            }
            "demo" => {
                let input = DemoInput { fibonacci_log2: 16, keccak_permutations: 100, seed: 1 };
                let (traces, public_values) = lambda_demo::traces(&input);
                let statement = Statement { public_values, messages: Vec::new() };
                Self {
                    name: "demo",
                    system: system(lambda_demo::tables()),
                    witness: Witness { traces, statement },
                }
            }
            _ => panic!("the workloads are {NAMES:?}, not {name}"),
        }
    }

    /// Main cells of all tables.
    pub fn cells(&self) -> usize {
        self.witness.traces.iter().map(|trace| trace.values().len()).sum()
    }

    /// Proves it.
    pub fn prove(&self) -> Proven {
        prove(&self.system, &HostBackend, self.witness.clone(), &()).expect("the witness is satisfied")
    }
}
