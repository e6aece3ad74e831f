//! Tokens to [`Source`]: module-level declarations and kernel headers. Bodies are [`super::body`]'s.

use super::PtxError;
use super::body::BodyParser;
use super::lexer::{Token, TokenKind, tokens};
use super::syntax::{Entry, Home, Parameter, Source, Variable};
use super::types::Type;

/// Parses a module.
///
/// # Errors
/// Text that is no PTX, or PTX outside the part understood here, with its line.
pub(super) fn parse(source: &str) -> Result<Source, PtxError> {
    let mut cursor = Cursor { tokens: tokens(source)?, at: 0 };
    let mut module = Source::default();
    let mut external = false;
    while let Some(token) = cursor.peek().cloned() {
        let word = cursor.word()?;
        match word.as_str() {
            ".version" => {
                // `9.0`: the fraction lexes as a word of its own.
                cursor.number()?;
                cursor.word_if(|word| word.starts_with('.') && word[1..].bytes().all(|b| b.is_ascii_digit()));
            }
            ".target" => {
                cursor.word()?;
                while cursor.accept(',') {
                    cursor.word()?;
                }
            }
            ".address_size" => match cursor.number()? {
                64 => {}
                bits => {
                    return Err(token_error(&token, &format!("addresses of {bits} bits are not supported")));
                }
            },
            ".visible" | ".weak" | ".common" => continue,
            ".extern" => {
                external = true;
                continue;
            }
            ".entry" => module.entries.push(entry(&mut cursor)?),
            ".const" => module.variables.push(variable(&mut cursor, Home::Const)?),
            ".global" => module.variables.push(variable(&mut cursor, Home::Global)?),
            ".shared" => {
                let home = if external { Home::DynamicShared } else { Home::Shared };
                module.variables.push(variable(&mut cursor, home)?);
            }
            ".file" | ".pragma" => cursor.skip_directive(&token),
            ".func" => {
                return Err(token_error(&token, "device functions (.func) are not supported: inline them"));
            }
            _ => return Err(token_error(&token, &format!("`{word}` is not understood here"))),
        }
        external = false;
    }
    Ok(module)
}

/// A kernel, its `.entry` consumed.
fn entry(cursor: &mut Cursor) -> Result<Entry, PtxError> {
    let name = cursor.word()?;
    let mut parameters = Vec::new();
    if cursor.accept('(') {
        while !cursor.accept(')') {
            parameters.push(parameter(cursor)?);
            cursor.accept(',');
        }
    }
    let mut max_threads = None;
    while !cursor.accept('{') {
        let word = cursor.word()?;
        let mut numbers = Vec::new();
        while let Some(TokenKind::Number(number)) = cursor.peek().map(|token| token.kind.clone()) {
            cursor.at += 1;
            cursor.accept(',');
            numbers.push(number);
        }
        match word.as_str() {
            ".maxntid" | ".reqntid" => max_threads = Some(numbers.iter().product::<u64>() as u32),
            ".minnctapersm" | ".maxnreg" => {}
            _ => return Err(cursor.error(&format!("the kernel directive `{word}` is not supported"))),
        }
    }
    let body = BodyParser::new().parse(cursor)?;
    Ok(Entry { name, parameters, max_threads, body })
}

/// `.param .u64 .ptr .global .align 8 name`, or `.param .align 8 .b8 name[16]`.
fn parameter(cursor: &mut Cursor) -> Result<Parameter, PtxError> {
    let (mut align, mut ty, mut pointer) = (None, None, false);
    loop {
        let word = cursor.word()?;
        match word.as_str() {
            ".param" | ".global" | ".shared" | ".const" | ".local" | ".generic" => {}
            ".ptr" => pointer = true,
            // After `.ptr` it is what the pointer promises of its target.
            ".align" => {
                let value = cursor.number()? as u32;
                if !pointer {
                    align = Some(value);
                }
            }
            _ if word.starts_with('.') => ty = Some(cursor.type_of(&word)?),
            _ => {
                let ty = ty.ok_or_else(|| cursor.error("a parameter without a type"))?;
                let bytes = if cursor.accept('[') {
                    let count = cursor.number()? as u32;
                    cursor.expect(']')?;
                    count.checked_mul(ty.bytes()).ok_or_else(|| cursor.error("a parameter too long"))?
                } else {
                    ty.bytes()
                };
                return Ok(Parameter { name: word, align: align.unwrap_or(ty.bytes()), bytes });
            }
        }
    }
}

/// A variable, its space consumed: `.align 8 .b8 name[192] = {1, 2};`.
pub(super) fn variable(cursor: &mut Cursor, home: Home) -> Result<Variable, PtxError> {
    let (mut align, mut ty) = (None, None);
    loop {
        let word = cursor.word()?;
        match word.as_str() {
            ".align" => align = Some(cursor.number()? as u32),
            ".attribute" | ".managed" => return Err(cursor.error(&format!("`{word}` is not supported"))),
            _ if word.starts_with('.') => ty = Some(cursor.type_of(&word)?),
            name => {
                let ty = ty.ok_or_else(|| cursor.error("a variable without a type"))?;
                let mut count = Some(1u32);
                while cursor.accept('[') {
                    let extent = if cursor.accept(']') {
                        0
                    } else {
                        let extent = cursor.number()? as u32;
                        cursor.expect(']')?;
                        extent
                    };
                    count = count.and_then(|count| count.checked_mul(extent));
                }
                let bytes = count.and_then(|count| count.checked_mul(ty.bytes()));
                let bytes = bytes.ok_or_else(|| cursor.error("a variable too long"))?;
                let mut initial = Vec::new();
                if cursor.accept('=') {
                    initialiser(cursor, ty, &mut initial)?;
                }
                cursor.expect(';')?;
                let align = align.unwrap_or(ty.bytes());
                if !align.is_power_of_two() || initial.len() > bytes as usize {
                    return Err(cursor.error(&format!("the declaration of `{name}` contradicts itself")));
                }
                return Ok(Variable { name: name.to_owned(), home, align, bytes, initial });
            }
        }
    }
}

/// A number, or a list of initialisers in braces.
fn initialiser(cursor: &mut Cursor, ty: Type, out: &mut Vec<u8>) -> Result<(), PtxError> {
    if cursor.accept('{') {
        while !cursor.accept('}') {
            initialiser(cursor, ty, out)?;
            cursor.accept(',');
        }
        return Ok(());
    }
    let value = cursor.signed()?;
    out.extend_from_slice(&value.to_le_bytes()[..ty.bytes() as usize]);
    Ok(())
}

/// A place in the tokens.
pub(super) struct Cursor {
    tokens: Vec<Token>,
    at: usize,
}

impl Cursor {
    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn next(&mut self) -> Result<Token, PtxError> {
        let token = self.peek().cloned().ok_or_else(|| self.error("the text ends too early"))?;
        self.at += 1;
        Ok(token)
    }

    /// Line of the token last taken.
    pub(super) fn line(&self) -> u32 {
        self.tokens.get(self.at.saturating_sub(1)).map_or(1, |token| token.line)
    }

    pub(super) fn word(&mut self) -> Result<String, PtxError> {
        match self.next()?.kind {
            TokenKind::Word(word) => Ok(word),
            other => Err(self.error(&format!("a word was expected, not {other:?}"))),
        }
    }

    /// Takes the next token if it is a word that `wanted` accepts.
    pub(super) fn word_if(&mut self, wanted: impl Fn(&str) -> bool) -> Option<String> {
        match self.peek().map(|token| &token.kind) {
            Some(TokenKind::Word(word)) if wanted(word) => {
                let word = word.clone();
                self.at += 1;
                Some(word)
            }
            _ => None,
        }
    }

    /// An unsigned number.
    pub(super) fn number(&mut self) -> Result<u64, PtxError> {
        match self.next()?.kind {
            TokenKind::Number(number) => Ok(number),
            other => Err(self.error(&format!("a number was expected, not {other:?}"))),
        }
    }

    /// A number with an optional sign, as two's complement.
    pub(super) fn signed(&mut self) -> Result<u64, PtxError> {
        let negative = self.accept('-');
        let number = self.number()?;
        Ok(if negative { number.wrapping_neg() } else { number })
    }

    /// Takes the next token if it is `mark`.
    pub(super) fn accept(&mut self, mark: char) -> bool {
        let found = self.peek().is_some_and(|token| token.kind == TokenKind::Mark(mark));
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, mark: char) -> Result<(), PtxError> {
        if self.accept(mark) {
            return Ok(());
        }
        let found = self.next()?.kind;
        Err(self.error(&format!("`{mark}` was expected, not {found:?}")))
    }

    /// The scalar type that the dotted `word` names.
    pub(super) fn type_of(&self, word: &str) -> Result<Type, PtxError> {
        Type::named(word.trim_start_matches('.'))
            .ok_or_else(|| self.error(&format!("the type `{word}` is not supported")))
    }

    /// Skips the rest of a directive without meaning here: to its `;`, or to the end of its line.
    pub(super) fn skip_directive(&mut self, start: &Token) {
        while self.peek().is_some_and(|token| token.line == start.line) {
            if self.accept(';') {
                return;
            }
            self.at += 1;
        }
    }

    pub(super) fn error(&self, what: &str) -> PtxError {
        PtxError { line: self.line(), what: what.to_owned() }
    }
}

fn token_error(token: &Token, what: &str) -> PtxError {
    PtxError { line: token.line, what: what.to_owned() }
}
