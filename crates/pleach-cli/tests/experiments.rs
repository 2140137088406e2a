//! The experiments of this repository can be planned: a key that a recipe doesn't have would stop the command that runs all of them.
//! The page of findings is what their reports say.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod common;

use common::fine;
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of a folder with this ending, sorted.
fn files(folder: &Path, ending: &str) -> Vec<String> {
    let files =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> = files.filter(|name| name.ends_with(ending)).collect();
    files.sort();
    files
}

#[test]
fn every_experiment_can_be_planned() {
    let folder = repository().join("experiments");
    let files = files(&folder, ".toml");
    assert!(files.len() > 40, "{files:?}");
    let (plan, _) = fine(&folder, &format!("experiment {} --plan", files.join(" ")));
    assert!(plan.lines().count() > files.len());
}

#[test]
fn the_page_of_findings_is_up_to_date() {
    let results = repository().join("docs/results");
    let folder = tempfile::tempdir().unwrap();
    for report in files(&results, ".json") {
        std::fs::copy(results.join(&report), folder.path().join(&report)).unwrap();
    }
    let experiments = repository().join("experiments");
    let command = format!(
        "experiment {} -o {} --findings ../docs/results/findings.toml",
        files(&experiments, ".toml").join(" "),
        folder.path().display()
    );
    fine(&experiments, &command);
    let fresh = std::fs::read_to_string(folder.path().join("README.md")).unwrap();
    let written = std::fs::read_to_string(results.join("README.md")).unwrap();
    assert!(
        fresh == written,
        "pleach experiment experiments/*.toml -o docs/results --findings docs/results/findings.toml"
    );
}
