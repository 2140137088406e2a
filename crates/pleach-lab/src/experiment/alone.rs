//! The speed and the memory of a model that has a process for itself.
//!
//! The runner's own process holds the data, other models and the threads of training, so it can't tell; whoever runs an
//! experiment brings the way to measure ([`Measure`]).

use super::error::ExperimentError;
use pleach_formats::Format;
use pleach_model::Model;
use pleach_model::recipe::Recipe;
use pleach_parsers::ParserError;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What a model needs when it is alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alone {
    /// Words parsed per second of processor time.
    pub tokens_per_second: f64,
    /// Time per sentence grows with its length to this power.
    pub exponent: Option<f64>,
    /// The most memory of the process, the data included.
    pub peak_memory_bytes: Option<u64>,
}

/// A model that is to be measured alone.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its file.
    pub model: PathBuf,
    /// What it parses.
    pub data: PathBuf,
    /// The data's format, if it is not told from the content.
    pub format: Option<Format>,
    /// Other values of recipe keys that only parsing depends on.
    pub changes: Vec<(String, toml::Value)>,
}

/// Measures a model; programs do that in a process of its own, where nothing else takes memory or time.
pub type Measure = dyn Fn(&Subject) -> Result<Alone, String> + Send + Sync;

/// The subject that parses as a recipe says.
pub(super) fn subject(
    model: &Path,
    recipe: &Recipe,
    (data, format): (&Path, Option<Format>),
) -> Result<Subject, ExperimentError> {
    let opened = Model::open(model).map_err(ParserError::from)?;
    let (model, data) = (model.to_owned(), data.to_owned());
    Ok(Subject { changes: changes(&opened, recipe), model, data, format })
}

/// What a recipe has otherwise than that of a model which learnt the same.
fn changes(model: &Model, recipe: &Recipe) -> Vec<(String, toml::Value)> {
    let root = model.root();
    let Some(old) = root.card().get("recipe") else { return Vec::new() };
    let Ok(old) = serde_json::from_value::<toml::Table>(old.clone()) else { return Vec::new() };
    let differs = |(key, value): &(&String, &toml::Value)| {
        key.as_str() != "preset" && old.get(key.as_str()) != Some(*value)
    };
    // The card has the family's keys; those of the scorer decide what is learnt.
    let changed = recipe.table().iter().filter(|(key, _)| old.contains_key(key.as_str())).filter(differs);
    changed.map(|(key, value)| (key.clone(), value.clone())).collect()
}
