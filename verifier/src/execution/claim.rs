//! What a proof of an execution claims.

use alloc::vec::Vec;

use lambda_machine::buses::OUTPUT;
use lambda_machine::ecall::MAX_OUTPUT_BYTES;
use lambda_machine::memory::{FIRST_CLOCK, HALT_PC, TICKS};
use lambda_machine::tables::{TableId, boundary, cpu};
use lambda_math::Goldilocks;
use p3_field::PrimeCharacteristicRing;

use super::ProgramCommitment;
use crate::file::Claim;
use crate::profile::MAX_TABLES;
use crate::statement::{PublicMessage, Statement};
use crate::transcript::Frames;
use crate::wire::{Wire, wire_struct};

/// Tables of the machine.
const COUNT: usize = TableId::ALL.len();

/// Cells lie below this number: addresses are below 2^32.
const CELL_LIMIT: u64 = 1 << 29;
/// Program counters and times lie below this number.
const WORD_LIMIT: u64 = 1 << 32;

wire_struct! {
    /// A program ran, wrote `output` and exited with `exit_code`.
    pub struct ExecutionClaim {
        /// The program.
        pub program: ProgramCommitment,
        /// What it wrote.
        pub output: Vec<u8>,
        /// The code it exited with.
        pub exit_code: u64,
        /// Instances of each table, in registry order.
        pub instances: Vec<u64>,
        /// Address of the instruction after each CPU instance but the last.
        pub cpu_joints: Vec<u64>,
        /// The cell after the last one of each boundary instance.
        pub boundary_ends: Vec<u64>,
    }
}

/// Why a claim is not one about an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClaimError {
    /// More output than the protocol allows.
    #[error("{bytes} bytes of public output, the limit is {MAX_OUTPUT_BYTES}")]
    Output {
        /// Bytes.
        bytes: usize,
    },
    /// A table occurs as often as no execution needs it.
    #[error("table {} occurs {count} times", .table.name())]
    Instances {
        /// The table.
        table: TableId,
        /// How often.
        count: u64,
    },
    /// A list has another length than the instances of its table need.
    #[error("{got} values join the instances of table {}, {expected} are needed", .table.name())]
    Joints {
        /// The table.
        table: TableId,
        /// Values needed.
        expected: usize,
        /// Values given.
        got: usize,
    },
    /// The list of instances does not have one entry per table, or there are too many instances.
    #[error("{tables} tables with {instances} instances; the machine has {} and {MAX_TABLES} at most", COUNT)]
    Tables {
        /// Entries.
        tables: usize,
        /// Their sum.
        instances: u64,
    },
    /// An instance starts at an address that no program has.
    #[error("the CPU starts at address {pc:#x}, which is not below 2^32")]
    JointPc {
        /// The address.
        pc: u64,
    },
    /// The execution takes more time than clocks can count.
    #[error("more than 2^30 cycles")]
    Cycles,
    /// Memory cells do not ascend, or leave the address space.
    #[error("memory cells from {start} to {end} do not ascend within the address space")]
    Cells {
        /// Lowest cell allowed.
        start: u64,
        /// The cell after the last one.
        end: u64,
    },
    /// The proof does not have a height for each instance.
    #[error("{heights} heights for {instances} instances")]
    Heights {
        /// Heights.
        heights: usize,
        /// Instances.
        instances: usize,
    },
}

impl Claim for ExecutionClaim {
    const KIND: u16 = 1;

    fn digest(&self) -> [u8; 32] {
        let mut bytes = Vec::new();
        self.encode(&mut bytes);
        Frames::new("lambda-prove execution v1").absorb("claim", &bytes).digest("digest")
    }
}

impl ExecutionClaim {
    /// How often each table occurs, in registry order.
    ///
    /// # Errors
    /// When that is not how an execution is laid out: the CPU occurs, tables with preprocessed columns occur
    /// once.
    pub fn instances(&self) -> Result<Vec<usize>, ClaimError> {
        let total = self.instances.iter().fold(0, |sum: u64, &count| sum.saturating_add(count));
        let limit = u64::try_from(MAX_TABLES).unwrap_or(0);
        if self.instances.len() != TableId::ALL.len() || total > limit {
            return Err(ClaimError::Tables { tables: self.instances.len(), instances: total });
        }
        for (&count, table) in self.instances.iter().zip(TableId::ALL) {
            let wrong = if table.is_chunked() { table == TableId::Cpu && count == 0 } else { count != 1 };
            if wrong {
                return Err(ClaimError::Instances { table, count });
            }
        }
        Ok(self.instances.iter().map(|&count| usize::try_from(count).unwrap_or(usize::MAX)).collect())
    }

    /// The statement that the claim makes about tables with the given heights, `log2`, instance by instance.
    ///
    /// # Errors
    /// When the claim is not about an execution.
    pub fn statement(&self, heights_log2: &[u8]) -> Result<Statement, ClaimError> {
        let instances = self.instances()?;
        if self.output.len() > MAX_OUTPUT_BYTES {
            return Err(ClaimError::Output { bytes: self.output.len() });
        }
        let total = instances.iter().fold(0, |sum: usize, &count| sum.saturating_add(count));
        if heights_log2.len() != total {
            return Err(ClaimError::Heights { heights: heights_log2.len(), instances: total });
        }
        let mut heights = heights_log2.iter().copied();
        let mut public_values = Vec::new();
        for (table, &count) in TableId::ALL.iter().zip(&instances) {
            let heights: Vec<u8> = heights.by_ref().take(count).collect();
            match table {
                TableId::Cpu => public_values.extend(self.cpu_values(&heights)?),
                TableId::Boundary => public_values.extend(self.boundary_values(count)?),
                _ => public_values.extend(core::iter::repeat_n(Vec::new(), count)),
            }
        }
        Ok(Statement { public_values, messages: self.messages() })
    }

    /// Instances of the CPU start where the one before ended, the first at the entry; the last ends after
    /// the exit.
    fn cpu_values(&self, heights_log2: &[u8]) -> Result<Vec<Vec<Goldilocks>>, ClaimError> {
        let expected = heights_log2.len().saturating_sub(1);
        if self.cpu_joints.len() != expected {
            return Err(ClaimError::Joints { table: TableId::Cpu, expected, got: self.cpu_joints.len() });
        }
        let starts = core::iter::once(self.program.entry).chain(self.cpu_joints.iter().copied());
        if let Some(pc) = starts.clone().find(|&pc| pc >= WORD_LIMIT) {
            return Err(ClaimError::JointPc { pc });
        }
        let ends = self.cpu_joints.iter().copied().chain(core::iter::once(HALT_PC));
        let mut clock = u64::from(FIRST_CLOCK);
        let mut values = Vec::new();
        for ((start, end), &log2) in starts.zip(ends).zip(heights_log2) {
            let publics = cpu::PublicValues {
                first_pc: Goldilocks::from_u64(start),
                first_clock: Goldilocks::from_u64(clock),
                last_pc: Goldilocks::from_u64(end),
                exit_code: words(self.exit_code),
            };
            values.push(publics.into_list().to_vec());
            let rows = 1u64.checked_shl(log2.into()).unwrap_or(u64::MAX);
            clock = clock.saturating_add(rows.saturating_mul(TICKS.into()));
        }
        if clock < WORD_LIMIT { Ok(values) } else { Err(ClaimError::Cycles) }
    }

    /// Instances of the boundary start after the one before, the first at the image.
    fn boundary_values(&self, count: usize) -> Result<Vec<Vec<Goldilocks>>, ClaimError> {
        let got = self.boundary_ends.len();
        if got != count {
            return Err(ClaimError::Joints { table: TableId::Boundary, expected: count, got });
        }
        let mut start = self.program.image_start;
        let mut values = Vec::new();
        for &end in &self.boundary_ends {
            if start > end || end > CELL_LIMIT || self.program.image_end > CELL_LIMIT {
                return Err(ClaimError::Cells { start, end });
            }
            let publics = boundary::PublicValues { start, end, image_end: self.program.image_end };
            values.push(publics.into_list().map(Goldilocks::from_u64).to_vec());
            start = end;
        }
        Ok(values)
    }

    /// The verifier receives every byte of output.
    fn messages(&self) -> Vec<PublicMessage> {
        self.output
            .iter()
            .zip(0..)
            .map(|(&byte, index)| PublicMessage {
                bus: OUTPUT.id.into(),
                multiplicity: Goldilocks::NEG_ONE,
                fields: Vec::from([Goldilocks::from_u64(index), Goldilocks::from_u8(byte)]),
            })
            .collect()
    }

    /// Instructions executed and rows after the exit, which a proof does not tell apart.
    pub fn cycles(&self, heights_log2: &[u8]) -> u64 {
        let instances =
            self.instances.first().map_or(0, |&count| usize::try_from(count).unwrap_or(usize::MAX));
        let rows = |&log2: &u8| 1u64.checked_shl(log2.into()).unwrap_or(u64::MAX);
        heights_log2.iter().take(instances).map(rows).fold(0, u64::saturating_add)
    }
}

/// Low and high word.
fn words(value: u64) -> [Goldilocks; 2] {
    let low = value.to_le_bytes();
    let [a, b, c, d, e, f, g, h] = low;
    [u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])].map(Goldilocks::from_u32)
}
