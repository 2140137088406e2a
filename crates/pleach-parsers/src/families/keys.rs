//! Recipes of families as tables: which keys are the family's own, and which only one kind of scorer has.

use crate::scorer::MANY_SENTENCES;
use pleach_model::recipe::{Recipe, RecipeError, Schedule};
use serde::Serialize;
use toml::{Table, Value};

/// All keys of a recipe but some.
pub fn without(recipe: &impl Serialize, left_out: &[&str]) -> Table {
    let mut table = Table::try_from(recipe).unwrap_or_default();
    table.retain(|key, _| !left_out.contains(&key));
    table
}

/// The keys that linear scorers have in a family, and what networks want of it: as many epochs as they need.
pub fn of_scorer(scorer: &str, recipe: &Option<impl Serialize>, linear: &[&str]) -> Table {
    if scorer == "bilstm" {
        return Table::from_iter([("epochs".to_owned(), 0.into())]);
    }
    let Some(recipe) = recipe.as_ref().filter(|_| scorer == "linear") else { return Table::new() };
    let mut table = Table::try_from(recipe).unwrap_or_default();
    table.retain(|key, _| linear.contains(&key));
    table
}

/// Lets networks learn probabilities where a family can: by margins they learn nearly nothing
/// (`docs/results/neural-structures.md`).
pub fn local_for_networks(scorer: &str, possible: bool, keys: &mut Table) {
    if scorer == "bilstm" && possible {
        keys.insert("loss".into(), "local".into());
    }
}

/// The share of arcs that the first pass of trees, books and chains is to let through.
pub const PASSED: f64 = 0.995;

/// Lets linear scorers look at no more arcs than a first pass lets through, and drops weights that hardly ever changed where
/// there is enough data: as accurate and much faster, three seeds (`docs/results/speed.md`). Networks, and what is learnt locally, have no first pass.
pub fn sieve_for_linear(scorer: &str, recipe: &Table, share: f64, keys: &mut Table) {
    let local = recipe.get("loss").and_then(Value::as_str) == Some("local");
    if scorer == "linear" && !local {
        keys.insert("sieve".into(), share.into());
        keys.insert("least_updates".into(), 0.into());
    }
}

/// Decides how often a weight of a part of a model must have changed, if its recipe leaves that open: so often, and once where there are
/// few sentences.
pub fn settle_updates(part: &mut Recipe, sentences: usize, updates: i64) -> Result<(), RecipeError> {
    match part.number("least_updates") {
        Some(0) => part.set("least_updates", if sentences < MANY_SENTENCES { 1 } else { updates }),
        _ => Ok(()),
    }
}

/// The keys of [`of_scorer`] for transition parsers, whose batches grow: their updates are whole steps, and those of a large batch add up to too
/// much as long as little was learnt (`docs/results/learning.md`).
pub fn of_growing_scorer(scorer: &str, recipe: &Option<impl Serialize>, linear: &[&str]) -> Table {
    let mut table = of_scorer(scorer, recipe, linear);
    if scorer == "linear" {
        table.insert("batch".into(), 0.into());
    }
    table
}

/// The preset's name in a recipe.
pub fn preset(recipe: &Table) -> &str {
    recipe.get("preset").and_then(Value::as_str).unwrap_or_default()
}

/// Lets a part of a model be trained like the whole: with the same scorer and its keys, and the same schedule.
pub fn hand_down(whole: &Recipe, schedule: &Schedule, part: &mut Recipe) -> Result<(), RecipeError> {
    let scorer = whole.scorer().unwrap_or_default();
    part.set("scorer", scorer)?;
    let scorers = (whole.shelf().scorers)();
    let keys = scorers.iter().find(|known| known.name() == scorer).map(|known| known.keys());
    let keys = keys.unwrap_or_default();
    for (key, value) in whole.table().iter().filter(|(key, _)| keys.contains_key(*key)) {
        part.set(key, value.clone())?;
    }
    let Schedule { epochs, seed, patience } = *schedule;
    part.set("epochs", epochs as i64)?;
    part.set("seed", seed as i64)?;
    part.set("patience", patience as i64)
}

#[cfg(test)]
mod tests {
    use crate::SHELF;

    /// Linear scorers of trees, books and relaxations have a first pass, merging one that lets more through; networks and what is
    /// learnt locally have none.
    #[test]
    fn charts_of_linear_scorers_have_a_first_pass() {
        let keys = |preset: &str, scorer: Option<&str>| {
            let mut recipe = SHELF.preset(preset).unwrap();
            scorer.into_iter().for_each(|scorer| recipe.set("scorer", scorer).unwrap());
            (recipe.table()["sieve"].as_float(), recipe.number("least_updates"))
        };
        let presets = ["eisner", "eisner2", "cle", "eisner2-rearranged", "book-m1", "book-m4", "book-m4-lr"];
        for preset in presets.into_iter().chain(["fact-pc", "fact-pc-ac-ta"]) {
            assert_eq!(keys(preset, None), (Some(0.995), Some(0)), "{preset}");
            assert_eq!(keys(preset, Some("bilstm")), (Some(0.0), None), "{preset}");
        }
        assert_eq!(keys("eisner-bilstm", None), (Some(0.0), None));
        assert_eq!(keys("eisner-bilstm", Some("linear")), (Some(0.0), Some(1)));
        assert_eq!(keys("biaffine", None), (Some(0.0), None));
        for preset in ["merge-linear", "merge-linear-simple"] {
            assert_eq!(keys(preset, None), (Some(0.998), Some(0)), "{preset}");
            assert_eq!(keys(preset, Some("bilstm")), (Some(0.0), None), "{preset}");
        }
        assert_eq!(keys("merge-bilstm", None), (Some(0.0), None));
    }

    #[test]
    fn what_is_left_open_is_settled_by_the_number_of_sentences() {
        let settled = |given: i64, sentences| {
            let mut recipe = SHELF.preset("eisner2").unwrap();
            recipe.set("least_updates", given).unwrap();
            super::settle_updates(&mut recipe, sentences, 2).unwrap();
            recipe.number("least_updates")
        };
        assert_eq!([settled(0, 999), settled(0, 1_000), settled(3, 1_000)], [Some(1), Some(2), Some(3)]);
        // Networks have no such key.
        let mut network = SHELF.preset("eisner-bilstm").unwrap();
        super::settle_updates(&mut network, 1_000, 2).unwrap();
        assert_eq!(network.number("least_updates"), None);
    }
}
