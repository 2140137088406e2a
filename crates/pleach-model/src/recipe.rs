//! Training recipes: TOML files whose keys all have defaults, and presets named after the papers' systems.
//!
//! A preset belongs to a family of models ([`Keys`]), which knows its keys; who scores is one of them (`scorer`), and
//! brings keys of its own ([`ScorerKeys`]). A [`Recipe`] is complete: it has every key of its family and of its scorer, so
//! that two recipes are the same run exactly when they are equal. A [`Shelf`] is where families and scorers stand.

mod stages;

pub use stages::StageKey;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::path::Path;
use toml::{Table, Value};

/// A mistake in a recipe.
#[derive(Debug, thiserror::Error)]
pub enum RecipeError {
    /// No such preset.
    #[error("no preset '{name}'{}; `pleach presets` lists them", alike(.name, .known))]
    UnknownPreset {
        /// What was asked for.
        name: String,
        /// All presets.
        known: Vec<String>,
    },
    /// No such scorer.
    #[error("no scorer '{name}'{}; scorers: {}", suggestion(.name, .known), .known.join(", "))]
    UnknownScorer {
        /// What was asked for.
        name: String,
        /// All scorers.
        known: Vec<String>,
    },
    /// A key that recipes of this family don't have.
    #[error("{file}: no key '{key}'{}; keys: {}", suggestion(.key, .known), .known.join(", "))]
    UnknownKey {
        /// The recipe's file.
        file: String,
        /// The key.
        key: String,
        /// The family's keys.
        known: Vec<String>,
    },
    /// A model that can't be the stage that it is named for.
    #[error("{file}: [{stage}] can't be '{preset}', which gives {gives}")]
    Misfit {
        /// The recipe's file.
        file: String,
        /// The stage.
        stage: &'static str,
        /// What was named.
        preset: String,
        /// What that gives.
        gives: Gives,
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
pub fn suggestion(name: &str, known: &[String]) -> String {
    let close = known.iter().map(|k| (strsim::damerau_levenshtein(name, k), k)).min();
    match close {
        Some((distance, known)) if distance <= 1 + name.len() / 4 => format!(" (did you mean '{known}'?)"),
        _ => String::new(),
    }
}

/// Names that begin with a mistaken one, if there are any; else the one that is nearest.
fn alike(name: &str, known: &[String]) -> String {
    let longer = known.iter().filter(|known| !name.is_empty() && known.starts_with(name));
    let longer: Vec<String> = longer.map(|known| format!("'{known}'")).take(8).collect();
    match longer.len() {
        0 => suggestion(name, known),
        _ => format!(" (did you mean {}?)", longer.join(", ")),
    }
}

/// The keys of every recipe that is trained: how the training data is gone through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Schedule {
    /// How often the training data is seen; 0: 20 times, small treebanks up to 100 times, for 6,000 steps.
    pub epochs: usize,
    /// What the random numbers start from.
    pub seed: u64,
    /// Stop when the dev score has not risen for so many epochs; 0 runs all epochs.
    pub patience: usize,
}

/// What networks are to have at least, where the recipe leaves it open: steps, up to so many epochs.
const STEPS: usize = 6_000;
const EPOCHS: std::ops::RangeInclusive<usize> = 20..=100;

impl Schedule {
    /// A schedule whose epochs depend on the size of the treebank.
    pub fn by_size() -> Self {
        Schedule { epochs: 0, ..Schedule::default() }
    }

    /// How often the data is gone through when that takes so many steps. Networks need steps more than new
    /// sentences: on 2,893 sentences 60 epochs gave 2 LF more than 20 (docs/results/neural.md).
    ///
    /// ```
    /// use pleach_model::recipe::Schedule;
    /// let schedule = Schedule::by_size();
    /// // 12,500, 3,300 and 300 sentences in batches of 32
    /// assert_eq!([391, 104, 10].map(|steps| schedule.epochs(steps)), [20, 58, 100]);
    /// ```
    pub fn epochs(&self, steps: usize) -> usize {
        match self.epochs {
            0 => STEPS.div_ceil(steps.max(1)).clamp(*EPOCHS.start(), *EPOCHS.end()),
            epochs => epochs,
        }
    }
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule { epochs: 15, seed: 1, patience: 0 }
    }
}

/// What the models of a family give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gives {
    /// Everything from text to graphs.
    Everything,
    /// Deep graphs.
    Graphs,
    /// Trees.
    Trees,
    /// Something in the words of a sentence: tags, features, lemmas.
    Words,
    /// The sentences of a text.
    Sentences,
}

impl std::fmt::Display for Gives {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Gives::Everything => "everything from text to graphs",
            Gives::Graphs => "graphs",
            Gives::Trees => "trees",
            Gives::Words => "tags, features or lemmas",
            Gives::Sentences => "the sentences of a text",
        })
    }
}

/// A family of models, as far as recipes are concerned.
pub trait Keys: Sync + Debug {
    /// The name in model files.
    fn name(&self) -> &'static str;

    /// The names of its presets; none for models that are made of others.
    fn presets(&self) -> Vec<String>;

    /// All keys and values of one of its presets, but for the scorer's.
    fn preset(&self, name: &str) -> Option<Table>;

    /// What the model of a recipe gives, by the family's keys.
    fn gives(&self, recipe: &Table) -> Gives {
        let _ = recipe;
        Gives::Graphs
    }

    /// Those of its keys whose values are recipes; none for most families.
    fn stages(&self) -> &'static [StageKey] {
        &[]
    }

    /// What it wants of a scorer otherwise than by default, and what only it asks of this scorer, such as which
    /// templates score what. `recipe` has the family's keys.
    fn scorer_keys(&self, scorer: &str, recipe: &Table) -> Table {
        let _ = (scorer, recipe);
        Table::new()
    }

    /// Says what makes no sense in a recipe.
    fn check(&self, recipe: &Recipe) -> Result<(), String>;

    /// Takes out of a recipe what only parsing depends on: recipes that are equal then learn the same, and a finished
    /// model can be told the other values of the keys.
    fn keep_learnt(&self, recipe: &mut Table) {
        let _ = recipe;
    }
}

/// A kind of scorer, as far as recipes are concerned.
pub trait ScorerKeys: Sync + Debug {
    /// The name in recipes and model files.
    fn name(&self) -> &'static str;

    /// All its keys and their defaults.
    fn keys(&self) -> Table;

    /// Says what makes no sense in a recipe.
    fn check(&self, recipe: &Recipe) -> Result<(), String>;
}

/// The families and scorers that recipes can name.
#[derive(Clone, Copy, Debug)]
pub struct Shelf {
    /// The families.
    pub families: fn() -> Vec<&'static dyn Keys>,
    /// The scorers.
    pub scorers: fn() -> Vec<&'static dyn ScorerKeys>,
    /// The preset that is meant when none is named.
    pub default: &'static str,
}

/// Wider beams are refused: they would take all memory before they find anything better.
pub const WIDEST_BEAM: usize = 4096;

/// The key that says who scores.
const SCORER: &str = "scorer";

impl Shelf {
    /// The names of all presets.
    pub fn preset_names(self) -> Vec<String> {
        (self.families)().into_iter().flat_map(|family| family.presets()).collect()
    }

    fn family_of(self, preset: &str) -> Result<&'static dyn Keys, RecipeError> {
        let known = |family: &&dyn Keys| family.presets().iter().any(|known| known == preset);
        (self.families)()
            .into_iter()
            .find(known)
            .ok_or_else(|| RecipeError::UnknownPreset { name: preset.to_owned(), known: self.preset_names() })
    }

    fn scorer(self, name: &str) -> Result<&'static dyn ScorerKeys, RecipeError> {
        let scorers = (self.scorers)();
        let found = scorers.iter().copied().find(|scorer| scorer.name() == name);
        found.ok_or_else(|| RecipeError::UnknownScorer {
            name: name.to_owned(),
            known: scorers.iter().map(|scorer| scorer.name().to_owned()).collect(),
        })
    }

    /// The recipe of a preset such as `s2s-combined-rev`.
    pub fn preset(self, name: &str) -> Result<Recipe, RecipeError> {
        let family = self.family_of(name)?;
        let table = family.preset(name).unwrap_or_default();
        let table = table.into_iter().map(|(key, value)| (key, as_written(value))).collect();
        let mut recipe = Recipe { table, family, shelf: self };
        if let Some(scorer) = recipe.scorer().map(str::to_owned) {
            recipe.add_scorer(&scorer)?;
        }
        recipe.complete_stages()?;
        Ok(recipe)
    }

    /// Reads a recipe; keys that it doesn't set are those of its preset.
    pub fn read(self, path: &Path) -> Result<Recipe, RecipeError> {
        let file = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|source| RecipeError::Io { file: file.clone(), source })?;
        self.parse(&file, &text)
    }

    /// A recipe from TOML text; `file` is for error messages.
    pub fn parse(self, file: &str, text: &str) -> Result<Recipe, RecipeError> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| RecipeError::Syntax {
            file: file.to_owned(),
            message: error.to_string(),
        })?;
        self.complete(file, table)
    }

    /// A recipe from a table of a bigger TOML file: keys that it doesn't set are those of its preset.
    pub fn complete(self, file: &str, mut table: Table) -> Result<Recipe, RecipeError> {
        let not_a_name = |key: &str, other: &Value| {
            let message = format!("'{key}' is a name, found {other}");
            RecipeError::Syntax { file: file.to_owned(), message }
        };
        let mut recipe = match table.get("preset") {
            Some(Value::String(name)) => self.preset(name)?,
            Some(other) => return Err(not_a_name("preset", other)),
            None => self.preset(self.default)?,
        };
        // The scorer decides which other keys there are.
        if let Some(scorer) = table.remove(SCORER) {
            recipe.insert(file, SCORER, scorer)?;
        }
        for (key, value) in table {
            recipe.insert(file, &key, value)?;
        }
        recipe.check(file)?;
        Ok(recipe)
    }
}

/// A fraction as people write it: 0.4, where a number of 32 bits became one of 64, which is 0.4000000059604645.
pub fn as_written(value: Value) -> Value {
    match value {
        Value::Float(long) if f64::from(long as f32) == long => {
            Value::Float((long as f32).to_string().parse().unwrap_or(long))
        }
        other => other,
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
#[derive(Clone, Debug)]
pub struct Recipe {
    table: Table,
    family: &'static dyn Keys,
    shelf: Shelf,
}

impl PartialEq for Recipe {
    fn eq(&self, other: &Self) -> bool {
        self.table == other.table
    }
}

impl Serialize for Recipe {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.table.serialize(serializer)
    }
}

impl Recipe {
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
        self.family.keep_learnt(&mut table);
        (self.family.name(), table)
    }

    fn insert(&mut self, file: &str, key: &str, value: Value) -> Result<(), RecipeError> {
        if let Some(stage) = self.family.stages().iter().find(|stage| stage.name == key) {
            let value = self.completed(file, stage, value)?;
            self.table.insert(key.to_owned(), value);
            return Ok(());
        }
        if let Some(changed) = self.insert_below(file, key, &value) {
            return changed;
        }
        let Some(old) = self.table.get_mut(key) else { return Err(self.unknown_key(file, key)) };
        if key == SCORER
            && let Value::String(name) = &value
            && *old != value
        {
            let name = name.clone();
            self.remove_scorer();
            self.table.insert(SCORER.to_owned(), value);
            return self.add_scorer(&name);
        }
        // Whole numbers are fractions too; the stored form is one, so that equal recipes are equal.
        *old = match (&*old, value) {
            (Value::Float(_), Value::Integer(whole)) => Value::Float(whole as f64),
            (_, value) => as_written(value),
        };
        Ok(())
    }

    fn unknown_key(&self, file: &str, key: &str) -> RecipeError {
        let known = self.table.keys().cloned().collect();
        RecipeError::UnknownKey { file: file.to_owned(), key: key.to_owned(), known }
    }

    fn add_scorer(&mut self, name: &str) -> Result<(), RecipeError> {
        let keys = self.shelf.scorer(name)?.keys();
        let wanted = self.family.scorer_keys(name, &self.table);
        for (key, value) in keys.into_iter().chain(wanted) {
            self.table.insert(key, as_written(value));
        }
        Ok(())
    }

    fn remove_scorer(&mut self) {
        let Some(name) = self.scorer().map(str::to_owned) else { return };
        let own = self.family.preset(self.name()).unwrap_or_default();
        let Ok(scorer) = self.shelf.scorer(&name) else { return };
        let keys = scorer.keys().into_iter().chain(self.family.scorer_keys(&name, &self.table));
        for (key, _) in keys {
            match own.get(&key) {
                Some(value) => self.table.insert(key, as_written(value.clone())),
                None => self.table.remove(&key),
            };
        }
    }

    /// The values must be of the right kind and make sense to the family.
    fn check(&self, file: &str) -> Result<(), RecipeError> {
        let syntax = |message: String| RecipeError::Syntax { file: file.to_owned(), message };
        for (key, least, most) in [("epochs", 0, i64::MAX), ("beam", 1, WIDEST_BEAM as i64)] {
            match self.table.get(key) {
                Some(&Value::Integer(number)) if number < least => {
                    return Err(syntax(format!("'{key}' is at least {least}")));
                }
                Some(&Value::Integer(number)) if number > most => {
                    return Err(syntax(format!("'{key}' is at most {most}")));
                }
                _ => {}
            }
        }
        if let Some(scorer) = self.scorer() {
            self.shelf.scorer(scorer)?.check(self).map_err(syntax)?;
        }
        self.family.check(self).map_err(syntax)
    }

    /// The name of the family that the preset belongs to.
    pub fn family(&self) -> &'static str {
        self.family.name()
    }

    /// What a model of this recipe gives.
    pub fn gives(&self) -> Gives {
        self.family.gives(&self.table)
    }

    /// Who scores, in families that let others score.
    pub fn scorer(&self) -> Option<&str> {
        self.text(SCORER)
    }

    /// Where the families and scorers stand that it may name.
    pub fn shelf(&self) -> Shelf {
        self.shelf
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

    /// A text, if there is such a key.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.table.get(key).and_then(Value::as_str)
    }

    /// A whole number, if there is such a key.
    pub fn number(&self, key: &str) -> Option<usize> {
        self.table.get(key).and_then(Value::as_integer).and_then(|value| usize::try_from(value).ok())
    }
}
