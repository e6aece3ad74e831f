//! Instructions by call stack.
//!
//! Calls and returns are told by the link registers `ra` and `t0`, as the calling convention has it: a jump
//! that writes one is a call, a jump through one that writes nothing is a return. A return goes back to the
//! frame whose return address it jumps to, over frames that will not return. A jump from function to
//! function that is neither is a tail call and replaces the function of the frame.

use std::collections::HashMap;
use std::fmt::Write;

use lambda_machine::elf::SymbolTable;
use lambda_machine::isa::{Class, INSTRUCTION_BYTES, Instruction};
use lambda_machine::program::Program;

use crate::listing::function_name;
use crate::watch::{Retired, Watch};

/// Frames beyond this are counted for the one at this depth.
const MAX_DEPTH: usize = 512;

/// Instructions by call stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Call stacks, outermost function first, and instructions done with exactly that stack.
    pub stacks: Vec<(Vec<String>, u64)>,
}

impl Profile {
    /// One line for each stack, `outer;inner count`: what flame graph programs read.
    #[must_use]
    pub fn folded(&self) -> String {
        let mut text = String::new();
        for (stack, count) in &self.stacks {
            let names: Vec<String> = stack.iter().map(|name| name.replace(';', ":")).collect();
            writeln!(text, "{} {count}", names.join(";")).expect("strings take everything");
        }
        text
    }
}

/// A function, by index in the symbol table; `None` where no symbol is.
type Function = Option<usize>;

/// A call stack: a function and the stack that called it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Stack {
    /// Index of the caller's stack in [`Profiler::stacks`].
    caller: Option<usize>,
    function: Function,
}

/// A call that has not returned.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Index in [`Profiler::stacks`].
    stack: usize,
    return_pc: u64,
}

/// Watches an execution and counts.
#[derive(Debug)]
pub struct Profiler<'a> {
    program: &'a Program,
    symbols: &'a SymbolTable,
    /// Every stack seen, with its instructions.
    stacks: Vec<(Stack, u64)>,
    indexes: HashMap<Stack, usize>,
    frames: Vec<Frame>,
    /// Instructions since the last change of stack.
    pending: u64,
}

impl<'a> Profiler<'a> {
    pub fn new(program: &'a Program, symbols: &'a SymbolTable) -> Self {
        let (stacks, indexes, frames) = (Vec::new(), HashMap::new(), Vec::new());
        let mut profiler = Self { program, symbols, stacks, indexes, frames, pending: 0 };
        let bottom = Stack { caller: None, function: symbols.index_of(program.entry) };
        let frame = Frame { stack: profiler.index(bottom), return_pc: u64::MAX };
        profiler.frames.push(frame);
        profiler
    }

    /// What was counted.
    pub fn finish(mut self) -> Profile {
        self.settle();
        let mut stacks = Vec::new();
        for (stack, count) in self.stacks.iter().filter(|(_, count)| *count > 0) {
            let callers =
                std::iter::successors(Some(stack), |stack| stack.caller.map(|caller| &self.stacks[caller].0));
            let mut names: Vec<String> = callers.map(|stack| self.name(stack.function)).collect();
            names.reverse();
            stacks.push((names, *count));
        }
        stacks.sort();
        Profile { stacks }
    }

    fn name(&self, function: Function) -> String {
        function.map_or_else(|| String::from("?"), |index| function_name(&self.symbols.symbols()[index]))
    }

    fn function(&self, pc: u64) -> Function {
        u32::try_from(pc).ok().and_then(|pc| self.symbols.index_of(pc))
    }

    /// Index of a stack, which exists from now on.
    fn index(&mut self, stack: Stack) -> usize {
        *self.indexes.entry(stack).or_insert_with(|| {
            self.stacks.push((stack, 0));
            self.stacks.len() - 1
        })
    }

    /// The frame at hand.
    fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the bottom frame stays")
    }

    /// Counts what is pending for the stack at hand.
    fn settle(&mut self) {
        let stack = self.top().stack;
        self.stacks[stack].1 += core::mem::take(&mut self.pending);
    }

    fn call(&mut self, target: u64, return_pc: u64) {
        self.settle();
        let caller = self.top().stack;
        let stack = if self.frames.len() < MAX_DEPTH {
            self.index(Stack { caller: Some(caller), function: self.function(target) })
        } else {
            caller
        };
        self.frames.push(Frame { stack, return_pc });
    }

    fn go_back(&mut self, target: u64) {
        self.settle();
        if let Some(depth) = self.frames.iter().rposition(|frame| frame.return_pc == target) {
            self.frames.truncate(depth.max(1));
        }
    }

    fn go_on(&mut self, pc: u64, target: u64) {
        let function = self.function(target);
        if function == self.function(pc) {
            return;
        }
        self.settle();
        let at_hand = self.top().stack;
        let caller = self.stacks[at_hand].0.caller;
        self.top().stack = self.index(Stack { caller, function });
    }
}

const fn is_link(register: u8) -> bool {
    register == 1 || register == 5
}

impl Watch for Profiler<'_> {
    #[inline(always)]
    fn retired(&mut self, retired: &Retired) {
        self.pending += 1;
        let Some(Some(Instruction { class, rs1, rd, .. })) = self.program.code.get(retired.index) else {
            unreachable!("only instructions retire")
        };
        let pc = u64::from(self.program.code_base) + u64::from(INSTRUCTION_BYTES) * retired.index as u64;
        match class {
            Class::Jal | Class::Jalr if is_link(*rd) => {
                self.call(retired.next_pc, pc + u64::from(INSTRUCTION_BYTES));
            }
            Class::Jalr if is_link(*rs1) && *rd == 0 => self.go_back(retired.next_pc),
            Class::Jal | Class::Jalr => self.go_on(pc, retired.next_pc),
            _ => {}
        }
    }
}
