//! The dotted words behind an opcode, consumed one by one.

use crate::ptx::PtxError;
use crate::ptx::syntax::Statement;
use crate::ptx::types::{Int, Type};

/// What is left of a statement's modifiers.
pub(super) struct Modifiers<'a> {
    statement: &'a Statement,
    rest: Vec<&'a str>,
}

impl<'a> Modifiers<'a> {
    pub(super) fn new(statement: &'a Statement) -> Self {
        Self { statement, rest: statement.modifiers.iter().map(String::as_str).collect() }
    }

    /// Consumes `word`; whether it was there.
    pub(super) fn take(&mut self, word: &str) -> bool {
        let found = self.rest.iter().position(|&other| other == word);
        if let Some(at) = found {
            self.rest.remove(at);
        }
        found.is_some()
    }

    /// Consumes every word that `wanted` accepts.
    pub(super) fn skip(&mut self, wanted: impl Fn(&str) -> bool) {
        self.rest.retain(|word| !wanted(word));
    }

    /// Consumes the first word that `meaning` gives a meaning.
    pub(super) fn find<T>(&mut self, meaning: impl Fn(&str) -> Option<T>) -> Option<T> {
        let (at, found) =
            self.rest.iter().enumerate().find_map(|(at, word)| meaning(word).map(|found| (at, found)))?;
        self.rest.remove(at);
        Some(found)
    }

    /// Consumes the first type.
    pub(super) fn ty(&mut self) -> Result<Type, PtxError> {
        self.find(Type::named).ok_or_else(|| self.error("has no type"))
    }

    /// Consumes the first type, which must be an integer of 16 bits or more.
    pub(super) fn int(&mut self) -> Result<(Type, Int), PtxError> {
        let ty = self.ty()?;
        Int::of(ty).map(|int| (ty, int)).ok_or_else(|| self.error("has a type it cannot have"))
    }

    /// # Errors
    /// A modifier that nobody consumed.
    pub(super) fn finish(self) -> Result<(), PtxError> {
        match self.rest.first() {
            None => Ok(()),
            Some(word) => Err(self.error(&format!("has the modifier `.{word}`, which is not supported"))),
        }
    }

    /// An error about the instruction as a whole.
    pub(super) fn error(&self, what: &str) -> PtxError {
        PtxError {
            line: self.statement.line,
            what: format!("the instruction `{}` {what}", self.statement.name()),
        }
    }
}
