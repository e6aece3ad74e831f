//! Work put off: markers, stubs and switched-off tests do not enter the tree.

use super::{Finding, has_word, names_forbidden_words};
use crate::tree::Tree;

const MARKERS: [&str; 3] = ["TODO", "FIXME", "XXX"];
const STUBS: [(&str, &str); 3] = [
    ("todo!(", "write the body"),
    ("unimplemented!(", "write the body or return a typed error"),
    ("#[ignore", "make the test quick, or give it a small default and a make target for the long run"),
];

/// Reports markers in every text file, and stubs in Rust.
pub fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for file in tree.files().iter().filter(|file| !names_forbidden_words(file)) {
        for (number, line) in file.lines() {
            if let Some(marker) = MARKERS.iter().find(|marker| has_word(line, marker)) {
                let advice = format!("do it, or file an issue, instead of writing {marker}");
                findings.push(Finding::new(&file.path, number, "marker", advice));
            }
            for (stub, advice) in STUBS {
                if file.has_extension("rs") && line.contains(stub) {
                    findings.push(Finding::new(&file.path, number, "stub", advice));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::found;
    use super::*;

    #[test]
    fn markers_are_found_in_any_text_file() {
        let bad = [("Makefile", "all: # FIXME\n"), ("a.rs", "//! Doc.\nlet x = 1; // TODO: y\n")];
        assert_eq!(found(check, &bad), ["marker:Makefile:1", "marker:a.rs:2"]);
        assert!(found(check, &[("a.md", "TODOS are fine, XXXL too\n")]).is_empty());
    }

    #[test]
    fn stubs_and_ignored_tests_are_found() {
        let bad = "//! Doc.\nfn f() { todo!() }\nfn g() { unimplemented!(\"x\") }\n#[ignore = \"slow\"]\n";
        assert_eq!(found(check, &[("a.rs", bad)]), ["stub:a.rs:2", "stub:a.rs:3", "stub:a.rs:4"]);
        assert!(found(check, &[("a.rs", "//! Doc.\nfn ignore() {}\n")]).is_empty());
    }

    #[test]
    fn the_rules_themselves_are_exempt() {
        assert!(found(check, &[("xtask/src/tidy/debt.rs", "//! TODO\n")]).is_empty());
        assert_eq!(found(check, &[("xtask/src/tree.rs", "//! TODO\n")]), ["marker:xtask/src/tree.rs:1"]);
    }
}
