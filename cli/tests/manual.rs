//! `lambda-prove completions` and `man`: that they are there and know every command.

mod support;

use support::Folder;

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = Folder::new().run(["completions", shell]);
        let script = &ended.succeeds().stdout;
        for word in ["inspect", "completions", "max-cycles"] {
            assert!(script.contains(word), "{shell}: {word:?} is missing");
        }
    }
}

#[test]
fn each_command_has_a_page() {
    let folder = Folder::new();
    assert_eq!(folder.run(["man", "."]).succeeds().stdout, "");
    let names = [
        "lambda-prove-block-gen.1",
        "lambda-prove-block-import.1",
        "lambda-prove-block-plan.1",
        "lambda-prove-block-prove.1",
        "lambda-prove-block-run.1",
        "lambda-prove-block.1",
        "lambda-prove-census.1",
        "lambda-prove-completions.1",
        "lambda-prove-doctor.1",
        "lambda-prove-inspect.1",
        "lambda-prove-man.1",
        "lambda-prove-plan.1",
        "lambda-prove-prove.1",
        "lambda-prove-report.1",
        "lambda-prove-run.1",
        "lambda-prove-verify.1",
        "lambda-prove.1",
    ];
    assert_eq!(folder.names(), names);
    let page = std::fs::read_to_string(folder.path("lambda-prove-block-gen.1")).unwrap();
    assert!(page.contains(".SH OPTIONS") && page.contains("seed"), "{page}");
}

#[test]
fn a_folder_that_is_not_there_is_5() {
    let folder = Folder::new();
    folder.run(["man", "missing"]).fails(5, &["missing/lambda-prove.1", "make its folder first"]);
    assert!(folder.names().is_empty());
}
