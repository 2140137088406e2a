//! The experiments of this repository can be planned: a key that a recipe doesn't have would stop the command that runs all of them.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod common;

use common::fine;
use std::path::Path;

#[test]
fn every_experiment_can_be_planned() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    let mut files: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    files.sort();
    assert!(files.len() > 40, "{files:?}");
    let (plan, _) = fine(&folder, &format!("experiment {} --plan", files.join(" ")));
    assert!(plan.lines().count() > files.len());
}
