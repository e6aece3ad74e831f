//! PTX of the GPU kernels, as committed: `cargo xtask gen-ptx [--check] [--only FAMILY] [--nvrtc DIR]`.
//!
//! A family is one `NAME.cu` in one of [`FOLDERS`]. Beside it stand `NAME.ptx`, what the product loads, and
//! `NAME.resources.json`, what its entry points cost on each architecture of [`ARCHITECTURES`]. Both depend
//! on the sources and on the pinned NVRTC alone, so that `--check` can demand equality: it compiles
//! everything again and reports each difference without touching a file. Compiler warnings, registers
//! spilled to memory and badly named entry points are errors in both modes.

mod family;
mod nvrtc;
mod resources;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use family::Family;
use nvrtc::{Nvrtc, Target};
use resources::Resources;

/// Where kernels live: the product's, and those of a workload of its tests.
const FOLDERS: [&str; 3] = ["math-cuda/kernels", "gpu-lde/kernels", "math-cuda/tests/workload"];
/// What `#include "…"` finds, beside the headers in the source's own folder.
const HEADERS: &str = "math-cuda/kernels";
/// The oldest architecture that runs our PTX.
const PTX_ARCHITECTURE: u32 = 80;
/// Architectures whose machine code is measured: A100, H100 and H200, B200, RTX 50.
const ARCHITECTURES: [u32; 4] = [80, 90, 100, 120];
/// Where `make` unpacks NVRTC.
const NVRTC_FOLDER: &str = "target/nvrtc/nvidia/cu13/lib";

/// The command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Compare with the committed files instead of writing them.
    check: bool,
    /// Only this family.
    only: Option<String>,
    /// Folder of `libnvrtc.so.13`.
    nvrtc: Option<PathBuf>,
}

impl Options {
    /// Parses what follows `gen-ptx`; `None` for anything unknown or incomplete.
    pub fn parse(arguments: &[&str]) -> Option<Self> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(&argument) = arguments.next() {
            match argument {
                "--check" => options.check = true,
                "--only" => options.only = Some((*arguments.next()?).to_owned()),
                "--nvrtc" => options.nvrtc = Some(PathBuf::from(arguments.next()?)),
                _ => return None,
            }
        }
        Some(options)
    }
}

/// Compiles the families under `root` and writes or compares their files. `default_nvrtc` counts where the
/// options name no folder. Returns one line for each thing to mend.
///
/// # Errors
/// NVRTC or a source cannot be read, or `--only` names no family.
pub fn run(root: &Path, options: &Options, default_nvrtc: Option<PathBuf>) -> Result<Vec<String>> {
    let folder = options.nvrtc.clone().or(default_nvrtc).unwrap_or_else(|| root.join(NVRTC_FOLDER));
    let nvrtc = Nvrtc::load(&folder)?;
    let mut families = Family::find(root, &FOLDERS)?;
    let mut findings = family::strays(root, &FOLDERS)?;
    if let Some(only) = &options.only {
        families.retain(|family| family.name == *only);
        findings.clear();
        if families.is_empty() {
            bail!("no {only}.cu in {FOLDERS:?}");
        }
    }
    let start = Instant::now();
    let built = build(root, &nvrtc, &families, &mut findings)?;
    findings.extend(family::twice_named(&built));
    for (family, artefacts) in families.iter().zip(&built) {
        let Some(artefacts) = artefacts else { continue };
        findings.extend(artefacts.complaints(family));
        for (path, text) in [(&family.ptx, &artefacts.ptx), (&family.resources, &artefacts.resources_json())]
        {
            findings.extend(settle(root, path, text, options.check)?);
        }
        println!("{:24} {:4} entries {:7.2} s", family.name, artefacts.resources.len(), artefacts.seconds());
    }
    println!("{} families, {:.1} s", families.len(), start.elapsed().as_secs_f64());
    Ok(findings)
}

/// What one family compiles to.
struct Artefacts {
    ptx: String,
    resources: Resources,
    /// What the compiler said, once.
    warnings: Vec<String>,
    /// Compile time, all targets together.
    time: Duration,
}

impl Artefacts {
    fn seconds(&self) -> f64 {
        self.time.as_secs_f64()
    }

    fn resources_json(&self) -> String {
        self.resources.to_json()
    }

    fn complaints(&self, family: &Family) -> Vec<String> {
        let mut complaints = self.warnings.clone();
        complaints.extend(self.resources.spills());
        complaints.extend(family.badly_named(&family::entries(&self.ptx)));
        for complaint in &mut complaints {
            *complaint = format!("{}: {complaint}", family.source);
        }
        complaints
    }
}

/// Compiles every family for every target, on all processors. A family that does not compile is `None` and
/// adds the compiler's words to `findings`.
fn build(
    root: &Path,
    nvrtc: &Nvrtc,
    families: &[Family],
    findings: &mut Vec<String>,
) -> Result<Vec<Option<Artefacts>>> {
    let targets: Vec<Target> = std::iter::once(Target::Ptx(PTX_ARCHITECTURE))
        .chain(ARCHITECTURES.map(Target::MachineCode))
        .collect();
    let jobs = families.len() * targets.len();
    let mut outputs: Vec<Option<nvrtc::Output>> = (0..jobs).map(|_| None).collect();
    let next = AtomicUsize::new(0);
    let collected = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let job = next.fetch_add(1, Ordering::Relaxed);
                    if job >= jobs {
                        return;
                    }
                    let family = &families[job / targets.len()];
                    let output = family.compile(root, nvrtc, HEADERS, targets[job % targets.len()]);
                    collected.lock().unwrap_or_else(|held| held.into_inner()).push((job, output));
                }
            });
        }
    });
    for (job, output) in collected.into_inner().unwrap_or_else(|held| held.into_inner()) {
        outputs[job] = Some(output?);
    }
    let mut outputs = outputs.into_iter().map(|output| output.expect("every job has run"));
    families.iter().map(|family| assemble(family, &targets, &mut outputs, findings)).collect()
}

/// Takes the outputs of one family, in the order of `targets`.
fn assemble(
    family: &Family,
    targets: &[Target],
    outputs: &mut impl Iterator<Item = nvrtc::Output>,
    findings: &mut Vec<String>,
) -> Result<Option<Artefacts>> {
    let mut ptx = None;
    let mut resources = Resources::default();
    let mut warnings = Vec::new();
    let mut time = Duration::ZERO;
    let mut compiled = true;
    for (target, output) in targets.iter().zip(outputs) {
        time += output.time;
        let Some(code) = output.code else {
            // The front end says the same for every target.
            if compiled {
                findings.push(format!("{} does not compile for {target}:\n{}", family.source, output.log));
            }
            compiled = false;
            continue;
        };
        match *target {
            Target::Ptx(_) => ptx = Some(String::from_utf8(code).context("PTX is not text")?),
            Target::MachineCode(architecture) => resources.read_log(architecture, &output.log),
        }
        warnings.extend(resources::warnings(&output.log));
    }
    warnings.sort();
    warnings.dedup();
    Ok(ptx.filter(|_| compiled).map(|ptx| Artefacts { ptx, resources, warnings, time }))
}

/// Writes `text` to `path` or, when checking, says where the file there differs.
fn settle(root: &Path, path: &str, text: &str, check: bool) -> Result<Option<String>> {
    let file = root.join(path);
    let found = match std::fs::read_to_string(&file) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {path}")),
    };
    if found == text {
        return Ok(None);
    }
    if !check {
        std::fs::write(&file, text).with_context(|| format!("cannot write {path}"))?;
        println!("wrote {path}");
        return Ok(None);
    }
    Ok(Some(difference(path, &found, text)))
}

/// One line that names the first line in which the committed file and a fresh one differ.
fn difference(path: &str, found: &str, fresh: &str) -> String {
    if found.is_empty() {
        return format!("{path} is missing: run `make gen-ptx` and commit it");
    }
    let line = found.lines().zip(fresh.lines()).take_while(|(a, b)| a == b).count();
    let show = |text: &str| text.lines().nth(line).unwrap_or("(end of file)").trim().to_owned();
    format!(
        "{path}:{}: is `{}`, the sources give `{}`: run `make gen-ptx` and commit the result",
        line + 1,
        show(found),
        show(fresh)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_parsed_or_refused() {
        let options = Options::parse(&["--only", "ntt", "--check", "--nvrtc", "lib"]).unwrap();
        let expected = Options { check: true, only: Some("ntt".into()), nvrtc: Some(PathBuf::from("lib")) };
        assert_eq!(options, expected);
        assert_eq!(Options::parse(&["--only"]), None);
        assert_eq!(Options::parse(&["ntt"]), None);
    }

    #[test]
    fn a_difference_names_its_line() {
        let text = difference("k/a.ptx", "x\ny\n", "x\nz\n");
        assert!(text.starts_with("k/a.ptx:2: is `y`, the sources give `z`"), "{text}");
        assert!(difference("k/a.ptx", "x\n", "x\nz\n").contains("is `(end of file)`"));
        assert!(difference("k/a.ptx", "", "x\n").contains("missing"));
    }

    #[test]
    fn checking_leaves_files_alone() {
        let folder = std::env::temp_dir().join(format!("xtask-ptx-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("a.ptx"), "old\n").unwrap();
        assert!(settle(&folder, "a.ptx", "new\n", true).unwrap().is_some());
        assert_eq!(std::fs::read_to_string(folder.join("a.ptx")).unwrap(), "old\n");
        assert_eq!(settle(&folder, "a.ptx", "new\n", false).unwrap(), None);
        assert_eq!(settle(&folder, "a.ptx", "new\n", true).unwrap(), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
