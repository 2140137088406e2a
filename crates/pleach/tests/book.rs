//! The documentation: what is generated is up to date, every page is in the table of contents, links lead somewhere.

#![allow(clippy::unwrap_used)]

#[path = "../examples/recipes.rs"]
mod recipes;

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_reference_of_recipes_is_up_to_date() {
    let written = std::fs::read_to_string(root().join("docs/recipes.md")).unwrap();
    assert!(
        written == recipes::reference().unwrap(),
        "recipes have changed: cargo run -p pleach --example recipes > docs/recipes.md"
    );
}

#[test]
fn keys_of_recipes_are_explained() {
    let reference = recipes::reference().unwrap();
    let rows = reference.lines().filter(|line| line.starts_with("| `") && line.matches(" | ").count() == 2);
    let (bare, all): (Vec<&str>, usize) = {
        let rows: Vec<&str> = rows.collect();
        (rows.iter().filter(|row| row.ends_with("|  |")).copied().collect(), rows.len())
    };
    assert!(all > 100 && bare.len() * 20 <= all, "{bare:#?}");
}

/// The pages of the book: all of docs/ but results, which has pages of its own kind.
fn pages() -> Vec<PathBuf> {
    let docs = std::fs::read_dir(root().join("docs")).unwrap();
    let mut pages: Vec<PathBuf> = docs.map(|entry| entry.unwrap().path()).collect();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    pages
}

/// The targets of `[text](target)`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let listed: Vec<&str> = links(&summary).collect();
    for page in pages() {
        let name = page.file_name().unwrap().to_str().unwrap();
        assert!(name == "SUMMARY.md" || listed.contains(&name), "{name} is not in docs/SUMMARY.md");
    }
}

#[test]
fn links_lead_somewhere() {
    let results = std::fs::read_dir(root().join("docs/results")).unwrap().map(|entry| entry.unwrap().path());
    let results = results.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    for page in pages().into_iter().chain(results).chain([root().join("README.md")]) {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text).filter(|link| !link.contains("://") && !link.starts_with('#')) {
            let target = page.parent().unwrap().join(link.split('#').next().unwrap());
            assert!(target.exists(), "{}: {link}", page.display());
        }
    }
}

/// A screen and a half.
#[test]
fn the_readme_is_short_and_begins_with_a_parse() {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    assert!(text.lines().count() <= 75, "{} lines", text.lines().count());
    let first = text.split("```sh\n").nth(1).unwrap().lines().next().unwrap();
    assert!(first.contains(" parse \""), "{first}");
}
