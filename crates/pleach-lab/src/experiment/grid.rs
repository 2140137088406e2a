//! The rows of an experiment: recipes crossed with axes.

use super::error::{ExperimentError, syntax};
use super::plan::RunPlan;
use pleach_parsers::SHELF;
use toml::{Table, Value};

/// The most runs of an experiment: a few axes multiply quickly.
const MOST_RUNS: usize = 10_000;

/// All recipes with all combinations of the axes' values; the first axis changes slowest.
pub(super) fn cross(
    file: &str,
    defaults: &Table,
    recipes: &Table,
    axes: &Table,
) -> Result<Vec<RunPlan>, ExperimentError> {
    let mut plans: Vec<(String, Vec<String>, Table)> = Vec::new();
    for (name, value) in recipes {
        let place = format!("{file} [recipes.{name}]");
        let Value::Table(keys) = value else {
            return Err(syntax(&place, format!("expected a table of a recipe's keys, found {value}")));
        };
        plans.push((place, vec![name.clone()], keys.clone()));
    }
    if plans.is_empty() {
        plans.push((format!("{file} [defaults]"), Vec::new(), Table::new()));
    }
    for (key, values) in axes {
        let place = format!("{file} [axes]");
        let Value::Array(values) = values else {
            return Err(syntax(&place, format!("'{key}' is a list of values, found {values}")));
        };
        if values.is_empty() {
            return Err(syntax(&place, format!("'{key}' has no values")));
        }
        if plans.len().saturating_mul(values.len()) > MOST_RUNS {
            return Err(syntax(&place, format!("with '{key}' there are more than {MOST_RUNS} runs")));
        }
        plans = plans
            .iter()
            .flat_map(|(_, names, table)| values.iter().map(move |value| (names, table, value)))
            .map(|(names, table, value)| {
                let mut table = table.clone();
                table.insert(key.clone(), value.clone());
                let mut names = names.clone();
                names.extend(axis_name(key, value));
                (place.clone(), names, table)
            })
            .collect();
    }
    let mut runs: Vec<RunPlan> = Vec::new();
    for (place, names, table) in plans {
        let name = if names.is_empty() { "default".to_owned() } else { names.join(" ") };
        if runs.iter().any(|run| run.name == name) {
            return Err(syntax(&place, format!("two runs have the name '{name}'")));
        }
        let mut merged = defaults.clone();
        merged.extend(table);
        let recipe = SHELF.complete(&place, merged)?;
        runs.push(RunPlan { name, recipe });
    }
    Ok(runs)
}

/// What an axis adds to a run's name: a preset's name, a switch's when it is on, else `key=value`.
fn axis_name(key: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(preset) if key == "preset" => Some(preset.clone()),
        Value::Boolean(on) => on.then(|| key.to_owned()),
        Value::String(text) => Some(format!("{key}={text}")),
        other => Some(format!("{key}={other}")),
    }
}
