//! `lambda-prove completions` and `man`: made from the same declarations as `--help`.

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::error::CliError;
use crate::output::{PendingFile, exit_cleanly_on_signals, publish};

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Arguments of `man`.
#[derive(Args, Debug)]
pub struct ManArgs {
    /// Folder that the pages go to, which must exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Prints a completion script for `command`.
pub fn completions(args: &CompletionsArgs, mut command: Command) -> Result<(), CliError> {
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    stdout().write_all(&script).map_err(CliError::Stdout)
}

/// Writes the pages of `command` and of all below it.
pub fn pages(args: &ManArgs, command: Command) -> Result<(), CliError> {
    exit_cleanly_on_signals()?;
    // `help` has nothing to say that the pages do not.
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut files = Vec::new();
    write_pages(&command, &args.folder, &mut files)?;
    publish(files)
}

fn write_pages(command: &Command, folder: &Path, files: &mut Vec<PendingFile>) -> Result<(), CliError> {
    let man = Man::new(command.clone());
    let path = folder.join(man.get_filename());
    let mut page = Vec::new();
    man.render(&mut page).map_err(|error| CliError::Output { path: path.clone(), error })?;
    let mut file = PendingFile::create(&path)?;
    file.write(&page)?;
    files.push(file);
    command.get_subcommands().try_for_each(|command| write_pages(command, folder, files))
}
