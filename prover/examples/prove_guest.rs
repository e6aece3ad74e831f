//! Proves a guest and writes the proof file: `prove_guest ELF INPUT-HEX OUTPUT`.
//!
//! The command line without its comforts, and without what it is built from: `make simd-check` compares what
//! builds for several instruction sets write.

use std::error::Error;

use lambda_executor::Executor;
use lambda_prover::execution::ProvableProgram;
use lambda_prover::{HostBackend, Profile};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [elf, input, output] = &arguments[..] else {
        return Err("usage: prove_guest ELF INPUT-HEX OUTPUT".into());
    };
    let digits: Vec<char> = input.chars().collect();
    let input = digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16))
        .collect::<Result<Vec<u8>, _>>()?;
    let executor = Executor::from_elf(&std::fs::read(elf)?)?;
    let (execution, record) = executor.record(&input)?;
    let program = ProvableProgram::new(Profile::Default, executor.program().clone())?;
    let proven = program.prove(&HostBackend, program.witness(&record), &())?;
    std::fs::write(output, proven.file.encode())?;
    println!("{} cycles, {}", execution.cycles, proven.accepted.johnson);
    Ok(())
}
