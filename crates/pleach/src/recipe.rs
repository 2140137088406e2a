//! Training recipes: TOML files whose keys all have defaults, and presets named after the papers' systems.

use serde::{Deserialize, Serialize};
use std::path::Path;

/// A mistake in a recipe.
#[derive(Debug, thiserror::Error)]
pub enum RecipeError {
    /// No such preset.
    #[error("no preset '{name}'{}; presets: {}", suggestion(.name, preset_names()), preset_names().join(", "))]
    UnknownPreset {
        /// What was asked for.
        name: String,
    },
    /// A key that recipes don't have.
    #[error("{file}: no key '{key}'{}; keys: {}", suggestion(.key, keys()), keys().join(", "))]
    UnknownKey {
        /// The recipe's file.
        file: String,
        /// The key.
        key: String,
    },
    /// Not TOML, or a value of the wrong kind.
    #[error("{file}: {message}")]
    Syntax {
        /// The recipe's file.
        file: String,
        /// What the TOML reader says, with line and column.
        message: String,
    },
    /// The file can't be read.
    #[error("{file}: {source}")]
    Io {
        /// The recipe's file.
        file: String,
        /// Why not.
        source: std::io::Error,
    },
}

/// A hint at the known name that is closest, if any is close.
pub(crate) fn suggestion(name: &str, known: Vec<String>) -> String {
    let close = known.iter().map(|k| (strsim::damerau_levenshtein(name, k), k)).min();
    match close {
        Some((distance, known)) if distance <= 1 + name.len() / 4 => format!(" (did you mean '{known}'?)"),
        _ => String::new(),
    }
}

/// How the perceptron is updated when the gold sequence is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Update {
    /// Where the gold sequence falls out of the beam (Collins & Roark 2004).
    Early,
    /// Where the best hypothesis is furthest ahead of it (Huang et al. 2012).
    MaxViolation,
}

/// What to do about a transform that only enhanced UD needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// When the training data asks for it.
    Auto,
    /// In any case.
    Always,
    /// In no case.
    Never,
}

/// Everything that decides what a training run does, but for the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Recipe {
    /// The preset that the other keys change.
    pub preset: String,
    /// The transition system: `st`, `ss`, `s2s` or `sl`.
    pub system: String,
    /// Arcs are combined with the move that follows (`zhang-2016` section 3.2).
    pub combined: bool,
    /// Parse from right to left.
    pub reversed: bool,
    /// Where the virtual root stands: `first`, `last`, or `none` (tops are predicted by SHIFT).
    pub root: String,
    /// Two-cycles: `encoded` (strategy B) or `transitions` (strategy A).
    pub two_cycles: String,
    /// Arcs from a word to itself.
    pub self_arcs: When,
    /// Predict frames or supertags on SHIFT.
    pub supertags: bool,
    /// Put labels aside.
    pub unlabelled: bool,
    /// The beam's width in training and, if not told otherwise, in parsing; 1 is greedy.
    pub beam: usize,
    /// How often the training data is seen.
    pub epochs: usize,
    /// The update rule.
    pub update: Update,
    /// Sentences that are parsed with the same weights before the updates; they can be parsed in parallel.
    pub batch: usize,
    /// What the random numbers start from.
    pub seed: u64,
    /// Stop when the dev score has not risen for so many epochs; 0 runs all epochs.
    pub patience: usize,
    /// A greedy S_L parser leaves the gold path with this probability, led by the dynamic oracle.
    pub explore: f64,
    /// A shipped template file's name (`two-stack` …) or the path of one; empty for the system's own.
    pub templates: String,
    /// Fold empty nodes into path labels.
    pub collapse: When,
    /// Write placeholders for words in labels.
    pub delexicalise: When,
    /// By how much the gold sequence has to be better than the others in training.
    pub margin: f32,
    /// A weight counts once it was changed this often (Goldberg & Elhadad 2011).
    pub least_updates: u16,
    /// Averaged weights below this are dropped from the model.
    pub prune: f32,
}

impl Default for Recipe {
    fn default() -> Self {
        Recipe {
            preset: "s2s-combined".into(),
            system: "s2s".into(),
            combined: true,
            reversed: false,
            root: "last".into(),
            two_cycles: "encoded".into(),
            self_arcs: When::Auto,
            supertags: false,
            unlabelled: false,
            beam: 16,
            epochs: 15,
            update: Update::MaxViolation,
            batch: 16,
            seed: 1,
            patience: 0,
            explore: 0.0,
            templates: String::new(),
            collapse: When::Auto,
            delexicalise: When::Auto,
            margin: 50.0,
            least_updates: 1,
            prune: 0.0,
        }
    }
}

/// All keys of a recipe.
fn keys() -> Vec<String> {
    match toml::Table::try_from(Recipe::default()) {
        Ok(table) => table.keys().cloned().collect(),
        Err(_) => Vec::new(),
    }
}

/// The names of all presets.
pub fn preset_names() -> Vec<String> {
    let mut names = Vec::new();
    for system in ["st", "ss", "s2s", "sl"] {
        for mode in ["standard", "combined"] {
            for direction in ["", "-rev"] {
                names.push(format!("{system}-{mode}{direction}"));
            }
        }
    }
    names
}

impl Recipe {
    /// The recipe of a preset such as `s2s-combined-rev`.
    pub fn preset(name: &str) -> Result<Self, RecipeError> {
        if !preset_names().iter().any(|known| known == name) {
            return Err(RecipeError::UnknownPreset { name: name.to_owned() });
        }
        let mut parts = name.split('-');
        let mut part = || parts.next().unwrap_or_default();
        let (system, mode, direction) = (part(), part(), part());
        Ok(Recipe {
            preset: name.to_owned(),
            system: system.to_owned(),
            combined: mode == "combined",
            reversed: direction == "rev",
            // The list-based parser meets the root last of all words on its way to the left (Figure 15).
            root: if system == "sl" { "first" } else { "last" }.to_owned(),
            ..Recipe::default()
        })
    }

    /// Reads a recipe; keys that it doesn't set are those of its preset.
    pub fn read(path: &Path) -> Result<Self, RecipeError> {
        let file = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|source| RecipeError::Io { file: file.clone(), source })?;
        Self::parse(&file, &text)
    }

    /// A recipe from TOML text; `file` is for error messages.
    pub fn parse(file: &str, text: &str) -> Result<Self, RecipeError> {
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| RecipeError::Syntax {
            file: file.to_owned(),
            message: error.to_string(),
        })?;
        Self::from_table(file, table)
    }

    /// A recipe from a table of a bigger TOML file.
    pub fn from_table(file: &str, table: toml::Table) -> Result<Self, RecipeError> {
        let known = keys();
        if let Some(key) = table.keys().find(|key| !known.contains(key)) {
            return Err(RecipeError::UnknownKey { file: file.to_owned(), key: key.clone() });
        }
        let syntax = |message: String| RecipeError::Syntax { file: file.to_owned(), message };
        let base = match table.get("preset") {
            Some(toml::Value::String(name)) => Recipe::preset(name)?,
            Some(other) => return Err(syntax(format!("'preset' is a name, found {other}"))),
            None => Recipe::default(),
        };
        let mut merged = toml::Table::try_from(base).map_err(|error| syntax(error.to_string()))?;
        merged.extend(table);
        merged.try_into().map_err(|error: toml::de::Error| syntax(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_and_overrides() {
        let recipe = Recipe::parse("r", "preset = 'ss-standard-rev'\nbeam = 4").unwrap();
        assert_eq!(
            (recipe.system.as_str(), recipe.combined, recipe.reversed, recipe.beam),
            ("ss", false, true, 4)
        );
        assert_eq!(recipe.epochs, Recipe::default().epochs);
        assert_eq!(preset_names().len(), 16);
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text| Recipe::parse("r.toml", text).unwrap_err().to_string();
        assert!(error("beem = 4").starts_with("r.toml: no key 'beem' (did you mean 'beam'?)"));
        assert!(error("preset = 's2s-combine'").contains("did you mean 's2s-combined'?"));
        assert!(error("beam = 'x'").contains("invalid type"));
        assert!(error("beam = ").contains("line 1, column"));
    }
}
