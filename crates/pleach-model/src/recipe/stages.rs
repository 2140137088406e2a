//! Recipes that have others in them: the stages of a pipeline, each a table that is a complete recipe of its own.
//!
//! A stage's table is empty (the stage is left out), has `model = "file"` only (it is taken from there), or is a recipe;
//! one that names no preset means that of the recipe's preset, or the stage's own.

use super::{Gives, Recipe, RecipeError};
use toml::{Table, Value};

/// A key of a recipe whose value is another recipe.
#[derive(Clone, Copy, Debug)]
pub struct StageKey {
    /// The key.
    pub name: &'static str,
    /// The preset that is meant when none is named.
    pub preset: &'static str,
    /// What its model has to give.
    pub gives: Gives,
}

impl StageKey {
    /// Whether the model of a recipe can be this stage.
    fn fits(&self, recipe: &Recipe) -> bool {
        // Stages that write into words differ in what they write: each has a family of its own.
        recipe.gives() == self.gives && (self.gives != Gives::Words || recipe.family() == self.name)
    }
}

impl Recipe {
    fn stage_key(&self, name: &str) -> Option<&'static StageKey> {
        self.family.stages().iter().find(|stage| stage.name == name)
    }

    /// The recipe of a stage; `None` for one that is left out or taken from a file, and when there is no such stage.
    pub fn stage(&self, name: &str) -> Option<Recipe> {
        self.stage_key(name)?;
        let table = self.table.get(name)?.as_table()?;
        if is_recipe(table) { self.shelf.complete(name, table.clone()).ok() } else { None }
    }

    /// Changes the seed: its own and those of all stages that are trained. Whether there is any.
    pub fn set_seed(&mut self, seed: u32) -> Result<bool, RecipeError> {
        let own = self.table.contains_key("seed").then(|| "seed".to_owned());
        let has_one = |name: &str| self.stage(name).is_some_and(|stage| stage.table.contains_key("seed"));
        let stages = self.family.stages().iter().filter(|stage| has_one(stage.name));
        let keys: Vec<String> =
            own.into_iter().chain(stages.map(|stage| format!("{}.seed", stage.name))).collect();
        for key in &keys {
            self.set(key, i64::from(seed))?;
        }
        Ok(!keys.is_empty())
    }

    /// Makes the tables of all stages complete.
    pub(super) fn complete_stages(&mut self) -> Result<(), RecipeError> {
        for stage in self.family.stages() {
            if let Some(value) = self.table.remove(stage.name) {
                let value = self.completed("preset", stage, value)?;
                self.table.insert(stage.name.to_owned(), value);
            }
        }
        Ok(())
    }

    /// The complete table of a stage, or an error that says why it can't be one.
    pub(super) fn completed(&self, file: &str, stage: &StageKey, value: Value) -> Result<Value, RecipeError> {
        let Value::Table(mut table) = value else {
            let message = format!("[{}] is a table, found {value}", stage.name);
            return Err(RecipeError::Syntax { file: file.to_owned(), message });
        };
        if !is_recipe(&table) {
            return Ok(Value::Table(table));
        }
        // One that names no preset changes the one that stands here already.
        let here = self.table.get(stage.name).and_then(|table| table.get("preset")).cloned();
        table.entry("preset").or_insert_with(|| here.unwrap_or_else(|| stage.preset.into()));
        let recipe = self.shelf.complete(&format!("{file}, [{}]", stage.name), table)?;
        match stage.fits(&recipe) {
            true => Ok(Value::Table(recipe.table)),
            false => Err(RecipeError::Misfit {
                file: file.to_owned(),
                stage: stage.name,
                preset: recipe.name().to_owned(),
                gives: recipe.gives(),
            }),
        }
    }

    /// Changes a key of a stage, `graph.epochs`; `None` when the key is not of this form.
    pub(super) fn insert_below(
        &mut self,
        file: &str,
        key: &str,
        value: &Value,
    ) -> Option<Result<(), RecipeError>> {
        let (name, below) = key.split_once('.')?;
        let stage = self.stage_key(name)?;
        let mut table = self.table.get(name).and_then(Value::as_table).cloned().unwrap_or_default();
        // A stage that was left out, or that was taken from a file, is trained if one of its keys is set.
        if !is_recipe(&table) {
            table = Table::from_iter([("preset".to_owned(), stage.preset.into())]);
        }
        // Another preset is another set of keys.
        if below == "preset" {
            table = Table::from_iter([("preset".to_owned(), value.clone())]);
        }
        let file = format!("{file}, [{name}]");
        let changed = self.shelf.complete(&file, table).and_then(|mut recipe| {
            recipe.insert(&file, below, value.clone())?;
            self.completed(&file, stage, Value::Table(recipe.table))
        });
        Some(changed.map(|table| {
            self.table.insert(name.to_owned(), table);
        }))
    }

    /// Changes a key here and in all stages that have it. Fewer epochs are fewer for every part that is trained on the
    /// way, whatever its key is called.
    ///
    /// # Errors
    /// When nothing has such a key, or the value makes no sense.
    pub fn set_everywhere(&mut self, key: &str, value: impl Into<Value>) -> Result<(), RecipeError> {
        let value = value.into();
        let mut places = 0;
        if self.table.contains_key(key) {
            self.insert("recipe", key, value.clone())?;
            places += 1;
        }
        if let Some(limit) = value.as_integer().filter(|_| key == "epochs") {
            for (_, epochs) in self.table.iter_mut().filter(|(key, _)| key.ends_with("_epochs")) {
                // None are as many as the part's preset has.
                if epochs.as_integer().is_some_and(|epochs| epochs == 0 || epochs > limit) {
                    *epochs = limit.into();
                }
            }
        }
        for stage in self.family.stages() {
            let Some(mut recipe) = self.stage(stage.name) else { continue };
            match recipe.set_everywhere(key, value.clone()) {
                Ok(()) => places += 1,
                Err(RecipeError::UnknownKey { .. }) => continue,
                Err(error) => return Err(error),
            }
            self.table.insert(stage.name.to_owned(), Value::Table(recipe.table));
        }
        match places {
            0 => Err(self.unknown_key("recipe", key)),
            _ => self.check("recipe"),
        }
    }
}

/// Whether a stage's table is a recipe, and not empty or the name of a file.
fn is_recipe(table: &Table) -> bool {
    !(table.is_empty() || table.len() == 1 && table.contains_key("model"))
}
