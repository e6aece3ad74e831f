//! Where `unsafe` may stand, and what has to be written above it.
//!
//! Clippy asks for the comment on blocks and impls; this rule also covers functions, and keeps the word
//! out of every crate but `math`, the two that speak CUDA, and what guests have instead of an operating
//! system.

use super::{Finding, code, has_word, names_forbidden_words};
use crate::tree::Tree;

const HOMES: [&str; 6] = [
    "math/src/",
    "math-cuda/src/",
    "cuda-emu/",
    "guests/runtime/src/",
    "guests/crypto/src/",
    "xtask/src/ptx/nvrtc.rs",
];

/// Reports `unsafe` outside its home, and `unsafe` that no comment vouches for.
pub fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for file in tree.with_extension("rs").filter(|file| !names_forbidden_words(file)) {
        let lines: Vec<&str> = file.text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            // The type of a function pointer asserts nothing.
            let is_type = ["unsafe fn(", "unsafe extern \"C\" fn("].iter().any(|kind| line.contains(kind));
            if !has_word(code(line), "unsafe") || is_type {
                continue;
            }
            if !HOMES.iter().any(|home| file.path.starts_with(home)) {
                let advice = format!("only {HOMES:?} may be unsafe; call a safe function from there");
                findings.push(Finding::new(&file.path, index + 1, "unsafe-home", advice));
            } else if !is_vouched_for(&lines[..=index]) {
                let advice = "say in a `SAFETY:` comment above (or `# Safety` doc) who guarantees what";
                findings.push(Finding::new(&file.path, index + 1, "unsafe-comment", advice));
            }
        }
    }
}

/// Whether the last of `lines`, or the comment above the statement that it belongs to, vouches for it.
fn is_vouched_for(lines: &[&str]) -> bool {
    let vouches = |line: &str| line.contains("SAFETY:") || line.contains("# Safety");
    let Some((last, above)) = lines.split_last() else { return false };
    if vouches(last) {
        return true;
    }
    let mut in_comment = false;
    for line in above.iter().rev().map(|line| line.trim()) {
        if line.starts_with("//") {
            in_comment = true;
            if vouches(line) {
                return true;
            }
        } else if line.starts_with("#[") && !in_comment {
            // Attributes stand between a comment and its item.
        } else if in_comment || line.is_empty() || line.ends_with([';', '{', '}']) {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::found;
    use super::*;

    fn lines_of(text: &str) -> Vec<String> {
        found(check, &[("math/src/simd.rs", text)])
    }

    #[test]
    fn unsafe_lives_in_math() {
        let text = "// SAFETY: n < len.\nunsafe { f(n) }\n";
        assert!(lines_of(text).is_empty());
        assert_eq!(found(check, &[("prover/src/fri.rs", text)]), ["unsafe-home:prover/src/fri.rs:2"]);
        assert!(found(check, &[("prover/src/lib.rs", "#![forbid(unsafe_code)] // no unsafe\n")]).is_empty());
    }

    #[test]
    fn a_comment_reaches_over_attributes_and_the_start_of_its_statement() {
        let over =
            "/// # Safety\n/// The CPU has AVX2.\n#[target_feature(enable = \"avx2\")]\nunsafe fn f() {}\n";
        assert!(lines_of(over).is_empty());
        assert!(lines_of("// SAFETY: both lie in `a`.\nlet (x, y) =\n    unsafe { split(a) };\n").is_empty());
        assert!(lines_of("type F = unsafe fn(*const u64);\n").is_empty());
        assert!(lines_of("type F = unsafe extern \"C\" fn(*const u64);\n").is_empty());
    }

    #[test]
    fn a_comment_does_not_reach_over_another_statement_or_a_gap() {
        let first = "// SAFETY: n < len.\nunsafe { f(n) };\nunsafe { g(n) }\n";
        assert_eq!(lines_of(first), ["unsafe-comment:math/src/simd.rs:3"]);
        assert_eq!(lines_of("// SAFETY: old.\n\nunsafe { f() }\n"), ["unsafe-comment:math/src/simd.rs:3"]);
        assert_eq!(lines_of("/// Fast.\nunsafe fn f() {}\n"), ["unsafe-comment:math/src/simd.rs:2"]);
    }
}
