//! `pleach presets`: the named recipes, and which to take.

use crate::failure::Failure;
use crate::output;
use pleach::recipe::{self, Gives, Recipe, RecipeError};
use pleach_transition::settings::Preset;
use serde_json::{Value, json};
use std::fmt::Write;

const EXAMPLES: &str = "\
Examples:
  pleach presets                               a line each, and which to take
  pleach presets --json                        the same as data
  pleach train NAME --show-recipe              all keys of one of them
  pleach train pipeline --train t.conllu --dev d.conllu -o my.pleach
                                               from raw text to graphs";

/// The examples, and how the names of graph parsers are made.
fn after_help() -> String {
    format!(
        "{EXAMPLES}\n\nThe family `transition` parses graphs by {}:\n{}; rev reads from right to left.",
        Preset::pattern(),
        Preset::legend()
    )
}

/// List the presets that `pleach train` knows, and say which to take
#[derive(clap::Args)]
#[command(after_help = after_help())]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Which preset answers which wish.
struct Advice {
    wish: &'static str,
    preset: String,
}

/// What most people want. Scores behind it are in docs/results (`neural.md`, `neural-structures.md`, `ewt-full.md`, `trees.md`).
fn advice() -> Result<Vec<Advice>, RecipeError> {
    let best = recipe::best()?;
    let known = [
        ("a model that reads text", "pipeline"),
        ("the most accurate graphs", best.name()),
        ("nearly as accurate, 1.5 times as fast", "biaffine"),
        ("graphs by a linear parser, trained in minutes", "s2s-combined"),
        ("the most accurate trees", "eisner-bilstm"),
        ("trees, very fast", "arc-eager-greedy"),
    ]
    .map(|(wish, name)| Ok(Advice { wish, preset: recipe::preset(name)?.name().to_owned() }));
    known.into_iter().collect()
}

/// The title of a group of presets.
fn title(gives: Gives) -> &'static str {
    match gives {
        Gives::Everything => "From text to graphs",
        Gives::Graphs => "Deep graphs of sentences that are tokenised and tagged",
        Gives::Trees => "Trees",
        Gives::Words => "Stages that write into words",
        Gives::Sentences => "Stages that make words of text",
    }
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    let recipes: Result<Vec<Recipe>, _> =
        recipe::preset_names().iter().map(|name| recipe::preset(name)).collect();
    let mut recipes = recipes?;
    // Within a group the order is the families'.
    recipes.sort_by_key(Recipe::gives);
    let advice = advice()?;
    let best = recipe::best()?;
    if args.json {
        let list: Vec<Value> = recipes
            .iter()
            .map(|recipe| {
                json!({
                    "name": recipe.name(),
                    "gives": title(recipe.gives()),
                    "about": recipe::about(recipe),
                    "family": recipe.family(),
                    "scorer": recipe.scorer(),
                    "default": recipe.name() == best.name(),
                    "take_for": advice.iter().find(|advice| advice.preset == recipe.name()).map(|advice| advice.wish),
                })
            })
            .collect();
        return output::print(format!("{:#}\n", Value::from(list)));
    }
    output::print(table(&recipes, &advice)?)
}

fn table(recipes: &[Recipe], advice: &[Advice]) -> Result<String, std::fmt::Error> {
    let mut out = String::from("Which to take:\n");
    for Advice { wish, preset } in advice {
        writeln!(out, "  {wish:<48} {preset}")?;
    }
    for group in recipes.chunk_by(|a, b| a.gives() == b.gives()) {
        writeln!(out, "\n{}:", title(group[0].gives()))?;
        let width = group.iter().map(|recipe| recipe.name().len()).max().unwrap_or(0).min(24);
        for recipe in group {
            let (name, about) = (recipe.name(), recipe::about(recipe));
            match name.len() > width {
                true => writeln!(out, "  {name}\n  {:width$}  {about}", "")?,
                false => writeln!(out, "  {name:width$}  {about}")?,
            }
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_has_a_line_that_fits() {
        let recipes: Vec<Recipe> =
            recipe::preset_names().iter().map(|name| recipe::preset(name).unwrap()).collect();
        let text = table(&recipes, &advice().unwrap()).unwrap();
        for name in recipe::preset_names() {
            let listed = text.lines().filter(|line| line.trim_start().split(' ').next() == Some(&name));
            assert_eq!(listed.count(), 1, "{name}");
        }
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    #[test]
    fn what_is_advised_gives_what_is_wished() {
        let advice = advice().unwrap();
        let gives: Vec<Gives> =
            advice.iter().map(|advice| recipe::preset(&advice.preset).unwrap().gives()).collect();
        let graphs = [Gives::Graphs; 3];
        assert_eq!(
            (gives[0], &gives[1..4], &gives[4..]),
            (Gives::Everything, &graphs[..], &[Gives::Trees; 2][..])
        );
    }
}
