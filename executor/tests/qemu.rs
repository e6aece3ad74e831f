//! Random programs and the guests against `qemu-riscv64`. Where it is not installed the tests say so and
//! pass.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use lambda_executor::testing::random::{BLOCK_BYTES, INPUT_BYTES, Random, random_elf};
use lambda_executor::{Executor, Limits};

const QEMU: &str = "qemu-riscv64";

/// Files of random programs, and programs in each.
const FILES: u64 = 50;
const PROGRAMS: usize = 200;
/// Instructions of a program, about.
const LENGTH: usize = 120;

/// More than any of the programs needs, so that a wrong jump does not run forever.
const LIMITS: Limits = Limits { cycles: 50_000_000, memory_bytes: 1 << 30 };

fn has_qemu() -> bool {
    let found = Command::new(QEMU).arg("--version").output().is_ok();
    if !found {
        // Past the capture of output, so that a skipped test is seen.
        let _ = writeln!(std::io::stderr(), "skipped: {QEMU} is not installed");
    }
    found
}

fn qemu(elf: &Path, input: &Path) -> Output {
    let input = fs::File::open(input).expect("the input was written");
    Command::new(QEMU).arg(elf).stdin(Stdio::from(input)).output().expect("qemu starts")
}

#[test]
fn random_programs_end_in_the_same_state() {
    if !has_qemu() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder for files");
    let (elf_file, input_file) = (folder.path().join("random.elf"), folder.path().join("input"));
    for seed in 0..FILES {
        let elf = random_elf(0x5eed_0000 + seed, PROGRAMS, LENGTH).to_bytes();
        let mut random = Random::new(seed);
        let input: Vec<u8> = (0..INPUT_BYTES).map(|_| random.number() as u8).collect();
        fs::write(&elf_file, &elf).and_then(|()| fs::write(&input_file, &input)).expect("files are written");
        fs::set_permissions(&elf_file, fs::Permissions::from_mode(0o755)).expect("the file is ours");
        let expected = qemu(&elf_file, &input_file);

        let executor = Executor::from_elf(&elf).expect("valid").with_limits(LIMITS);
        let execution = executor.run(&input).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(expected.status.code(), Some(execution.exit_code as i32), "seed {seed}");
        assert_eq!(execution.output, expected.stdout, "seed {seed}");
        assert_eq!(execution.log.len(), expected.stderr.len(), "seed {seed}");
        let first = execution.log.len() - PROGRAMS * BLOCK_BYTES;
        assert_eq!(execution.log[..first], expected.stderr[..first], "seed {seed}");
        let blocks = |log: &[u8]| log[first..].to_vec();
        let (ours, theirs) = (blocks(&execution.log), blocks(&expected.stderr));
        let cells = |bytes: &[u8]| {
            bytes.as_chunks().0.iter().map(|cell| u64::from_le_bytes(*cell)).collect::<Vec<_>>()
        };
        for (i, (got, expected)) in cells(&ours).into_iter().zip(cells(&theirs)).enumerate() {
            let (program, cell) = (8 * i / BLOCK_BYTES, i % (BLOCK_BYTES / 8));
            assert_eq!(got, expected, "seed {seed}, program {program}, cell {cell} (registers come first)");
        }
    }
}

/// Every committed guest on a few inputs, which start with a small number of rounds. Some are not what it
/// wants, and its complaint must be the same.
#[test]
fn guests_do_the_same() {
    if !has_qemu() {
        return;
    }
    let guests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guests/elf");
    let folder = tempfile::tempdir().expect("a folder for files");
    let (elf_file, input_file) = (folder.path().join("guest.elf"), folder.path().join("input"));
    let mut count = 0;
    for entry in fs::read_dir(guests).expect("guests are committed") {
        let path = entry.expect("the folder can be read").path();
        if path.extension().is_none_or(|extension| extension != "elf") {
            continue;
        }
        count += 1;
        let elf = fs::read(&path).expect("the guest can be read");
        let executor = Executor::from_elf(&elf).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let executor = executor.with_limits(LIMITS);
        fs::write(&elf_file, &elf).expect("the guest is copied");
        fs::set_permissions(&elf_file, fs::Permissions::from_mode(0o755)).expect("the file is ours");
        for length in [0, 3, 8, 97, 1000] {
            let number = 25_u64.to_le_bytes();
            let input: Vec<u8> = number.into_iter().chain(1..=255).cycle().take(length).collect();
            fs::write(&input_file, &input).expect("the input is written");
            let expected = qemu(&elf_file, &input_file);
            let got = executor.run(&input).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(expected.status.code(), Some(got.exit_code as i32), "{}", path.display());
            assert_eq!(got.output, expected.stdout, "{}, {} bytes", path.display(), input.len());
            assert_eq!(got.log, expected.stderr, "{}, {} bytes", path.display(), input.len());
        }
    }
    assert!(count > 0, "there are guests");
}
