//! Recipes of families as tables: which keys are the family's own, and which only one kind of scorer has.

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

/// Lets linear scorers look at no more arcs than a first pass lets through, and drops weights that hardly ever changed where
/// there is enough data: as accurate and much faster, three seeds (`docs/results/speed.md`). Networks, and what is learnt locally, have no first pass.
pub fn sieve_for_linear(scorer: &str, recipe: &Table, keys: &mut Table) {
    let local = recipe.get("loss").and_then(Value::as_str) == Some("local");
    if scorer == "linear" && !local {
        keys.insert("sieve".into(), 0.995.into());
        keys.insert("least_updates".into(), 0.into());
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

    /// Linear scorers of trees, books and relaxations have a first pass; networks, what is learnt locally, and merging, which loses a
    /// little by it, go on as they did.
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
        assert_eq!(keys("merge-linear", None), (Some(0.0), Some(1)));
    }
}
