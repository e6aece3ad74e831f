//! From an execution record to the traces of all tables.

use lambda_machine::isa::INSTRUCTION_BYTES;
use lambda_machine::memory::{FIRST_CLOCK, TICKS};
use lambda_machine::program::Program;
use lambda_machine::record::{AluEvent, BoundaryCell, CpuEvent, ExecutionRecord};
use lambda_machine::tables::{
    Counts, Row, TableId, bitwise, boundary, compare, cpu, divrem, fixed, io, memory, misaligned, mul,
    registers, shift, subword, word,
};
use lambda_math::{Columns, Goldilocks};
use lambda_verifier::execution::{ExecutionClaim, ProgramCommitment};

use super::fill::{counted, fill, height};
use super::instances::split;

/// The traces of an execution with the claim they support.
#[derive(Clone, Debug)]
pub struct ExecutionWitness {
    /// What is claimed.
    pub claim: ExecutionClaim,
    /// Main columns of each instance of each table, in registry order.
    pub traces: Vec<Columns>,
}

/// Fills every table from `record`, in instances of at most `max_rows` rows.
///
/// # Panics
/// When `record` is not of an execution of `program`, or `max_rows` is no power of two of at least 16.
pub fn fill_tables(
    program: &Program,
    commitment: &ProgramCommitment,
    record: &ExecutionRecord,
    max_rows: usize,
) -> ExecutionWitness {
    assert!(max_rows.is_power_of_two() && max_rows == height(max_rows), "{max_rows} rows per instance");
    let mut filler = Filler { program, record, max_rows, counts: Counts::default() };
    let mut instances = Vec::new();
    let mut traces = Vec::new();
    for id in TableId::ALL {
        let tables = filler.table(id);
        instances.push(tables.len() as u64);
        traces.extend(tables);
    }
    let chunk_ends = |chunk: &[BoundaryCell]| chunk.last().map_or(0, |last| u64::from(last.cell) + 1);
    let claim = ExecutionClaim {
        program: commitment.clone(),
        output: record.output.clone(),
        exit_code: record.exit_code,
        instances,
        cpu_joints: split(&record.cpu, max_rows).iter().skip(1).map(|chunk| chunk[0].pc.into()).collect(),
        boundary_ends: split(&record.boundary, max_rows).into_iter().map(chunk_ends).collect(),
    };
    ExecutionWitness { claim, traces }
}

struct Filler<'a> {
    program: &'a Program,
    record: &'a ExecutionRecord,
    max_rows: usize,
    counts: Counts,
}

impl Filler<'_> {
    /// The instances of table `id`. Those with counts come last in the registry: they count what the others
    /// looked up.
    fn table(&mut self, id: TableId) -> Vec<Columns> {
        let record = self.record;
        match id {
            TableId::Cpu => self.cpu(),
            TableId::Memory => self.chunks(&record.memory, memory::row),
            TableId::Subword => self.chunks(&record.subword, subword::row),
            TableId::Misaligned => self.chunks(&record.misaligned, misaligned::row),
            TableId::Io => self.chunks(&record.io, io::row),
            TableId::Boundary => self.boundary(),
            TableId::Compare => self.alu(&record.compare, compare::row),
            TableId::Bitwise => self.alu(&record.bitwise, bitwise::row),
            TableId::Shift => self.alu(&record.shift, shift::row),
            TableId::Word => self.alu(&record.word, word::row),
            TableId::Mul => self.alu(&record.mul, mul::row),
            TableId::Divrem => self.alu(&record.divrem, divrem::row),
            TableId::Registers => {
                let (columns, _) = fill(&record.registers, |_, state, _| registers::row(state), |_| None);
                vec![columns]
            }
            TableId::Rom => vec![self.rom()],
            TableId::Image => vec![self.image()],
            TableId::Range16 => vec![counted(&[&self.counts.range16], fixed::HEIGHT)],
            TableId::BytePair => {
                vec![counted(&[&self.counts.byte_and, &self.counts.byte_pair], fixed::HEIGHT)]
            }
            TableId::Power => vec![counted(&[&self.counts.power], fixed::POWER_HEIGHT)],
        }
    }

    fn alu<R: Row<Goldilocks>>(
        &mut self,
        events: &[AluEvent],
        row: impl Fn(&AluEvent, &mut Counts) -> R + Sync,
    ) -> Vec<Columns> {
        self.chunks(events, row)
    }

    fn chunks<E: Sync, R: Row<Goldilocks>>(
        &mut self,
        events: &[E],
        row: impl Fn(&E, &mut Counts) -> R + Sync,
    ) -> Vec<Columns> {
        let filled: Vec<_> = split(events, self.max_rows)
            .into_iter()
            .map(|chunk| fill(chunk, |_, event, counts| row(event, counts), |_| None))
            .collect();
        self.collect(filled)
    }

    fn collect(&mut self, filled: Vec<(Columns, Counts)>) -> Vec<Columns> {
        filled
            .into_iter()
            .map(|(columns, counts)| {
                self.counts = core::mem::take(&mut self.counts).merge(&counts);
                columns
            })
            .collect()
    }

    fn cpu(&mut self) -> Vec<Columns> {
        let clock = |index: usize| FIRST_CLOCK + TICKS * index as u32;
        let row = |index: usize, event: &CpuEvent, counts: &mut Counts| {
            cpu::row(&self.instruction(event.pc), clock(index), event, counts)
        };
        let mut first = 0;
        let filled: Vec<_> = split(&self.record.cpu, self.max_rows)
            .into_iter()
            .map(|events| {
                let filled = fill(
                    events,
                    |index, event, counts| row(first + index, event, counts),
                    |index| Some(cpu::padding(clock(first + index))),
                );
                first += events.len();
                filled
            })
            .collect();
        self.collect(filled)
    }

    fn boundary(&mut self) -> Vec<Columns> {
        let image_end = self.program.image_base + self.program.image.len() as u32;
        let mut start = self.program.image_base;
        let filled: Vec<_> = split(&self.record.boundary, self.max_rows)
            .into_iter()
            .map(|cells| {
                let lowest = |index: usize| match index.checked_sub(1) {
                    Some(before) => cells[before].cell + 1,
                    None => start,
                };
                let end = cells.last().map_or(start, |last| last.cell + 1);
                let filled = fill(
                    cells,
                    |index, cell, counts| boundary::row(cell, lowest(index), image_end, counts),
                    |_| Some(boundary::padding(end)),
                );
                start = end;
                filled
            })
            .collect();
        self.collect(filled)
    }

    fn rom(&self) -> Columns {
        let mut executed = vec![0u32; self.program.code.len()];
        for event in &self.record.cpu {
            executed[self.code_index(event.pc)] += 1;
        }
        let instructions = self.program.code.iter().zip(executed);
        let counts: Vec<u32> =
            instructions.filter_map(|(instruction, count)| instruction.is_some().then_some(count)).collect();
        counted(&[&counts], height(counts.len()))
    }

    fn image(&self) -> Columns {
        let mut counts = vec![0u32; self.program.image.len()];
        for cell in &self.record.boundary {
            if let Some(count) = counts.get_mut((cell.cell - self.program.image_base) as usize) {
                *count += 1;
            }
        }
        counted(&[&counts], height(counts.len()))
    }

    fn code_index(&self, pc: u32) -> usize {
        ((pc - self.program.code_base) / INSTRUCTION_BYTES) as usize
    }

    fn instruction(&self, pc: u32) -> lambda_machine::isa::Instruction {
        self.program.code[self.code_index(pc)].expect("what was executed is an instruction")
    }
}
