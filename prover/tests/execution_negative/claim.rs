//! What a proof claims: program, output, exit code, and how instances are joined.

use std::sync::LazyLock;

use lambda_air::{Table, TableBuilder};
use lambda_executor::testing::assembler::{self as asm, constant, immediate};
use lambda_executor::testing::elf_file::CODE;
use lambda_machine::ecall;
use lambda_machine::memory::HALT_PC;
use lambda_machine::program::Program;
use lambda_machine::tables::TableId;
use lambda_machine::tables::fixed::{BytePairAir, PowerAir, Range16Air};
use lambda_machine::tables::image::ImageAir;
use lambda_machine::tables::rom::RomAir;
use lambda_math::{Digest, Goldilocks};
use lambda_prover::HostBackend;
use lambda_prover::execution::{ProvableProgram, ProvenExecution};
use lambda_verifier::execution::{
    ClaimError, ExecutionClaim, ExecutionProof, ExecutionVerifyError, ProgramCommitment, verify_execution,
};
use lambda_verifier::file::{FileError, HEADER_BYTES, Id};
use lambda_verifier::wire::{LeafMut, Wire};
use lambda_verifier::{Profile, ProvingKey, VerifyError};
use p3_air::{Air, BaseAir};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;

use crate::forge::{Forged, ROWS, Run};
use crate::programs::{C, EXIT_CODE};

/// A program that loops, writes something and exits. Its rounds are as long as an instance has rows, so that
/// instances begin at one address.
static LOOP: LazyLock<Run> = LazyLock::new(|| {
    let mut code = vec![asm::FENCE; ROWS - 2];
    code.extend([immediate(asm::ADDI, C, 0, 3), asm::FENCE]);
    code.extend(vec![asm::FENCE; ROWS - 2]);
    code.extend([immediate(asm::ADDI, C, C, -1), asm::branch(asm::BNE, C, 0, -4 * (ROWS as i32 - 1))]);
    for (register, value) in [(10, ecall::OUTPUT), (11, CODE.into()), (12, 8)] {
        code.extend(constant(register, value));
    }
    code.extend(asm::system_call(ecall::WRITE));
    code.extend(asm::exit(EXIT_CODE));
    Run::of(code)
});

/// [`LOOP`] with the keys for proving it.
static PROVABLE: LazyLock<ProvableProgram> = LazyLock::new(|| {
    let program = ProvableProgram::new(Profile::Test, LOOP.program.clone()).expect("a small program");
    program.with_max_rows(ROWS)
});

/// A proof of [`LOOP`].
static PROVEN: LazyLock<ProvenExecution> = LazyLock::new(|| {
    let witness = PROVABLE.witness(&LOOP.record);
    PROVABLE.prove(&HostBackend, witness, &()).expect("an honest execution")
});

fn refused(file: &ExecutionProof) -> ExecutionVerifyError {
    verify_execution(file).expect_err("the claim is false")
}

/// The file with another claim.
fn claiming(change: impl FnOnce(&mut ExecutionClaim)) -> ExecutionProof {
    let mut file = PROVEN.file.clone();
    change(&mut file.statement);
    file
}

/// The file with another program, named as such.
fn of_program(change: impl FnOnce(&mut ProgramCommitment)) -> ExecutionProof {
    let mut file = claiming(|claim| change(&mut claim.program));
    let program = &file.statement.program;
    file.program_id = program.id(&program.key(Profile::Test).expect("a key"));
    assert_ne!(file.program_id, PROVEN.file.program_id);
    file
}

#[test]
fn every_field_of_a_claim_is_bound() {
    let bytes = PROVEN.file.encode();
    let file = ExecutionProof::decode(&bytes).expect("a proof file");
    let verified = verify_execution(&file).expect("an honest proof");
    assert_eq!(verified.key.tables.len() as u64, file.statement.instances.iter().sum::<u64>());
    assert_eq!(file.statement.output, [asm::FENCE.to_le_bytes(); 2].concat());

    let mut leaves = Vec::new();
    file.statement.clone().visit("", &mut |path, _| leaves.push(path.to_owned()));
    for field in ["program", "output", "exit_code", "instances", "cpu_joints", "boundary_ends"] {
        assert!(leaves.iter().any(|leaf| leaf.contains(field)), "{field} has leaves");
    }
    for (number, leaf) in leaves.iter().enumerate() {
        let mut altered = 0;
        for change in [increment, shorten, lengthen] {
            let mut mutant = file.clone();
            let mut at = 0;
            mutant.statement.visit("", &mut |_, leaf| {
                if at == number {
                    change(leaf);
                }
                at += 1;
            });
            if mutant.statement == file.statement {
                continue;
            }
            altered += 1;
            let error = refused(&mutant);
            let is_program = leaf.contains("program");
            let names_program =
                matches!(error, ExecutionVerifyError::ProgramId { .. } | ExecutionVerifyError::Program(_));
            assert!(is_program == names_program || leaf.contains("instances"), "{leaf}: {error}");
        }
        assert!(altered > 0, "{leaf} was changed");
    }
    // In the file, the header has a digest of the claim.
    let mut bytes = bytes;
    bytes[HEADER_BYTES] ^= 1;
    assert_eq!(ExecutionProof::decode(&bytes), Err(FileError::StatementDigest));
}

fn increment(leaf: LeafMut<'_>) {
    match leaf {
        LeafMut::Byte(byte) => *byte = byte.wrapping_add(1),
        LeafMut::Word(word) => *word = word.wrapping_add(1),
        LeafMut::Digest(digest) => {
            let mut bytes = *digest.as_bytes();
            bytes[0] ^= 1;
            *digest = Digest::from_bytes(bytes);
        }
        _ => {}
    }
}

fn shorten(leaf: LeafMut<'_>) {
    if let LeafMut::Sequence(sequence) = leaf {
        sequence.shorten();
    }
}

fn lengthen(leaf: LeafMut<'_>) {
    if let LeafMut::Sequence(sequence) = leaf {
        sequence.lengthen();
    }
}

/// An AIR with one preprocessed cell changed.
struct Changed<A>(A);

impl<A: BaseAir<Goldilocks>> BaseAir<Goldilocks> for Changed<A> {
    fn width(&self) -> usize {
        self.0.width()
    }

    fn preprocessed_width(&self) -> usize {
        self.0.preprocessed_width()
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<Goldilocks>> {
        let mut rows = self.0.preprocessed_trace()?;
        rows.values[20] += Goldilocks::ONE;
        Some(rows)
    }
}

impl<AB: TableBuilder, A: Air<AB> + BaseAir<Goldilocks>> Air<AB> for Changed<A> {
    fn eval(&self, builder: &mut AB) {
        self.0.eval(builder);
    }
}

/// The id of [`LOOP`]'s program in a machine of which a table is another one.
fn id_with(change: impl Fn(TableId) -> Option<Table>) -> Id {
    let program = &LOOP.program;
    let commitment = &PROVEN.file.statement.program;
    let tables = TableId::ALL.map(|id| {
        change(id).unwrap_or_else(|| {
            id.table(
                || Table::new("rom", RomAir::new(program, 1 << commitment.rom_log2)),
                || Table::new("image", ImageAir::new(program, 1 << commitment.image_log2)),
            )
        })
    });
    let key = ProvingKey::new(Profile::Test, tables.into()).expect("a system");
    commitment.id(&key.verifying)
}

#[test]
fn a_changed_preprocessed_cell_changes_the_program_id() {
    let honest = PROVABLE.id();
    assert_eq!(id_with(|_| None), honest);
    let changed = |id: TableId| match id {
        TableId::Range16 => Table::new("range16", Changed(Range16Air)),
        TableId::BytePair => Table::new("bytepair", Changed(BytePairAir)),
        _ => Table::new("power", Changed(PowerAir)),
    };
    for fixed in [TableId::Range16, TableId::BytePair, TableId::Power] {
        assert_ne!(id_with(|id| (id == fixed).then(|| changed(id))), honest, "{fixed:?}");
    }
    let id = |change: fn(&mut Program)| {
        let mut program = LOOP.program.clone();
        change(&mut program);
        ProvableProgram::new(Profile::Test, program).expect("a small program").id()
    };
    assert_eq!(id(|_| {}), honest);
    let others = [
        id(|program| program.entry += 4),
        id(|program| program.image[0] ^= 1),
        id(|program| program.image.push(0)),
        id(|program| program.code[0].as_mut().expect("an instruction").rs1 = 1),
        id(|program| program.code[0] = None),
    ];
    for (index, other) in others.iter().enumerate() {
        assert!(*other != honest && !others[..index].contains(other), "change {index}");
    }
}

#[test]
fn program_ids_differ_between_profiles() {
    let ids = Profile::ALL.map(|profile| {
        let (commitment, key) = ProgramCommitment::new(profile, &LOOP.program).expect("a small program");
        commitment.id(&key.verifying)
    });
    let [default, compact, test] = ids;
    assert!(default != compact && default != test && compact != test);
    assert_eq!(test, PROVABLE.id());
    // The test profile's proof is none of another profile, whose preprocessed columns are the same.
    let mut file = PROVEN.file.clone();
    file.profile = Profile::Default;
    assert!(matches!(refused(&file), ExecutionVerifyError::ProgramId { .. }));
    file.program_id = file.statement.program.id(&file.statement.program.key(file.profile).expect("a key"));
    assert_eq!(file.program_id, default);
    assert!(matches!(refused(&file), ExecutionVerifyError::Invalid(_)));
}

#[test]
fn instance_counts_are_checked() {
    for table in TableId::ALL {
        let file = |count: u64| claiming(|claim| claim.instances[table.index()] = count);
        if table.is_chunked() {
            if table == TableId::Cpu {
                let expected = ClaimError::Instances { table, count: 0 };
                assert_eq!(refused(&file(0)), ExecutionVerifyError::Claim(expected));
            }
        } else {
            for count in [0, 2] {
                let expected = ClaimError::Instances { table, count };
                assert_eq!(refused(&file(count)), ExecutionVerifyError::Claim(expected), "{table:?}");
            }
        }
        for count in [257, u64::MAX] {
            let error = refused(&file(count));
            assert!(
                matches!(error, ExecutionVerifyError::Claim(ClaimError::Tables { .. })),
                "{table:?}: {error}"
            );
        }
    }
    for change in
        [(|claim| claim.instances.truncate(17)) as fn(&mut ExecutionClaim), |claim| claim.instances.push(1)]
    {
        let error = refused(&claiming(change));
        assert!(matches!(error, ExecutionVerifyError::Claim(ClaimError::Tables { .. })), "{error}");
    }
    // One more or less of a table than the proof has.
    for (table, count) in [(TableId::Io, 2), (TableId::Io, 0), (TableId::Mul, 1)] {
        let error = refused(&claiming(|claim| claim.instances[table.index()] = count));
        assert!(matches!(error, ExecutionVerifyError::Claim(ClaimError::Heights { .. })), "{error}");
    }
    // The same number of instances, of other tables.
    let error = refused(&claiming(|claim| {
        claim.instances[TableId::Io.index()] = 0;
        claim.instances[TableId::Mul.index()] = 1;
    }));
    assert!(matches!(error, ExecutionVerifyError::Invalid(_)), "{error}");
}

#[test]
fn other_heights_of_preprocessed_tables_are_refused() {
    let other = claiming(|claim| claim.program.rom_log2 += 1);
    assert!(matches!(refused(&other), ExecutionVerifyError::ProgramId { .. }));
    for change in
        [(|program| program.rom_log2 -= 1) as fn(&mut ProgramCommitment), |program| program.image_log2 += 1]
    {
        let error = refused(&of_program(change));
        let is_height =
            matches!(error, ExecutionVerifyError::Invalid(VerifyError::PreprocessedHeight { .. }));
        assert!(is_height, "{error}");
    }
    // In the proof, too.
    let mut file = PROVEN.file.clone();
    let tables = file.proof.heights_log2.len();
    for table in tables - 6..tables {
        file.proof.heights_log2[table] -= 1;
        let error = refused(&file);
        let ExecutionVerifyError::Invalid(VerifyError::PreprocessedHeight { table: got, .. }) = error else {
            panic!("table {table}: {error}")
        };
        assert_eq!(got, table);
        file.proof.heights_log2[table] += 1;
    }
}

#[test]
fn an_execution_starts_at_the_entry() {
    let mut forged = LOOP.honest();
    forged.claim.program.entry += 4;
    forged.breaks(["cpu: the first row has the public pc"]);
    let error = refused(&of_program(|program| program.entry += 4));
    assert!(matches!(error, ExecutionVerifyError::Invalid(_)), "{error}");
    // An entry that is not below 2^32, such as the address after the exit.
    forged.claim.program.entry = HALT_PC;
    assert_eq!(forged.statement(), Err(ClaimError::JointPc { pc: HALT_PC }.to_string()));
}

#[test]
fn another_exit_code_is_refused() {
    for code in [0, EXIT_CODE + 1, EXIT_CODE + (1 << 32)] {
        let mut forged = LOOP.honest();
        forged.claim.exit_code = code;
        forged.breaks(["cpu: the exit code is the public one"]);
        let error = refused(&claiming(|claim| claim.exit_code = code));
        assert!(matches!(error, ExecutionVerifyError::Invalid(_)), "{error}");
    }
}

#[test]
fn cpu_joints_lead_to_instructions() {
    for pc in [HALT_PC, 1 << 32, u64::MAX] {
        let mut forged = LOOP.honest();
        forged.claim.cpu_joints[0] = pc;
        assert_eq!(forged.statement(), Err(ClaimError::JointPc { pc }.to_string()));
    }
    for change in [(|joints| joints.truncate(1)) as fn(&mut Vec<u64>), |joints| joints.push(joints[0])] {
        let mut forged = LOOP.honest();
        change(&mut forged.claim.cpu_joints);
        assert!(forged.statement().is_err_and(|error| error.contains("join the instances of table cpu")));
    }
    let mut forged = LOOP.honest();
    forged.claim.cpu_joints[1] += 4;
    forged.breaks(["cpu: the first row has the public pc", "cpu: the last row leads to the public pc"]);
}

#[test]
fn dropped_and_exchanged_cpu_instances_are_refused() {
    let honest = LOOP.honest();
    honest.breaks([]);
    let joints = &honest.claim.cpu_joints;
    assert!(joints.len() > 3 && joints[1] == joints[2]);
    let clock = "cpu: the first row has the public clock";
    let remove = |forged: &mut Forged<'_>, instance: usize| {
        forged.traces.remove(instance);
        forged.claim.cpu_joints.remove(instance);
        forged.claim.instances[0] -= 1;
    };
    let broken_by = |change: &dyn Fn(&mut Forged<'_>)| {
        let mut forged = honest.clone();
        change(&mut forged);
        forged.broken()
    };
    // A round less: what it did is missing, and the clock stands still.
    assert_eq!(broken_by(&|forged| remove(forged, 1)), ["alu", "cells", clock].map(str::to_owned).into());
    let mut forged = honest.clone();
    forged.traces.swap(1, 2);
    forged.breaks(["cpu: the first row has the public clock"]);
    let repeat = |forged: &mut Forged<'_>| {
        let again = forged.traces[1].clone();
        forged.traces.insert(1, again);
        let joint = forged.claim.cpu_joints[1];
        forged.claim.cpu_joints.insert(1, joint);
        forged.claim.instances[0] += 1;
    };
    assert!(broken_by(&repeat).contains(clock));
    // The last one: then none exits.
    let last = honest.claim.instances[0] as usize - 1;
    let drop_last = |forged: &mut Forged<'_>| {
        forged.traces.remove(last);
        forged.claim.cpu_joints.pop();
        forged.claim.instances[0] -= 1;
    };
    assert!(broken_by(&drop_last).contains("cpu: the last row leads to the public pc"));
}

#[test]
fn clocks_beyond_the_limit_are_refused() {
    let mut forged = LOOP.honest();
    let claim = &mut forged.claim;
    let others = claim.instances[1..].iter().sum::<u64>() as usize;
    let statement = |claim: &mut ExecutionClaim, instances: usize| {
        claim.instances[0] = instances as u64;
        claim.cpu_joints = vec![claim.program.entry; instances - 1];
        let heights = [vec![24; instances], vec![4; others]].concat();
        claim.statement(&heights)
    };
    // 64·2^24 rows, four times each.
    assert_eq!(statement(claim, 64), Err(ClaimError::Cycles));
    assert_eq!(statement(claim, 200), Err(ClaimError::Cycles));
    let accepted = statement(claim, 63).expect("enough time");
    let clock = accepted.public_values[62][1];
    assert_eq!(clock, Goldilocks::from_u64(4 + 62 * (4 << 24)));
}
