//! What runs will cost, in seconds of processor time, before they are run.
//!
//! A run that an earlier report has costs what it cost then, times the sentences and epochs of now and then; any other one what its family
//! takes for a word and an epoch.

use pleach_model::recipe::{Recipe, Schedule};
use serde_json::Value;
use std::collections::BTreeMap;

/// What earlier reports say about costs: by run and data set, seconds for a sentence and an epoch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Costs(BTreeMap<(String, String), f64>);

impl Costs {
    /// From the JSON of a report.
    pub fn of(report: &Value) -> Self {
        let mut costs = BTreeMap::new();
        for run in report["runs"].as_array().into_iter().flatten() {
            let (Some(name), Some(data)) = (run["name"].as_str(), run["data"].as_str()) else { continue };
            let sentences = report["data"][data]["train_sentences"].as_f64().unwrap_or(0.0);
            let number = |key: &str| run["recipe"][key].as_u64().map(|number| number as usize);
            let epochs = epochs(number("epochs"), number("batch"), sentences as usize) as f64;
            let seconds = run["result"]["train_cpu_seconds"].as_f64().unwrap_or(0.0);
            if sentences * epochs > 0.0 && seconds > 0.0 {
                costs.insert((name.to_owned(), data.to_owned()), seconds / (sentences * epochs));
            }
        }
        Costs(costs)
    }

    /// The processor seconds of a run over so many sentences and words.
    pub fn estimate(
        &self,
        run: &str,
        data: &str,
        recipe: &Recipe,
        (sentences, words): (usize, usize),
    ) -> f64 {
        let epochs = epochs_of(recipe, sentences) as f64;
        match self.0.get(&(run.to_owned(), data.to_owned())) {
            Some(seconds) => seconds * sentences as f64 * epochs,
            None => milliseconds(recipe) / 1000.0 * words as f64 * epochs,
        }
    }
}

/// How often a recipe goes through so many sentences.
pub fn epochs_of(recipe: &Recipe, sentences: usize) -> usize {
    epochs(recipe.number("epochs"), recipe.number("batch"), sentences)
}

fn epochs(epochs: Option<usize>, batch: Option<usize>, sentences: usize) -> usize {
    let schedule = Schedule { epochs: epochs.unwrap_or(1), ..Schedule::default() };
    schedule.epochs(sentences.div_ceil(batch.unwrap_or(1).max(1)))
}

/// What a family takes to learn from a word, about, as the reports in docs/results have it (most between half of that and twice).
fn milliseconds(recipe: &Recipe) -> f64 {
    let text = |key: &str| recipe.table().get(key).and_then(|value| value.as_str()).unwrap_or("");
    let beam = recipe.number("beam").unwrap_or(1) as f64;
    let own = match recipe.family() {
        "transition" => 0.15 + 0.03 * beam,
        "books" => 0.6,
        "factorization" | "merging" => 1.6,
        "joint" => 1.0,
        _ => 0.05,
    };
    let own = if text("scorer") == "bilstm" { own.max(0.5) } else { own };
    // Jackknifing trains a tree parser once for every fold, and once more.
    own + if matches!(text("trees"), "" | "none") { 0.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_parsers::SHELF;
    use serde_json::json;

    #[test]
    fn what_was_measured_counts_more_than_the_family() {
        let report = json!({
            "data": { "en": { "train_sentences": 100 } },
            "runs": [{ "name": "st", "data": "en", "recipe": { "epochs": 2 }, "result": { "train_cpu_seconds": 10.0 } }],
        });
        let costs = Costs::of(&report);
        let mut recipe = SHELF.preset("st-combined").unwrap();
        recipe.set("epochs", 4).unwrap();
        assert_eq!(costs.estimate("st", "en", &recipe, (200, 1)), 40.0);
        let other = costs.estimate("st", "nl", &recipe, (200, 4000));
        let book = costs.estimate("x", "nl", &SHELF.preset("fact-pc-ac-ta").unwrap(), (200, 4000));
        assert!(other > 0.0 && other < book, "{other} {book}");
        assert_eq!(Costs::of(&json!({})), Costs::default());
    }
}
