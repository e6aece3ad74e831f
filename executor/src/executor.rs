//! [`Executor`]: a program that can be run any number of times.

use lambda_machine::elf::{ElfError, SymbolTable};
use lambda_machine::memory::MAX_CYCLES;
use lambda_machine::program::Program;
use lambda_machine::record::ExecutionRecord;

use crate::error::{ExecutionError, Location};
use crate::hart::{self, Code, Exit, Stop};
use crate::listing::function_name;
use crate::memory::Memory;
use crate::profile::{Profile, Profiler};
use crate::recorder::Recorder;
use crate::step::Step;
use crate::system::System;
use crate::watch::{Unwatched, Watch};

/// What an execution may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most instructions.
    pub cycles: u64,
    /// Most bytes of memory that holds anything, in pages of 64 KiB, image included.
    pub memory_bytes: u64,
}

impl Default for Limits {
    /// Any number of instructions, and the whole address space.
    fn default() -> Self {
        Self { cycles: u64::MAX, memory_bytes: 1 << 32 }
    }
}

/// An execution that ended with an exit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// Public output.
    pub output: Vec<u8>,
    /// The log, its last MiB.
    pub log: Vec<u8>,
    /// What the program exited with; 0 is success.
    pub exit_code: u64,
    /// Instructions done.
    pub cycles: u64,
    /// Bytes of memory that holds anything, in pages of 64 KiB.
    pub memory_bytes: u64,
}

/// A program, ready to run.
#[derive(Clone, Debug)]
pub struct Executor {
    program: Program,
    code: Code,
    symbols: SymbolTable,
    limits: Limits,
}

impl Executor {
    /// For a program, without limits.
    #[must_use]
    pub fn new(program: Program) -> Self {
        let steps = program.code.iter().map(|word| Step::new(word.as_ref())).collect();
        let code = Code { base: program.code_base, steps };
        Self { program, code, symbols: SymbolTable::default(), limits: Limits::default() }
    }

    /// For the program of an ELF file, with its symbols.
    ///
    /// # Errors
    /// As [`Program::from_elf`].
    pub fn from_elf(file: &[u8]) -> Result<Self, ElfError> {
        let program = Program::from_elf(file)?;
        Ok(Self { symbols: SymbolTable::from_elf(file), ..Self::new(program) })
    }

    /// The same program with limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The program.
    #[must_use]
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// Runs the program on an input.
    ///
    /// # Errors
    /// The first instruction that could not be done, or the limit that was reached.
    pub fn run(&self, input: &[u8]) -> Result<Execution, ExecutionError> {
        self.watched(input, self.limits, &mut Unwatched).map(|(execution, ..)| execution)
    }

    /// Runs the program on an input and records everything: 60 to 90 bytes for each instruction.
    ///
    /// # Errors
    /// As [`run`](Self::run). The limit of instructions is [`MAX_CYCLES`] if it is not lower.
    pub fn record(&self, input: &[u8]) -> Result<(Execution, ExecutionRecord), ExecutionError> {
        let mut recorder = Recorder::new(&self.program);
        let limits = Limits { cycles: self.limits.cycles.min(MAX_CYCLES), ..self.limits };
        let (execution, exit, memory) = self.watched(input, limits, &mut recorder)?;
        let record = recorder.finish(&exit, &memory, &execution.output);
        Ok((execution, record))
    }

    /// Runs the program on an input and counts its instructions by call stack. Functions are known by the
    /// ELF file's symbols.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn profile(&self, input: &[u8]) -> Result<(Execution, Profile), ExecutionError> {
        let mut profiler = Profiler::new(&self.program, &self.symbols);
        let (execution, ..) = self.watched(input, self.limits, &mut profiler)?;
        Ok((execution, profiler.finish()))
    }

    fn watched<W: Watch>(
        &self,
        input: &[u8],
        limits: Limits,
        watch: &mut W,
    ) -> Result<(Execution, Exit, Memory), ExecutionError> {
        let entry = self.program.entry;
        let mut system = System::new(input);
        let mut memory = Memory::new(&self.program, limits.memory_bytes)
            .map_err(|trap| self.error(Stop { pc: u64::from(entry), cycles: 0, trap }, Vec::new()))?;
        let exit = hart::run(&self.code, entry, limits.cycles, &mut memory, &mut system, watch);
        let (output, log) = system.into_parts();
        match exit {
            Ok(exit) => {
                let (exit_code, cycles, memory_bytes) = (exit.code, exit.cycles, memory.bytes());
                let execution = Execution { output, log, exit_code, cycles, memory_bytes };
                Ok((execution, exit, memory))
            }
            Err(stop) => Err(self.error(stop, log)),
        }
    }

    fn error(&self, stop: Stop, log: Vec<u8>) -> ExecutionError {
        let Stop { pc, cycles, trap } = stop;
        let address = u32::try_from(pc).ok();
        let word = address.and_then(|address| self.program.word(address));
        let location = address.and_then(|address| {
            let symbol = self.symbols.find(address)?;
            Some(Location { function: function_name(symbol), offset: address - symbol.address })
        });
        ExecutionError { trap, pc, word, location, cycles, log }
    }
}
