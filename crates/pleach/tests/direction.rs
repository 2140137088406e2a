//! The direction of crates is what docs/ARCHITECTURE.md says: a crate uses only what stands below it.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What each crate may use of ours.
fn allowed() -> BTreeMap<&'static str, Vec<&'static str>> {
    let leaves = [
        "pleach-formats",
        "pleach-eval",
        "pleach-render",
        "pleach-phrase",
        "pleach-transition",
        "pleach-decode",
    ];
    let mut allowed = BTreeMap::from([("pleach-graph", vec![])]);
    allowed.extend(leaves.map(|leaf| (leaf, vec!["pleach-graph"])));
    allowed.insert("pleach-model", vec!["pleach-graph", "pleach-formats", "pleach-eval"]);
    for scorer in ["pleach-linear", "pleach-neural"] {
        allowed.insert(scorer, vec!["pleach-graph", "pleach-transition", "pleach-decode"]);
    }
    allowed.insert("pleach-text", vec!["pleach-graph", "pleach-linear"]);
    let mut below =
        vec!["pleach-graph", "pleach-formats", "pleach-eval", "pleach-transition", "pleach-decode"];
    below.extend(["pleach-model", "pleach-linear", "pleach-neural", "pleach-text"]);
    allowed.insert("pleach-parsers", below.clone());
    below.push("pleach-parsers");
    allowed.insert("pleach-lab", below.clone());
    below.push("pleach-render");
    allowed.insert("pleach", below);
    allowed
}

#[test]
fn crates_use_only_what_stands_below_them() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let allowed = allowed();
    let mut seen = BTreeSet::new();
    for (name, allowed) in &allowed {
        let text = std::fs::read_to_string(crates.join(name).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = text.parse().unwrap();
        let used = manifest.get("dependencies").and_then(toml::Value::as_table);
        for other in used.into_iter().flat_map(toml::Table::keys).filter(|other| other.starts_with("pleach"))
        {
            assert!(allowed.contains(&other.as_str()), "{name} must not use {other}");
            seen.insert(other.clone());
        }
    }
    assert!(seen.len() > 8, "the check sees dependencies at all: {seen:?}");
}

/// Families don't know who scores.
#[test]
fn families_see_no_features_and_no_tensors() {
    let families =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("pleach-parsers/src/families");
    let mut open = vec![families];
    let mut read = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                // The stages of texts are linear models themselves.
                if !path.ends_with("text") {
                    open.push(path);
                }
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for scorer in ["pleach_linear", "pleach_neural"] {
                assert!(!text.contains(scorer), "{} names {scorer}", path.display());
            }
            read += 1;
        }
    }
    assert!(read > 40, "{read} files");
}
