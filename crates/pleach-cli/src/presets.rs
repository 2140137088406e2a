//! `pleach presets`: the named recipes.

use crate::failure::Failure;
use crate::output;
use pleach::recipe;
use pleach_transition::settings::Preset;
use serde_json::{Value, json};
use std::fmt::Write;

const EXAMPLES: &str = "\
Examples:
  pleach presets                                      a line each: name, family, who scores
  pleach train --preset NAME --show-recipe            all keys of one of them
  pleach train pipeline --train t.conllu --dev d.conllu -o my.pleach
                                                      from raw text to graphs, all stages";

/// The examples, and how the names of graph parsers are made.
fn after_help() -> String {
    format!(
        "{EXAMPLES}\n\nThe family `transition` parses graphs by {}: {}; rev reads from right to left.",
        Preset::pattern(),
        Preset::legend()
    )
}

/// List the presets that `pleach train` knows
#[derive(clap::Args)]
#[command(after_help = after_help())]
pub struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: Args) -> Result<(), Failure> {
    let usual = recipe::default()?;
    let mut list: Vec<Value> = Vec::new();
    let mut out = String::new();
    for name in recipe::preset_names() {
        let recipe = recipe::preset(&name)?;
        let (family, scorer) = (recipe.family(), recipe.scorer());
        let default = name == usual.name();
        let note = if default { "  (used when none is named)" } else { "" };
        let line = format!("{name:<24} {family:<20} {}{note}", scorer.unwrap_or_default());
        writeln!(out, "{}", line.trim_end())?;
        list.push(json!({"name": name, "family": family, "scorer": scorer, "default": default}));
    }
    match args.json {
        true => output::print(format!("{}\n", Value::from(list))),
        false => output::print(out),
    }
}
