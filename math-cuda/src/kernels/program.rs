//! Evaluating a table's body on rows: what every such kernel reads and writes (`kernels/constraints.cuh`),
//! and the kernel that runs any body as a program (`kernels/program.cu`).

use lambda_math::Goldilocks;
use lambda_math::field::EXT_DEGREE;

use super::lookup::MESSAGE_COLUMNS;
use crate::{
    DeviceBuffer, DeviceError, DeviceSlice, DeviceSliceMut, Grid, Kernel, Launch, PtxModule, Stream,
};

static MODULE: PtxModule = PtxModule::new("program", include_str!("../../kernels/program.ptx"));
static RUN_SHARED: Kernel = Kernel::new(&MODULE, "program_run_shared");
static RUN_GLOBAL: Kernel = Kernel::new(&MODULE, "program_run_global");

/// Threads a block, and fewer where that makes room for the registers.
const THREADS: [u32; 3] = [128, 64, 32];
/// Shared memory that registers may take, bytes.
const SHARED_BYTES: u32 = 48 << 10;
/// Global memory that registers may take, bytes.
const SCRATCH_BYTES: usize = 32 << 20;

/// How much of everything a body reads and writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyShape {
    /// Main columns.
    pub main: usize,
    /// Preprocessed columns.
    pub preprocessed: usize,
    /// Row selectors, those in front of the last one it reads included.
    pub selectors: usize,
    /// Public values.
    pub public_values: usize,
    /// Weights, in extension elements.
    pub weights: usize,
    /// Interactions of which it writes messages.
    pub interactions: usize,
    /// Whether it writes sums of constraints.
    pub sums: bool,
}

/// Columns that are `stride` values apart.
#[derive(Clone, Copy, Debug)]
pub struct ColumnSlice<'a> {
    /// From the first column's first row on.
    pub values: DeviceSlice<'a, Goldilocks>,
    /// Values from a column to the next, at least the rows of one.
    pub stride: usize,
}

/// What a body is evaluated on: the rows `start..start + rows`, and the rows after them, of a table of
/// `height` rows. Columns need no other rows than these.
#[derive(Clone, Copy, Debug)]
pub struct BodyInput<'a> {
    /// Main columns.
    pub main: ColumnSlice<'a>,
    /// Preprocessed columns, if the table has any.
    pub preprocessed: Option<ColumnSlice<'a>>,
    /// First-row, last-row and transition selector, if the body reads any.
    pub selectors: Option<ColumnSlice<'a>>,
    /// Public values, if the table has any.
    pub public_values: Option<DeviceSlice<'a, Goldilocks>>,
    /// Weights, three values each.
    pub weights: DeviceSlice<'a, Goldilocks>,
    /// Rows of the table, a power of two.
    pub height: usize,
    /// First row.
    pub start: usize,
    /// Number of rows.
    pub rows: usize,
}

/// Where a body's values go.
#[derive(Debug)]
pub struct BodyOutput<'a> {
    /// Of each interaction [`MESSAGE_COLUMNS`] columns of the chunk's rows: the coefficients of its factor,
    /// and its multiplicity, signed by the direction.
    pub messages: Option<DeviceSliceMut<'a, Goldilocks>>,
    /// Three columns of the chunk's rows: the sum of the weighted constraints.
    pub sums: Option<DeviceSliceMut<'a, Goldilocks>>,
}

impl BodyInput<'_> {
    /// Gives `launch` the arguments that all kernels of bodies begin with.
    ///
    /// # Panics
    /// When something that `shape` names is missing for a row of the chunk.
    pub fn arguments<'s>(
        &self,
        launch: Launch<'s>,
        shape: &BodyShape,
        output: &mut BodyOutput<'_>,
    ) -> Launch<'s> {
        assert!(self.height.is_power_of_two(), "a table has a power of two of rows");
        assert!(self.start + self.rows <= self.height, "the chunk lies in the table");
        assert!(self.weights.len() >= EXT_DEGREE * shape.weights, "everything has a weight");
        let end = self.start + self.rows;
        // The row after the last one is the first one, or another one.
        let with_next = self.height.min(end + 1);
        let launch = Self::columns(launch, Some(self.main), shape.main, with_next);
        let launch = Self::columns(launch, self.preprocessed, shape.preprocessed, with_next);
        let launch = Self::columns(launch, self.selectors, shape.selectors, end);
        let launch = match self.public_values {
            Some(values) if shape.public_values > 0 => {
                assert!(values.len() >= shape.public_values, "the body's public values are there");
                launch.read(values)
            }
            _ => {
                assert_eq!(shape.public_values, 0, "the body reads public values");
                launch.null()
            }
        };
        let launch = launch.read(self.weights);
        let messages = shape.interactions * MESSAGE_COLUMNS * self.rows;
        let launch = Self::written(launch, output.messages.as_mut(), messages);
        let sums = if shape.sums { EXT_DEGREE * self.rows } else { 0 };
        let launch = Self::written(launch, output.sums.as_mut(), sums);
        launch.u64(self.height as u64).u64(self.start as u64).u64(self.rows as u64)
    }

    /// `count` columns of which `rows` rows are read.
    fn columns<'s>(
        launch: Launch<'s>,
        columns: Option<ColumnSlice<'_>>,
        count: usize,
        rows: usize,
    ) -> Launch<'s> {
        match columns {
            Some(columns) if count > 0 => {
                assert!(columns.stride >= rows, "columns do not overlap");
                let values = (count - 1) * columns.stride + rows;
                assert!(columns.values.len() >= values, "{count} columns have {rows} rows");
                launch.read(columns.values).u64(columns.stride as u64)
            }
            _ => {
                assert_eq!(count, 0, "the body reads columns");
                launch.null().u64(0)
            }
        }
    }

    fn written<'s>(
        launch: Launch<'s>,
        values: Option<&mut DeviceSliceMut<'_, Goldilocks>>,
        len: usize,
    ) -> Launch<'s> {
        match values {
            Some(values) if len > 0 => {
                assert_eq!(values.len(), len, "the output has the chunk's rows");
                launch.write(values.reborrow())
            }
            _ => {
                assert_eq!(len, 0, "the body's output has a place");
                launch.null()
            }
        }
    }
}

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register.
    Register(u32),
    /// A main column, at the row.
    Main(u32),
    /// A main column, at the next row.
    MainNext(u32),
    /// A preprocessed column, at the row.
    Preprocessed(u32),
    /// A preprocessed column, at the next row.
    PreprocessedNext(u32),
    /// A constant of the program.
    Constant(u32),
    /// A public value.
    Public(u32),
    /// A row selector.
    Selector(u32),
}

/// One step of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant's sentence names its fields")]
pub enum Instruction {
    /// `registers[to] = a + b`.
    Add { to: u32, a: Operand, b: Operand },
    /// `registers[to] = a - b`.
    Sub { to: u32, a: Operand, b: Operand },
    /// `registers[to] = a · b`.
    Mul { to: u32, a: Operand, b: Operand },
    /// `registers[to] = -a`.
    Neg { to: u32, a: Operand },
    /// `value` times weight `weight` is added to the sum of constraints.
    Constraint { weight: u32, value: Operand },
    /// `value` is the multiplicity of `interaction`; the factor of the message that begins is weight
    /// `interaction`.
    Send { interaction: u32, value: Operand },
    /// The same with multiplicity `-value`.
    Receive { interaction: u32, value: Operand },
    /// `value` times weight `weight` is added to the factor of the message.
    Field { weight: u32, value: Operand },
    /// The message of `interaction` ends.
    Factor { interaction: u32 },
}

/// A program as the host has it.
#[derive(Clone, Debug, Default)]
pub struct HostProgram {
    /// What it reads and writes.
    pub shape: BodyShape,
    /// Its steps.
    pub instructions: Vec<Instruction>,
    /// Its constants.
    pub constants: Vec<Goldilocks>,
    /// Number of its registers.
    pub registers: u32,
}

/// A program on the device.
#[derive(Debug)]
pub struct Program {
    shape: BodyShape,
    instructions: DeviceBuffer<u32>,
    constants: DeviceBuffer<Goldilocks>,
    count: u32,
    registers: u32,
}

impl Program {
    /// Uploads `program`.
    ///
    /// # Panics
    /// When an instruction reads or writes what the program's shape does not have.
    ///
    /// # Errors
    /// Those of [`Stream::upload`].
    pub fn upload(stream: &Stream, program: &HostProgram) -> Result<Self, DeviceError> {
        let mut written = vec![false; program.registers as usize];
        for &instruction in &program.instructions {
            assert!(program.holds(instruction, &written), "{instruction:?} leaves what the program has");
            if let Some(register) = instruction.target_register() {
                written[register as usize] = true;
            }
        }
        let words: Vec<u32> =
            program.instructions.iter().flat_map(|instruction| instruction.words()).collect();
        // A buffer has at least one value.
        let constants =
            if program.constants.is_empty() { &[Goldilocks::default()] } else { &program.constants[..] };
        Ok(Self {
            shape: program.shape,
            instructions: stream.upload(&words, "program")?,
            constants: stream.upload(constants, "program constants")?,
            count: program.instructions.len() as u32,
            registers: program.registers,
        })
    }

    /// What it reads and writes.
    pub fn shape(&self) -> &BodyShape {
        &self.shape
    }

    /// Device memory that a run over `rows` rows takes besides its input and output, bytes.
    pub fn scratch_bytes(&self, rows: usize) -> u64 {
        match self.threads_with_shared_registers() {
            Some(_) => 0,
            None => (self.scratch_threads(rows) * self.registers as usize * size_of::<u64>()) as u64,
        }
    }

    /// Runs it: a row takes, per instruction, 16 bytes of code from the cache, 50 operations and three
    /// accesses to registers.
    ///
    /// # Panics
    /// When something that the program reads or writes is missing for a row of the chunk.
    ///
    /// # Errors
    /// Those of [`Stream::alloc`] and [`Launch::run`].
    pub fn run(
        &self,
        stream: &Stream,
        input: &BodyInput<'_>,
        output: &mut BodyOutput<'_>,
    ) -> Result<(), DeviceError> {
        if let Some(threads) = self.threads_with_shared_registers() {
            let shared_bytes = self.registers * threads * size_of::<u64>() as u32;
            let grid = Grid::linear(input.rows as u64, threads).shared(shared_bytes);
            let launch = input.arguments(stream.launch(&RUN_SHARED, grid), &self.shape, output);
            return self.code(launch).run();
        }
        let threads = self.scratch_threads(input.rows);
        let mut scratch = stream.alloc::<u64>(threads * self.registers as usize, "program registers")?;
        let grid = Grid::linear(threads as u64, THREADS[0]);
        let launch = input.arguments(stream.launch(&RUN_GLOBAL, grid), &self.shape, output);
        self.code(launch).write(&mut scratch).run()
    }

    fn code<'s>(&self, launch: Launch<'s>) -> Launch<'s> {
        launch.read(&self.instructions).u32(self.count).read(&self.constants).u32(self.shape.sums.into())
    }

    fn threads_with_shared_registers(&self) -> Option<u32> {
        let bytes = |threads: u32| u64::from(self.registers) * u64::from(threads) * size_of::<u64>() as u64;
        THREADS.into_iter().find(|&threads| bytes(threads) <= SHARED_BYTES.into())
    }

    /// Threads whose registers fit the scratch memory, whole blocks.
    fn scratch_threads(&self, rows: usize) -> usize {
        let block = THREADS[0] as usize;
        let most = SCRATCH_BYTES / (size_of::<u64>() * self.registers as usize);
        rows.min(most).max(1).next_multiple_of(block)
    }
}

impl HostProgram {
    /// Whether everything that `instruction` reads or writes exists, after the `written` registers.
    fn holds(&self, instruction: Instruction, written: &[bool]) -> bool {
        let shape = &self.shape;
        let reads = |operand: Operand| match operand {
            Operand::Register(index) => written.get(index as usize).is_some_and(|&written| written),
            Operand::Main(column) | Operand::MainNext(column) => (column as usize) < shape.main,
            Operand::Preprocessed(column) | Operand::PreprocessedNext(column) => {
                (column as usize) < shape.preprocessed
            }
            Operand::Constant(index) => (index as usize) < self.constants.len(),
            Operand::Public(index) => (index as usize) < shape.public_values,
            Operand::Selector(index) => (index as usize) < shape.selectors,
        };
        let has_target = instruction.target_register().is_none_or(|register| register < self.registers);
        has_target
            && match instruction {
                Instruction::Add { a, b, .. }
                | Instruction::Sub { a, b, .. }
                | Instruction::Mul { a, b, .. } => reads(a) && reads(b),
                Instruction::Neg { a, .. } => reads(a),
                Instruction::Constraint { weight, value } => {
                    shape.sums && (weight as usize) < shape.weights && reads(value)
                }
                Instruction::Field { weight, value } => (weight as usize) < shape.weights && reads(value),
                Instruction::Send { interaction, value } | Instruction::Receive { interaction, value } => {
                    (interaction as usize) < shape.interactions.min(shape.weights) && reads(value)
                }
                Instruction::Factor { interaction } => (interaction as usize) < shape.interactions,
            }
    }
}

impl Instruction {
    fn target_register(self) -> Option<u32> {
        match self {
            Self::Add { to, .. } | Self::Sub { to, .. } | Self::Mul { to, .. } | Self::Neg { to, .. } => {
                Some(to)
            }
            _ => None,
        }
    }

    /// Operation, target and operands, as `kernels/program.cu` numbers them.
    fn words(self) -> [u32; 4] {
        // An operand that the operation ignores; the kernel may read it.
        let none = Operand::Constant(0);
        let (operation, target, a, b) = match self {
            Self::Add { to, a, b } => (0, to, a, b),
            Self::Sub { to, a, b } => (1, to, a, b),
            Self::Mul { to, a, b } => (2, to, a, b),
            Self::Neg { to, a } => (3, to, a, none),
            Self::Constraint { weight, value } => (4, weight, value, none),
            Self::Send { interaction, value } => (5, interaction, value, none),
            Self::Receive { interaction, value } => (6, interaction, value, none),
            Self::Field { weight, value } => (7, weight, value, none),
            Self::Factor { interaction } => (8, interaction, none, none),
        };
        [operation, target, a.word(), b.word()]
    }
}

impl Operand {
    fn word(self) -> u32 {
        let (kind, index) = match self {
            Self::Register(index) => (0, index),
            Self::Main(column) => (1, column),
            Self::MainNext(column) => (2, column),
            Self::Preprocessed(column) => (3, column),
            Self::PreprocessedNext(column) => (4, column),
            Self::Constant(index) => (5, index),
            Self::Public(index) => (6, index),
            Self::Selector(index) => (7, index),
        };
        assert!(index < 1 << 28, "an operand's index has 28 bits");
        kind << 28 | index
    }
}
