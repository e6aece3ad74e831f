//! Programs, from their execution to a verified proof.

use lambda_executor::Executor;
use lambda_prover::execution::ProvableProgram;
use lambda_prover::{Profile, check_traces};

#[test]
fn traces_of_a_guest_satisfy_everything() {
    let elf = std::fs::read("../guests/elf/fib.elf").unwrap();
    let executor = Executor::from_elf(&elf).unwrap();
    let (execution, record) = executor.record(&20u64.to_le_bytes()).unwrap();
    assert_eq!(execution.output, 6765u64.to_le_bytes());
    let program = ProvableProgram::new(Profile::Test, executor.program().clone()).unwrap();
    let census = program.census(&record);
    eprintln!("{census:#?} {}", census.cells_per_cycle());
    let (system, witness) = program.instantiate(program.witness(&record)).unwrap();
    if let Err(report) = check_traces(&system.key, &witness.traces, &witness.statement) {
        panic!("{report}");
    }
}
