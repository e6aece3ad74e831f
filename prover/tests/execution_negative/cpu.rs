//! Decoding, operands, results, jumps and the exit.

use lambda_executor::testing::assembler::{self as asm, constant, immediate, register};
use lambda_executor::testing::elf_file::DATA;
use lambda_machine::ecall;
use lambda_machine::isa::{Class, MemoryOp};
use lambda_machine::record::{CpuEvent, ExecutionRecord};
use lambda_machine::tables::TableId;
use lambda_machine::tables::cpu::CpuColumns;
use lambda_machine::tables::io::IoColumns;
use lambda_machine::tables::memory::MemoryColumns;
use lambda_machine::tables::misaligned::MisalignedColumns;
use lambda_machine::tables::registers::RegistersColumns;
use lambda_machine::tables::subword::SubwordColumns;
use lambda_math::Goldilocks;
use p3_field::{Field, PrimeCharacteristicRing};

use crate::forge::{Run, column_names, field, words};
use crate::judge::Place;
use crate::programs::{A, B, BASE, C, EVERYTHING, EXIT_CODE, access, call, last};

type Cpu = CpuColumns<Goldilocks>;

const WORD: u64 = 1 << 32;

/// Flags, each with the constraint that makes it one.
const FLAGS: [(TableId, &[&str], &str); 35] = [
    (TableId::Cpu, &["flags"], "flags are boolean"),
    (TableId::Cpu, &["is_exit", "bit"], "exit and bit are boolean"),
    (TableId::Cpu, &["carry"], "carries are boolean"),
    (TableId::Memory, &["is_load", "is_store"], "flags are boolean"),
    (TableId::Subword, &["is_signed", "is_unsigned", "is_store"], "kinds are boolean"),
    (TableId::Subword, &["size"], "sizes are boolean"),
    (
        TableId::Subword,
        &["in_high_word", "in_high_half", "at_odd_byte", "extends_ones"],
        "places and extension are boolean",
    ),
    (TableId::Misaligned, &["is_signed", "is_unsigned", "is_store"], "kinds are boolean"),
    (TableId::Misaligned, &["size"], "sizes are boolean"),
    (TableId::Misaligned, &["offset"], "offsets are boolean"),
    (TableId::Misaligned, &["extends_ones"], "extension is boolean"),
    (TableId::Misaligned, &["crosses"], "the access crosses where it ends in the second cell"),
    (TableId::Io, &["is_read", "is_write", "is_log", "is_length"], "kinds are boolean"),
    (TableId::Io, &["moves_cell", "moves_byte"], "amounts are boolean"),
    (TableId::Io, &["is_short", "is_unaligned"], "reasons are boolean"),
    (TableId::Io, &["bits"], "bits are boolean"),
    (TableId::Io, &["outputs"], "output is what writes move"),
    (TableId::Io, &["outputs_cell"], "a cell of output"),
    (TableId::Boundary, &["is_real", "in_image"], "flags are boolean"),
    (TableId::Compare, &["is_ltu", "is_lt", "is_eq"], "operations are boolean"),
    (TableId::Compare, &["a_is_less", "b_is_less"], "an operand is less or is not"),
    (TableId::Compare, &["high_decides", "sign_decides"], "what decides is boolean"),
    (TableId::Bitwise, &["op"], "digits of the operation are boolean"),
    (
        TableId::Shift,
        &["left_small", "left_big", "left_word", "right_small", "right_big", "right_word"],
        "cases are boolean",
    ),
    (TableId::Shift, &["upper_half"], "the upper half of exponents is boolean"),
    (TableId::Shift, &["negative"], "the sign is boolean"),
    (TableId::Word, &["is_real", "is_subw"], "operations are boolean"),
    (TableId::Word, &["carry"], "the carry is boolean"),
    (TableId::Word, &["negative"], "the sign is boolean"),
    (TableId::Mul, &["is_mul", "is_mulh", "is_mulhsu", "is_mulhu", "is_mulw"], "operations are boolean"),
    (TableId::Mul, &["a_negative", "b_negative", "word_negative"], "signs are boolean"),
    (TableId::Mul, &["is_zero"], "being zero is boolean"),
    (TableId::Mul, &["both_full"], "both words being full is boolean"),
    (TableId::Divrem, &["op"], "operations are boolean"),
    (TableId::Divrem, &["divisor_is_zero"], "being zero is boolean"),
];

#[test]
fn flags_and_multiplicities_are_bits() {
    let honest = EVERYTHING.honest();
    let statement = honest.statement().expect("an honest claim");
    for (table, flags, constraint) in FLAGS {
        let names = column_names(table);
        let is_flag = |name: &String| flags.contains(&name.split('[').next().unwrap_or(name));
        let columns: Vec<usize> = (0..names.len()).filter(|&column| is_flag(&names[column])).collect();
        assert!(columns.len() >= flags.len(), "{table:?} has {flags:?}");
        let first = honest.instance(table, 0);
        let last = first + honest.claim.instances[table.index()] as usize - 1;
        for (instance, row) in [(first, 0), (first, 5), (last, honest.traces[last].height() - 1)] {
            let trace = &honest.traces[instance];
            let rows = [row, (row + 1) % trace.height()].map(|row| trace.row(row));
            let public_values = &statement.public_values[instance];
            let place = Place { table, row, height: trace.height(), public_values };
            for &column in &columns {
                for value in [field(2), -Goldilocks::ONE, field(2).inverse(), field(WORD)] {
                    let mut changed = rows[0].clone();
                    changed[column] = value;
                    let evaluated = EVERYTHING.judge().evaluate(place, [&changed, &rows[1]]);
                    let name = format!("{}: {constraint}", table.name());
                    assert!(evaluated.constraints.contains(&name), "{} of row {row}: {name}", names[column]);
                }
            }
        }
    }
}

#[test]
fn decoding_is_the_programs() {
    let mut code = constant(A, 5);
    code.extend([immediate(asm::ADDI, C, A, 1), immediate(asm::ADDI, C, A, 2)]);
    code.extend(asm::exit(EXIT_CODE));
    let run = Run::of(code);
    // The first addition does what the second one does.
    let mut forged = run.retold(|record| record.cpu[1].c = 7);
    forged.edit::<Cpu>(1, |row| {
        row.imm = words(2);
        row.b = words(2);
    });
    forged.breaks(["program"]);
    // Each field on its own.
    let changes: [fn(&mut Cpu); 8] = [
        |row| row.op += Goldilocks::ONE,
        |row| row.rs1 += Goldilocks::ONE,
        |row| row.rs2 += Goldilocks::ONE,
        |row| row.rd += Goldilocks::ONE,
        |row| row.imm[0] += Goldilocks::ONE,
        |row| row.imm[1] += Goldilocks::ONE,
        |row| row.flags.swap(0, 1),
        |row| row.flags[10] = Goldilocks::ONE - row.flags[10],
    ];
    for change in changes {
        assert!(run.honest().edit(1, change).broken().contains("program"));
    }
    // Another unpacking of the same number: 2·is_add in place of is_sub.
    let run = operation_of(asm::SUB);
    let row = last(&run, |class| *class == Class::Sub);
    let mut forged = run.lie(|record| {
        record.cpu[row].c = 2 * record.cpu[row].a;
        record.registers[usize::from(C)].value = 2 * record.cpu[row].a;
    });
    forged.edit::<Cpu>(row, |row| row.flags[..2].copy_from_slice(&[field(2), Goldilocks::ZERO]));
    let broken = forged.broken();
    assert!(broken.contains("cpu: flags are boolean") && !broken.contains("program"), "{broken:?}");
}

/// `C = A op B` for 9 and 4.
fn operation_of(bits: u32) -> Run {
    let mut code = constant(A, 9);
    code.extend(constant(B, 4));
    code.push(register(bits, C, A, B));
    code.extend(asm::exit(EXIT_CODE));
    Run::of(code)
}

/// The record in which the instruction of `row`, whose destination is `C`, has the result `c`.
fn result(row: usize, c: u64) -> impl FnOnce(&mut ExecutionRecord) {
    move |record| {
        record.cpu[row].c = c;
        record.registers[usize::from(C)].value = c;
    }
}

#[test]
fn operands_that_are_not_read_are_fixed() {
    let mut code = constant(A, 5);
    code.push(immediate(asm::ADDI, C, A, 7));
    code.extend([asm::upper(asm::LUI, C + 1, 1)]);
    code.extend(asm::exit(EXIT_CODE));
    let run = Run::of(code);
    // Another b than the immediate.
    let mut forged = run.lie(result(1, 13));
    forged.edit::<Cpu>(1, |row| row.b = words(8)).breaks(["cpu: without rs2, b is the immediate"]);
    // Another rs1 than the register's, x0 included.
    let mut forged = run.lie(result(1, 13));
    forged.edit::<Cpu>(1, |row| row.a = words(6)).breaks(["cells"]);
    let mut forged = run.lie(|record| {
        record.cpu[2].c += 1;
        record.registers[usize::from(C + 1)].value += 1;
    });
    forged.edit::<Cpu>(2, |row| row.a = words(1)).breaks(["cells"]);
    // A register that is not read: another immediate in its place.
    let run = operation_of(asm::ADD);
    let row = last(&run, |class| *class == Class::Add) - 2;
    let mut forged = run.lie(result(row, 10));
    forged.edit::<Cpu>(row, |row| row.b = words(1)).breaks(["cells"]);
}

#[test]
fn x0_stays_zero_after_every_operation() {
    let mut code = constant(A, 5);
    code.extend(constant(B, 7));
    code.extend(constant(BASE, DATA.into()));
    code.extend(constant(10, EXIT_CODE));
    code.extend(constant(17, ecall::EXIT));
    let before = code.len();
    code.extend(asm::REGISTER.iter().map(|&(_, bits)| register(bits, 0, A, B)));
    code.extend(asm::IMMEDIATE.iter().map(|&(_, bits)| immediate(bits, 0, A, 3)));
    code.extend(asm::SHIFT.iter().chain(asm::SHIFT_WORD).map(|&(_, bits)| immediate(bits, 0, A, 3)));
    code.extend(asm::LOAD.iter().map(|&(_, bits)| immediate(bits, 0, BASE, 0)));
    code.extend(asm::UPPER.iter().map(|&(_, bits)| asm::upper(bits, 0, 1)));
    code.extend([asm::jump(0, 4), asm::upper(asm::AUIPC, 20, 0), immediate(asm::JALR, 0, 20, 8)]);
    code.push(register(asm::MUL, 0, A, B));
    let after = code.len();
    code.extend([register(asm::ADD, C, 0, 0), asm::ECALL]);
    let run = Run::new(code, vec![0x55; 8], &[]);
    run.honest().breaks([]);
    assert_eq!(run.record.cpu[after].c, 0);
    assert!((before..after).filter(|&row| run.record.cpu[row].c != 0).count() > 30);

    // The product goes to x0, and the sum has it from there.
    let (product, clock) = (after - 1, field(4 * after as u64));
    let mut forged = run.retold(|record| {
        let CpuEvent { a, b, c, .. } = &mut record.cpu[after];
        (*a, *b, *c) = (35, 35, 70);
    });
    let Cpu { time_before: [before, ..], .. } = forged.row(after);
    forged.edit::<Cpu>(product, |row| {
        row.flags[11] = Goldilocks::ONE;
        row.time_before[2] = before;
        row.gap_low[2] = clock + field(2) - before;
    });
    forged.edit::<Cpu>(after, |row| {
        row.time_before[0] = clock + field(3);
        row.gap_low[0] = Goldilocks::ZERO;
    });
    forged.breaks(["program"]);
}

#[test]
fn call_numbers_and_results_are_the_registers() {
    let run = call(ecall::WRITE, [ecall::LOG, 0, 5], &[], &[]);
    let row = run.record.cpu.iter().position(|event| event.a == ecall::WRITE).expect("the call");
    // Another call than the one whose number is in x17.
    let mut forged = run.honest();
    forged.edit::<Cpu>(row, |row| row.a = words(ecall::INPUT_LENGTH));
    forged.edit::<IoColumns<Goldilocks>>(0, |row| {
        row.is_log = Goldilocks::ZERO;
        row.is_length = Goldilocks::ONE;
    });
    forged.breaks(["cells"]);
    // Another result than the call's, in the register that x10 is.
    run.retold(|record| record.cpu[row].c = 6).breaks(["memory"]);
    // What the call says is another result.
    let mut forged = run.retold(|record| record.cpu[row].c = 6);
    forged
        .edit::<IoColumns<Goldilocks>>(0, |row| row.result = words(6))
        .breaks(["io: the log takes everything"]);
    // The result does not get into x10.
    let mut forged = run.lie(|record| record.cpu[row].c = 6);
    forged.edit::<IoColumns<Goldilocks>>(0, |row| row.result = words(6));
    forged.breaks(["cells", "io: the log takes everything"]);
}

#[test]
fn carries_are_the_true_ones() {
    for (bits, c) in [
        (asm::ADD, [field(13) - field(WORD), Goldilocks::ONE]),
        (asm::SUB, [field(5 + WORD), -Goldilocks::ONE]),
    ] {
        let run = operation_of(bits);
        let row = run.record.cpu.len() - 4;
        let mut forged = run.honest();
        forged.edit::<Cpu>(row, |row| {
            row.carry[0] = Goldilocks::ONE;
            row.c = c;
        });
        forged.edit::<RegistersColumns<Goldilocks>>(C.into(), |row| row.last = c);
        forged.breaks(["range16"]);
        // A carry out of the high word that does not go away.
        let mut forged = run.honest();
        forged.edit::<Cpu>(row, |row| {
            row.carry[1] = Goldilocks::ONE;
            row.c[1] = if bits == asm::ADD { -field(WORD) } else { field(WORD) };
        });
        let c = forged.row::<Cpu>(row).c;
        forged.edit::<RegistersColumns<Goldilocks>>(C.into(), |row| row.last = c);
        forged.breaks(["range16"]);
    }
    // A carry that is no bit makes any sum.
    let run = operation_of(asm::ADD);
    let row = run.record.cpu.len() - 4;
    let mut forged = run.lie(result(row, 100));
    let carry = (field(13) - field(100)) / field(WORD);
    forged.edit::<Cpu>(row, |row| row.carry = [carry, carry / field(WORD)]);
    forged.breaks(["cpu: carries are boolean"]);
    // An address that is 2^32 less than it is.
    let run = access(asm::LD, 8, 0, &[0; 32]);
    let row = last(&run, |class| *class == Class::Load(MemoryOp::Ld));
    let mut forged = run.honest();
    forged.edit::<Cpu>(row, |row| row.carry[0] = Goldilocks::ONE);
    forged.edit::<MemoryColumns<Goldilocks>>(0, |row| row.cell -= field(1 << 29));
    forged.breaks(["cells", "cpu: a + imm is below 2^32"]);
}

#[test]
fn wrong_extensions_are_refused() {
    // Of an immediate.
    let mut code = vec![immediate(asm::ADDI, C, 0, -1)];
    code.extend(asm::exit(EXIT_CODE));
    let run = Run::of(code);
    let mut forged = run.lie(result(0, 0xffff_ffff));
    forged.edit::<Cpu>(0, |row| {
        row.imm[1] = Goldilocks::ZERO;
        row.b[1] = Goldilocks::ZERO;
    });
    forged.breaks(["program"]);
    // Of a load, aligned and not.
    let data = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80];
    for (bits, offset, value) in [
        (asm::LB, 3, 0x80),
        (asm::LH, 2, 0x8080),
        (asm::LW, 4, 0x8080_8080),
        (asm::LH, 1, 0x8080),
        (asm::LW, 3, 0x8080_8080),
    ] {
        let run = access(bits, offset, 0, &data);
        let row = last(&run, |class| matches!(class, Class::Load(_)));
        let mut forged = run.lie(result(row, value));
        if run.record.misaligned.is_empty() {
            forged.edit::<SubwordColumns<Goldilocks>>(0, |row| {
                row.extends_ones = Goldilocks::ZERO;
                row.value = words(value);
            });
        } else {
            forged.edit::<MisalignedColumns<Goldilocks>>(0, |row| {
                row.extends_ones = Goldilocks::ZERO;
                row.value = words(value);
            });
        }
        forged.breaks(["byte_and"]);
    }
    for (bits, offset, value) in
        [(asm::LBU, 3, minus(0x80)), (asm::LHU, 2, minus(0x7f80)), (asm::LHU, 3, minus(0x7f80))]
    {
        let run = access(bits, offset, 0, &data);
        let row = last(&run, |class| matches!(class, Class::Load(_)));
        let mut forged = run.lie(result(row, value));
        let table = if run.record.misaligned.is_empty() {
            forged.edit::<SubwordColumns<Goldilocks>>(0, |row| {
                row.extends_ones = Goldilocks::ONE;
                row.value = words(value);
            });
            "subword: only signed loads extend with ones"
        } else {
            forged.edit::<MisalignedColumns<Goldilocks>>(0, |row| {
                row.extends_ones = Goldilocks::ONE;
                row.value = words(value);
            });
            "misaligned: only signed loads extend with ones"
        };
        forged.breaks(["byte_and", table]);
    }
}

/// `-value`, as a register holds it.
const fn minus(value: u64) -> u64 {
    value.wrapping_neg()
}
