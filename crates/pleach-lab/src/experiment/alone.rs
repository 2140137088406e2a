//! The speed and the memory of a model in a process of its own: `pleach bench`, one thread, one round.
//!
//! The runner's own process holds the data, other models and the threads of training, so it can't tell.

use super::plan::ExperimentError;
use crate::model::Model;
use crate::recipe::Recipe;
use pleach_formats::Format;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

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

/// Benches a model that parses as a recipe says. `program` is Pleach's own.
pub(super) fn measure(
    program: &Path,
    model: &Path,
    recipe: &Recipe,
    (data, format): (&Path, Option<Format>),
) -> Result<Alone, ExperimentError> {
    let mut command = Command::new(program);
    command.arg("bench").arg("-m").arg(model).arg(data).args(["--rounds", "1", "--json"]);
    if let Some(format) = format {
        command.args(["--from", format.name()]);
    }
    for (key, value) in changes(&Model::open(model).map_err(crate::parser::ParserError::from)?, recipe) {
        command.arg("--set").arg(format!("{key}={value}"));
    }
    let failed = |message: String| ExperimentError::Bench { message };
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let json: Value = serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))?;
    let beam = &json["beams"][0];
    Ok(Alone {
        tokens_per_second: beam["tokens_per_cpu_second"].as_f64().unwrap_or(0.0),
        exponent: beam["exponent"].as_f64(),
        peak_memory_bytes: json["peak_memory_bytes"].as_u64(),
    })
}

/// What a recipe has otherwise than that of a model which learnt the same.
fn changes(model: &Model, recipe: &Recipe) -> Vec<(String, toml::Value)> {
    let Some(old) = model.root().card().get("recipe") else { return Vec::new() };
    let Ok(old) = serde_json::from_value::<Recipe>(old.clone()) else { return Vec::new() };
    let differs = |(key, value): &(&String, &toml::Value)| {
        key.as_str() != "preset" && old.table().get(key.as_str()) != Some(*value)
    };
    let changed = recipe.table().iter().filter(differs);
    changed.map(|(key, value)| (key.clone(), value.clone())).collect()
}
