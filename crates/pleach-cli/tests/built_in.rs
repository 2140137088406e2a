//! The built-in English model: its card, its recipe, and how many sentences of the challenge set it gets right.

#![cfg(feature = "english")]
#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

mod common;

use common::fine;
use serde_json::Value;
use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn json(line: &str) -> Value {
    serde_json::from_str(&fine(Path::new(ROOT), line).0).unwrap()
}

/// The shipped file is what its recipe makes: every stage was trained by it, on all of the treebank.
#[test]
fn it_was_made_by_its_recipe() {
    let info = json("info en --json");
    assert!(info["bytes"].as_u64().unwrap() <= 40_000_000);
    let recipe = fine(Path::new(ROOT), "train crates/pleach/models/en.toml --show-recipe").0;
    let recipe: toml::Table = recipe.parse().unwrap();
    let file = std::fs::read_to_string(format!("{ROOT}/crates/pleach/models/en.toml")).unwrap();
    let file: toml::Table = file.parse().unwrap();
    let parts = info["model"]["parts"].as_array().unwrap();
    let roles: Vec<&str> = parts.iter().map(|part| part["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["tokenizer", "graph"]);
    for (part, role) in parts.iter().zip(roles) {
        let made = &part["provenance"];
        let wanted = serde_json::to_value(&recipe[role]).unwrap();
        // A key that came after the model is not in its card; those of the recipe's file are.
        for (key, value) in made["recipe"].as_object().unwrap() {
            assert_eq!(value, &wanted[key], "{role}: {key}");
        }
        for (key, value) in file[role].as_table().unwrap() {
            assert_eq!(made["recipe"][key], serde_json::to_value(value).unwrap(), "{role}: {key}");
        }
        assert_eq!([&made["train"], &made["dev"]], ["train.conllu", "dev.conllu"], "{role}");
        assert_eq!(made["kept"]["graphs"], 12_544, "{role}");
    }
}

/// It parses the challenge set as the page of the documents says, sentence by sentence.
#[test]
fn it_is_as_good_as_the_documents_say() {
    let found = &json("challenge -m en --json")[0];
    let page = std::fs::read_to_string(format!("{ROOT}/docs/results/challenge.md")).unwrap();
    let said = page.lines().find(|line| line.starts_with("| **all**")).unwrap();
    let numbers: Vec<u64> = said.split('|').filter_map(|cell| cell.trim().parse().ok()).collect();
    assert_eq!([&found["sentences"], &found["right"]], [numbers[0], numbers[1]]);
    for item in found["items"].as_array().unwrap() {
        let missed = page.contains(&format!("- {} — ", item["text"].as_str().unwrap()));
        assert_eq!(missed, !item["right"].as_bool().unwrap(), "{item}");
    }
}
