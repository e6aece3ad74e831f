//! Kernel bodies: scopes, registers, labels, instructions.

use std::collections::HashMap;

use super::PtxError;
use super::lexer::TokenKind;
use super::parser::{Cursor, variable};
use super::syntax::{Body, Home, Operand, Register, Special, Statement};
use super::types::Bank;

/// Builds a kernel's body, statement by statement.
pub(super) struct BodyParser {
    body: Body,
    /// The open scopes, outermost first.
    scopes: Vec<Scope>,
}

/// What is declared between a pair of braces.
#[derive(Default)]
struct Scope {
    registers: HashMap<String, Register>,
    /// Label to the statement it stands before.
    labels: HashMap<String, u32>,
    /// Label of a `.branchtargets` to its list.
    tables: HashMap<String, Vec<String>>,
    /// Branches whose label is not known yet: statement and operand.
    wanted: Vec<(usize, usize)>,
}

impl BodyParser {
    pub(super) fn new() -> Self {
        Self { body: Body::default(), scopes: vec![Scope::default()] }
    }

    /// Parses to the closing brace, the opening one consumed.
    pub(super) fn parse(mut self, cursor: &mut Cursor) -> Result<Body, PtxError> {
        while !self.scopes.is_empty() {
            if cursor.accept('{') {
                self.scopes.push(Scope::default());
            } else if cursor.accept('}') {
                self.close()?;
            } else {
                self.statement(cursor)?;
            }
        }
        Ok(self.body)
    }

    /// Closes the innermost scope. Its branches to labels that it does not have go to the next one out.
    fn close(&mut self) -> Result<(), PtxError> {
        let scope = self.scopes.pop().expect("a scope is open while its body is parsed");
        let unresolved = self.resolve(scope);
        if let Some(parent) = self.scopes.last_mut() {
            parent.wanted.extend(unresolved);
        } else if let Some(&(statement, operand)) = unresolved.first() {
            let statement = &self.body.statements[statement];
            let what = match &statement.operands[operand] {
                Operand::Symbol(label, _) => format!("the label `{label}` is not defined"),
                _ => "a branch without a label".to_owned(),
            };
            return Err(PtxError { line: statement.line, what });
        }
        Ok(())
    }

    /// Fills in the branches of a closed scope; returns those whose label lies further out.
    fn resolve(&mut self, scope: Scope) -> Vec<(usize, usize)> {
        let mut unresolved = Vec::new();
        for (statement, operand) in scope.wanted {
            let slot = &mut self.body.statements[statement].operands[operand];
            let Operand::Symbol(label, 0) = slot else {
                unresolved.push((statement, operand));
                continue;
            };
            let found = match scope.tables.get(label) {
                Some(table) => table
                    .iter()
                    .map(|label| scope.labels.get(label).copied())
                    .collect::<Option<Vec<_>>>()
                    .map(Operand::Targets),
                None => scope.labels.get(label).copied().map(Operand::Target),
            };
            match found {
                Some(target) => *slot = target,
                None => unresolved.push((statement, operand)),
            }
        }
        unresolved
    }

    fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("a scope is open while its body is parsed")
    }

    /// A declaration, a label, a directive or an instruction.
    fn statement(&mut self, cursor: &mut Cursor) -> Result<(), PtxError> {
        if cursor.accept(';') {
            return Ok(());
        }
        let guard = self.guard(cursor)?;
        let token = cursor.next()?;
        let TokenKind::Word(word) = &token.kind else {
            return Err(cursor.error(&format!("a statement was expected, not {:?}", token.kind)));
        };
        match word.as_str() {
            ".reg" => return self.declare_registers(cursor),
            ".shared" => return self.declare(cursor, Home::Shared),
            ".local" => return self.declare(cursor, Home::Local),
            ".loc" | ".pragma" | ".file" => {
                cursor.skip_directive(&token);
                return Ok(());
            }
            _ if word.starts_with('.') => {
                return Err(cursor.error(&format!("the directive `{word}` is not supported")));
            }
            _ => {}
        }
        if cursor.accept(':') {
            return self.label(cursor, word);
        }
        let mut parts = word.split('.').map(str::to_owned);
        let opcode = parts.next().unwrap_or_default();
        let mut operands = Vec::new();
        while !cursor.accept(';') {
            if !operands.is_empty() {
                cursor.expect(',')?;
            }
            operands.push(self.operand(cursor)?);
        }
        let branch = match opcode.as_str() {
            "bra" => Some(0),
            "brx" => Some(1),
            _ => None,
        };
        if let Some(operand) = branch.filter(|&operand| operand < operands.len()) {
            let statement = self.body.statements.len();
            self.scope().wanted.push((statement, operand));
        }
        self.body.statements.push(Statement {
            line: token.line,
            guard,
            opcode,
            modifiers: parts.collect(),
            operands,
        });
        Ok(())
    }

    /// `@p` or `@!p`, if there is one.
    fn guard(&mut self, cursor: &mut Cursor) -> Result<Option<(Register, bool)>, PtxError> {
        if !cursor.accept('@') {
            return Ok(None);
        }
        let negated = cursor.accept('!');
        let name = cursor.word()?;
        match self.register(&name) {
            Some(register) if self.body.registers[register.0 as usize] == Bank::Predicate => {
                Ok(Some((register, negated)))
            }
            _ => Err(cursor.error(&format!("the guard `{name}` is no predicate register"))),
        }
    }

    fn label(&mut self, cursor: &mut Cursor, name: &str) -> Result<(), PtxError> {
        if cursor.word_if(|word| word == ".branchtargets").is_some() {
            let mut labels = vec![cursor.word()?];
            while cursor.accept(',') {
                labels.push(cursor.word()?);
            }
            cursor.expect(';')?;
            self.scope().tables.insert(name.to_owned(), labels);
            return Ok(());
        }
        let statement = self.body.statements.len() as u32;
        if self.scope().labels.insert(name.to_owned(), statement).is_some() {
            return Err(cursor.error(&format!("the label `{name}` is defined twice")));
        }
        Ok(())
    }

    /// `.reg .b32 %r<10>;` or `.reg .pred p, q;`, the `.reg` consumed.
    fn declare_registers(&mut self, cursor: &mut Cursor) -> Result<(), PtxError> {
        let word = cursor.word()?;
        let bank = cursor.type_of(&word)?.bank();
        loop {
            let name = cursor.word()?;
            if cursor.accept('<') {
                let count = cursor.number()?;
                cursor.expect('>')?;
                for index in 0..count {
                    self.declare_register(format!("{name}{index}"), bank);
                }
            } else {
                self.declare_register(name, bank);
            }
            if !cursor.accept(',') {
                return cursor.expect(';');
            }
        }
    }

    fn declare_register(&mut self, name: String, bank: Bank) {
        let register = Register(self.body.registers.len() as u32);
        self.body.registers.push(bank);
        self.scope().registers.insert(name, register);
    }

    fn declare(&mut self, cursor: &mut Cursor, home: Home) -> Result<(), PtxError> {
        self.body.variables.push(variable(cursor, home)?);
        Ok(())
    }

    /// The register of this name in the innermost scope that has one.
    fn register(&self, name: &str) -> Option<Register> {
        self.scopes.iter().rev().find_map(|scope| scope.registers.get(name)).copied()
    }

    /// An operand, with the `|q` that may follow it.
    fn operand(&mut self, cursor: &mut Cursor) -> Result<Operand, PtxError> {
        let first = self.simple_operand(cursor)?;
        if cursor.accept('|') {
            return Ok(Operand::Pair(Box::new(first), Box::new(self.simple_operand(cursor)?)));
        }
        Ok(first)
    }

    fn simple_operand(&mut self, cursor: &mut Cursor) -> Result<Operand, PtxError> {
        if cursor.accept('[') {
            return self.address(cursor);
        }
        if cursor.accept('{') {
            let mut parts = vec![self.simple_operand(cursor)?];
            while cursor.accept(',') {
                parts.push(self.simple_operand(cursor)?);
            }
            cursor.expect('}')?;
            return Ok(Operand::Vector(parts));
        }
        if cursor.accept('!') {
            let name = cursor.word()?;
            let register = self.register(&name);
            return register
                .map(Operand::Not)
                .ok_or_else(|| cursor.error(&format!("the register `{name}` is not declared")));
        }
        let Some(word) = cursor.word_if(|_| true) else {
            return Ok(Operand::Immediate(cursor.signed()?));
        };
        if word == "_" {
            return Ok(Operand::Sink);
        }
        if let Some(register) = self.register(&word) {
            return Ok(Operand::Register(register));
        }
        if word == "WARP_SZ" {
            return Ok(Operand::Immediate(32));
        }
        if word.starts_with('%') {
            return Special::named(&word)
                .map(Operand::Special)
                .ok_or_else(|| cursor.error(&format!("the register `{word}` is not declared or supported")));
        }
        let offset = self.offset(cursor)?;
        Ok(Operand::Symbol(word, offset))
    }

    /// An address, its bracket consumed.
    fn address(&mut self, cursor: &mut Cursor) -> Result<Operand, PtxError> {
        let operand = match cursor.word_if(|_| true) {
            None => Operand::AtNumber(cursor.signed()?),
            Some(word) => {
                let offset = self.offset(cursor)?;
                match self.register(&word) {
                    Some(register) => Operand::AtRegister(register, offset),
                    None if word.starts_with('%') => {
                        return Err(cursor.error(&format!("the register `{word}` is not declared")));
                    }
                    None => Operand::AtSymbol(word, offset),
                }
            }
        };
        cursor.expect(']')?;
        Ok(operand)
    }

    /// `+8`, `-8` or `+-8`; 0 where there is none.
    fn offset(&mut self, cursor: &mut Cursor) -> Result<i64, PtxError> {
        let plus = cursor.accept('+');
        if plus || cursor.peek().is_some_and(|token| token.kind == TokenKind::Mark('-')) {
            return Ok(cursor.signed()? as i64);
        }
        Ok(0)
    }
}
