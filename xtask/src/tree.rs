//! The repository's text files: what git tracks, or would track if asked to.
//!
//! Rules see this snapshot and never the disk, so their tests hand them a few lines of made-up text.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// One UTF-8 file.
pub struct File {
    /// Path from the repository's root, with `/` between its parts.
    pub path: String,
    /// The whole content.
    pub text: String,
}

impl File {
    /// Whether the name ends in `.extension`.
    pub fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| found == extension)
    }

    /// Lines with their numbers, counted from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// A snapshot of the repository, sorted by path.
pub struct Tree {
    files: Vec<File>,
    /// Every path, those of binary files included.
    paths: Vec<String>,
}

impl Tree {
    /// Reads the tracked and the untracked but not ignored files under `root`; outside a git checkout
    /// (an unpacked archive), all files but build outputs.
    ///
    /// # Errors
    /// A folder or file that cannot be read.
    pub fn read(root: &Path) -> Result<Self> {
        let mut paths = match git_paths(root) {
            Some(paths) => paths,
            None => {
                let mut paths = Vec::new();
                walk(root, "", &mut paths)?;
                paths
            }
        };
        // An index lists a file deleted since; a merge conflict lists one several times.
        paths.retain(|path| root.join(path).is_file());
        paths.sort();
        paths.dedup();
        let mut files = Vec::new();
        for path in &paths {
            let bytes = std::fs::read(root.join(path)).with_context(|| format!("cannot read {path}"))?;
            if let Ok(text) = String::from_utf8(bytes) {
                files.push(File { path: path.clone(), text });
            }
        }
        if files.is_empty() {
            bail!("no files under {}", root.display());
        }
        Ok(Self { files, paths })
    }

    /// The text files.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// The text files named `*.extension`.
    pub fn with_extension(&self, extension: &str) -> impl Iterator<Item = &File> {
        self.files.iter().filter(move |file| file.has_extension(extension))
    }

    /// The text file at exactly this path.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Whether `path` is a file, or a folder that holds one. The root is `""`.
    pub fn contains(&self, path: &str) -> bool {
        path.is_empty()
            || self.paths.iter().any(|known| {
                known.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
    }

    /// A tree of the given paths and texts.
    #[cfg(test)]
    pub fn sample(files: &[(&str, &str)]) -> Self {
        let files: Vec<File> =
            files.iter().map(|&(path, text)| File { path: path.to_owned(), text: text.to_owned() }).collect();
        let paths = files.iter().map(|file| file.path.clone()).collect();
        Self { files, paths }
    }
}

/// What `git ls-files` names, or `None` where git or the checkout is missing.
fn git_paths(root: &Path) -> Option<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let names = String::from_utf8(output.stdout).ok()?;
    Some(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// Appends every file below `root/folder`, skipping build outputs and git's own folder.
fn walk(root: &Path, folder: &str, paths: &mut Vec<String>) -> Result<()> {
    let here = root.join(folder);
    for entry in std::fs::read_dir(&here).with_context(|| format!("cannot list {}", here.display()))? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if entry.file_type()?.is_dir() {
            if !name.starts_with("target") && name != ".git" && path != "book" {
                walk(root, &path, paths)?;
            }
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_contained_but_not_a_prefix_of_a_name() {
        let tree = Tree::sample(&[("docs/src/intro.md", "")]);
        assert!(tree.contains("docs/src") && tree.contains("docs/src/intro.md") && tree.contains(""));
        assert!(!tree.contains("docs/src/intro") && !tree.contains("doc"));
    }

    #[test]
    fn the_walk_finds_this_file_and_no_build_output() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut paths = Vec::new();
        walk(root, "", &mut paths).unwrap();
        assert!(paths.contains(&"src/tree.rs".to_owned()));
        assert!(!paths.iter().any(|path| path.starts_with("target")));
    }
}
