//! Recipes: what is trained and how. All presets, and recipes of your own, with the families and scorers of this crate.

pub use pleach_model::recipe::{
    Gives, Keys, Recipe, RecipeError, Schedule, Shelf, StageKey, WIDEST_BEAM, When, as_written,
};
pub use pleach_parsers::families::about;

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

/// The recipe that is trained when nothing is asked for: of all single parsers the most accurate.
pub fn best() -> Result<Recipe, RecipeError> {
    SHELF.preset(pleach_parsers::families::BEST_PRESET)
}

/// What a recipe means that names no preset.
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
            assert!(
                !text.contains("00000") && !text.contains("99999"),
                "{name}: a fraction is too long: {text}"
            );
            let json: toml::Table = serde_json::from_str(&serde_json::to_string(&recipe).unwrap()).unwrap();
            assert_eq!(SHELF.complete("json", json).unwrap(), recipe, "{name}");
        }
    }

    /// Whoever asks for a network gets one that can learn, and whoever goes back gets what was there.
    #[test]
    fn networks_learn_probabilities_and_as_long_as_they_need() {
        for name in ["book-m1", "fact-pc-ac-ta", "s2s-combined", "eisner"] {
            let linear = preset(name).unwrap();
            let mut recipe = linear.clone();
            recipe.set("scorer", "bilstm").unwrap();
            let loss = recipe.table()["loss"].as_str();
            assert_eq!((loss, recipe.number("epochs")), (Some("local"), Some(0)), "{name}");
            recipe.set("scorer", "linear").unwrap();
            assert_eq!(recipe, linear, "{name}");
            let asked = format!("preset = '{name}'\nscorer = 'bilstm'\nepochs = 3\nloss = 'margin'");
            let recipe = parse("r", &asked).unwrap();
            let loss = recipe.table()["loss"].as_str();
            assert_eq!((loss, recipe.number("epochs")), (Some("margin"), Some(3)), "{name}");
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
    fn a_stage_that_names_no_preset_is_what_its_name_says() {
        let recipe =
            parse("r", "preset = 'pipeline-linear'\n[tokenizer]\nleast_updates = 2\n[graph]\nepochs = 3")
                .unwrap();
        let stage = |name: &str| recipe.stage(name).unwrap();
        assert_eq!(
            (stage("tokenizer").name(), stage("tokenizer").number("least_updates")),
            ("tokenizer", Some(2))
        );
        assert_eq!((stage("graph").name(), stage("graph").number("epochs")), ("s2s-combined", Some(3)));
        // The preset for text has one parser for everything behind the tokenizer.
        let whole = parse("r", "preset = 'pipeline'\n[graph]\nepochs = 3").unwrap();
        let graph = whole.stage("graph").unwrap();
        assert_eq!((graph.name(), graph.number("epochs")), ("joint", Some(3)));
        assert!(whole.stage("tagger").is_none() && whole.stage("tokenizer").is_some());
        let untagged = parse("r", "preset = 'pipeline'\n[graph]\npreset = 's2s-combined'").unwrap_err();
        assert!(untagged.to_string().contains("add [tagger]"), "{untagged}");
        // Every key of every stage is shown.
        assert_eq!(stage("tagger").table(), preset("tagger").unwrap().table());
        let printed = toml::to_string(&recipe).unwrap();
        assert!(printed.contains("[tagger]") && printed.contains("max-violation"), "{printed}");
        let without =
            parse("r", "preset = 'pipeline-linear'\nfolds = 0\n[tree]\n[lemmatizer]\nmodel = 'l.pleach'")
                .unwrap();
        assert!(without.stage("tree").is_none() && without.stage("lemmatizer").is_none());
    }

    #[test]
    fn a_family_that_does_not_fit_its_stage_is_an_error() {
        let error = |text: &str| parse("r.toml", text).unwrap_err().to_string();
        let misfit = error("preset = 'pipeline-linear'\n[tokenizer]\npreset = 's2s-combined'");
        assert_eq!(misfit, "r.toml: [tokenizer] can't be 's2s-combined', which gives graphs");
        assert!(
            error("preset = 'pipeline-linear'\n[tagger]\npreset = 'lemmatizer'")
                .contains("can't be 'lemmatizer'")
        );
        assert!(
            error("preset = 'pipeline-linear'\n[graph]\npreset = 'arc-eager'").contains("which gives trees")
        );
        assert!(error("preset = 'pipeline-linear'\n[graph]\npreset = 'pipeline'").contains("everything"));
        assert!(error("preset = 'pipeline-linear'\ngraph = 3").contains("[graph] is a table"));
        assert!(parse("r", "preset = 'pipeline-linear'\n[graph]\npreset = 'dag'").is_ok());
        let unknown = error("preset = 'pipeline-linear'\n[graph]\nbeem = 3");
        assert!(unknown.starts_with("r.toml, [graph]: no key 'beem' (did you mean 'beam'?)"), "{unknown}");
    }

    #[test]
    fn keys_reach_stages() {
        let mut recipe = preset("pipeline-linear").unwrap();
        recipe.set("graph.epochs", 3).unwrap();
        assert_eq!(recipe.stage("graph").unwrap().number("epochs"), Some(3));
        recipe.set("graph.preset", "biaffine").unwrap();
        recipe.set("graph.threshold", 0.5).unwrap();
        assert_eq!(recipe.stage("graph").unwrap().name(), "biaffine");
        let error = recipe.set("graph.no_such_key", 3).unwrap_err().to_string();
        assert!(error.contains("no key 'no_such_key'"), "{error}");
        recipe.set_everywhere("epochs", 2).unwrap();
        for stage in ["tokenizer", "tagger", "morphology", "lemmatizer", "tree", "graph"] {
            assert_eq!(recipe.stage(stage).unwrap().number("epochs"), Some(2), "{stage}");
        }
        assert!(recipe.set_everywhere("no_such_key", 1).is_err());
        // Parts that are trained on the way have no more epochs than the whole.
        let mut joint = preset("fact-pc-ac-ta").unwrap();
        assert!(joint.number("ta_epochs").unwrap() > 2);
        joint.set_everywhere("epochs", 2).unwrap();
        assert_eq!((joint.number("ta_epochs"), joint.number("tree_epochs")), (Some(2), Some(2)));
        joint.set_everywhere("epochs", 100).unwrap();
        assert_eq!(joint.number("ta_epochs"), Some(2));
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text| parse("r.toml", text).unwrap_err().to_string();
        assert!(error("beem = 4").starts_with("r.toml: no key 'beem' (did you mean 'beam'?)"));
        assert!(error("preset = 's2s-combine'").contains("did you mean 's2s-combined', 's2s-combined-rev'?"));
        assert!(error("preset = 's2s-cmobined'").contains("did you mean 's2s-combined'?"));
        assert!(error("beam = 'x'").contains("invalid type"));
        assert!(error("beam = ").contains("line 1, column"));
        assert!(error("epochs = -1").contains("'epochs' is at least 0"));
        assert!(error("beam = 0").contains("'beam' is at least 1"));
    }
}
