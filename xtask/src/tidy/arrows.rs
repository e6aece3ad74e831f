//! Who may depend on whom. Dev-dependencies are free: tests may look at anything.

use toml::{Table, Value};

use super::Finding;
use crate::tree::{File, Tree};

/// Each workspace package with all packages of the workspace that it may name, in build order.
const ARROWS: [(&str, &[&str]); 14] = [
    ("lambda-math", &[]),
    ("lambda-math-cuda", &["lambda-math"]),
    ("lambda-cuda-emu", &[]),
    ("lambda-air", &["lambda-math"]),
    ("lambda-demo", &["lambda-air", "lambda-math"]),
    ("lambda-machine", &["lambda-air", "lambda-math"]),
    ("lambda-executor", &["lambda-machine"]),
    ("lambda-block", &[]),
    ("lambda-verifier", &["lambda-machine", "lambda-air", "lambda-math"]),
    ("lambda-prover", &["lambda-verifier", "lambda-machine", "lambda-air", "lambda-math"]),
    (
        "lambda-gpu-lde",
        &["lambda-prover", "lambda-verifier", "lambda-air", "lambda-math-cuda", "lambda-math"],
    ),
    (
        "lambda-cli",
        &[
            "lambda-gpu-lde",
            "lambda-prover",
            "lambda-verifier",
            "lambda-block",
            "lambda-executor",
            "lambda-machine",
            "lambda-math-cuda",
        ],
    ),
    (
        "lambda-benches",
        &[
            "lambda-gpu-lde",
            "lambda-prover",
            "lambda-verifier",
            "lambda-block",
            "lambda-executor",
            "lambda-demo",
            "lambda-machine",
            "lambda-air",
            "lambda-math-cuda",
            "lambda-math",
        ],
    ),
    ("xtask", &[]),
];

/// Reports dependencies against the arrows, and packages that the table does not know.
pub fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    // Guests are a workspace of their own, which knows none of ours.
    let ours = |file: &&File| file.path.ends_with("Cargo.toml") && !file.path.starts_with("guests/");
    for file in tree.files().iter().filter(ours) {
        match file.text.parse::<Table>() {
            Ok(manifest) => check_manifest(file, &manifest, findings),
            Err(error) => {
                findings.push(Finding::new(&file.path, 1, "manifest", error.message()));
            }
        }
    }
}

fn check_manifest(file: &File, manifest: &Table, findings: &mut Vec<Finding>) {
    let name = |value: &Value| Some(value.get("package")?.get("name")?.as_str()?.to_owned());
    let Some(name) = name(&Value::Table(manifest.clone())) else { return };
    // Fuzz targets are a workspace of their own, as cargo-fuzz wants it, and count as tests.
    if manifest.contains_key("workspace") {
        return;
    }
    let Some((_, allowed)) = ARROWS.iter().find(|(package, _)| *package == name) else {
        let advice = format!("give `{name}` its place in the table of xtask/src/tidy/arrows.rs");
        findings.push(Finding::new(&file.path, 1, "arrow", advice));
        return;
    };
    for dependency in dependencies(manifest) {
        let is_ours = ARROWS.iter().any(|(package, _)| *package == dependency);
        if is_ours && !allowed.contains(&dependency) {
            let names = |line: &str| super::has_word(line, dependency);
            let line = file.lines().find(|(_, line)| names(line)).map_or(1, |(number, _)| number);
            let advice = format!("`{name}` must not know `{dependency}`; it may use {allowed:?}");
            findings.push(Finding::new(&file.path, line, "arrow", advice));
        }
    }
}

/// Package names of the normal and build dependencies, those for single targets included.
fn dependencies(manifest: &Table) -> Vec<&str> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let per_target = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table);
    std::iter::once(manifest)
        .chain(per_target)
        .flat_map(|scope| [scope.get("dependencies"), scope.get("build-dependencies")])
        .filter_map(|section| section?.as_table())
        .flatten()
        .map(|(name, value)| value.get("package").and_then(Value::as_str).unwrap_or(name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::found;
    use super::*;

    fn found_in(manifest: &str) -> Vec<String> {
        found(check, &[("x/Cargo.toml", manifest)])
    }

    #[test]
    fn arrows_point_down() {
        let good = "[package]\nname = \"lambda-air\"\n[dependencies]\nlambda-math.workspace = true\n\
                    blake3 = \"1\"\n[dev-dependencies]\nlambda-prover.workspace = true\n";
        assert!(found_in(good).is_empty());
        let bad = "[package]\nname = \"lambda-math\"\n[dependencies]\nlambda-air.workspace = true\n";
        assert_eq!(found_in(bad), ["arrow:x/Cargo.toml:4"]);
    }

    #[test]
    fn renamed_and_per_target_dependencies_count() {
        let bad = "[package]\nname = \"lambda-verifier\"\n\
                   [target.'cfg(unix)'.dependencies]\np = { package = \"lambda-prover\", path = \"../p\" }\n\
                   [build-dependencies]\nlambda-cli.workspace = true\n";
        assert_eq!(found_in(bad), ["arrow:x/Cargo.toml:4", "arrow:x/Cargo.toml:6"]);
    }

    #[test]
    fn a_new_package_needs_a_place() {
        assert_eq!(found_in("[package]\nname = \"lambda-new\"\n"), ["arrow:x/Cargo.toml:1"]);
        assert!(found_in("[workspace]\nmembers = []\n").is_empty());
        assert_eq!(found_in("[package\n"), ["manifest:x/Cargo.toml:1"]);
    }

    #[test]
    fn the_table_has_no_cycle() {
        for (index, (package, allowed)) in ARROWS.iter().enumerate() {
            for dependency in *allowed {
                let is_earlier = ARROWS[..index].iter().any(|(earlier, _)| earlier == dependency);
                assert!(is_earlier, "{package} -> {dependency} does not point down the table");
            }
        }
    }
}
