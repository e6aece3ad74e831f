//! Honest tables of an execution, and their changes.

use std::collections::BTreeSet;

use lambda_executor::Executor;
use lambda_executor::testing::ElfFile;
use lambda_machine::isa::INSTRUCTION_BYTES;
use lambda_machine::memory::{FIRST_CLOCK, OUTPUT_INDEX, REGISTER_CELLS, TICKS};
use lambda_machine::program::Program;
use lambda_machine::record::{ExecutionRecord, IoKind, RegisterState};
use lambda_machine::tables::{
    Row, TableId, bitwise, boundary, compare, cpu, divrem, io, memory, misaligned, mul, registers, shift,
    subword, word,
};
use lambda_math::{Columns, Goldilocks};
use lambda_prover::execution::{ExecutionWitness, fill_tables};
use lambda_verifier::Statement;
use lambda_verifier::execution::{ExecutionClaim, ProgramCommitment};
use p3_field::PrimeCharacteristicRing;

use crate::judge::{Judge, Place, is_evaluated};

/// Most rows of an instance: few, so that most tables have several.
pub const ROWS: usize = 32;

/// A program with its execution, ready to be lied about.
pub struct Run {
    pub program: Program,
    pub record: ExecutionRecord,
    commitment: ProgramCommitment,
    judge: Judge,
}

impl Run {
    /// The execution of `code` and `data` on `input`.
    pub fn new(code: Vec<u32>, data: Vec<u8>, input: &[u8]) -> Self {
        let file = ElfFile { code, data, functions: Vec::new() };
        let executor = Executor::from_elf(&file.to_bytes()).expect("an executable");
        let (_, record) = executor.record(input).expect("the program exits");
        let program = executor.program().clone();
        let image_start = u64::from(program.image_base);
        // Nothing here looks at the commitment.
        let commitment = ProgramCommitment {
            entry: program.entry.into(),
            image_start,
            image_end: image_start + program.image.len() as u64,
            rom_log2: 0,
            image_log2: 0,
            cap: Vec::new(),
        };
        let judge = Judge::new(&program);
        Self { program, record, commitment, judge }
    }

    /// The execution of `code` alone.
    pub fn of(code: Vec<u32>) -> Self {
        Self::new(code, Vec::new(), &[])
    }

    /// The honest tables.
    pub fn honest(&self) -> Forged<'_> {
        self.lie(|_| {})
    }

    /// As [`lie`](Self::lie), with the register accesses that follow from the change.
    pub fn retold(&self, change: impl FnOnce(&mut ExecutionRecord)) -> Forged<'_> {
        self.lie(|record| {
            change(record);
            retime(&self.program, record);
        })
    }

    /// The tables of a record that has been changed.
    pub fn lie(&self, change: impl FnOnce(&mut ExecutionRecord)) -> Forged<'_> {
        let mut record = self.record.clone();
        change(&mut record);
        let ExecutionWitness { claim, traces } = fill_tables(&self.program, &self.commitment, &record, ROWS);
        Forged { run: self, claim, traces }
    }

    /// What judges the program's tables.
    pub const fn judge(&self) -> &Judge {
        &self.judge
    }
}

/// Tables and claim, true or not.
#[derive(Clone)]
pub struct Forged<'a> {
    pub run: &'a Run,
    pub claim: ExecutionClaim,
    /// Main columns of each instance, in registry order.
    pub traces: Vec<Columns>,
}

impl Forged<'_> {
    /// Kind of each instance.
    pub fn kinds(&self) -> Vec<TableId> {
        let counts = self.claim.instances.iter().zip(TableId::ALL);
        counts.flat_map(|(&count, table)| (0..count).map(move |_| table)).collect()
    }

    /// Instance of `table` number `instance`, as an index into [`traces`](Self::traces).
    pub fn instance(&self, table: TableId, instance: usize) -> usize {
        let before: u64 = self.claim.instances[..table.index()].iter().sum();
        assert!((instance as u64) < self.claim.instances[table.index()], "{table:?} has such an instance");
        before as usize + instance
    }

    /// Where row `row` of `table` is, counted over all instances: trace and row.
    pub fn place(&self, table: TableId, row: usize) -> (usize, usize) {
        match table.is_chunked() {
            true => (self.instance(table, row / ROWS), row % ROWS),
            false => (self.instance(table, 0), row),
        }
    }

    /// Row `row` of a table, counted over all instances.
    pub fn row<R: TableRow>(&self, row: usize) -> R {
        let (trace, row) = self.place(R::TABLE, row);
        R::from_cells(&self.traces[trace].row(row))
    }

    /// Changes row `row` of a table, counted over all instances.
    pub fn edit<R: TableRow>(&mut self, row: usize, change: impl FnOnce(&mut R)) -> &mut Self {
        let mut cells = self.row::<R>(row);
        change(&mut cells);
        let (trace, row) = self.place(R::TABLE, row);
        let mut column = 0;
        cells.for_each(&mut |cell| {
            self.traces[trace].column_mut(column)[row] = cell;
            column += 1;
        });
        self
    }

    /// What the claim says about tables of these heights.
    pub fn statement(&self) -> Result<Statement, String> {
        let heights: Vec<u8> =
            self.traces.iter().map(|trace| trace.height().trailing_zeros() as u8).collect();
        self.claim.statement(&heights).map_err(|error| error.to_string())
    }

    /// Every row that is evaluated, with the one after it.
    pub fn places<'b>(
        &'b self,
        statement: &'b Statement,
    ) -> impl Iterator<Item = (Place<'b>, [Vec<Goldilocks>; 2])> {
        let traces = self.kinds().into_iter().zip(&self.traces).zip(&statement.public_values);
        traces.filter(|((table, _), _)| is_evaluated(*table)).flat_map(|((table, trace), public_values)| {
            let height = trace.height();
            (0..height).map(move |row| {
                let rows = [row, (row + 1) % height].map(|row| trace.row(row));
                (Place { table, row, height, public_values }, rows)
            })
        })
    }

    /// What is broken: `table: constraint`, names of buses, or why the claim is refused.
    pub fn broken(&self) -> BTreeSet<String> {
        self.run.judge.broken(self)
    }

    /// Asserts that just this is broken.
    #[track_caller]
    pub fn breaks<const N: usize>(&self, expected: [&str; N]) {
        assert_eq!(self.broken(), expected.map(str::to_owned).into());
    }
}

/// The columns of a table by name.
pub trait TableRow: Row<Goldilocks> {
    const TABLE: TableId;

    fn from_cells(cells: &[Goldilocks]) -> Self;
}

macro_rules! table_rows {
    ($($module:ident::$columns:ident $table:ident,)*) => {
        $(impl TableRow for $module::$columns<Goldilocks> {
            const TABLE: TableId = TableId::$table;

            fn from_cells(cells: &[Goldilocks]) -> Self {
                Self::from_row(cells)
            }
        })*

        /// Names of the main columns of `table`.
        pub fn column_names(table: TableId) -> Vec<String> {
            match table {
                $(TableId::$table => $module::$columns::<u8>::names(),)*
                TableId::Rom | TableId::Image | TableId::Range16 | TableId::Power => vec!["count".to_owned()],
                TableId::BytePair => ["and_count", "pair_count"].map(str::to_owned).into(),
            }
        }
    };
}

table_rows! {
    cpu::CpuColumns Cpu,
    memory::MemoryColumns Memory,
    subword::SubwordColumns Subword,
    misaligned::MisalignedColumns Misaligned,
    io::IoColumns Io,
    boundary::BoundaryColumns Boundary,
    compare::CompareColumns Compare,
    bitwise::BitwiseColumns Bitwise,
    shift::ShiftColumns Shift,
    word::WordColumns Word,
    mul::MulColumns Mul,
    divrem::DivremColumns Divrem,
    registers::RegistersColumns Registers,
}

/// An element of the field.
pub fn field(value: u64) -> Goldilocks {
    Goldilocks::from_u64(value)
}

/// Low and high word.
pub fn words(value: u64) -> [Goldilocks; 2] {
    [value & 0xffff_ffff, value >> 32].map(field)
}

/// Lower and upper half of a word.
pub fn halves(word: u64) -> [Goldilocks; 2] {
    [word & 0xffff, word >> 16].map(field)
}

/// Halves of both words.
pub fn quarters(value: u64) -> [Goldilocks; 4] {
    [0, 16, 32, 48].map(|shift| field(value >> shift & 0xffff))
}

/// Makes the times and values before each register access, and the registers at the end, those that follow
/// from what the instructions and calls read and write; whether that is true does not matter.
pub fn retime(program: &Program, record: &mut ExecutionRecord) {
    let mut registers = [RegisterState::default(); REGISTER_CELLS];
    let mut access = |register: usize, value: u64, time: u32| {
        core::mem::replace(&mut registers[register], RegisterState { value, time })
    };
    let mut calls = record.io.iter_mut().peekable();
    for (clock, event) in (FIRST_CLOCK..).step_by(TICKS as usize).zip(&mut record.cpu) {
        let index = ((event.pc - program.code_base) / INSTRUCTION_BYTES) as usize;
        let instruction = program.code[index].expect("an instruction");
        event.rs1_before = access(instruction.rs1.into(), event.a, clock).time;
        if instruction.reads_rs2 {
            event.rs2_before = access(instruction.rs2.into(), event.b, clock + 1).time;
        }
        if let Some(call) = calls.next_if(|call| call.clock == clock) {
            let arguments = [&mut call.descriptor, &mut call.address, &mut call.length];
            for (register, argument) in (10..).zip(arguments) {
                argument.time_before = access(register, argument.value, clock + 2).time;
            }
            if call.kind == IoKind::Write {
                let after = call.output_index.value + u64::from(call.moved);
                call.output_index.time_before = access(OUTPUT_INDEX as usize, after, clock + 2).time;
            }
        }
        if instruction.writes() {
            let before = access(instruction.rd.into(), event.c, clock + 3);
            (event.rd_before, event.rd_before_time) = (before.value, before.time);
        }
    }
    record.registers = registers;
}
