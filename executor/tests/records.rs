//! Records of random programs hold together: an interpreter that shares no code with the executor's wants
//! exactly the recorded events.

use lambda_executor::testing::random::{INPUT_BYTES, Random, random_elf};
use lambda_executor::testing::{check_record, random};
use lambda_executor::{Executor, Limits};

/// More than any of the programs needs, so that a wrong jump does not run forever.
const LIMITS: Limits = Limits { cycles: 1_000_000, memory_bytes: 1 << 30 };

#[test]
fn records_of_random_programs_are_consistent() {
    let mut seen = [0; 10];
    for seed in 0..100 {
        let elf = random_elf(seed, 2, 300).to_bytes();
        let mut random = Random::new(seed);
        let input: Vec<u8> = (0..INPUT_BYTES).map(|_| random.number() as u8).collect();
        let executor = Executor::from_elf(&elf).expect("valid").with_limits(LIMITS);
        let (execution, record) =
            executor.record(&input).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        check_record(executor.program(), &record);

        // Who watches changes nothing.
        assert_eq!(executor.run(&input).as_ref(), Ok(&execution), "seed {seed}");
        let (profiled, profile) = executor.profile(&input).expect("runs");
        assert_eq!(profiled, execution, "seed {seed}");
        let counted: u64 = profile.stacks.iter().map(|(_, count)| count).sum();
        assert_eq!(counted, execution.cycles, "seed {seed}");
        assert_eq!(record.cpu.len() as u64, execution.cycles);
        assert_eq!((&record.output, record.exit_code), (&execution.output, execution.exit_code));
        assert_eq!(
            execution.log[execution.log.len() - 2 * random::BLOCK_BYTES..].len(),
            2 * random::BLOCK_BYTES
        );

        let crossing = record.misaligned.iter().filter(|event| event.second.time_before > 0);
        let kinds = [
            record.compare.len(),
            record.bitwise.len(),
            record.shift.len(),
            record.word.len(),
            record.mul.len(),
            record.divrem.len(),
            record.memory.len(),
            record.subword.len(),
            crossing.count(),
            record.io.len(),
        ];
        seen.iter_mut().zip(kinds).for_each(|(sum, count)| *sum += count);
    }
    // Programs without some kind of event would check nothing about it.
    assert!(seen.iter().all(|count| *count > 100), "{seen:?}");
}

/// Compiled programs use other instructions and more memory than random ones.
#[test]
fn records_of_guests_are_consistent() {
    let input: Vec<u8> = 2_u64.to_le_bytes().into_iter().chain(1..90).collect();
    for name in ["hello", "fib", "sha256", "keccak", "ecrecover", "block"] {
        let path = format!("{}/../guests/elf/{name}.elf", env!("CARGO_MANIFEST_DIR"));
        let elf = std::fs::read(path).expect("guests are committed");
        let executor = Executor::from_elf(&elf).expect("valid").with_limits(LIMITS);
        let (execution, record) = executor.record(&input).unwrap_or_else(|error| panic!("{name}: {error}"));
        check_record(executor.program(), &record);
        assert!(!execution.output.is_empty() || execution.exit_code != 0, "{name} did something");
    }
}
