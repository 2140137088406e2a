//! Recipes: what is trained and how. All presets, and recipes of your own, with the families and scorers of this crate.

pub use pleach_model::recipe::{Keys, Recipe, RecipeError, Schedule, Shelf, WIDEST_BEAM, When};

use pleach_parsers::SHELF;
use std::path::Path;

/// The names of all presets.
pub fn preset_names() -> Vec<String> {
    SHELF.preset_names()
}

/// The recipe of a preset such as `s2s-combined-rev`.
pub fn preset(name: &str) -> Result<Recipe, RecipeError> {
    SHELF.preset(name)
}

/// The recipe that is meant when none is named.
pub fn default() -> Result<Recipe, RecipeError> {
    SHELF.preset(SHELF.default)
}

/// Reads a recipe; keys that it doesn't set are those of its preset.
pub fn read(path: &Path) -> Result<Recipe, RecipeError> {
    SHELF.read(path)
}

/// A recipe from TOML text; `file` is for error messages.
pub fn parse(file: &str, text: &str) -> Result<Recipe, RecipeError> {
    SHELF.parse(file, text)
}

/// A recipe from a table of a bigger TOML file: keys that it doesn't set are those of its preset.
pub fn complete(file: &str, table: toml::Table) -> Result<Recipe, RecipeError> {
    SHELF.complete(file, table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_and_overrides() {
        let recipe = parse("r", "preset = 'ss-standard-rev'\nbeam = 4\nmargin = 3").unwrap();
        assert_eq!((recipe.name(), recipe.number("beam")), ("ss-standard-rev", Some(4)));
        assert_eq!((recipe.flag("combined"), recipe.flag("reversed")), (false, true));
        assert_eq!(recipe.number("epochs"), default().unwrap().number("epochs"));
        assert_eq!(recipe, parse("r", "preset = 'ss-standard-rev'\nmargin = 3.0\nbeam = 4").unwrap());
        assert_ne!(recipe, preset("ss-standard-rev").unwrap());
    }

    #[test]
    fn every_preset_is_complete_and_makes_sense() {
        let names = preset_names();
        for name in &names {
            assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name} is there twice");
            let recipe = preset(name).unwrap();
            assert_eq!(recipe.name(), name);
            let text = toml::to_string(&recipe).unwrap();
            assert_eq!(parse("printed", &text).unwrap(), recipe, "{name}");
            let json: toml::Table = serde_json::from_str(&serde_json::to_string(&recipe).unwrap()).unwrap();
            assert_eq!(SHELF.complete("json", json).unwrap(), recipe, "{name}");
        }
    }

    #[test]
    fn what_only_parsing_depends_on_can_be_changed() {
        let mut simple = preset("merge-linear-simple").unwrap();
        let bound = preset("merge-linear").unwrap();
        assert_ne!(simple, bound);
        assert_eq!(simple.learnt(), bound.learnt());
        simple.set_for_parsing("iterations", 7).unwrap();
        assert_eq!(simple.number("iterations"), Some(7));
        let error = simple.set_for_parsing("epochs", 2).unwrap_err().to_string();
        assert!(error.starts_with("'epochs' decides what is learnt"), "{error}");
        assert!(simple.set_for_parsing("iterations", 0).is_err());
        let learnt = |name: &str| preset(name).unwrap().learnt();
        assert_eq!(learnt("book-m4-nc"), learnt("book-m4-lr"));
        assert_ne!(learnt("book-m4"), learnt("book-m4-lr"));
        assert_ne!(learnt("book-m3-lr"), learnt("book-m4-lr"));
        assert_ne!(learnt("st-combined"), learnt("st-standard"));
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text| parse("r.toml", text).unwrap_err().to_string();
        assert!(error("beem = 4").starts_with("r.toml: no key 'beem' (did you mean 'beam'?)"));
        assert!(error("preset = 's2s-combine'").contains("did you mean 's2s-combined'?"));
        assert!(error("beam = 'x'").contains("invalid type"));
        assert!(error("beam = ").contains("line 1, column"));
        assert!(error("epochs = 0").contains("'epochs' is at least 1"));
    }
}
