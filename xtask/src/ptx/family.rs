//! One kernel source and the files that stand beside it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};

use super::Artefacts;
use super::nvrtc::{Nvrtc, Output, Target};

/// A `NAME.cu`. Paths are relative to the repository's root.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    pub name: String,
    pub source: String,
    pub ptx: String,
    pub resources: String,
}

impl Family {
    /// Every family in the folders, in order of path. A folder that does not exist holds none.
    pub fn find(root: &Path, folders: &[&str]) -> Result<Vec<Self>> {
        let mut families = Vec::new();
        for folder in folders {
            for name in names(root, folder)? {
                if let Some(name) = name.strip_suffix(".cu") {
                    families.push(Self::new(folder, name));
                }
            }
        }
        Ok(families)
    }

    fn new(folder: &str, name: &str) -> Self {
        let beside = |extension: &str| format!("{folder}/{name}.{extension}");
        Self {
            name: name.to_owned(),
            source: beside("cu"),
            ptx: beside("ptx"),
            resources: beside("resources.json"),
        }
    }

    /// Compiles the source for one target.
    pub fn compile(&self, root: &Path, nvrtc: &Nvrtc, headers: &str, target: Target) -> Result<Output> {
        let source = std::fs::read_to_string(root.join(&self.source))
            .with_context(|| format!("cannot read {}", self.source))?;
        let folder = Path::new(&self.source).parent().context("a source lies in a folder")?;
        let mut include = vec![root.join(folder)];
        if folder != Path::new(headers) {
            include.push(root.join(headers));
        }
        nvrtc.compile(&self.source, &source, &include, target)
    }

    /// Entry points that do not begin with the family's name.
    pub fn badly_named(&self, entries: &[&str]) -> Vec<String> {
        let belongs = |entry: &str| {
            entry.strip_prefix(&self.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        };
        let strangers = entries.iter().filter(|entry| !belongs(entry));
        let mut complaints: Vec<String> =
            strangers.map(|entry| format!("rename {entry} to {}_…", self.name)).collect();
        if entries.is_empty() {
            complaints.push("has no entry point".to_owned());
        }
        complaints
    }
}

/// Names of the entry points in a PTX module, in its order.
pub fn entries(ptx: &str) -> Vec<&str> {
    ptx.lines()
        .filter_map(|line| line.split_once(".entry ")?.1.split(|c: char| !is_name(c)).next())
        .filter(|name| !name.is_empty())
        .collect()
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// Complaints about an entry point that two modules define.
pub fn twice_named(built: &[Option<Artefacts>]) -> Vec<String> {
    let mut count = BTreeMap::new();
    for entry in built.iter().flatten().flat_map(|artefacts| entries(&artefacts.ptx)) {
        *count.entry(entry).or_insert(0) += 1;
    }
    count.iter().filter(|(_, n)| **n > 1).map(|(entry, _)| format!("two families define {entry}")).collect()
}

/// Complaints about generated files whose source is gone.
pub fn strays(root: &Path, folders: &[&str]) -> Result<Vec<String>> {
    let mut complaints = Vec::new();
    for folder in folders {
        let names = names(root, folder)?;
        for name in &names {
            let family = name.strip_suffix(".ptx").or_else(|| name.strip_suffix(".resources.json"));
            if family.is_some_and(|family| !names.contains(&format!("{family}.cu"))) {
                complaints.push(format!("{folder}/{name} has no source: delete it"));
            }
        }
    }
    Ok(complaints)
}

/// Sorted names of the files in a folder; none where there is no folder.
fn names(root: &Path, folder: &str) -> Result<Vec<String>> {
    let path = root.join(folder);
    if !path.is_dir() {
        return Ok(Vec::new());
    }
    let listing = std::fs::read_dir(&path).with_context(|| format!("cannot list {folder}"))?;
    let mut names = Vec::new();
    for entry in listing {
        if let Ok(name) = entry.with_context(|| format!("cannot list {folder}"))?.file_name().into_string() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_from_ptx() {
        let ptx =
            "\t// .globl\tntt_forward\n.visible .entry ntt_forward(\n.entry ntt_inverse(\n\t.entryless\n";
        assert_eq!(entries(ptx), ["ntt_forward", "ntt_inverse"]);
    }

    #[test]
    fn an_entry_begins_with_its_family() {
        let family = Family::new("k", "ntt");
        assert!(family.badly_named(&["ntt_forward", "ntt"]).is_empty());
        assert_eq!(family.badly_named(&["nttx", "fold"]).len(), 2);
        assert_eq!(family.badly_named(&[]).len(), 1);
    }

    #[test]
    fn generated_files_need_a_source() {
        let root = std::env::temp_dir().join(format!("xtask-family-{}", std::process::id()));
        std::fs::create_dir_all(root.join("k")).unwrap();
        for name in ["a.cu", "a.ptx", "a.resources.json", "b.ptx", "c.cuh"] {
            std::fs::write(root.join("k").join(name), "").unwrap();
        }
        assert_eq!(strays(&root, &["k", "absent"]).unwrap(), ["k/b.ptx has no source: delete it"]);
        assert_eq!(Family::find(&root, &["k", "absent"]).unwrap(), [Family::new("k", "a")]);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
