//! Documents: the book lists all its pages, relative links lead somewhere, the README says how to start.

use super::Finding;
use crate::tree::{File, Tree};

const BOOK: &str = "docs/src/";
const SUMMARY: &str = "docs/src/SUMMARY.md";
const README_COMMANDS: [&str; 2] = ["make demo", "make test"];

/// Reports dead links, pages outside the book's summary, and commands missing from the README.
pub fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for file in tree.with_extension("md") {
        for (line, target) in links(file) {
            if !leads_somewhere(tree, file, target) {
                let advice = format!("`{target}` is not in the repository");
                findings.push(Finding::new(&file.path, line, "dead-link", advice));
            }
        }
    }
    unlisted_pages(tree, findings);
    let readme = tree.file("README.md").map_or("", |file| file.text.as_str());
    for command in README_COMMANDS.iter().filter(|command| !readme.contains(*command)) {
        findings.push(Finding::new("README.md", 1, "readme", format!("tell the reader about `{command}`")));
    }
}

fn unlisted_pages(tree: &Tree, findings: &mut Vec<Finding>) {
    let summary = tree.file(SUMMARY);
    let listed: Vec<String> = summary
        .map(|file| links(file).into_iter().filter_map(|(_, target)| resolve(file, target)).collect())
        .unwrap_or_default();
    for page in tree.with_extension("md").filter(|page| page.path.starts_with(BOOK) && page.path != SUMMARY) {
        if !listed.contains(&page.path) {
            findings.push(Finding::new(&page.path, 1, "unlisted-page", format!("list it in {SUMMARY}")));
        }
    }
}

/// Line and target of each inline link or image, outside code.
fn links(file: &File) -> Vec<(usize, &str)> {
    let mut links = Vec::new();
    let mut in_fence = false;
    for (number, line) in file.lines() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        } else if !in_fence {
            // Text between an odd and an even backtick is code.
            for prose in line.split('`').step_by(2) {
                let targets = prose.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
                links.extend(targets.map(|target| (number, target)));
            }
        }
    }
    links
}

/// Whether a link leaves the repository, stays on its page, or names something in the tree.
fn leads_somewhere(tree: &Tree, file: &File, target: &str) -> bool {
    target.contains("://")
        || target.starts_with('#')
        || target.starts_with("mailto:")
        || resolve(file, target).is_some_and(|path| tree.contains(&path))
}

/// Path from the root that `target` means on the page `file`, without its anchor; `None` when it climbs
/// out of the repository.
fn resolve(file: &File, target: &str) -> Option<String> {
    let target = target.split('#').next()?;
    let mut parts: Vec<&str> = file.path.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::found;
    use super::*;

    const README: (&str, &str) = ("README.md", "`make demo`, `make test`");

    #[test]
    fn relative_links_resolve_from_their_page() {
        let good = "[a](../src/b.md#part) [root](../../README.md) [dir](..) [web](https://x.org) [here](#x)\n\
                    ![i](b.md \"title\") `[code](nowhere)`\n```\n[code](nowhere)\n```\n";
        let pages = [README, ("docs/src/SUMMARY.md", "[b](b.md)"), ("docs/src/b.md", good)];
        assert!(found(check, &pages).is_empty());
        let bad = [README, ("docs/a.md", "fine\n[a](gone.md) and [b](../../README.md)\n")];
        assert_eq!(found(check, &bad), ["dead-link:docs/a.md:2"; 2]);
    }

    #[test]
    fn the_summary_lists_every_page_and_no_missing_one() {
        let pages = [
            README,
            ("docs/src/SUMMARY.md", "- [Intro](intro.md)\n- [Gone](gone.md)\n"),
            ("docs/src/intro.md", "x"),
            ("docs/src/deep/fri.md", "x"),
        ];
        let expected = ["dead-link:docs/src/SUMMARY.md:2", "unlisted-page:docs/src/deep/fri.md:1"];
        assert_eq!(found(check, &pages), expected);
    }

    #[test]
    fn the_readme_says_how_to_start() {
        assert!(found(check, &[README]).is_empty());
        assert_eq!(found(check, &[("README.md", "run `make demo`")]), ["readme:README.md:1"]);
        assert_eq!(found(check, &[("a.md", "")]), ["readme:README.md:1"; 2]);
    }
}
