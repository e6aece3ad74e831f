//! The reference of the command line names every command and flag that there is.

mod support;

use std::collections::BTreeSet;
use std::fs;

use support::Folder;

const REFERENCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/operations/cli.md");

/// The commands below `path`, and the long flags of `path` itself, from its help.
fn help(path: &[&str]) -> (Vec<String>, BTreeSet<String>) {
    let ended = Folder::new().run(path.iter().copied().chain(["--help"]));
    let text = &ended.succeeds().stdout;
    let commands = text
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_ascii_whitespace().next())
        .filter(|command| *command != "help")
        .map(str::to_owned)
        .collect();
    let flags = text
        .lines()
        .skip_while(|line| *line != "Options:")
        .filter_map(|line| line.split_ascii_whitespace().find(|word| word.starts_with("--")))
        .map(|flag| flag.split(['=', '[', ',']).next().unwrap_or(flag).to_owned())
        .filter(|flag| flag.len() > 2)
        .collect();
    (commands, flags)
}

#[test]
fn every_command_and_flag_is_in_the_reference() {
    let reference = fs::read_to_string(REFERENCE).expect("the book has a reference");
    let mut missing = Vec::new();
    let mut look = |path: &[&str]| -> Vec<String> {
        let (commands, flags) = help(path);
        let absent = flags.into_iter().filter(|flag| !reference.contains(flag.as_str()));
        missing.extend(absent.map(|flag| format!("{} {flag}", path.join(" "))));
        let name = path.join(" ");
        if !name.is_empty() && !reference.contains(&name) {
            missing.push(name);
        }
        commands
    };
    for command in look(&[]) {
        for below in look(&[&command]) {
            look(&[&command, &below]);
        }
    }
    assert!(missing.is_empty(), "not in docs/src/operations/cli.md: {missing:?}");
}
