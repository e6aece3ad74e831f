//! Text to tokens.

use super::PtxError;

/// A token and the line it starts on, counted from 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) line: u32,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// An identifier with its dotted parts: `add.s32`, `%tid.x`, `.reg`, `$L__BB0_1`.
    Word(String),
    /// The bits of a number: an integer, or the pattern of an `0f` or `0d` float.
    Number(u64),
    /// A quoted string, which only directives without meaning here carry.
    Text,
    /// Any other character.
    Mark(char),
}

/// The tokens of `source`, comments left out.
///
/// # Errors
/// A number that fits no 64-bit word, a quote or comment without an end, a character PTX does not use.
pub(super) fn tokens(source: &str) -> Result<Vec<Token>, PtxError> {
    Lexer { rest: source, line: 1 }.run()
}

struct Lexer<'a> {
    rest: &'a str,
    line: u32,
}

impl<'a> Lexer<'a> {
    fn run(mut self) -> Result<Vec<Token>, PtxError> {
        let mut tokens = Vec::new();
        while let Some(first) = self.rest.chars().next() {
            let line = self.line;
            let kind = match first {
                _ if first.is_whitespace() => {
                    self.take(first.len_utf8());
                    continue;
                }
                '/' if self.rest.starts_with("//") => {
                    self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
                    continue;
                }
                '/' if self.rest.starts_with("/*") => {
                    let end = self.rest.find("*/").ok_or_else(|| self.error("a comment without an end"))?;
                    self.take(end + 2);
                    continue;
                }
                '"' => {
                    let end = self.rest[1..].find('"').ok_or_else(|| self.error("a quote without an end"))?;
                    self.take(end + 2);
                    TokenKind::Text
                }
                '0'..='9' => TokenKind::Number(self.number()?),
                _ if starts_word(first) => TokenKind::Word(self.word().to_owned()),
                _ if first.is_ascii() => {
                    self.take(1);
                    TokenKind::Mark(first)
                }
                _ => return Err(self.error(&format!("the character `{first}`"))),
            };
            tokens.push(Token { kind, line });
        }
        Ok(tokens)
    }

    /// Consumes `bytes` of the text, counting lines.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.bytes().filter(|&byte| byte == b'\n').count() as u32;
        self.rest = rest;
        taken
    }

    /// Letters, digits, `_`, `$`, `%`, `.`, and `::` where a word goes on after it (`.L1::no_allocate`).
    fn word(&mut self) -> &'a str {
        let bytes = self.rest.as_bytes();
        let mut end = 0;
        while end < bytes.len() {
            if starts_word(bytes[end] as char) || bytes[end].is_ascii_digit() {
                end += 1;
            } else if self.rest[end..].starts_with("::") {
                end += 2;
            } else {
                break;
            }
        }
        self.take(end)
    }

    fn number(&mut self) -> Result<u64, PtxError> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.rest.len());
        let text = self.take(end);
        let digits = text.trim_end_matches('U');
        let (digits, radix) = match digits.as_bytes() {
            [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
            // A float's bits: eight digits for `0f`, sixteen for `0d`.
            [b'0', b'f' | b'F' | b'd' | b'D', ..] => (&digits[2..], 16),
            [b'0', b'b' | b'B', ..] => (&digits[2..], 2),
            [b'0', _, ..] => (&digits[1..], 8),
            _ => (digits, 10),
        };
        u64::from_str_radix(digits, radix).map_err(|_| self.error(&format!("the number `{text}`")))
    }

    fn error(&self, what: &str) -> PtxError {
        PtxError { line: self.line, what: format!("{what} is not understood") }
    }
}

/// Whether a word can start with, or go on with, `c` (digits excepted).
fn starts_word(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '%' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> Vec<TokenKind> {
        tokens(source).unwrap().into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn words_numbers_and_marks() {
        let word = |text: &str| TokenKind::Word(text.to_owned());
        assert_eq!(
            kinds("@!%p1 mad.lo.s32 %r1, %tid.x, -0x10U;"),
            [
                TokenKind::Mark('@'),
                TokenKind::Mark('!'),
                word("%p1"),
                word("mad.lo.s32"),
                word("%r1"),
                TokenKind::Mark(','),
                word("%tid.x"),
                TokenKind::Mark(','),
                TokenKind::Mark('-'),
                TokenKind::Number(16),
                TokenKind::Mark(';'),
            ]
        );
    }

    #[test]
    fn floats_are_their_bits() {
        assert_eq!(
            kinds("0f3F800000 0dBFF0000000000000"),
            [TokenKind::Number(u64::from(1f32.to_bits())), TokenKind::Number((-1f64).to_bits())]
        );
    }

    #[test]
    fn lines_count_through_comments() {
        let tokens = tokens("// one\n/* two\nthree */ ret").unwrap();
        assert_eq!(tokens[0].line, 3);
    }

    #[test]
    fn a_label_keeps_its_colon_apart() {
        assert_eq!(kinds("$L_1:"), [TokenKind::Word("$L_1".into()), TokenKind::Mark(':')]);
        assert_eq!(kinds("ld.L1::no_allocate"), [TokenKind::Word("ld.L1::no_allocate".into())]);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert_eq!(tokens("\n12Q").unwrap_err().line, 2);
        assert!(tokens("99999999999999999999999").is_err());
    }
}
