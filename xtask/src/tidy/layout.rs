//! How a file looks from outside: its name, its first line, its length and width.

use super::Finding;
use crate::tree::{File, Tree};

const MAX_LINES: usize = 600;
/// Equals `max_width` in `rustfmt.toml`, which leaves comments, strings and Markdown alone.
const MAX_COLUMNS: usize = 110;
const VAGUE_NAMES: [&str; 7] = ["util", "utils", "helper", "helpers", "common", "misc", "stuff"];

/// Reports missing module docs, long files, long lines and names that say nothing.
pub fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for file in tree.with_extension("rs") {
        vague_name(file, findings);
        if !file.text.starts_with("//!") {
            let advice = "start the file with `//!`: what it is, and what always holds";
            findings.push(Finding::new(&file.path, 1, "module-doc", advice));
        }
        let lines = file.text.lines().count();
        if lines > MAX_LINES {
            let advice = format!("split it: {lines} lines are two ideas, the limit is {MAX_LINES}");
            findings.push(Finding::new(&file.path, MAX_LINES + 1, "long-file", advice));
        }
        wide_lines(file, |_| false, findings);
    }
    for file in tree.with_extension("md") {
        wide_lines(file, |line| line.trim_start().starts_with('|'), findings);
    }
}

/// Looks at every folder on the path, at the file's own name, and at the modules it declares.
fn vague_name(file: &File, findings: &mut Vec<Finding>) {
    let is_vague = |name: &str| VAGUE_NAMES.contains(&name);
    let path = file.path.trim_end_matches(".rs");
    for name in path.split('/').filter(|name| is_vague(name)) {
        let advice = format!("name it after what it holds, not `{name}`");
        findings.push(Finding::new(&file.path, 1, "vague-name", advice));
    }
    for (number, line) in file.lines() {
        let mut words =
            line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        let is_module = words.any(|word| word == "mod") && line.trim_end().ends_with('{');
        if let Some(name) = words.next().filter(|name| is_module && is_vague(name)) {
            let advice = format!("name the module after what it holds, not `{name}`");
            findings.push(Finding::new(&file.path, number, "vague-name", advice));
        }
    }
}

/// Reports wide lines, except those that hold a URL (which cannot be broken) or are `exempt`.
fn wide_lines(file: &File, exempt: fn(&str) -> bool, findings: &mut Vec<Finding>) {
    for (number, line) in file.lines() {
        let columns = line.chars().count();
        if columns > MAX_COLUMNS && !line.contains("://") && !exempt(line) {
            let advice = format!("break the line: {columns} columns, the limit is {MAX_COLUMNS}");
            findings.push(Finding::new(&file.path, number, "wide-line", advice));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::found;
    use super::*;

    #[test]
    fn a_file_starts_with_its_doc() {
        assert!(found(check, &[("math/src/ntt.rs", "//! Transforms.\n")]).is_empty());
        let bad = found(check, &[("math/tests/ntt.rs", "use x;\n//! Late.\n")]);
        assert_eq!(bad, ["module-doc:math/tests/ntt.rs:1"]);
    }

    #[test]
    fn six_hundred_lines_are_enough() {
        let longest = format!("//! Doc.\n{}", "x\n".repeat(599));
        assert!(found(check, &[("a.rs", &longest)]).is_empty());
        assert_eq!(found(check, &[("a.rs", &(longest + "x"))]), ["long-file:a.rs:601"]);
    }

    #[test]
    fn width_counts_characters_and_spares_links_and_tables() {
        let widest = format!("//! {}", "ζ".repeat(106));
        let link = format!("//! https://{}", "x".repeat(200));
        let table = format!("| {} |", "x".repeat(200));
        assert!(found(check, &[("a.rs", &widest), ("b.rs", &link), ("c.md", &table)]).is_empty());
        assert_eq!(found(check, &[("a.rs", &(widest + "ζ"))]), ["wide-line:a.rs:1"]);
        assert_eq!(found(check, &[("c.md", &"x".repeat(111))]), ["wide-line:c.md:1"]);
    }

    #[test]
    fn names_say_something() {
        assert!(found(check, &[("air/src/commonality.rs", "//! mod utils { is only prose.\n")]).is_empty());
        let folder = found(check, &[("air/tests/common/mod.rs", "//! Doc.\n")]);
        assert_eq!(folder, ["vague-name:air/tests/common/mod.rs:1"]);
        let inline = found(check, &[("air/src/bus.rs", "//! Doc.\npub(crate) mod helpers {\n}\n")]);
        assert_eq!(inline, ["vague-name:air/src/bus.rs:2"]);
    }
}
