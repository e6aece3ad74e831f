//! Files that appear whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::NamedTempFile;

use crate::error::{CliError, EXIT_CANCELLED};

/// Temporary files that a cancelled run removes.
static PENDING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

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
            return Err(failed(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory")));
        }
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let file = new_file(folder).map_err(failed)?;
        pending().push(file.path().to_path_buf());
        Ok(Self { file, target: target.to_path_buf() })
    }

    /// Writes `bytes` and moves the file to its target.
    pub fn finish(self, bytes: &[u8]) -> Result<(), CliError> {
        let Self { mut file, target } = self;
        let failed = |error| CliError::Output { path: target.clone(), error };
        file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        let temporary = file.path().to_path_buf();
        file.persist(&target).map_err(|error| failed(error.error))?;
        pending().retain(|path| *path != temporary);
        Ok(())
    }
}

/// A temporary file in `folder` with the permissions of any new file.
fn new_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

fn pending() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    PENDING.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// On Ctrl-C or SIGTERM: removes temporary files and exits.
pub fn exit_cleanly_on_signals() -> Result<(), CliError> {
    ctrlc::set_handler(|| {
        for path in pending().iter() {
            // The run is over; a file that is gone already is no loss.
            let _ = std::fs::remove_file(path);
        }
        eprintln!("lambda-prove: cancelled; nothing was written");
        std::process::exit(EXIT_CANCELLED);
    })
    .map_err(|error| CliError::Resource(format!("cannot handle signals: {error}")))
}
