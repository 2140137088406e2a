//! Text files that people write: recipes, experiments, templates.

use pleach_lab::experiment::Experiment;
use pleach_linear::template::Templates;

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// A recipe is read or refused; one that was read is the same after it was printed.
pub fn recipe(bytes: &[u8]) {
    let Some(Ok(recipe)) = text(bytes).map(|text| pleach::recipe::parse("fuzz.toml", text)) else { return };
    let printed = toml::to_string(&recipe).expect("a recipe is TOML");
    let again = pleach::recipe::parse("printed.toml", &printed).expect("what was printed can be read");
    assert_eq!(toml::to_string(&again).ok(), Some(printed));
}

/// An experiment's plan is read or refused.
pub fn experiment(bytes: &[u8]) {
    if let Some(text) = text(bytes) {
        let _ = Experiment::parse("fuzz.toml", text);
    }
}

/// A template file is read or refused, with a place in the file.
pub fn templates(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Err(error) = Templates::parse("fuzz.tmpl", text) {
        assert!(error.line >= 1 && error.column >= 1 && error.line <= text.lines().count().max(1));
    }
}
