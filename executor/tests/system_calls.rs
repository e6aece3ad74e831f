//! System calls move what `lambda_machine::ecall` says, and leave records that hold together.

use lambda_executor::Executor;
use lambda_executor::testing::assembler::{self as asm, constant};
use lambda_executor::testing::check_record;
use lambda_executor::testing::elf_file::{DATA, ElfFile};
use lambda_machine::ecall;
use lambda_machine::record::IoKind;
use proptest::prelude::*;

/// Bytes at [`DATA`].
const MEMORY: [u8; 32] = *b"0123456789abcdefghijklmnopqrstuv";

/// A call with its arguments.
type Call = (u64, [u64; 3]);

/// Does calls; gives the executor, and runs it.
fn program(calls: &[Call]) -> Executor {
    let mut code = Vec::new();
    for (number, arguments) in calls {
        for (register, value) in (10..).zip(arguments) {
            code.extend(constant(register, *value));
        }
        code.extend(asm::system_call(*number));
    }
    code.extend(asm::exit(7));
    let file = ElfFile { code, data: MEMORY.to_vec(), functions: Vec::new() };
    Executor::from_elf(&file.to_bytes()).expect("valid")
}

/// What one call of a fresh program returns, and its public output.
fn one(call: Call, input: &[u8]) -> (u64, Vec<u8>) {
    let executor = program(&[call]);
    let (execution, record) = executor.record(input).expect("runs");
    check_record(executor.program(), &record);
    assert_eq!(execution.exit_code, 7);
    (record.io[0].result, execution.output)
}

const fn at(offset: u64) -> u64 {
    DATA as u64 + offset
}

#[test]
fn a_write_moves_a_cell_or_a_byte_or_nothing() {
    let write = |offset, length| one((ecall::WRITE, [ecall::OUTPUT, at(offset), length]), &[]);
    assert_eq!(write(0, 8), (8, b"01234567".to_vec()));
    assert_eq!(write(8, 0xffff_ffff), (8, b"89abcdef".to_vec()));
    assert_eq!(write(0, 7), (1, b"0".to_vec()));
    assert_eq!(write(4, 8), (1, b"4".to_vec()));
    assert_eq!(write(15, 1), (1, b"f".to_vec()));
    assert_eq!(write(0, 0), (0, Vec::new()));
    // Nothing is moved, so the address does not matter.
    assert_eq!(one((ecall::WRITE, [ecall::OUTPUT, u64::MAX, 0]), &[]), (0, Vec::new()));
}

#[test]
fn a_read_moves_a_cell_or_a_byte_or_nothing() {
    let read = |offset, length, input: &[u8]| {
        let read = (ecall::READ, [ecall::INPUT, at(offset), length]);
        let writes = [0, 8].map(|cell| (ecall::WRITE, [ecall::OUTPUT, at(cell), 8]));
        let executor = program(&[read, writes[0], writes[1]]);
        let (execution, record) = executor.record(input).expect("runs");
        check_record(executor.program(), &record);
        let text = String::from_utf8(execution.output).expect("text");
        (record.io[0].result, text)
    };
    let expect = |result, text: &str| (result, String::from(text));
    assert_eq!(read(0, 8, b"ABCDEFGHI"), expect(8, "ABCDEFGH89abcdef"));
    assert_eq!(read(8, 100, b"ABCDEFGH"), expect(8, "01234567ABCDEFGH"));
    assert_eq!(read(0, 8, b"ABCDEFG"), expect(1, "A123456789abcdef"));
    assert_eq!(read(0, 7, b"ABCDEFGH"), expect(1, "A123456789abcdef"));
    assert_eq!(read(3, 8, b"ABCDEFGH"), expect(1, "012A456789abcdef"));
    assert_eq!(read(3, 0, b"ABCDEFGH"), expect(0, "0123456789abcdef"));
    assert_eq!(read(0, 8, b""), expect(0, "0123456789abcdef"));
}

/// The length is that of the whole input, whatever was read, and the registers do not matter.
#[test]
fn the_length_of_the_input_is_known() {
    let executor = program(&[(ecall::READ, [0, at(0), 8]), (ecall::INPUT_LENGTH, [u64::MAX; 3])]);
    let (_, record) = executor.record(&[0; 1000]).expect("runs");
    check_record(executor.program(), &record);
    assert_eq!((record.io[1].kind, record.io[1].result), (IoKind::InputLength, 1000));
}

/// The log takes any length, leaves no trace in memory, and what does not exist is left out.
#[test]
fn the_log_takes_everything() {
    let log = |address, length| {
        let executor = program(&[(ecall::WRITE, [ecall::LOG, address, length])]);
        let (execution, record) = executor.record(&[]).expect("runs");
        check_record(executor.program(), &record);
        assert_eq!(record.io[0].result, length);
        assert!(record.boundary.is_empty());
        execution.log
    };
    assert_eq!(log(at(3), 12), b"3456789abcde");
    assert_eq!(log(at(0), 0), b"");
    assert_eq!(log(0, 100), b"");
    assert_eq!(log(u64::MAX - 3, 100), b"");
    assert_eq!(log((1 << 32) - 2, 4), [0, 0]);
    let huge = log(at(24), 0xffff_ffff);
    assert!(huge.len() <= 1 << 20, "{} bytes", huge.len());

    let calls: Vec<Call> = (0..40).map(|_| (ecall::WRITE, [ecall::LOG, at(0), 1 << 15])).collect();
    let execution = program(&calls).run(&[]).expect("runs");
    assert_eq!(execution.log.len(), 1 << 20);
    assert!(execution.log.starts_with(&MEMORY));
}

#[test]
fn exit_codes_have_64_bits() {
    for code in [0, 1, 255, 1 << 40, u64::MAX] {
        let executor = Executor::from_elf(&ElfFile::new(asm::exit(code)).to_bytes()).expect("valid");
        let (execution, record) = executor.record(&[]).expect("an exit is no error");
        check_record(executor.program(), &record);
        assert_eq!((execution.exit_code, record.exit_code), (code, code));
    }
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let number = prop_oneof![Just(ecall::READ), Just(ecall::WRITE), Just(ecall::INPUT_LENGTH)];
    let length = prop_oneof![0_u64..10, Just(0xffff_ffff)];
    let call = (number, 1_u64..3, 0_u64..32, length).prop_map(|(number, descriptor, offset, length)| {
        let descriptor = if number == ecall::READ { 0 } else { descriptor };
        // A log of 4 GiB is slow to keep.
        let length = if descriptor == ecall::LOG { length % 100 } else { length };
        (number, [descriptor, at(offset), length])
    });
    prop::collection::vec(call, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any sequence of calls leaves a record that holds together.
    #[test]
    fn records_of_calls_are_consistent(calls in calls(), input in prop::collection::vec(any::<u8>(), 0..80)) {
        let executor = program(&calls);
        let (execution, record) = executor.record(&input).expect("runs");
        check_record(executor.program(), &record);
        prop_assert_eq!(record.io.len(), calls.len());
        prop_assert_eq!(execution.output, record.output);
    }
}
