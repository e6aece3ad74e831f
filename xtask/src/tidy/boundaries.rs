//! Which part of the tree may use which word: the environment, hashing, machine paths, compiler guards.

use super::{Finding, code, names_forbidden_words};
use crate::tree::{File, Tree};

/// A piece of code that only some places may contain.
struct Reserved {
    rule: &'static str,
    code: &'static str,
    /// Path prefixes that may contain it.
    allowed: &'static [&'static str],
    advice: &'static str,
}

const RESERVED: [Reserved; 3] = [
    Reserved {
        rule: "environment",
        code: "env::var",
        allowed: &["cli/", "xtask/", "cuda-emu/src/driver/current.rs", "math-cuda/tests/", "gpu-lde/tests/"],
        advice: "take it as an argument; only the command line reads the environment",
    },
    Reserved {
        rule: "hash-owner",
        code: "blake3::",
        allowed: &["math/src/hash", "verifier/src/transcript", "benches/"],
        advice: "hash through lambda_math::hash, or absorb through the verifier's transcript",
    },
    Reserved {
        rule: "transcript-owner",
        code: "finalize_xof",
        allowed: &["verifier/src/transcript"],
        advice: "draw challenges through the verifier's transcript",
    },
];

/// Paths that exist on one machine only, or outside the repository.
const FOREIGN_PATHS: [&str; 4] = ["/work/", "../shared", "/root/", "/home/"];

/// Lines that a crate root has to hold, without which the compiler would not guard what we promise.
const GUARDS: [(&str, &str); 8] = [
    ("verifier/src/lib.rs", "#![cfg_attr(not(feature = \"std\"), no_std)]"),
    ("verifier/src/lib.rs", "#![forbid(unsafe_code)]"),
    ("math/src/lib.rs", "#![cfg_attr(not(feature = \"std\"), no_std)]"),
    ("air/src/lib.rs", "#![forbid(unsafe_code)]"),
    ("demo/src/lib.rs", "#![forbid(unsafe_code)]"),
    ("prover/src/lib.rs", "#![forbid(unsafe_code)]"),
    ("cli/src/main.rs", "#![forbid(unsafe_code)]"),
    ("xtask/src/main.rs", "#![deny(unsafe_code)]"),
];

/// Reports words outside the places that own them, and crate roots without their guards.
pub fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for file in tree.with_extension("rs").filter(|file| !names_forbidden_words(file)) {
        reserved_code(file, findings);
    }
    let exempt = |file: &File| file.path.starts_with(".ci/") || names_forbidden_words(file);
    for file in tree.files().iter().filter(|file| !exempt(file)) {
        for (number, line) in file.lines() {
            if let Some(path) = FOREIGN_PATHS.iter().find(|path| line.contains(*path)) {
                let advice = format!("name nothing outside the repository (`{path}`)");
                findings.push(Finding::new(&file.path, number, "foreign-path", advice));
            }
        }
    }
    for (path, guard) in GUARDS {
        if tree.file(path).is_some_and(|file| !file.text.lines().any(|line| line == guard)) {
            findings.push(Finding::new(path, 1, "guard", format!("add `{guard}`")));
        }
    }
}

/// Test files are free: they compare with the original crates and rewrite golden files.
fn reserved_code(file: &File, findings: &mut Vec<Finding>) {
    if file.path.contains("/tests/") || file.path.ends_with("/tests.rs") {
        return;
    }
    let is_owner = |one: &Reserved| one.allowed.iter().any(|prefix| file.path.starts_with(prefix));
    for (number, line) in file.lines() {
        for reserved in RESERVED.iter().filter(|one| !is_owner(one)) {
            if code(line).contains(reserved.code) {
                findings.push(Finding::new(&file.path, number, reserved.rule, reserved.advice));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::found;
    use super::*;

    #[test]
    fn only_the_command_line_reads_the_environment() {
        let line = "let x = std::env::var_os(\"X\");\n";
        let bad = [("prover/src/plan.rs", line), ("benches/src/plan.rs", line)];
        let expected = ["environment:benches/src/plan.rs:1", "environment:prover/src/plan.rs:1"];
        assert_eq!(found(check, &bad), expected);
        assert!(found(check, &[("cli/src/config.rs", line), ("prover/tests/golden.rs", line)]).is_empty());
        assert!(found(check, &[("prover/src/plan.rs", "let m = env!(\"X\"); // not env::var\n")]).is_empty());
    }

    #[test]
    fn hashing_has_two_owners_and_drawing_one() {
        let hash = "blake3::hash(b\"\");\n";
        let draw = "h.finalize_xof();\n";
        assert!(
            found(check, &[("math/src/hash/lanes.rs", hash), ("math/src/merkle/tests.rs", hash)]).is_empty()
        );
        assert!(
            found(check, &[("verifier/src/transcript.rs", draw), ("math/tests/hash.rs", draw)]).is_empty()
        );
        let bad = [("verifier/src/fri.rs", hash), ("math/src/hash.rs", draw)];
        let expected = ["transcript-owner:math/src/hash.rs:1", "hash-owner:verifier/src/fri.rs:1"];
        assert_eq!(found(check, &bad), expected);
    }

    #[test]
    fn paths_of_one_machine_stay_out_except_in_ci() {
        let line = "see /home/someone/notes\n";
        assert_eq!(found(check, &[("README.md", line)]), ["foreign-path:README.md:1"]);
        assert!(found(check, &[(".ci/run", line), ("docs/a.md", "homework/ and rework\n")]).is_empty());
    }

    #[test]
    fn crate_roots_keep_their_guards() {
        let good = "//! V.\n#![cfg_attr(not(feature = \"std\"), no_std)]\n#![forbid(unsafe_code)]\n";
        assert!(found(check, &[("verifier/src/lib.rs", good)]).is_empty());
        let bad = "//! V.\n// #![forbid(unsafe_code)]\n";
        assert_eq!(found(check, &[("verifier/src/lib.rs", bad)]), ["guard:verifier/src/lib.rs:1"; 2]);
    }
}
