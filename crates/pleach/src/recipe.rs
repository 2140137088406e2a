//! Training recipes: TOML files whose keys all have defaults, and presets named after the papers' systems.
//!
//! A preset belongs to a [`Family`] of models, which knows the keys. A [`Recipe`] is complete:
//! it has every key of its family, in the family's order, so that two recipes are the same run exactly when they are
//! equal.

use crate::family::{self, Family};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::{Table, Value};

/// A mistake in a recipe.
#[derive(Debug, thiserror::Error)]
pub enum RecipeError {
    /// No such preset.
    #[error("no preset '{name}'{}; presets: {}", suggestion(.name, preset_names()), preset_names().join(", "))]
    UnknownPreset {
        /// What was asked for.
        name: String,
    },
    /// A key that recipes of this family don't have.
    #[error("{file}: no key '{key}'{}; keys: {}", suggestion(.key, .known.clone()), .known.join(", "))]
    UnknownKey {
        /// The recipe's file.
        file: String,
        /// The key.
        key: String,
        /// The family's keys.
        known: Vec<String>,
    },
    /// Not TOML, or a value of the wrong kind.
    #[error("{file}: {message}")]
    Syntax {
        /// The recipe's file.
        file: String,
        /// What the TOML reader says, with line and column.
        message: String,
    },
    /// A value of the wrong kind.
    #[error("{0}")]
    Kind(String),
    /// A key that a finished model can't change.
    #[error("'{key}' decides what is learnt: train another model to change it")]
    Learnt {
        /// The key.
        key: String,
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

/// The preset that is meant when none is named.
pub const DEFAULT_PRESET: &str = "s2s-combined";

/// The keys of every recipe that is trained by the perceptron: how the training data is gone through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Schedule {
    /// How often the training data is seen.
    pub epochs: usize,
    /// Sentences that are parsed with the same weights before the updates; they can be parsed in parallel.
    pub batch: usize,
    /// What the random numbers start from.
    pub seed: u64,
    /// Stop when the dev score has not risen for so many epochs; 0 runs all epochs.
    pub patience: usize,
    /// A weight counts once it was changed this often (Goldberg & Elhadad 2011).
    pub least_updates: u16,
    /// Averaged weights below this are dropped from the model.
    pub prune: f32,
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule { epochs: 15, batch: 16, seed: 1, patience: 0, least_updates: 1, prune: 0.0 }
    }
}

/// What to do about something that only some data needs.
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

impl When {
    /// The decision, with what the data asks for.
    pub fn decide(self, auto: impl FnOnce() -> bool) -> bool {
        match self {
            When::Auto => auto(),
            When::Always => true,
            When::Never => false,
        }
    }
}

/// Everything that decides what a training run does, but for the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Recipe {
    table: Table,
}

impl Default for Recipe {
    fn default() -> Self {
        Recipe::preset(DEFAULT_PRESET).unwrap_or(Recipe { table: Table::new() })
    }
}

/// The names of all presets.
pub fn preset_names() -> Vec<String> {
    family::FAMILIES.iter().flat_map(|family| family.presets()).collect()
}

fn family_of(preset: &str) -> Option<&'static dyn Family> {
    family::FAMILIES.iter().copied().find(|family| family.presets().iter().any(|known| known == preset))
}

impl Recipe {
    /// The recipe of a preset such as `s2s-combined-rev`.
    pub fn preset(name: &str) -> Result<Self, RecipeError> {
        let unknown = || RecipeError::UnknownPreset { name: name.to_owned() };
        let table = family_of(name).and_then(|family| family.preset(name)).ok_or_else(unknown)?;
        Ok(Recipe { table })
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
        let table: Table = text.parse().map_err(|error: toml::de::Error| RecipeError::Syntax {
            file: file.to_owned(),
            message: error.to_string(),
        })?;
        Self::from_table(file, table)
    }

    /// A recipe from a table of a bigger TOML file.
    pub fn from_table(file: &str, table: Table) -> Result<Self, RecipeError> {
        let mut recipe = match table.get("preset") {
            Some(Value::String(name)) => Recipe::preset(name)?,
            Some(other) => {
                let message = format!("'preset' is a name, found {other}");
                return Err(RecipeError::Syntax { file: file.to_owned(), message });
            }
            None => Recipe::default(),
        };
        for (key, value) in table {
            recipe.insert(file, &key, value)?;
        }
        recipe.check(file)?;
        Ok(recipe)
    }

    /// Changes a key.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) -> Result<(), RecipeError> {
        self.insert("recipe", key, value.into())?;
        self.check("recipe")
    }

    /// Changes a key that only parsing depends on.
    pub fn set_for_parsing(&mut self, key: &str, value: impl Into<Value>) -> Result<(), RecipeError> {
        let mut other = self.clone();
        other.set(key, value)?;
        if other.learnt() != self.learnt() {
            return Err(RecipeError::Learnt { key: key.to_owned() });
        }
        *self = other;
        Ok(())
    }

    /// What of the recipe decides what is learnt; the preset's name repeats what the other keys say.
    pub fn learnt(&self) -> (&'static str, Table) {
        let mut table = self.table.clone();
        table.remove("preset");
        let Some(family) = self.family() else { return ("", table) };
        family.keep_learnt(&mut table);
        (family.name(), table)
    }

    fn insert(&mut self, file: &str, key: &str, value: Value) -> Result<(), RecipeError> {
        let Some(old) = self.table.get_mut(key) else {
            let known = self.table.keys().cloned().collect();
            return Err(RecipeError::UnknownKey { file: file.to_owned(), key: key.to_owned(), known });
        };
        // Whole numbers are fractions too; the stored form is one, so that equal recipes are equal.
        *old = match (&*old, value) {
            (Value::Float(_), Value::Integer(whole)) => Value::Float(whole as f64),
            (_, value) => value,
        };
        Ok(())
    }

    /// The values must be of the right kind and make sense to the family.
    fn check(&self, file: &str) -> Result<(), RecipeError> {
        let syntax = |message: String| RecipeError::Syntax { file: file.to_owned(), message };
        for key in ["epochs", "beam"] {
            if self.table.get(key) == Some(&Value::Integer(0)) {
                return Err(syntax(format!("'{key}' is at least 1")));
            }
        }
        self.family().map_or(Ok(()), |family| family.check(self).map_err(syntax))
    }

    /// The family that the preset belongs to.
    pub fn family(&self) -> Option<&'static dyn Family> {
        family_of(self.name())
    }

    /// The preset's name.
    pub fn name(&self) -> &str {
        self.table.get("preset").and_then(Value::as_str).unwrap_or_default()
    }

    /// The values of all keys, as the family's own type.
    pub fn typed<T: DeserializeOwned>(&self) -> Result<T, RecipeError> {
        let kind = |error: toml::de::Error| RecipeError::Kind(error.to_string().trim().replace('\n', " "));
        self.table.clone().try_into().map_err(kind)
    }

    /// All keys and values.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Whether a switch is there and on.
    pub fn flag(&self, key: &str) -> bool {
        self.table.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    /// A whole number, if the family has such a key.
    pub fn number(&self, key: &str) -> Option<usize> {
        self.table.get(key).and_then(Value::as_integer).and_then(|value| usize::try_from(value).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_and_overrides() {
        let recipe = Recipe::parse("r", "preset = 'ss-standard-rev'\nbeam = 4\nmargin = 3").unwrap();
        assert_eq!((recipe.name(), recipe.number("beam")), ("ss-standard-rev", Some(4)));
        assert_eq!((recipe.flag("combined"), recipe.flag("reversed")), (false, true));
        assert_eq!(recipe.number("epochs"), Recipe::default().number("epochs"));
        assert_eq!(recipe, Recipe::parse("r", "preset = 'ss-standard-rev'\nmargin = 3.0\nbeam = 4").unwrap());
        assert_ne!(recipe, Recipe::preset("ss-standard-rev").unwrap());
    }

    #[test]
    fn every_preset_is_complete_and_makes_sense() {
        let names = preset_names();
        for name in &names {
            assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name} is there twice");
            let recipe = Recipe::preset(name).unwrap();
            recipe.check("preset").unwrap();
            assert_eq!(recipe.name(), name);
            let text = toml::to_string(&recipe).unwrap();
            assert_eq!(Recipe::parse("printed", &text).unwrap(), recipe, "{name}");
            let json = serde_json::to_string(&recipe).unwrap();
            assert_eq!(serde_json::from_str::<Recipe>(&json).unwrap(), recipe, "{name}");
        }
    }

    #[test]
    fn what_only_parsing_depends_on_can_be_changed() {
        let mut simple = Recipe::preset("merge-linear-simple").unwrap();
        let bound = Recipe::preset("merge-linear").unwrap();
        assert_ne!(simple, bound);
        assert_eq!(simple.learnt(), bound.learnt());
        simple.set_for_parsing("iterations", 7).unwrap();
        assert_eq!(simple.number("iterations"), Some(7));
        let error = simple.set_for_parsing("epochs", 2).unwrap_err().to_string();
        assert!(error.starts_with("'epochs' decides what is learnt"), "{error}");
        assert!(simple.set_for_parsing("iterations", 0).is_err());
        let learnt = |name: &str| Recipe::preset(name).unwrap().learnt();
        assert_eq!(learnt("book-m4-nc"), learnt("book-m4-lr"));
        assert_ne!(learnt("book-m4"), learnt("book-m4-lr"));
        assert_ne!(learnt("book-m3-lr"), learnt("book-m4-lr"));
        assert_ne!(learnt("st-combined"), learnt("st-standard"));
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text| Recipe::parse("r.toml", text).unwrap_err().to_string();
        assert!(error("beem = 4").starts_with("r.toml: no key 'beem' (did you mean 'beam'?)"));
        assert!(error("preset = 's2s-combine'").contains("did you mean 's2s-combined'?"));
        assert!(error("beam = 'x'").contains("invalid type"));
        assert!(error("beam = ").contains("line 1, column"));
        assert!(error("epochs = 0").contains("'epochs' is at least 1"));
    }
}
