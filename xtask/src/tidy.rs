//! House rules that neither the compiler nor clippy checks, one file a group.
//!
//! A rule reads the [`Tree`] and reports [`Finding`]s, each with what to do about it. Rules look at text,
//! not at syntax: they are quick and blunt, and anything subtler belongs in a compiler lint. This module
//! and its groups are exempt from the rules about words, since they have to name what they forbid.

mod arrows;
mod boundaries;
mod debt;
mod docs;
mod layout;
mod safety;

use std::fmt;

use crate::tree::{File, Tree};

/// One breach of a rule. Sorted and printed as `path:line: rule: what to do`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    path: String,
    line: usize,
    rule: &'static str,
    advice: String,
}

impl Finding {
    fn new(path: &str, line: usize, rule: &'static str, advice: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, rule, advice: advice.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.rule, self.advice)
    }
}

/// Every breach of every rule, in order of path and line.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for group in [layout::check, debt::check, boundaries::check, safety::check, arrows::check, docs::check] {
        group(tree, &mut findings);
    }
    findings.sort();
    findings
}

/// Whether the file may name forbidden words because it defines which words are forbidden.
fn names_forbidden_words(file: &File) -> bool {
    file.path == "xtask/src/tidy.rs" || file.path.starts_with("xtask/src/tidy/")
}

/// The part of a Rust line before a `//` comment. A `//` inside a string also ends it: the rules then see
/// less, never more.
fn code(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code)
}

/// Whether `word` occurs in `text` with no letter, digit or `_` on either side.
fn has_word(text: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(joins) && !after.is_some_and(joins)
    })
}

/// `rule:path:line` of each finding of one group on a sample tree.
#[cfg(test)]
fn found(group: fn(&Tree, &mut Vec<Finding>), files: &[(&str, &str)]) -> Vec<String> {
    let mut findings = Vec::new();
    group(&Tree::sample(files), &mut findings);
    findings.sort();
    findings.iter().map(|finding| format!("{}:{}:{}", finding.rule, finding.path, finding.line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_come_sorted_by_path_and_line_whatever_the_group() {
        let tree = Tree::sample(&[("math/src/b.rs", "fn f() {}\n// TODO\n"), ("math/src/a.rs", "// TODO\n")]);
        let findings: Vec<String> = check(&tree).iter().map(Finding::to_string).collect();
        let order: Vec<&str> =
            findings.iter().filter_map(|f| f.split(": ").next()).filter(|f| f.contains("src")).collect();
        assert_eq!(order, ["math/src/a.rs:1", "math/src/a.rs:1", "math/src/b.rs:1", "math/src/b.rs:2"]);
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("unsafe {", "unsafe") && has_word("(unsafe)", "unsafe"));
        assert!(!has_word("forbid(unsafe_code)", "unsafe") && !has_word("unsafely", "unsafe"));
    }
}
