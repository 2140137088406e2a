//! Writes the reference of recipe keys: `cargo run -p pleach --example recipes > docs/recipes.md`.
//!
//! Keys, defaults and presets come from the recipes, what a key means from the comments on it in the source. A test compares
//! the file with what this prints.

#![allow(dead_code, clippy::print_stdout)]

use pleach::recipe::{self, Gives, Recipe};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    print!("{}", reference()?);
    Ok(())
}

/// Where the crates lie.
fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The comments on fields, by file and name.
struct Comments(BTreeMap<(String, String), String>);

impl Comments {
    fn read() -> std::io::Result<Comments> {
        let mut comments = Comments(BTreeMap::new());
        let mut open = vec![
            crates().join("pleach-parsers/src"),
            crates().join("pleach-model/src/recipe.rs"),
            crates().join("pleach-transition/src/tree/settings.rs"),
        ];
        while let Some(path) = open.pop() {
            if path.is_dir() {
                for entry in std::fs::read_dir(path)? {
                    open.push(entry?.path());
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.display().to_string().replace('\\', "/");
                comments.add(&name, &std::fs::read_to_string(&path)?);
            }
        }
        Ok(comments)
    }

    /// The comments above lines such as `pub beam: usize,`.
    fn add(&mut self, file: &str, source: &str) {
        let mut comment = String::new();
        for line in source.lines().map(str::trim) {
            if let Some(text) = line.strip_prefix("///") {
                comment.push_str(if comment.is_empty() { "" } else { " " });
                comment.push_str(text.trim());
                continue;
            }
            if line.starts_with("#[") {
                continue;
            }
            let field = line.trim_start_matches("pub ").trim_start_matches("(crate) ").split_once(": ");
            if let Some((name, _)) =
                field.filter(|(name, _)| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
            {
                let key = (file.to_owned(), name.to_owned());
                if !comment.is_empty() {
                    self.0.entry(key).or_insert_with(|| comment.clone());
                }
            }
            comment.clear();
        }
    }

    /// What a key means to a family or scorer: what its own folder says, else what all share.
    fn of(&self, folder: &str, key: &str) -> String {
        let shared = ["src/trees/", "scorer/linear.rs", "scorer/", "recipe.rs", "families/text/recipe.rs"];
        let places = std::iter::once(folder).chain(shared);
        let found = places.filter_map(|place| {
            let named = self.0.iter().find(|((file, name), _)| name == key && file.contains(place));
            named.map(|(_, comment)| comment.clone())
        });
        found.into_iter().next().unwrap_or_default()
    }
}

/// The reference, in Markdown.
pub fn reference() -> Result<String, Box<dyn std::error::Error>> {
    let comments = Comments::read()?;
    let recipes: Result<Vec<Recipe>, _> =
        recipe::preset_names().iter().map(|name| recipe::preset(name)).collect();
    let recipes = recipes?;
    let mut out = String::from(
        "# Recipes\n\n\
         Made by `cargo run -p pleach --example recipes > docs/recipes.md`; don't edit it.\n\n\
         A recipe is a TOML file for `pleach train`. `preset` names what to begin with, all other keys change it; a key that is\n\
         not there is an error. `pleach train NAME --show-recipe` prints a whole recipe, `--set key=value` changes a key.\n",
    );
    let mut done: Vec<&str> = Vec::new();
    for recipe in &recipes {
        if done.contains(&recipe.family()) {
            continue;
        }
        done.push(recipe.family());
        let of_family: Vec<&Recipe> =
            recipes.iter().filter(|other| other.family() == recipe.family()).collect();
        family(&mut out, recipe, &of_family, &comments)?;
    }
    writeln!(out, "\n## Scorers\n")?;
    writeln!(out, "`scorer` decides which of these keys a recipe has besides those of its family.")?;
    let shelf = recipes[0].shelf();
    for scorer in (shelf.scorers)() {
        writeln!(out, "\n### `{}`\n\n| key | default | |\n| --- | --- | --- |", scorer.name())?;
        for (key, value) in scorer.keys() {
            let value = recipe::as_written(value);
            writeln!(
                out,
                "| `{key}` | {} | {} |",
                shown(&value),
                comments.of(&format!("scorer/{}", scorer.name()), &key)
            )?;
        }
    }
    Ok(out)
}

fn family(
    out: &mut String,
    first: &Recipe,
    presets: &[&Recipe],
    comments: &Comments,
) -> Result<(), std::fmt::Error> {
    writeln!(out, "\n## `{}`\n\nGives {}.\n", first.family(), first.gives())?;
    writeln!(out, "| preset | |\n| --- | --- |")?;
    for recipe in presets {
        writeln!(out, "| `{}` | {} |", recipe.name(), recipe::about(recipe))?;
    }
    writeln!(out, "\n| key | default of `{}` | |\n| --- | --- | --- |", first.name())?;
    let scorers = (first.shelf().scorers)();
    let scorer = scorers.iter().find(|scorer| Some(scorer.name()) == first.scorer());
    let scorers_own = scorer.map(|scorer| scorer.keys()).unwrap_or_default();
    let folder = match first.gives() {
        Gives::Everything => "text/pipeline.rs".to_owned(),
        Gives::Words | Gives::Sentences => "text/recipe.rs".to_owned(),
        _ => format!("families/{}/", first.family().replace('-', "_")),
    };
    for (key, value) in
        first.table().iter().filter(|(key, _)| !scorers_own.contains_key(*key) && *key != "preset")
    {
        let meaning = match value.as_table() {
            Some(_) => {
                "a stage: a recipe of its own; empty leaves it out, `model = \"file\"` takes it from there"
                    .to_owned()
            }
            None => comments.of(&folder, key),
        };
        writeln!(out, "| `{key}` | {} | {meaning} |", shown(value))?;
    }
    Ok(())
}

/// A value as it stands in a table.
fn shown(value: &toml::Value) -> String {
    match value {
        toml::Value::Table(table) => {
            let preset = table.get("preset").and_then(toml::Value::as_str);
            preset.map_or_else(|| "left out".to_owned(), |preset| format!("`preset = \"{preset}\"`"))
        }
        // A bar would end the cell.
        value => format!("`{}`", value.to_string().replace('|', "\\|")),
    }
}
