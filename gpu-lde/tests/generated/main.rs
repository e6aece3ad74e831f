//! The committed kernels are those that the tables' graphs give. `UPDATE_GOLDEN=1` writes them; then
//! `cargo xtask gen-ptx` makes their PTX.

#[path = "../tables/mod.rs"]
mod tables;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lambda_air::ConstraintDag;
use lambda_gpu_lde::codegen::source;
use lambda_gpu_lde::kernels::{TableKernels, digest};

/// Bug: a table changes and its kernel does not, so that the device evaluates other constraints than the
/// host; or the table silently falls back to the interpreter.
#[test]
fn golden_kernels_are_those_of_the_tables() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut list = "//! The tables with kernels of their own, as `tests/generated` lists them.\n\n\
                    crate::kernels::tables! {\n"
        .to_owned();
    for (name, dag) in distinct() {
        list.push_str(&format!("    {name} \"{}\",\n", digest(&dag)));
        golden(&root.join(format!("kernels/{name}.cu")), &source(&name, &dag));
        if !updates() {
            assert_eq!(TableKernels::find(&dag).map(|kernels| kernels.name), Some(&*name));
        }
    }
    list.push_str("}\n");
    golden(&root.join("src/generated.rs"), &list);
}

/// Bug: the kernels of a table that is gone stay behind.
#[test]
fn every_kernel_has_a_table() {
    let names: BTreeSet<String> = distinct().into_iter().map(|(name, _)| name).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    for entry in fs::read_dir(folder).expect("the kernels' folder") {
        let file = entry.expect("an entry").file_name().into_string().expect("a plain name");
        let name = file.split('.').next().expect("a name has a first part");
        assert!(names.contains(name), "{file} belongs to no table");
    }
}

/// Bug: the constraints of a large body no longer become loops, and its kernel takes the driver minutes to
/// compile.
#[test]
fn kernels_are_small() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    for (name, _) in distinct() {
        let ptx = fs::metadata(folder.join(format!("{name}.ptx"))).expect("a table's PTX");
        assert!(ptx.len() < 1 << 20, "the PTX of {name} has {} bytes", ptx.len());
    }
}

/// The tables, but for those whose body an earlier one has.
fn distinct() -> Vec<(String, ConstraintDag)> {
    let mut seen = BTreeSet::new();
    let tables = tables::all().into_iter().map(|(name, _, dag)| (name, dag));
    tables.filter(|(_, dag)| seen.insert(digest(dag))).collect()
}

#[expect(clippy::disallowed_methods, reason = "a switch of the test, not of the product")]
fn updates() -> bool {
    std::env::var_os("UPDATE_GOLDEN").is_some()
}

fn golden(path: &Path, text: &str) {
    if updates() {
        return fs::write(path, text).expect("a golden file is written");
    }
    let committed = fs::read_to_string(path).unwrap_or_default();
    assert!(committed == text, "{} is not what its table gives; run with UPDATE_GOLDEN=1", path.display());
}
