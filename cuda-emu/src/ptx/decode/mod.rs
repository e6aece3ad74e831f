//! Statements to [`Instruction`]s: one file an instruction class.
//!
//! Every modifier of an instruction has to be consumed by its decoder; what is left over is an error, so that
//! no meaning is lost in silence.

mod control;
mod convert;
mod float;
mod integer;
mod memory;
mod modifiers;
mod warp;

use std::collections::HashMap;

use super::PtxError;
use super::kernel::{Input, Kernel, Rows};
use super::layout::{Layout, ModuleLayout, parameters};
use super::op::{Guard, Instruction, Op, Place, Slot};
use super::registers::{Allocation, allocate};
use super::syntax::{Entry, Operand, Register, Statement};
use super::types::{Bank, Type};
use modifiers::Modifiers;

/// Decodes a kernel.
///
/// # Errors
/// An instruction, modifier or operand that is not understood, with its line.
pub(super) fn decode(entry: &Entry, module: &ModuleLayout) -> Result<Kernel, PtxError> {
    let layout = Layout::new(module, entry);
    let mut decoder = Decoder::new(entry, &layout);
    let mut starts = Vec::with_capacity(entry.body.statements.len() + 1);
    for statement in &entry.body.statements {
        starts.push(decoder.code.len() as u32);
        decoder.statement(statement)?;
    }
    starts.push(decoder.code.len() as u32);
    let end = entry.body.statements.last().map_or(1, |statement| statement.line);
    decoder.code.push(Instruction { op: Op::Exit, guard: Guard::Always, line: end });
    for instruction in &mut decoder.code {
        if let Op::Branch { target } = &mut instruction.op {
            *target = starts[*target as usize];
        }
    }
    for target in decoder.tables.iter_mut().flatten() {
        *target = starts[*target as usize];
    }
    let Decoder { code, tables, rows, shared_granule, .. } = decoder;
    Ok(Kernel {
        name: entry.name.clone(),
        parameters: parameters(&entry.parameters),
        max_threads: entry.max_threads,
        static_shared_bytes: layout.static_shared_bytes,
        dynamic_shared_start: layout.dynamic_shared_start,
        local_bytes: layout.local_bytes,
        code,
        tables,
        rows,
        shared_granule,
    })
}

/// The state of decoding one kernel.
struct Decoder<'a> {
    entry: &'a Entry,
    layout: &'a Layout<'a>,
    /// The row of each register.
    slots: Vec<Slot>,
    rows: Rows,
    inputs: HashMap<(Bank, Input), Slot>,
    code: Vec<Instruction>,
    tables: Vec<Vec<u32>>,
    shared_granule: u32,
    /// Of the statement at hand.
    line: u32,
    guard: Guard,
}

impl<'a> Decoder<'a> {
    fn new(entry: &'a Entry, layout: &'a Layout<'a>) -> Self {
        let Allocation { slots, predicates, words, wides } = allocate(&entry.body);
        let registers = [predicates, words, wides];
        let rows = Rows { predicates, words, wides, registers, ..Rows::default() };
        Self {
            entry,
            layout,
            slots,
            rows,
            inputs: HashMap::new(),
            code: Vec::new(),
            tables: Vec::new(),
            shared_granule: 8,
            line: 1,
            guard: Guard::Always,
        }
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), PtxError> {
        self.line = statement.line;
        self.guard = match statement.guard {
            None => Guard::Always,
            Some((register, false)) => Guard::If(self.slot(register)),
            Some((register, true)) => Guard::Unless(self.slot(register)),
        };
        let mut modifiers = Modifiers::new(statement);
        let operands = statement.operands.as_slice();
        let understood = self.integer(statement, &mut modifiers, operands)?
            || self.convert(statement, &mut modifiers, operands)?
            || self.float(statement, &mut modifiers, operands)?
            || self.memory(statement, &mut modifiers, operands)?
            || self.control(statement, &mut modifiers, operands)?
            || self.warp(statement, &mut modifiers, operands)?;
        if !understood {
            return Err(self.error(&format!("the instruction `{}` is not supported", statement.name())));
        }
        modifiers.finish()
    }

    fn emit(&mut self, op: Op) {
        self.code.push(Instruction { op, guard: self.guard, line: self.line });
    }

    fn error(&self, what: &str) -> PtxError {
        PtxError { line: self.line, what: what.to_owned() }
    }

    fn bank(&self, register: Register) -> Bank {
        self.entry.body.registers[register.0 as usize]
    }

    fn slot(&self, register: Register) -> Slot {
        self.slots[register.0 as usize]
    }

    /// A row that no register has.
    fn fresh(&mut self, bank: Bank) -> Slot {
        self.rows.add(bank)
    }

    /// The row of an input.
    fn input(&mut self, bank: Bank, input: Input) -> Slot {
        if let Some(&slot) = self.inputs.get(&(bank, input)) {
            return slot;
        }
        let slot = self.rows.add(bank);
        self.rows.inputs(bank).push((slot, input));
        self.inputs.insert((bank, input), slot);
        slot
    }

    /// A row that holds `bits` in every lane.
    fn constant(&mut self, bank: Bank, bits: u64) -> Slot {
        let bits = match bank {
            Bank::Predicate => u64::from(bits != 0),
            Bank::Word => bits & u64::from(u32::MAX),
            Bank::Wide => bits,
        };
        self.input(bank, Input::Constant(bits))
    }

    /// The row of an operand that is read as a `ty`.
    fn value(&mut self, operand: &Operand, ty: Type) -> Result<Slot, PtxError> {
        let place = self.place(operand, ty)?;
        if place.wide != (ty.bank() == Bank::Wide) {
            return Err(self.error("an operand's width is not the instruction's"));
        }
        Ok(place.slot)
    }

    /// The row of an operand that is read as a `ty` and may be a wider or narrower register.
    fn place(&mut self, operand: &Operand, ty: Type) -> Result<Place, PtxError> {
        let bank = ty.bank();
        let slot = match operand {
            Operand::Register(register) => {
                let wide = match self.bank(*register) {
                    Bank::Predicate => return Err(self.error("a predicate cannot be used as a number")),
                    Bank::Word => false,
                    Bank::Wide => true,
                };
                return Ok(Place { slot: self.slot(*register), wide });
            }
            Operand::Immediate(bits) => self.constant(bank, *bits),
            Operand::Special(special) => {
                return Ok(Place { slot: self.input(Bank::Word, Input::Special(*special)), wide: false });
            }
            Operand::Symbol(name, offset) => {
                let (_, address) = self.layout.address(name, self.line)?;
                self.constant(bank, address.wrapping_add_signed(*offset))
            }
            _ => return Err(self.error("an operand of this form is not supported here")),
        };
        Ok(Place { slot, wide: bank == Bank::Wide })
    }

    /// The row of a register that is written as a `ty`.
    fn target(&self, operand: &Operand, ty: Type) -> Result<Slot, PtxError> {
        let place = self.target_place(operand)?;
        if place.wide != (ty.bank() == Bank::Wide) {
            return Err(self.error("the result's width is not the instruction's"));
        }
        Ok(place.slot)
    }

    /// The row of a register that is written, which may be wider than what is written to it.
    fn target_place(&self, operand: &Operand) -> Result<Place, PtxError> {
        match operand {
            Operand::Register(register) if self.bank(*register) != Bank::Predicate => {
                Ok(Place { slot: self.slot(*register), wide: self.bank(*register) == Bank::Wide })
            }
            _ => Err(self.error("the result must be a register for numbers")),
        }
    }

    /// The row of a predicate register.
    fn predicate(&self, operand: &Operand) -> Result<Slot, PtxError> {
        match operand {
            Operand::Register(register) if self.bank(*register) == Bank::Predicate => {
                Ok(self.slot(*register))
            }
            _ => Err(self.error("a predicate register was expected")),
        }
    }

    /// The row of a predicate that is read, and whether it is negated.
    fn condition(&mut self, operand: &Operand) -> Result<(Slot, bool), PtxError> {
        match operand {
            Operand::Not(register) if self.bank(*register) == Bank::Predicate => {
                Ok((self.slot(*register), true))
            }
            Operand::Immediate(bits) => Ok((self.constant(Bank::Predicate, *bits), false)),
            _ => Ok((self.predicate(operand)?, false)),
        }
    }

    /// The row of a predicate where no negation may stand.
    fn plain_condition(&mut self, operand: &Operand) -> Result<Slot, PtxError> {
        match self.condition(operand)? {
            (slot, false) => Ok(slot),
            (_, true) => Err(self.error("a predicate cannot be negated here")),
        }
    }

    /// The operands, if there are `N`.
    fn operands<'o, const N: usize>(&self, operands: &'o [Operand]) -> Result<&'o [Operand; N], PtxError> {
        operands.try_into().map_err(|_| self.error(&format!("{N} operands were expected")))
    }
}

impl Rows {
    /// Adds a row to a bank.
    fn add(&mut self, bank: Bank) -> Slot {
        let count = match bank {
            Bank::Predicate => &mut self.predicates,
            Bank::Word => &mut self.words,
            Bank::Wide => &mut self.wides,
        };
        *count += 1;
        *count - 1
    }

    fn inputs(&mut self, bank: Bank) -> &mut Vec<(Slot, Input)> {
        match bank {
            Bank::Predicate => &mut self.predicate_inputs,
            Bank::Word => &mut self.word_inputs,
            Bank::Wide => &mut self.wide_inputs,
        }
    }
}
