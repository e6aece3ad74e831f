//! Files that appear whole or not at all.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tempfile::NamedTempFile;

use crate::error::{CliError, EXIT_CANCELLED};

/// The outputs of this run. Whoever creates or moves one holds the lock, so that a signal finds all of a
/// run's outputs or none in place.
static OUTPUTS: Mutex<Outputs> = Mutex::new(Outputs::Pending(Vec::new()));

/// How far a run has come with its outputs.
enum Outputs {
    /// They are temporary files, which a cancelled run removes.
    Pending(Vec<PathBuf>),
    /// They are at their targets.
    Published,
}

/// An output that has been opened beside its target and not been moved there yet.
#[derive(Debug)]
pub struct PendingFile {
    file: NamedTempFile,
    target: PathBuf,
}

impl PendingFile {
    /// Opens a temporary file beside `target`, which shows early whether it can be written.
    pub fn create(target: &Path) -> Result<Self, CliError> {
        let failed = |error| CliError::Output { path: target.to_path_buf(), error };
        if target.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut outputs = outputs();
        // With the permissions of any new file, and a name that says whose it is if the process is killed.
        let file = tempfile::Builder::new()
            .prefix(".lambda-prove-")
            .make_in(folder, |path| File::create_new(path))
            .map_err(failed)?;
        if let Outputs::Pending(paths) = &mut *outputs {
            paths.push(file.path().to_path_buf());
        }
        Ok(Self { file, target: target.to_path_buf() })
    }

    /// Writes `bytes` through to the disk, still beside the target.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        let mut file = self.file.as_file();
        file.write_all(bytes)
            .and_then(|()| file.sync_all())
            .map_err(|error| CliError::Output { path: self.target.clone(), error })
    }
}

/// Moves all of a run's `files` to their targets.
pub fn publish(files: impl IntoIterator<Item = PendingFile>) -> Result<(), CliError> {
    let mut outputs = outputs();
    for PendingFile { file, target } in files {
        file.persist(&target).map_err(|failure| CliError::Output { path: target, error: failure.error })?;
    }
    *outputs = Outputs::Published;
    Ok(())
}

/// On Ctrl-C or SIGTERM: removes temporary files and exits.
///
/// SIGHUP is left as it is: a long proof under `nohup` has it ignored.
pub fn exit_cleanly_on_signals() -> Result<(), CliError> {
    let mut signals = Signals::new([SIGINT, SIGTERM])
        .map_err(|error| CliError::Resource(format!("cannot handle signals: {error}")))?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            // Held until the process is gone.
            let outputs = outputs();
            let left = match &*outputs {
                Outputs::Pending(paths) => {
                    for path in paths {
                        // The run is over; a file that is gone already is no loss.
                        let _ = std::fs::remove_file(path);
                    }
                    "nothing was written"
                }
                Outputs::Published => "the output files are complete",
            };
            if io::stderr().is_terminal() {
                // Off the line of the progress bar and the `^C` that the terminal echoes.
                eprintln!();
            }
            eprintln!("lambda-prove: cancelled; {left}");
            std::process::exit(EXIT_CANCELLED);
        }
    });
    Ok(())
}

fn outputs() -> MutexGuard<'static, Outputs> {
    OUTPUTS.lock().unwrap_or_else(PoisonError::into_inner)
}
